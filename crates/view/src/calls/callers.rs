//! Callers as the workbench looks at them: functions, and below each those that called it.

use std::any::Any;
use std::sync::Arc;

use crosscut_calls::{Callers, Calls, Functions, MOST_CALLERS, NONE, Paths as _};
use crosscut_scene::format::count;
use crosscut_tree::{Metric, NodeId, Part, Rule, Tree};
use crosscut_workbench::{
    Block, Cell, Chosen, Fact, Forest, Hits, Job, Nodes, Reach, Refusal, Scope, Selection, Sheet, Title,
    TreeKey,
};

use super::forest::MOST_REACHED;
use super::{forest, info};
use crate::messages::figures::Figures;

/// Its name.
pub const TREE: &str = "callers";

/// The callers of all functions of a run.
#[derive(Debug)]
pub struct CallerForest {
    calls: Arc<Calls>,
    functions: Functions,
    /// By call path: the function that it is in.
    around: Vec<u32>,
    frame: Vec<u32>,
    cut: Vec<bool>,
    figures: Figures,
}

impl CallerForest {
    /// Of an open run.
    pub fn new(calls: &Arc<Calls>, job: &Job<'_>) -> Result<Self, Refusal> {
        job.progress(0.0, "looking for callers")?;
        let made = Callers::of(&**calls, MOST_CALLERS).map_err(|error| Refusal::new(error.to_string()))?;
        let functions = Functions::of(calls.frames());
        let around = functions.around(&**calls);
        let (mut metrics, mut values) = (Vec::new(), Vec::new());
        for (number, metric) in calls.summary().metrics.iter().enumerate() {
            let unit = info::value(metric, 0).1;
            let own = Metric::new(&format!("{}, itself", metric.name), unit, Rule::Own);
            let inclusive = Metric::new(&metric.name, unit, Rule::Own);
            metrics.push(own.about("Spent in the function itself when it was called so."));
            metrics.push(inclusive.about(
                "Spent in the function and all that it called when it was called so; where it calls itself, once.",
            ));
            for of in [&made.own[number], &made.inclusive[number]] {
                values.push(of.iter().map(|&value| info::value(metric, value).0).collect());
            }
        }
        let figures = Figures { tree: made.tree, metrics, values };
        Ok(CallerForest {
            calls: calls.clone(),
            functions,
            around,
            frame: made.frame,
            cut: made.cut,
            figures,
        })
    }

    fn name(&self, node: NodeId) -> String {
        let frame = self.frame.get(node.index()).copied().unwrap_or(NONE);
        info::name(self.calls.frames().get(frame as usize))
    }

    /// Call paths that end in the function of a node and were called by those above it.
    fn call_paths(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        // From the function to its outermost caller.
        let tree = self.tree();
        let mut chain: Vec<u32> = std::iter::once(node)
            .chain(tree.ancestors(node))
            .filter(|&above| above != NodeId::ROOT)
            .map(|above| self.function(self.frame.get(above.index()).copied().unwrap_or(NONE)))
            .collect();
        chain.reverse();
        let is = move |path: &NodeId| {
            let mut at = path.0;
            for (step, &function) in chain.iter().enumerate() {
                if step > 0 {
                    at = self.caller(at);
                }
                if self.function(self.calls.number(NodeId(at))) != function {
                    return false;
                }
            }
            !chain.is_empty()
        };
        let all = (1..self.around.len() as u32).filter(|&at| self.around[at as usize] == at);
        all.map(NodeId).filter(is)
    }

    fn function(&self, frame: u32) -> u32 {
        self.functions.of_frame(frame).unwrap_or(NONE)
    }

    fn caller(&self, path: u32) -> u32 {
        let above = self.calls.tree().parent(NodeId(path)).unwrap_or(NodeId::ROOT);
        self.around.get(above.index()).copied().unwrap_or(0)
    }
}

impl Forest for CallerForest {
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
        let title = |part: &Part| {
            let mut name = match part.fold {
                Some(_) => format!("× {} from {}", count(i64::from(part.count)), self.name(part.node)),
                None => self.name(part.node),
            };
            if self.cut.get(part.node.index()) == Some(&true) {
                name.push_str(" ⟵ …");
            }
            let kind = if part.node == NodeId::ROOT { "program" } else { "function" };
            Title { kind: kind.to_owned(), name, line: None, state: self.figures.state(part) }
        };
        parts.iter().map(title).collect()
    }

    /// Callers are added up over all places: of some of them nothing is known here.
    fn values(&self, metric: usize, parts: &[Part], scope: &Scope, out: &mut [f64]) {
        // Callers are known of the whole run only.
        let is_part = self.calls.samples().is_some() && (scope.inside.is_some() || scope.time.is_some());
        for (part, out) in parts.iter().zip(out) {
            let known = scope.places.is_none() && !is_part;
            *out = if known { self.figures.value(metric, part) } else { f64::NAN };
        }
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
        if self.cut.get(node.index()) == Some(&true) {
            let most = count(MOST_CALLERS as i64);
            rows.push(Fact::new(
                "callers",
                Cell::text(format!("not unfolded: there are {most} nodes already")),
            ));
        }
        let frame = self.frame.get(node.index()).and_then(|&frame| self.calls.frames().get(frame as usize));
        rows.extend(frame.map(info::whereabouts).unwrap_or_default());
        Ok(Sheet {
            title: self.name(node),
            kind: "function".to_owned(),
            crumbs: self.figures.crumbs(selection, node, |node| self.name(node)),
            selection: Some(selection.clone()),
            siblings: self.figures.siblings(selection, node),
            blocks: vec![Block::Facts { rows }],
            ..Sheet::default()
        })
    }

    fn facts(&self, _: &Job<'_>) -> Vec<Fact> {
        let cut = self.cut.iter().filter(|&&cut| cut).count();
        let text = format!("{} have callers that are not unfolded", count(cut as i64));
        (cut > 0).then(|| Fact::new("nodes", Cell::text(text))).into_iter().collect()
    }

    fn reach(&self, selection: &Selection) -> Reach {
        let mut paths: Vec<NodeId> = Vec::new();
        for node in selection.nodes.iter().take(self.frame.len()) {
            paths.extend(self.call_paths(node).take(MOST_REACHED.saturating_sub(paths.len())));
            if paths.len() >= MOST_REACHED {
                break;
            }
        }
        let nodes: Nodes = paths.into_iter().collect();
        Reach { same: vec![(TreeKey::named(forest::TREE), nodes)], ..Reach::default() }
    }

    /// The functions of call paths, or of some source lines.
    fn find(&self, reach: &Reach, _: &Job<'_>) -> Nodes {
        let same = reach.same.iter().find(|(key, _)| key.name == forest::TREE);
        let paths: Vec<NodeId> = match same {
            Some((_, nodes)) => nodes.iter().take(MOST_REACHED).collect(),
            None => forest::of_lines(&self.calls, &reach.lines).collect(),
        };
        let mut wanted = vec![false; self.functions.len()];
        for path in paths {
            let around = self.around.get(path.index()).copied().unwrap_or(0);
            let function = self.functions.of_frame(self.calls.number(NodeId(around)));
            if let Some(slot) = function.and_then(|function| wanted.get_mut(function as usize)) {
                *slot = true;
            }
        }
        let is = |node: &NodeId| {
            let frame = self.frame.get(node.index()).copied().unwrap_or(NONE);
            self.functions
                .of_frame(frame)
                .is_some_and(|function| wanted.get(function as usize) == Some(&true))
        };
        self.tree().children(NodeId::ROOT).filter(is).collect()
    }

    /// By the names of callers and function.
    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        let key = |&node: &NodeId| {
            let own = forest::hash(0, &self.name(node));
            self.tree().ancestors(node).fold(own, |key, above| forest::hash(key, &self.name(above)))
        };
        nodes.iter().map(key).collect()
    }

    fn bytes(&self) -> usize {
        self.figures.bytes() + 5 * self.frame.len() + 4 * self.around.len()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
