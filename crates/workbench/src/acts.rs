//! Acts that all trees share: opening, closing, revealing, spreading. Each turns a Look into a Look; none draws.

use std::sync::Arc;

use crosscut_tree::{Cut, NodeId, Window, fold, open};

use crate::bench::Workbench;
use crate::domain::{Chosen, Did, Forest, TreeRef};
use crate::error::Refusal;
use crate::job::Job;
use crate::light::translated;
use crate::look::Look;
use crate::question::ActCall;
use crate::selection::{Nodes, Selection, TreeKey};

/// Visible items of a cut at most: more cannot be drawn or read.
pub const MOST_ITEMS: usize = 20_000;
/// Acts that open much stop at so many items, if a call does not say otherwise.
pub const MANY_ITEMS: usize = 5_000;
/// Items that a tree opens with at most.
pub const FIRST_ITEMS: usize = 60;

/// A tree of a look with its state: forest, cut and lens.
pub struct Looked {
    /// The tree.
    pub tree: TreeRef,
    /// It, made.
    pub forest: Arc<dyn Forest>,
    /// What is unfolded.
    pub cut: Cut,
    /// What is folded.
    pub lens: Option<Arc<Chosen>>,
}

impl Looked {
    /// The state of a tree in a look.
    pub fn new(bench: &Workbench, look: &Look, key: &TreeKey, job: &Job<'_>) -> Result<Self, Refusal> {
        let state = look.trees.get(key).cloned().unwrap_or_default();
        let tree = TreeRef { key: key.clone(), with: state.with.clone() };
        let forest = bench.forest(&tree, job)?;
        let cut = match state.cut.as_str() {
            "" => forest.first_cut(FIRST_ITEMS),
            text => Cut::from_text(forest.tree(), text).map_err(|error| Refusal::new(error.to_string()))?,
        };
        let lens = state.lens.as_ref().map(|lens| bench.lens(&tree, lens, job)).transpose()?;
        Ok(Looked { tree, forest, cut, lens })
    }

    /// A node of it.
    pub fn selection(&self, run: usize, node: NodeId) -> Selection {
        Selection { run, tree: self.tree.key.clone(), nodes: Nodes::one(node), to: None, time: None }
    }
}

/// Whether an act is shared by all trees.
pub fn is_shared(act: &str) -> bool {
    matches!(act, "open" | "close" | "below" | "depth" | "reveal" | "window" | "spread" | "gather")
}

/// Does a shared act on the tree of its selection, or on the first one of the view.
pub fn act(
    bench: &Workbench,
    call: &ActCall,
    trees: &[TreeKey],
    look: &mut Look,
    job: &Job<'_>,
) -> Result<Did, Refusal> {
    let first = trees.first().ok_or_else(|| Refusal::new("this view has no tree to open"))?;
    let own = call.on.as_ref().map(|on| &on.tree).filter(|tree| trees.contains(tree)).unwrap_or(first);
    let mut looked = Looked::new(bench, look, own, job)?;
    let did = change(bench, call, look, &mut looked, job)?;
    look.trees.entry(own.clone()).or_default().cut = looked.cut.to_text();
    Ok(did)
}

fn change(
    bench: &Workbench,
    call: &ActCall,
    look: &Look,
    looked: &mut Looked,
    job: &Job<'_>,
) -> Result<Did, Refusal> {
    let (forest, lens) = (looked.forest.clone(), looked.lens.clone());
    let tree = forest.tree();
    let folds = forest.folds(look, lens.as_deref());
    let number = |k: usize| call.numbers.get(k).copied().filter(|n| n.is_finite() && *n >= 0.0);
    let node = || match &call.on {
        Some(on) if on.tree == looked.tree.key => on.existing(tree),
        Some(on) => Err(Refusal::new(format!("{} has no part in this view", on.tree))),
        None => Err(Refusal::new("nothing is selected")),
    };
    let mut did = Did::default();
    match call.name.as_str() {
        "open" => {
            let node = node()?;
            if tree.is_leaf(node) {
                return Err(Refusal::new("there is nothing inside to show"));
            }
            looked.cut.open(tree, node);
        }
        "close" => looked.cut.close(tree, node()?),
        "below" => {
            let limit = number(0).map_or(MANY_ITEMS, |n| n as usize).min(MOST_ITEMS);
            let node = node()?;
            did.stopped = !open::below(&*folds, &mut looked.cut, node, limit);
        }
        "depth" => {
            let depth = number(0).ok_or_else(|| Refusal::new("to which depth?"))? as usize;
            let (cut, reached) = open::to_depth(&*folds, depth, MANY_ITEMS);
            looked.cut = cut;
            let closed = |part: fold::Part| part.fold.is_none() && !tree.is_leaf(part.node);
            did.stopped =
                reached < depth && fold::visible(&*folds, &looked.cut).any(closed) && lens.is_none();
        }
        "reveal" => {
            let on = call.on.as_ref().ok_or_else(|| Refusal::new("nothing is selected"))?;
            let nodes = match on.tree == looked.tree.key {
                true => on.nodes.clone(),
                false => translated(bench, on, look, &looked.tree, job)?.nodes,
            };
            let meant = Selection { nodes, ..looked.selection(look.run, NodeId::ROOT) };
            let node = meant.existing(tree).map_err(|_| Refusal::new("it has no part in this view"))?;
            let reached = open::reveal(&*folds, &mut looked.cut, node, MANY_ITEMS);
            did.select = Some(looked.selection(look.run, reached));
            did.stopped = reached != node;
        }
        "window" => {
            let (first, count) = (number(0).unwrap_or(0.0), number(1).unwrap_or(0.0));
            let window = Window { first: first as u32, count: (count as u32).min(Cut::WINDOW as u32) };
            looked.cut.set_window(node()?, window);
        }
        "spread" => open::spread(&*folds, &mut looked.cut, node()?),
        "gather" => {
            let node = node()?;
            looked.cut.gather(tree, node);
        }
        other => {
            return Err(Refusal::new(format!(
                "there is no act `{}`",
                other.chars().take(40).collect::<String>()
            )));
        }
    }
    Ok(did)
}
