//! What can be done in views of calls beside the acts that all views share.

use crosscut_calls::graph::{Split, SplitBy};
use crosscut_tree::NodeId;
use crosscut_workbench::{ActCall, Did, Job, Look, Nodes, Refusal, TreeKey};

use super::forest::TREE;
use super::opened::Opened;
use super::{flow, ranks};

/// Does an act of a view.
pub fn act(opened: &Opened, call: &ActCall, look: &mut Look, job: &Job<'_>) -> Result<Did, Refusal> {
    match call.name.as_str() {
        "focus" => focus(opened, call, look),
        "split" => split(call, look, job, SplitBy::Entry(None)),
        "split-caller" => split(call, look, job, SplitBy::Caller),
        "merge" => merge(look),
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
    look.scope.places = places.map(|places| places.into_iter().map(NodeId).collect::<Nodes>());
    Ok(Did::default())
}

/// The splits of a look.
fn splits(look: &Look) -> Vec<Split> {
    let with = look.trees.get(&flow::key(look)).and_then(|state| state.with.get("split"));
    Split::list_from_text(with.map_or("", String::as_str)).unwrap_or_default()
}

fn put_splits(look: &mut Look, splits: &[Split]) {
    let key = flow::key(look);
    let with = &mut look.trees.entry(key).or_default().with;
    match splits.is_empty() {
        true => with.remove("split"),
        false => with.insert("split".to_owned(), Split::list_to_text(splits)),
    };
}

/// Splits the super node that is selected.
fn split(call: &ActCall, look: &mut Look, job: &Job<'_>, by: SplitBy) -> Result<Did, Refusal> {
    let key = flow::key(look);
    let on = call.on.as_ref().or(look.selected.as_ref()).filter(|on| on.tree == key);
    let on = on.ok_or_else(|| Refusal::new("select a super node first"))?;
    let with = look.trees.get(&key).map(|state| state.with.clone()).unwrap_or_default();
    let made = flow::forest(look, &with, job)?;
    let forest = flow::super_forest(&made)?;
    let node = forest.super_node(on.existing(made.tree())?);
    let name = forest.graph.nodes().get(node as usize).map(|node| node.name()).unwrap_or_default();
    let split = Split { node: name.clone(), by };
    let mut graph = forest.graph.clone();
    if !graph.split(&**forest.calls(), &split) {
        let what = if split.by == SplitBy::Caller { "caller" } else { "entry function" };
        return Err(Refusal::new(format!("{name} has one {what}: there is nothing to split")));
    }
    let mut all = splits(look);
    all.push(split);
    put_splits(look, &all);
    Ok(Did::default())
}

/// Takes back the split that was made last.
fn merge(look: &mut Look) -> Result<Did, Refusal> {
    let mut all = splits(look);
    let last = all.pop().ok_or_else(|| Refusal::new("nothing is split"))?;
    put_splits(look, &all);
    Ok(Did { notice: Some(format!("{} is one again", last.node)), ..Did::default() })
}
