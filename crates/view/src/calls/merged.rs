//! The super graph as the workbench looks at it: the program, its super nodes in the order in which they were made, and the
//! functions of each. The parameter of its key is the map: `super/module`, `super/library`, `super/file`, `super/function`.

use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crosscut_calls::graph::{Folded, Split};
use crosscut_calls::{Calls, Making, Peers, SuperGraph};
use crosscut_scene::format::{count, many};
use crosscut_tree::{Builder, Metric, NodeId, Part, Rule, Tree, TreeError, Unit, Worse};
use crosscut_workbench::{
    Block, Cell, Chosen, Fact, Forest, Hits, Job, Nodes, Options, Reach, Refusal, Scope, Selection, Sheet,
    Title, TreeKey, TreeRef,
};

use super::forest::MOST_REACHED;
use super::opened::Opened;
use super::scoped::Scoped;
use super::{forest, info, trees};
use crate::messages::figures::Figures;

/// Its name; the parameter says what is merged.
pub const TREE: &str = "super";
/// Callers, callees and entry functions that a sheet lists.
const LISTED: usize = 6;

/// Splits that are made one after the other from graphs that are kept; with more of them all are made anew.
pub const FOLLOWED: usize = 6;

/// Values by call path and place that are looked at while somebody waits: about a hundredth of a second.
const QUICK: usize = 1 << 24;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A super node; the root is the program.
    Super(u32),
    /// A function of one: its frame, and how many call paths.
    Function(u32, u32),
}

/// A super graph.
#[derive(Debug)]
pub struct SuperForest {
    calls: Arc<Calls>,
    /// What it was made by.
    pub making: Making,
    /// The graph.
    pub graph: SuperGraph,
    figures: Figures,
    what: Vec<What>,
    /// By super node: its node in the tree.
    nodes: Vec<NodeId>,
    /// By metric: what was spent in each super node itself, by place.
    own: Vec<OnceLock<Vec<i64>>>,
    /// What is shown of it, as it was folded the last two times: before it is known how many bars fit, and then.
    folded: Mutex<Vec<(Vec<bool>, Arc<Folded>)>>,
    opened: Arc<Opened>,
}

impl SuperForest {
    /// The super graph that a key and options name.
    pub fn new(opened: &Arc<Opened>, key: &TreeKey, with: &Options, job: &Job<'_>) -> Result<Self, Refusal> {
        let calls = &opened.calls;
        let making = trees::making(calls, key.parameter.as_deref().unwrap_or_default(), with)?;
        job.progress(0.0, "merging call paths")?;
        let graph = match before_last_split(key, with, &making, job)? {
            Some(graph) => graph,
            None => SuperGraph::with(&**calls, &making, opened.totals(making.metric)),
        };
        job.check()?;
        let (figures, what) = figures(calls, &graph, making.metric)
            .map_err(|error| Refusal::new(format!("the super graph is no tree: {error}")))?;
        let node = |(at, what): (usize, &What)| matches!(what, What::Super(_)).then_some(NodeId(at as u32));
        let nodes = what.iter().enumerate().filter_map(node).collect();
        let own = calls.summary().metrics.iter().map(|_| OnceLock::new()).collect();
        let (calls, opened, folded) = (calls.clone(), opened.clone(), Mutex::default());
        Ok(SuperForest { calls, making, graph, figures, what, nodes, own, folded, opened })
    }

    /// The calls that it was made of.
    pub fn calls(&self) -> &Arc<Calls> {
        &self.calls
    }

    /// Whether what was spent at each place is there at once: it is known, or there is little to look at.
    pub fn is_quick_at_places(&self) -> bool {
        let is_known = self.own.get(self.making.metric).is_some_and(|own| own.get().is_some());
        is_known || self.calls.node_count().saturating_mul(self.calls.place_count()) < QUICK
    }

    /// What was spent in a super node itself at each place, of the metric that it was made by; none where there is one place.
    pub fn own_at_places(&self, of: u32) -> Option<&[i64]> {
        let (metric, places) = (self.making.metric, self.calls.place_count());
        let by_call = self.opened.by_call(metric)?;
        let own =
            self.own.get(metric)?.get_or_init(|| self.graph.own_by_place(&*self.calls, metric, by_call));
        own.get(of as usize * places..(of as usize + 1) * places).filter(|_| places > 1)
    }

    /// What is shown of the graph, folded; those of the last two times are kept.
    pub fn folded(&self, shown: &[bool]) -> Arc<Folded> {
        let mut last = self.folded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, folded)) = last.iter().find(|(known, _)| known == shown) {
            return folded.clone();
        }
        let folded = Arc::new(self.graph.folded(&*self.calls, self.making.metric, shown));
        last.truncate(1);
        last.insert(0, (shown.to_vec(), folded.clone()));
        folded
    }

    /// Call paths at some places, of the metric that it was made by.
    pub fn scoped(&self, places: &[u32]) -> Arc<Scoped> {
        self.opened.scoped(self.making.metric, places)
    }

    /// The node of a super node.
    pub fn node(&self, of: u32) -> NodeId {
        self.nodes.get(of as usize).copied().unwrap_or(NodeId::ROOT)
    }

    /// The super node of a node, or the one that its function is in.
    pub fn super_node(&self, node: NodeId) -> u32 {
        let above = self.figures.tree.view().parent(node);
        match (self.what.get(node.index()), above.and_then(|above| self.what.get(above.index()))) {
            (Some(What::Super(of)), _) | (Some(What::Function(..)), Some(What::Super(of))) => *of,
            _ => 0,
        }
    }

    fn name(&self, node: NodeId) -> String {
        match self.what.get(node.index()) {
            Some(What::Super(of)) => self.super_name(*of),
            Some(What::Function(frame, _)) => info::name(self.calls.frames().get(*frame as usize)),
            None => String::new(),
        }
    }

    fn super_name(&self, of: u32) -> String {
        self.graph.nodes().get(of as usize).map(|node| node.name()).unwrap_or_default()
    }

    fn kind(&self, node: NodeId) -> &'static str {
        match self.what.get(node.index()) {
            Some(What::Super(0)) => "program",
            Some(What::Super(of)) if self.graph.nodes().get(*of as usize).is_some_and(|of| of.copy > 0) => {
                "copy"
            }
            Some(What::Super(_)) => "super node",
            Some(What::Function(frame, _)) => {
                self.calls.frames().get(*frame as usize).map_or("function", |frame| frame.kind.word())
            }
            None => "",
        }
    }

    /// The call paths of a node: those that enter a super node, or end in a function of one.
    fn call_paths(&self, node: NodeId) -> Nodes {
        let of = self.super_node(node);
        match self.what.get(node.index()) {
            Some(What::Function(frame, _)) => {
                let is = |path: &NodeId| self.calls.frame_number(*path) == *frame;
                self.graph.members(of).filter(is).take(MOST_REACHED).collect()
            }
            _ => self.graph.entering(of).take(MOST_REACHED).collect(),
        }
    }

    /// Who calls a super node, whom it calls, and by which functions it is entered.
    fn around(&self, of: u32) -> Vec<Fact> {
        let metric = self.making.metric;
        let Some(measured) = self.calls.summary().metrics.get(metric) else { return Vec::new() };
        let flow = self.graph.flow(metric);
        let edges = self.graph.edges().iter().zip(flow);
        let mut into: Vec<(i64, u32)> = Vec::new();
        let mut out: Vec<(i64, u32)> = Vec::new();
        for (edge, &value) in edges {
            if edge.to == of {
                into.push((value, edge.from));
            }
            if edge.from == of {
                out.push((value, edge.to));
            }
        }
        let mut facts = Vec::new();
        for (word, mut ends) in [("called by", into), ("calls", out)] {
            ends.sort_unstable_by_key(|&(value, of)| (std::cmp::Reverse(value), of));
            facts.extend(ends.iter().take(LISTED).map(|&(value, of)| {
                Fact::new(
                    word,
                    Cell::text(format!("{}, {}", self.super_name(of), info::text(measured, value))),
                )
            }));
        }
        let entries = self.graph.entries(&*self.calls, metric, of);
        facts.extend(entries.iter().take(LISTED).map(|entry| {
            let name = info::name(self.calls.frames().get(entry.frame as usize));
            let paths = many(entry.paths as usize, "call path");
            let text = format!("{name}, {}, {paths}", info::text(measured, entry.inclusive));
            Fact::new("entered by", Cell::text(text))
        }));
        if entries.len() > LISTED {
            facts.push(Fact::new("entered by", Cell::text(format!("{} more", entries.len() - LISTED))));
        }
        facts
    }
}

/// The graph by way of the one without its last split, which somebody looked at most likely: only what is split changes.
fn before_last_split(
    key: &TreeKey,
    with: &Options,
    making: &Making,
    job: &Job<'_>,
) -> Result<Option<SuperGraph>, Refusal> {
    let followed = Some(&making.splits).filter(|splits| splits.len() <= FOLLOWED);
    let Some((last, before)) = followed.and_then(|splits| splits.split_last()) else { return Ok(None) };
    let mut with = with.clone();
    match before.is_empty() {
        true => with.remove("split"),
        false => with.insert("split".to_owned(), Split::list_to_text(before)),
    };
    let made = job.forest(&TreeRef { key: key.clone(), with })?;
    let Some(forest) = made.as_any().downcast_ref::<SuperForest>() else { return Ok(None) };
    let mut graph = forest.graph.clone();
    graph.split(&*forest.calls, last);
    Ok(Some(graph))
}

/// The tree with its columns, and what each node is.
fn figures(calls: &Calls, graph: &SuperGraph, metric: usize) -> Result<(Figures, Vec<What>), TreeError> {
    let metrics = &calls.summary().metrics;
    let functions: Vec<_> = (0..metrics.len()).map(|metric| graph.functions(calls, metric)).collect();
    let own_of: Vec<std::collections::HashMap<(u32, u32), i64>> = functions
        .iter()
        .map(|rows| rows.iter().map(|(of, row)| ((*of, row.frame), row.inclusive)).collect())
        .collect();
    let order = functions.get(metric).map_or(&[][..], Vec::as_slice);
    let mut builder = Builder::new();
    let mut what = vec![What::Super(0)];
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); 2 * metrics.len()];
    let mut put = |what: What| {
        for (number, measured) in metrics.iter().enumerate() {
            let shown = |value: Option<i64>| value.map_or(f64::NAN, |value| info::value(measured, value).0);
            let (inclusive, own) = match what {
                What::Super(of) => (
                    graph.inclusive(number).get(of as usize).copied(),
                    graph.own(number).get(of as usize).copied(),
                ),
                What::Function(..) => (None, None),
            };
            values[2 * number].push(shown(inclusive));
            values[2 * number + 1].push(shown(own));
        }
    };
    builder.open()?;
    put(What::Super(0));
    for of in 0..graph.nodes().len() as u32 {
        let from = order.partition_point(|(to, _)| *to < of);
        let to = order.partition_point(|(to, _)| *to <= of);
        if of > 0 {
            builder.open()?;
            put(What::Super(of));
            what.push(What::Super(of));
        }
        for (_, row) in order.get(from..to).unwrap_or_default() {
            builder.leaf()?;
            put(What::Function(row.frame, row.paths));
            what.push(What::Function(row.frame, row.paths));
        }
        if of > 0 {
            builder.close()?;
        }
    }
    builder.close()?;
    let mut around = 0;
    for (at, what) in what.iter().enumerate() {
        match what {
            What::Super(of) => around = *of,
            What::Function(frame, _) => {
                for (number, measured) in metrics.iter().enumerate() {
                    let own = own_of[number].get(&(around, *frame)).copied().unwrap_or(0);
                    values[2 * number + 1][at] = info::value(measured, own).0;
                }
            }
        }
    }
    let metrics = metrics.iter().flat_map(|metric| {
        let unit = info::value(metric, 0).1;
        let own = Metric::new(&format!("{}, itself", metric.name), unit, Rule::Own);
        [
            Metric::new(&metric.name, unit, Rule::Own)
                .about("Spent in what is called through its entry functions."),
            own.about("Spent in its own functions, without other super nodes that they call."),
        ]
    });
    let metrics = metrics.collect();
    Ok((Figures { tree: builder.finish()?, metrics, values }, what))
}

impl Forest for SuperForest {
    fn tree(&self) -> Tree<'_> {
        self.figures.tree.view()
    }

    fn metrics(&self) -> &[Metric] {
        &self.figures.metrics
    }

    fn keeps_open(&self) -> bool {
        true
    }

    fn titles(&self, parts: &[Part], _: Option<&Chosen>) -> Vec<Title> {
        let title = |part: &Part| Title {
            kind: self.kind(part.node).to_owned(),
            name: match part.fold {
                Some(_) => format!("× {} from {}", count(i64::from(part.count)), self.name(part.node)),
                None => self.name(part.node),
            },
            line: None,
            state: self.figures.state(part),
        };
        parts.iter().map(title).collect()
    }

    fn values(&self, metric: usize, parts: &[Part], scope: &Scope, out: &mut [f64]) {
        let measured = self.calls.summary().metrics.get(metric / 2);
        let at = scope.places.as_ref().map(|places| {
            let some = (0..self.calls.place_count() as u32).filter(|&place| places.contains(NodeId(place)));
            let scoped = self.opened.scoped(metric / 2, &some.collect::<Vec<_>>());
            let (own, inclusive) = self.graph.at(&*scoped, metric / 2);
            if metric.is_multiple_of(2) { inclusive } else { own }
        });
        for (part, out) in parts.iter().zip(out) {
            *out = match (&at, measured, self.what.get(part.node.index())) {
                (Some(at), Some(measured), Some(What::Super(of))) if part.count == 1 => {
                    at.get(*of as usize).map_or(f64::NAN, |&value| info::value(measured, value).0)
                }
                (Some(_), ..) => f64::NAN,
                _ => self.figures.value(metric, part),
            };
        }
    }

    /// How uneven what was spent in it itself is over ranks, or over places where there is one rank.
    fn late(&self, job: &Job<'_>) -> Result<Vec<(Metric, Vec<f64>)>, Refusal> {
        job.check()?;
        if self.own_at_places(0).is_none() {
            return Ok(Vec::new());
        }
        let peers = Peers::of(&self.calls, self.making.metric, None);
        let uneven = |of: u32| Some(peers.imbalance(self.own_at_places(of)?)?.ratio);
        let ratio = |what: &What| match what {
            What::Super(of) => uneven(*of).unwrap_or(f64::NAN),
            What::Function(..) => f64::NAN,
        };
        let metric = Metric::new("imbalance", Unit::Ratio, Rule::Own).worse(Worse::High);
        let metric = metric
            .about(&format!("Largest ÷ mean over {}s of what was spent in it itself.", peers.each().word()));
        Ok(vec![(metric, self.what.iter().map(ratio).collect())])
    }

    fn search(&self, words: &str, limit: usize, _: &Job<'_>) -> Hits {
        self.figures.search(words, limit, |node| self.name(node))
    }

    fn about(
        &self,
        selection: &Selection,
        _: Option<&Chosen>,
        _: &Scope,
        _: &Job<'_>,
    ) -> Result<Sheet, Refusal> {
        let node = selection.existing(self.tree())?;
        let mut rows = self.figures.facts(node);
        if let Some(What::Super(of)) = self.what.get(node.index()) {
            if self.graph.is_duplicated(*of) {
                let text = "one of several: a single one would be in a cycle of calls";
                rows.push(Fact::new("copy", Cell::text(text)));
            }
            rows.extend(self.around(*of));
            let metric = self.making.metric;
            let own = self.own_at_places(*of);
            rows.extend(own.map(|values| info::at_places(&self.calls, metric, values)).unwrap_or_default());
        }
        Ok(Sheet {
            title: self.name(node),
            kind: self.kind(node).to_owned(),
            crumbs: self.figures.crumbs(selection, node, |node| self.name(node)),
            selection: Some(selection.clone()),
            siblings: self.figures.siblings(selection, node),
            blocks: vec![Block::Facts { rows }],
            ..Sheet::default()
        })
    }

    fn facts(&self, _: &Job<'_>) -> Vec<Fact> {
        let small = self.graph.filtered().iter().filter(|&&small| small).count();
        let copies = self.graph.nodes().iter().filter(|node| node.copy > 0).count();
        let mut facts =
            vec![Fact::new("super nodes", Cell::text(count(self.graph.nodes().len() as i64 - 1)))];
        let mut fact = |name: &str, text: String| facts.push(Fact::new(name, Cell::text(text)));
        if copies > 0 {
            fact("copies", format!("{}: calls in cycles", count(copies as i64)));
        }
        if small > 0 {
            fact("small", format!("{} stay in their callers", many(small, "frame")));
        }
        if self.graph.stayed() > 0 {
            let most = crosscut_calls::graph::MOST_COPIES;
            let paths = many(self.graph.stayed() as usize, "call path");
            fact("deep", format!("{paths} stay in their callers: there are {most} copies already"));
        }
        facts
    }

    fn reach(&self, selection: &Selection) -> Reach {
        let mut paths: Vec<NodeId> = Vec::new();
        for node in selection.nodes.iter().take(self.what.len()) {
            paths.extend(self.call_paths(node).iter());
            if paths.len() >= MOST_REACHED {
                break;
            }
        }
        let nodes: Nodes = paths.into_iter().collect();
        Reach { same: vec![(TreeKey::named(forest::TREE), nodes)], ..Reach::default() }
    }

    /// The super nodes of call paths, or of some source lines.
    fn find(&self, reach: &Reach, _: &Job<'_>) -> Nodes {
        let same = reach.same.iter().find(|(key, _)| key.name == forest::TREE);
        let of = |path: NodeId| self.graph.node_of(path).map(|of| self.node(of));
        match same {
            Some((_, nodes)) => nodes.iter().take(MOST_REACHED).filter_map(of).collect(),
            None => forest::of_lines(&self.calls, &reach.lines).filter_map(of).collect(),
        }
    }

    /// By their names.
    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        let tree = self.tree();
        let key = |&node: &NodeId| {
            let above = tree.parent(node).map(|above| self.name(above)).unwrap_or_default();
            forest::hash(forest::hash(0, &above), &self.name(node))
        };
        nodes.iter().map(key).collect()
    }

    fn bytes(&self) -> usize {
        let own = 8 * self.graph.nodes().len() * self.calls.place_count();
        self.figures.bytes() + self.graph.bytes() + own
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
