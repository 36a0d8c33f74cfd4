//! The calling context tree as the workbench looks at it.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use crosscut_calls::{Calls, Query};
use crosscut_scene::format::{count, exact, many, quantity};
use crosscut_tree::{Metric, NodeId, NodeSet, Part, Rule, Tree};
use crosscut_workbench::sheet::Crumb;
use crosscut_workbench::{
    Block, Cell, Chosen, Fact, Forest, Hits, Job, LensDecl, LensSpec, Nodes, Options, Reach, Refusal,
    RowState, Scope, Selection, Sheet, Title, TreeKey,
};

use super::opened::Opened;
use super::trees::Asked;
use super::within::{self, Trees};
use super::{info, lens};

/// Its name.
pub const TREE: &str = "calls";
/// Nodes of a selection that are looked at.
pub(super) const MOST_REACHED: usize = 100_000;

/// The calls of a run.
#[derive(Debug)]
pub struct CallForest {
    opened: Arc<Opened>,
    calls: Arc<Calls>,
    /// For each metric of the profile two: with callees, itself.
    metrics: Vec<Metric>,
    asked: Asked,
}

impl CallForest {
    /// Of an open run, with the options of the tree.
    pub fn new(opened: &Arc<Opened>, with: &Options) -> Result<Self, Refusal> {
        let calls = &opened.calls;
        let metrics = calls.summary().metrics.iter().flat_map(|metric| {
            let unit = info::value(metric, 0).1;
            let inclusive = Metric::new(&metric.name, unit, Rule::Sum);
            let own = Metric::new(&format!("{}, itself", metric.name), unit, Rule::Own);
            [
                inclusive.about("Spent in this call path and in all that was called from it."),
                own.about("Spent in the function itself, without what it called."),
            ]
        });
        let (metrics, asked) = (metrics.collect(), Asked::of(calls, with)?);
        Ok(CallForest { opened: opened.clone(), calls: calls.clone(), metrics, asked })
    }

    fn name(&self, node: NodeId) -> String {
        info::name(self.calls.frame(node))
    }

    /// The value of a metric of the table for a part; of folded siblings only what adds up.
    fn value(&self, metric: usize, part: &Part, scope: &Scope) -> f64 {
        let Some(measured) = self.calls.summary().metrics.get(metric / 2) else { return f64::NAN };
        let sum = |nodes: Range<usize>| match &scope.places {
            Some(places) => info::over(&self.calls.at_places(metric / 2, nodes), places),
            None => self.calls.sum(metric / 2, nodes),
        };
        let at = part.node.index();
        let value = match (metric % 2, part.count) {
            (0, 1) => sum(self.calls.subtree(part.node)),
            (0, _) => part.sum(self.calls.tree(), sum),
            (_, 1) => sum(at..at + 1),
            _ => return f64::NAN,
        };
        info::value(measured, value).0
    }

    fn select(&self, of: &Selection, node: NodeId) -> Selection {
        Selection { run: of.run, tree: of.tree.clone(), nodes: Nodes::one(node), to: None, time: None }
    }
}

impl Forest for CallForest {
    fn tree(&self) -> Tree<'_> {
        self.calls.tree()
    }

    fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    fn lenses(&self) -> Vec<LensDecl> {
        lens::lenses(&self.asked)
    }

    fn lens(&self, lens: &LensSpec, job: &Job<'_>) -> Result<Chosen, Refusal> {
        job.check()?;
        lens::lens(&self.calls, &self.asked, lens)
    }

    fn keeps_open(&self) -> bool {
        true
    }

    fn scoped(
        &self,
        scope: &Scope,
        trees: &Trees,
        job: &Job<'_>,
    ) -> Result<Option<Arc<dyn Forest>>, Refusal> {
        let part = within::part(&self.opened, scope, trees, job)?;
        let forest = |part: Arc<Opened>| CallForest {
            calls: part.calls.clone(),
            opened: part,
            metrics: self.metrics.clone(),
            asked: self.asked.clone(),
        };
        Ok(part.map(|part| Arc::new(forest(part)) as Arc<dyn Forest>))
    }

    fn titles(&self, parts: &[Part], _: Option<&Chosen>) -> Vec<Title> {
        let title = |part: &Part| {
            let frame = self.calls.frame(part.node);
            let name = match part.fold {
                Some(_) => format!("× {} from {}", count(i64::from(part.count)), self.name(part.node)),
                None => self.name(part.node),
            };
            let holds = part.fold.is_none() && !self.tree().is_leaf(part.node);
            Title {
                kind: frame.map_or("program", |frame| frame.kind.word()).to_owned(),
                name,
                line: None,
                state: RowState { open: part.open, holds, ..RowState::default() },
            }
        };
        parts.iter().map(title).collect()
    }

    fn values(&self, metric: usize, parts: &[Part], scope: &Scope, out: &mut [f64]) {
        for (part, out) in parts.iter().zip(out) {
            *out = self.value(metric, part, scope);
        }
    }

    /// By names, modules and files; or what is written as a query.
    fn search(&self, words: &str, limit: usize, job: &Job<'_>) -> Hits {
        if let Some(nodes) = Query::parse(words).ok().and_then(|query| query.nodes(&*self.calls).ok()) {
            return Hits { nodes: nodes.iter().take(limit).collect(), total: nodes.len(), more: false };
        }
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let has = |frame: &crosscut_calls::Frame| {
            let text = format!("{} {} {}", frame.name, frame.module, frame.file).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        };
        // Frames are few beside call paths: their names are looked at once.
        let wanted: Vec<bool> = self.calls.frames().iter().map(has).collect();
        let mut hits = Hits::default();
        for at in 1..self.calls.node_count() as u32 {
            if at.is_multiple_of(1 << 16) && job.check().is_err() {
                break;
            }
            let frame = self.calls.frame_number(NodeId(at)) as usize;
            if wanted.get(frame) == Some(&true) {
                hits.total += 1;
                if hits.nodes.len() < limit {
                    hits.nodes.push(NodeId(at));
                }
            }
        }
        hits
    }

    fn about(
        &self,
        selection: &Selection,
        _: Option<&Chosen>,
        scope: &Scope,
        _: &Job<'_>,
    ) -> Result<Sheet, Refusal> {
        let tree = self.tree();
        let node = selection.existing(tree)?;
        let frame = self.calls.frame(node);
        let mut rows: Vec<Fact> = Vec::new();
        for (number, metric) in self.metrics.iter().enumerate() {
            let value = self.value(number, &Part::one(node), scope);
            let text = quantity(value, metric.unit);
            let cell = Cell::Number { value, text, exact: exact(value, metric.unit), share: None };
            rows.push(Fact { name: metric.title.clone(), value: cell, about: metric.about.clone() });
        }
        rows.extend(frame.map(info::whereabouts).unwrap_or_default());
        let values = self.calls.at_places(0, self.calls.subtree(node));
        rows.extend(info::at_places(&self.calls, 0, &values));
        let crumb = |above| Crumb { title: self.name(above), selection: self.select(selection, above) };
        let mut crumbs: Vec<Crumb> = tree.ancestors(node).map(crumb).collect();
        crumbs.reverse();
        Ok(Sheet {
            title: self.name(node),
            kind: frame.map_or("program", |frame| frame.kind.word()).to_owned(),
            crumbs,
            selection: Some(selection.clone()),
            siblings: (
                tree.previous_sibling(node).map(|node| self.select(selection, node)),
                tree.next_sibling(node).map(|node| self.select(selection, node)),
            ),
            blocks: vec![Block::Facts { rows }],
            ..Sheet::default()
        })
    }

    fn reach(&self, selection: &Selection) -> Reach {
        let nodes = selection.nodes.iter().take(MOST_REACHED);
        let mut lines: Vec<u32> = nodes.filter_map(|node| self.calls.source(node)).collect();
        lines.sort_unstable();
        lines.dedup();
        // What is made of call paths finds itself by them.
        let same = vec![(TreeKey::named(TREE), selection.nodes.clone())];
        Reach { same, lines, ..Reach::default() }
    }

    /// The call paths that ran in some stretches, else those of some source lines.
    fn find(&self, reach: &Reach, _: &Job<'_>) -> Nodes {
        let ran = within::nodes(&self.calls, &reach.stretches);
        if ran.is_empty() { of_lines(&self.calls, &reach.lines).collect() } else { ran }
    }

    /// By their call paths: names, from the root down.
    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        let key = |&node: &NodeId| {
            let mut key = hash(0, &self.name(node));
            for above in self.tree().ancestors(node) {
                key = hash(key, &self.name(above));
            }
            key
        };
        nodes.iter().map(key).collect()
    }

    fn facts(&self, _: &Job<'_>) -> Vec<Fact> {
        let found = |(query, nodes): &(String, NodeSet)| {
            Fact::new("query", Cell::text(format!("{query}: {}", many(nodes.len(), "call path"))))
        };
        self.asked.query.iter().map(found).collect()
    }

    fn bytes(&self) -> usize {
        256 + self.asked.query.as_ref().map_or(0, |_| self.calls.node_count() / 8)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The call paths of some source lines.
pub(super) fn of_lines<'a>(calls: &'a Calls, lines: &'a [u32]) -> impl Iterator<Item = NodeId> + 'a {
    let wanted = |node: &NodeId| calls.source(*node).is_some_and(|source| lines.contains(&source));
    let all = if lines.is_empty() { 0..0 } else { 1..calls.node_count() as u32 };
    all.map(NodeId).filter(wanted).take(MOST_REACHED)
}

/// The same in every process and on every machine.
pub(super) fn hash(seed: u64, text: &str) -> u64 {
    text.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
