//! What can be done in views of calls beside the acts that all views share.

use crosscut_tree::NodeId;
use crosscut_workbench::{ActCall, Did, Job, Look, Nodes, Refusal, TreeKey};

use super::forest::TREE;
use super::opened::Opened;
use super::ranks;

/// Does an act of a view.
pub fn act(opened: &Opened, call: &ActCall, look: &mut Look, job: &Job<'_>) -> Result<Did, Refusal> {
    match call.name.as_str() {
        "focus" => focus(opened, call, look),
        "brush" => brush(opened, call, look, job),
        "all" => {
            look.scope.places = None;
            Ok(Did::default())
        }
        other => {
            let other: String = other.chars().take(40).collect();
            Err(Refusal::new(format!("{} cannot do `{other}`", look.view)))
        }
    }
}

/// One call path fills the picture; the one that does so already gives way to its caller.
fn focus(opened: &Opened, call: &ActCall, look: &mut Look) -> Result<Did, Refusal> {
    let on = call.on.as_ref().or(look.selected.as_ref());
    let on = on.filter(|on| on.tree == TreeKey::named(TREE));
    let tree = opened.calls.tree();
    let node = on.ok_or_else(|| Refusal::new("select a call path first"))?.existing(tree)?;
    let now = look.option("root").unwrap_or_default();
    let root = if now == node.0.to_string() { tree.parent(node).unwrap_or(NodeId::ROOT) } else { node };
    match root {
        NodeId::ROOT => look.options.remove("root"),
        root => look.options.insert("root".to_owned(), root.0.to_string()),
    };
    Ok(Did::default())
}

/// The places whose values lie in a stretch are those that count; where there are none, all do.
fn brush(opened: &Opened, call: &ActCall, look: &mut Look, job: &Job<'_>) -> Result<Did, Refusal> {
    let [low, high] = call.numbers[..] else {
        return Err(Refusal::new("drag over bins or points to choose places"));
    };
    if !(low.is_finite() && high.is_finite()) {
        return Err(Refusal::new("drag over bins or points to choose places"));
    }
    let places = ranks::brushed(opened, look, job, (low.min(high), low.max(high)))?;
    let all = opened.calls.place_count();
    look.scope.places = match places.len() {
        0 => None,
        count if count == all => None,
        _ => Some(places.into_iter().map(NodeId).collect::<Nodes>()),
    };
    Ok(Did::default())
}
