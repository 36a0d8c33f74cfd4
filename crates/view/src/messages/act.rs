//! What can be done in the view of phases beside the acts that all views share.

use crosscut_tree::{Cut, NodeId};
use crosscut_workbench::{ActCall, Did, Forest, Job, Look, Refusal, Selection, TreeKey};

use super::gram::phases_of;
use super::phases::{self, Kind, PhaseForest};

/// Does an act of a view.
pub fn act(call: &ActCall, look: &mut Look, job: &Job<'_>) -> Result<Did, Refusal> {
    let made = PhaseForest::of(job, &look.tree(phases::TREE).with)?;
    let forest = phases_of(&made)?;
    match call.name.as_str() {
        "focus" => {
            let on = call.on.as_ref().or(look.selected.as_ref());
            let on = on.filter(|on| on.tree == TreeKey::named(phases::TREE));
            let node = on.ok_or_else(|| Refusal::new("select a phase first"))?.existing(forest.tree())?;
            focus(forest, look, node)
        }
        "worst" => {
            let step = if call.numbers.first().is_some_and(|&number| number < 0.0) { -1 } else { 1 };
            let node = worst(forest, look, step)?;
            focus(forest, look, node)
        }
        other => {
            let other: String = other.chars().take(40).collect();
            Err(Refusal::new(format!("{} cannot do `{other}`", look.view)))
        }
    }
}

/// The iteration of a phase is open, all others are closed.
fn focus(forest: &PhaseForest, look: &mut Look, node: NodeId) -> Result<Did, Refusal> {
    let tree = forest.tree();
    let mut around = std::iter::once(node).chain(tree.ancestors(node));
    let period = around.find(|&at| forest.node(at).is_some_and(|at| at.kind == Kind::Period));
    let period = period.ok_or_else(|| Refusal::new("nothing repeats here: there is no iteration"))?;
    let mut cut = Cut::closed();
    cut.open(tree, NodeId::ROOT);
    cut.open(tree, period);
    look.trees.entry(TreeKey::named(phases::TREE)).or_default().cut = cut.to_text();
    Ok(Did { select: Some(Selection::node(look.run, phases::TREE, node)), ..Did::default() })
}

/// The next of the phases that stand out, those with most waiting beyond what is usual first.
fn worst(forest: &PhaseForest, look: &Look, step: i32) -> Result<NodeId, Refusal> {
    let waiting = &forest.waiting;
    let mut all: Vec<usize> =
        (0..forest.gram.phases.len()).filter(|&phase| waiting.stands_out[phase]).collect();
    let beyond = |phase: usize| waiting.mean[phase] - waiting.usual[phase];
    all.sort_by(|&a, &b| beyond(b).total_cmp(&beyond(a)).then(a.cmp(&b)));
    if all.is_empty() {
        return Err(Refusal::new("no phase waits more than twice as long as is usual for its pattern"));
    }
    let selected = look.selected.as_ref().filter(|on| on.tree == TreeKey::named(phases::TREE));
    let now = selected.and_then(|on| on.nodes.single());
    let at = now.and_then(|node| all.iter().position(|&phase| forest.of_phase[phase] == node));
    let next = match at {
        Some(at) => (at as i32 + step).rem_euclid(all.len() as i32) as usize,
        None => 0,
    };
    Ok(forest.of_phase[all[next]])
}
