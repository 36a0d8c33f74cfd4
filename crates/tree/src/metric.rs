//! A metric: a named column with a unit, and the rule by which a parent gets its value from its children.
//!
//! In pre-order, walking the nodes backwards meets every child before its parent and the last child first, so one
//! backward loop applies any rule without a stack.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::tree::{NodeId, Tree};

/// What a value is measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Ticks of a clock whose frequency is not known.
    Ticks,
    /// Bytes.
    Bytes,
    /// A number of things.
    #[default]
    Count,
    /// A ratio.
    Ratio,
    /// A ratio times a hundred.
    Percent,
    /// Processors or workers that are busy on average.
    Cores,
    /// A number that names something, such as a core: neither rounded nor grouped.
    Number,
}

impl Unit {
    /// All of them.
    pub const ALL: [Unit; 8] = [
        Unit::Ns,
        Unit::Ticks,
        Unit::Bytes,
        Unit::Count,
        Unit::Ratio,
        Unit::Percent,
        Unit::Cores,
        Unit::Number,
    ];

    /// What stands behind an exact value; empty for plain numbers.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Ns => "ns",
            Unit::Ticks => "ticks",
            Unit::Bytes => "bytes",
            Unit::Percent => "%",
            Unit::Cores => "cores",
            Unit::Count | Unit::Ratio | Unit::Number => "",
        }
    }
}

/// How a parent gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// The sum of the children and of its own value.
    Sum,
    /// The largest of the children and of its own value.
    Max,
    /// The smallest of the children and of its own value.
    Min,
    /// The series-parallel critical path: a child in series adds to what follows it, a child in parallel competes
    /// with what follows it. For creates and waits with their tasks this is exactly T∞: read backwards,
    /// rest ← max(rest, task) at a created task, rest ← interval + rest at an interval.
    Span,
    /// None that siblings could be put together by: each node has a value of its own.
    Own,
}

/// Which values of a metric are bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Worse {
    /// Large ones.
    High,
    /// Small ones.
    Low,
}

/// A named, typed column with its unit and rule: what tables, inspectors, sorting, JSON and colour scales are made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// The one word for it.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Unit of its values.
    pub unit: Unit,
    /// How a parent gets its value.
    pub rule: Rule,
    /// Which values are bad, if any.
    pub worse: Option<Worse>,
    /// What it means, in a sentence.
    pub about: String,
}

impl Metric {
    /// A metric that is called by its name, of which no value is bad.
    pub fn new(name: &str, unit: Unit, rule: Rule) -> Self {
        Metric {
            name: name.to_owned(),
            title: name.to_owned(),
            unit,
            rule,
            worse: None,
            about: String::new(),
        }
    }

    /// Called otherwise.
    pub fn titled(self, title: &str) -> Self {
        Metric { title: title.to_owned(), ..self }
    }

    /// With what it means.
    pub fn about(self, about: &str) -> Self {
        Metric { about: about.to_owned(), ..self }
    }

    /// With which values are bad.
    pub fn worse(self, worse: Worse) -> Self {
        Metric { worse: Some(worse), ..self }
    }

    /// Whether the value of several siblings is the sum of theirs.
    pub fn is_additive(&self) -> bool {
        self.rule == Rule::Sum
    }
}

/// Fills in the values of all inner nodes from the leaves, in place. What stands in an inner node before is its own
/// share (0 for [`Rule::Sum`] and [`Rule::Span`] as a rule). `parallel(node)` says whether a child runs beside what
/// follows it among its siblings; only [`Rule::Span`] asks.
pub fn propagate(tree: Tree<'_>, rule: Rule, values: &mut [i64], parallel: impl Fn(NodeId) -> bool) {
    let parent = tree.parents();
    let n = parent.len().min(values.len());
    let mut up = |combine: &dyn Fn(i64, i64, usize) -> i64| {
        for i in (1..n).rev() {
            let p = parent[i] as usize;
            if p < i {
                values[p] = combine(values[p], values[i], i);
            }
        }
    };
    match rule {
        Rule::Sum => up(&|acc, value, _| acc.saturating_add(value)),
        Rule::Max => up(&|acc, value, _| acc.max(value)),
        Rule::Min => up(&|acc, value, _| acc.min(value)),
        Rule::Own => {}
        Rule::Span => up(&|acc, value, i| {
            if parallel(NodeId(i as u32)) { acc.max(value) } else { acc.saturating_add(value) }
        }),
    }
}

/// The mean by weight: a parent's value is Σ value · weight / Σ weight over the leaves below it. Returns one value per
/// node (NaN where there is no weight).
pub fn propagate_mean(tree: Tree<'_>, values: &[f64], weights: &[f64]) -> Vec<f64> {
    let n = tree.node_count().min(values.len()).min(weights.len());
    let mut sums: Vec<(f64, f64)> = (0..n)
        .map(|i| {
            // A leaf without weight may well have no value either (NaN): it has no say.
            let counts = tree.is_leaf(NodeId(i as u32)) && weights[i] != 0.0;
            if counts { (values[i] * weights[i], weights[i]) } else { (0.0, 0.0) }
        })
        .collect();
    let parent = tree.parents();
    for i in (1..n).rev() {
        let p = parent[i] as usize;
        if p < i {
            let (value, weight) = sums[i];
            sums[p].0 += value;
            sums[p].1 += weight;
        }
    }
    sums.into_iter().map(|(value, weight)| value / weight).collect()
}
