//! What a picture of places is about: the selection, and what was spent in it at each place.

use crosscut_calls::Calls;
use crosscut_tree::NodeId;
use crosscut_workbench::{Job, Look, Nodes, Refusal, Selection, TreeKey, TreeRef};

use super::forest::TREE;
use super::info;
use super::merged::SuperForest;
use super::opened::Opened;
use super::values::Values;

/// A selection by place.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// What it is called.
    pub name: String,
    /// Without what was called.
    pub itself: bool,
    /// By place.
    pub values: Vec<i64>,
}

/// Itself counts from this share of what is spent with callees on, when nobody says otherwise.
const MUCH: f64 = 0.05;

impl Subject {
    /// The selection of a look at each place; where nothing is selected the most uneven module, or else the program. The option
    /// "part" says whether what was called counts.
    pub fn of(opened: &Opened, values: &Values<'_>, look: &Look, job: &Job<'_>) -> Result<Self, Refusal> {
        let selected = look.selected.as_ref().filter(|selected| selected.run == look.run);
        if let Some(of) = selected.and_then(|on| of_super_node(values, look, on, job)) {
            return Ok(of);
        }
        let Some((name, nodes)) = selected.map(|on| meant(values, look, on, job)).transpose()?.flatten()
        else {
            let telling =
                (values.metric == 0 && part(look) != Some(false)).then(|| telling(opened)).flatten();
            let program = || Subject::of_nodes(values, "program".to_owned(), &[NodeId::ROOT], part(look));
            return Ok(telling.unwrap_or_else(program));
        };
        Ok(Subject::of_nodes(values, name, &nodes, part(look)))
    }

    /// Some call paths, none of which is inside of another.
    pub fn of_nodes(values: &Values<'_>, name: String, nodes: &[NodeId], itself: Option<bool>) -> Self {
        let sum = |of: fn(&Calls, usize, NodeId) -> i64| {
            nodes.iter().fold(0, |sum: i64, &node| sum.saturating_add(of(values.calls, values.metric, node)))
        };
        let (own, all) = (sum(Calls::own), sum(Calls::inclusive));
        let itself = itself.unwrap_or(own as f64 >= MUCH * all as f64 && own > 0);
        let mut by_place = vec![0i64; values.calls.place_count()];
        for &node in nodes {
            let range = match itself {
                true => node.index()..node.index() + 1,
                false => values.calls.subtree(node),
            };
            for (sum, value) in by_place.iter_mut().zip(values.calls.at_places(values.metric, range)) {
                *sum = sum.saturating_add(value);
            }
        }
        Subject { name, itself, values: by_place }
    }

    /// What it is called, and what of it counts.
    pub fn title(&self) -> String {
        format!("{} · {}", self.name, if self.itself { "itself" } else { "with callees" })
    }
}

/// One super node, itself: its values are known without its call paths.
fn of_super_node(values: &Values<'_>, look: &Look, on: &Selection, job: &Job<'_>) -> Option<Subject> {
    let with = look.trees.get(&on.tree).map(|state| state.with.clone()).unwrap_or_default();
    let made = job.forest(&TreeRef { key: on.tree.clone(), with }).ok()?;
    let forest: &SuperForest = made.as_any().downcast_ref()?;
    let node = on.nodes.first().filter(|_| on.nodes.len() == 1 && on.existing(made.tree()).is_ok())?;
    let of = forest.super_node(node);
    if forest.node(of) != node || forest.making.metric != values.metric || part(look) == Some(false) {
        return None;
    }
    let value = |of_metric: &[i64]| of_metric.get(of as usize).copied().unwrap_or(0);
    let (own, all) = (value(forest.graph.own(values.metric)), value(forest.graph.inclusive(values.metric)));
    let much = own > 0 && own as f64 >= MUCH * all as f64;
    let name = forest.graph.nodes().get(of as usize)?.name();
    let by_place = forest.own_at_places(of).filter(|_| much || part(look) == Some(true))?;
    Some(Subject { name, itself: true, values: by_place.to_vec() })
}

/// The most uneven module, itself.
fn telling(opened: &Opened) -> Option<Subject> {
    let module = opened.telling()?;
    let name = format!("{}, the most uneven module", opened.modules().names.get(module)?);
    Some(Subject { name, itself: true, values: opened.by_module().get(module)?.clone() })
}

/// Whether only what is spent itself counts; none where the values decide.
fn part(look: &Look) -> Option<bool> {
    match look.option("part") {
        Some("itself") => Some(true),
        Some("all") => Some(false),
        _ => None,
    }
}

/// The call paths that a selection means, outermost ones only.
fn meant(
    values: &Values<'_>,
    look: &Look,
    on: &Selection,
    job: &Job<'_>,
) -> Result<Option<(String, Vec<NodeId>)>, Refusal> {
    let calls = TreeKey::named(TREE);
    let (name, nodes) = match on.tree == calls {
        true => (None, on.nodes.clone()),
        false => {
            let with = look.trees.get(&on.tree).map(|state| state.with.clone()).unwrap_or_default();
            let tree = TreeRef { key: on.tree.clone(), with };
            let Ok(forest) = job.forest(&tree) else { return Ok(None) };
            if on.existing(forest.tree()).is_err() {
                return Ok(None);
            }
            let same = forest.reach(on).same.into_iter().find(|(key, _)| *key == calls);
            let parts: Vec<_> = on.nodes.iter().take(1).map(crosscut_tree::Part::one).collect();
            let title = forest.titles(&parts, None).into_iter().next().map(|title| title.name);
            (title, same.map(|(_, nodes)| nodes).unwrap_or_else(Nodes::none))
        }
    };
    let nodes = outermost(values, &nodes);
    let Some(&first) = nodes.first() else { return Ok(None) };
    let own = || info::name(values.calls.frame(first));
    Ok(Some((name.unwrap_or_else(own), nodes)))
}

/// Nodes that are in no other of them.
fn outermost(values: &Values<'_>, nodes: &Nodes) -> Vec<NodeId> {
    let mut end = 0;
    let mut all = Vec::new();
    for node in nodes.iter().take_while(|node| node.index() < values.calls.node_count()) {
        if node.index() >= end {
            end = values.calls.subtree(node).end;
            all.push(node);
        }
    }
    all
}
