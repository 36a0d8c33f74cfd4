//! What can be done in views of calls beside the acts that all views share.

use crosscut_tree::NodeId;
use crosscut_workbench::{ActCall, Did, Look, Refusal, TreeKey};

use super::forest::TREE;
use super::opened::Opened;

/// Does an act of a view.
pub fn act(opened: &Opened, call: &ActCall, look: &mut Look) -> Result<Did, Refusal> {
    match call.name.as_str() {
        "focus" => focus(opened, call, look),
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
