//! What a selection means in a look: in other trees, by identity, by place and time, or by source line. A selection never
//! makes a new layout: marks that are there are lit.

use crosscut_tree::{Folds, NodeId, Tree, fold};

use crate::acts::Looked;
use crate::bench::Workbench;
use crate::domain::{Forest, Reach, TreeRef};
use crate::error::Refusal;
use crate::job::Job;
use crate::look::Look;
use crate::picture::trees_of;
use crate::question::{LightAnswer, Lit};
use crate::selection::{Nodes, Selection};

/// Ancestors that are named at most, the innermost ones.
const ABOVE: usize = 64;

/// What a selection means in another tree.
pub struct Translated {
    /// The nodes there.
    pub nodes: Nodes,
    /// How they were found.
    pub by: &'static str,
}

/// What a selection means in a tree of the job's run; the look says with which options its own tree was made.
pub fn translated(
    bench: &Workbench,
    selection: &Selection,
    look: &Look,
    tree: &TreeRef,
    job: &Job<'_>,
) -> Result<Translated, Refusal> {
    let none = Translated { nodes: Nodes::none(), by: "" };
    if selection.run != job.run {
        return Ok(none);
    }
    if selection.tree == tree.key {
        return Ok(Translated { nodes: selection.nodes.clone(), by: "same tree" });
    }
    let with = look.trees.get(&selection.tree).map(|state| state.with.clone()).unwrap_or_default();
    let from = bench.forest(&TreeRef { key: selection.tree.clone(), with }, job)?;
    if !selection.nodes.is_empty() {
        selection.existing(from.tree())?;
    }
    let reach = reach_of(bench, &*from, selection, job);
    if let Some((_, nodes)) = reach.same.iter().find(|(key, _)| *key == tree.key) {
        return Ok(Translated { nodes: nodes.clone(), by: "same thing" });
    }
    let forest = bench.forest(tree, job)?;
    // A tree may know what nodes of another one are in it.
    let same = Reach { same: vec![(selection.tree.clone(), selection.nodes.clone())], ..Reach::default() };
    let by_time = Reach { stretches: reach.stretches, ..Reach::default() };
    let by_line = Reach { lines: reach.lines, ..Reach::default() };
    for (reach, by) in [(same, "same thing"), (by_time, "time and place"), (by_line, "source line")] {
        let nodes = forest.find(&reach, job);
        if !nodes.is_empty() {
            return Ok(Translated { nodes, by });
        }
    }
    Ok(none)
}

/// What a selection means outside of its tree; a time alone means all places.
pub fn reach_of(bench: &Workbench, from: &dyn Forest, selection: &Selection, job: &Job<'_>) -> Reach {
    let mut reach = from.reach(selection);
    if let Some(span) = selection.time.filter(|_| reach.stretches.is_empty()) {
        let places = bench.runs[job.run].places.len() as u32;
        reach.stretches.extend((0..places).map(|place| (place, span)));
    }
    reach
}

/// Answers [`crate::question::Ask::Light`].
pub fn light(bench: &Workbench, look: &Look, job: &Job<'_>) -> Result<LightAnswer, Refusal> {
    let Some(selection) = &look.selected else {
        return Ok(LightAnswer { trees: Vec::new(), time: None, by: String::new() });
    };
    let view = bench.run(look.run)?.view(&look.view)?;
    let mut answer = LightAnswer { trees: Vec::new(), time: selection.time, by: String::new() };
    for (number, key) in trees_of(&view, look).into_iter().enumerate() {
        let state = Looked::new(bench, look, &key, job)?;
        let found = translated(bench, selection, look, &state.tree, job)?;
        if found.nodes.is_empty() {
            continue;
        }
        if answer.by.is_empty() {
            answer.by = found.by.to_owned();
        }
        let tree = state.forest.tree();
        let inside = found.nodes.iter().take(ABOVE * ABOVE).map(|node| {
            let range = tree.range(node);
            range.start as u32..range.end as u32
        });
        let folds = state.forest.folds(look, state.lens.as_deref());
        let own_pair = selection.tree == key;
        answer.trees.push(Lit {
            tree: number as u8,
            inside: Nodes::of(inside),
            above: found.nodes.first().map_or_else(Vec::new, |node| above(tree, &*folds, &state, node)),
            to: selection.to.clone().filter(|_| own_pair),
            nodes: found.nodes,
        });
    }
    Ok(answer)
}

/// What stands for a node that is not visible, from the root: the open nodes around it, and what it is folded into.
fn above(tree: Tree<'_>, folds: &dyn Folds, state: &Looked, node: NodeId) -> Vec<u32> {
    if !tree.contains(node) {
        return Vec::new();
    }
    let mut path: Vec<NodeId> = std::iter::once(node).chain(tree.ancestors(node)).collect();
    path.reverse();
    let mut above = Vec::new();
    for pair in path.windows(2) {
        above.push(pair[0].0);
        if !state.cut.is_open(pair[0]) {
            break;
        }
        let shown = fold::shown(folds, &state.cut, pair[0]);
        let Some(part) = fold::holder(&shown, pair[1]).map(|at| &shown[at]) else { break };
        if part.fold.is_some() {
            above.push(part.node.0);
            break;
        }
    }
    let skip = above.len().saturating_sub(ABOVE);
    above.drain(..skip);
    above
}
