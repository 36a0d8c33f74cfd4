//! The picture of the grain graph: the action on its cut first, then the layout.

use std::time::Instant;

use crosscut_scene::wire;
use crosscut_tasks::Tasks;
use crosscut_tree::{Cut, Fold, NodeId, Window, open};
use crosscut_view::grain::parts::{Part, What, parts};
use crosscut_view::grain::{GrainOptions, Look, open as grain_open, scene};
use crosscut_view::scene::Scene;

use super::grain::existing_grain;
use super::scene::MANY_ITEMS;
use super::{MOST_ITEMS, existing, too_many};
use crate::answer::Refusal;
use crate::grains::{GrainRun, Known};
use crate::protocol::{Action, SceneAnswer, SceneRequest};
use crate::OpenRun;

/// What a request looks at.
pub fn look<'a>(run: &'a OpenRun, lens: Option<&'a Known>, alike: bool) -> Look<'a> {
    let graph = run.grain_run();
    Look {
        tasks: &run.tasks,
        grains: &graph.grains,
        lens: lens.map(|known| &known.set),
        deviation: graph.deviation.as_ref(),
        alike,
        paths: Some(&graph.paths),
    }
}

/// What a cut shows; an error when that is too much.
pub fn visible_parts(look: &Look<'_>, cut: &Cut) -> Result<Vec<Part>, Refusal> {
    parts(look, cut, MOST_ITEMS).ok_or_else(too_many)
}

/// Answers [`crate::protocol::Op::Scene`] for the grain view.
pub fn grain_scene(run: &OpenRun, request: &SceneRequest) -> Result<(SceneAnswer, Scene), Refusal> {
    let graph = run.grain_run();
    let began = Instant::now();
    let lens = graph.lens(request.lens.as_ref())?;
    let look = look(run, lens.as_deref(), request.alike);
    let mut cut = graph.cut(&request.cut)?;
    let mut done = Done { select: None, fitted: true };
    if let Some(action) = request.action {
        done = act(run, &look, lens.as_deref(), &mut cut, action)?;
    }
    let picture = picture(run, &look, &cut, request)?;
    let head = wire::head(&picture.1);
    let ms = began.elapsed().as_secs_f64() * 1e3;
    let select = done.select.map(|node| node.0);
    let stopped = !done.fitted;
    Ok((SceneAnswer { cut: cut.to_text(), visible: picture.0, select, stopped, ms, scene: head }, picture.1))
}

/// Draws a cut; also says how many things are visible.
pub fn picture(
    run: &OpenRun,
    look: &Look<'_>,
    cut: &Cut,
    request: &SceneRequest,
) -> Result<(usize, Scene), Refusal> {
    let parts = visible_parts(look, cut)?;
    let path_of = match request.path_of {
        Some(node) => Some(existing_grain(&run.grain_run().grains, node)?),
        None => request.critical.then_some(NodeId::ROOT),
    };
    let options = GrainOptions { colour: request.colour.into(), scale: request.scale.into(), path_of };
    let visible = parts.iter().filter(|part| part.is_item()).count();
    Ok((visible, scene(look, parts, &options)))
}

/// What an action did.
struct Done {
    /// Where it leads, if to a certain node.
    select: Option<NodeId>,
    /// All was opened that was to be.
    fitted: bool,
}

/// Whether groups above a depth are still closed that are worth opening.
fn closed_above(look: &Look<'_>, cut: &Cut, depth: usize) -> bool {
    let worth = |part: &Part| look.lens.is_none() || part.whole.problems > 0;
    let closed = |part: &Part| match part.what {
        What::Closed => true,
        What::Folded(Fold::Alike) => part.kind.is_group(),
        _ => false,
    };
    let shown = parts(look, cut, MOST_ITEMS).unwrap_or_default();
    shown.iter().any(|part| (part.depth as usize) < depth && closed(part) && worth(part))
}

/// Changes the cut.
fn act(
    run: &OpenRun,
    look: &Look<'_>,
    lens: Option<&Known>,
    cut: &mut Cut,
    action: Action,
) -> Result<Done, Refusal> {
    let graph = run.grain_run();
    let tree = graph.grains.tree();
    let existing_here = |node: u32| existing_grain(&graph.grains, node);
    let shown = |cut: &Cut| parts(look, cut, MOST_ITEMS).map_or(MOST_ITEMS, |parts| parts.len());
    let mut select = None;
    let mut fitted = true;
    match action {
        Action::Open { node } => {
            let node = existing_here(node)?;
            if !graph.grains.kind(node).is_group() {
                return Err("a grain has no members to show".to_owned());
            }
            cut.open(tree, node);
        }
        Action::Close { node } => cut.close(tree, existing_here(node)?),
        Action::Below { node, limit } => {
            let node = existing_here(node)?;
            fitted = open::below(look, cut, node, limit.min(MOST_ITEMS));
        }
        Action::Depth { depth } => {
            *cut = open::to_depth(look, depth as usize, MANY_ITEMS).0;
            fitted = !closed_above(look, cut, depth as usize);
        }
        Action::Reveal { node } => select = Some(existing_here(node)?),
        Action::RevealTask { node } => {
            select = Some(graph.of_task(&run.tasks, existing(&run.tasks, node)?));
        }
        Action::Worst => select = Some(worst(look.tasks, graph, lens)?),
        Action::Critical => {
            let now = shown(cut);
            fitted = grain_open::path(look, cut, NodeId::ROOT, now, MANY_ITEMS);
        }
        Action::Path { node } => {
            let node = existing_here(node)?;
            let reached = open::reveal(look, cut, node, MANY_ITEMS);
            let now = shown(cut);
            fitted = grain_open::path(look, cut, reached, now, MANY_ITEMS);
            return Ok(Done { select: Some(reached), fitted });
        }
        Action::Window { node, first, count } => {
            let node = existing_here(node)?;
            cut.set_window(node, Window { first, count: count.min(Cut::WINDOW as u32) });
        }
        Action::Alike { node } => {
            let node = existing_here(node)?;
            let parts = visible_parts(look, cut)?;
            fitted = grain_open::alike(look, cut, node, &parts, MANY_ITEMS);
        }
        Action::Spread { node } => open::spread(look, cut, existing_here(node)?),
        Action::Gather { node } => {
            cut.gather(tree, existing_here(node)?);
        }
    }
    // Very deep in the run, there is room only for the way to a group around it.
    Ok(Done { select: select.map(|node| open::reveal(look, cut, node, MANY_ITEMS)), fitted })
}

/// The grain that costs most under the lens; without one, under the problem that costs most.
fn worst(tasks: &Tasks, graph: &GrainRun, lens: Option<&Known>) -> Result<NodeId, Refusal> {
    if let Some(known) = lens {
        let worst = known.cost(tasks, graph).worst.first();
        return worst.map(|&(node, _)| node).ok_or_else(|| {
            format!("no grain has the problem {}: set its threshold nearer", known.set.problem)
        });
    }
    let all = graph.all_known();
    let costliest = all.iter().max_by_key(|known| known.cost(tasks, graph).time_lost);
    let worst = costliest.and_then(|known| known.cost(tasks, graph).worst.first());
    worst.map(|&(node, _)| node).ok_or_else(|| "no grain has a problem".to_owned())
}
