//! A picture: the action on the cut first, then the layout.

use std::collections::VecDeque;
use std::time::Instant;

use crosscut_scene::wire;
use crosscut_tasks::Tasks;
use crosscut_tree::{Cut, NodeId, Part, Plain, Window, fold, open};
use crosscut_view::colour;
use crosscut_view::dag::{self, DagOptions, dag};
use crosscut_view::profile::{ProfileOptions, profile};
use crosscut_view::scene::Scene;
use crosscut_view::timeline::{TimelineOptions, timeline};

use super::grain_scene::grain_scene;
use super::{MOST_ITEMS, existing, visible};
use crate::answer::Refusal;
use crate::protocol::{Action, ColourBy, Scale, SceneAnswer, SceneRequest, ViewName};
use crate::OpenRun;

/// Items that opening to a depth or along the critical path makes visible at most.
pub const MANY_ITEMS: usize = 5000;

impl From<ColourBy> for colour::ColourBy {
    fn from(by: ColourBy) -> Self {
        match by {
            ColourBy::Worker => colour::ColourBy::Worker,
            ColourBy::Kind => colour::ColourBy::Kind,
            ColourBy::Source => colour::ColourBy::Source,
            ColourBy::Core => colour::ColourBy::Core,
        }
    }
}

impl From<Scale> for dag::Scale {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Even => dag::Scale::Even,
            Scale::Log => dag::Scale::Log,
            Scale::Linear => dag::Scale::Linear,
        }
    }
}

/// Answers [`crate::protocol::Op::Scene`].
pub fn scene(run: &OpenRun, request: &SceneRequest) -> Result<(SceneAnswer, Scene), Refusal> {
    side(request.width)?;
    side(request.height)?;
    if request.view == ViewName::Grain {
        return grain_scene(run, request);
    }
    let began = Instant::now();
    let tasks = &run.tasks;
    let mut cut = run.cut(&request.cut)?;
    let stopped = match request.action {
        Some(action) => !act(tasks, &mut cut, action)?,
        None => false,
    };
    let visible = visible(tasks, &cut)?;
    let scene = picture(tasks, &cut, request)?;
    let head = wire::head(&scene);
    let ms = began.elapsed().as_secs_f64() * 1e3;
    Ok((SceneAnswer { cut: cut.to_text(), visible, select: None, stopped, ms, scene: head }, scene))
}

/// Draws a cut or a window.
pub fn picture(tasks: &Tasks, cut: &Cut, request: &SceneRequest) -> Result<Scene, Refusal> {
    let colour = request.colour.into();
    let (width, height) = (side(request.width)?, side(request.height)?);
    Ok(match request.view {
        ViewName::Dag => {
            let options = DagOptions { colour, scale: request.scale.into(), critical: request.critical };
            dag(tasks, cut, &options)
        }
        ViewName::Timeline => {
            let (from, to) = window(tasks, request.window)?;
            let focus = request.focus.map(|node| existing(tasks, node)).transpose()?;
            timeline(tasks, from, to, &TimelineOptions { width, height, colour, focus })
        }
        ViewName::Profile => {
            let (from, to) = window(tasks, request.window)?;
            profile(tasks, from, to, &ProfileOptions { width, height })
        }
        ViewName::Grain => return Err("the grain view has a cut of its own".to_owned()),
    })
}

/// A side of a pane: panes may be hidden or huge, pictures are neither.
fn side(pixels: f32) -> Result<f32, Refusal> {
    if pixels.is_finite() {
        Ok(pixels.clamp(100.0, 16_384.0))
    } else {
        Err("width and height must be finite numbers".to_owned())
    }
}

/// The asked window within the run; at least one unit of time wide.
fn window(tasks: &Tasks, asked: Option<(f64, f64)>) -> Result<(i64, i64), Refusal> {
    let end = tasks.summary().elapsed.max(1);
    let Some((from, to)) = asked else { return Ok((0, end)) };
    if !from.is_finite() || !to.is_finite() {
        return Err("the window must be two finite times".to_owned());
    }
    if from > to {
        return Err(format!("the window ends at {to}, before it begins at {from}"));
    }
    let from = (from.floor() as i64).clamp(0, end - 1);
    let to = (to.ceil() as i64).clamp(from + 1, end);
    Ok((from, to))
}

/// Changes the cut; says whether all fitted that was to be opened.
fn act(tasks: &Tasks, cut: &mut Cut, action: Action) -> Result<bool, Refusal> {
    let tree = tasks.tree();
    let mut fitted = true;
    match action {
        Action::Open { node } => {
            let node = existing(tasks, node)?;
            if tasks.is_collapsed(node) {
                return Err("its inside was collapsed while recording: only its totals are known".to_owned());
            }
            cut.open(tree, node);
        }
        Action::Close { node } => cut.close(tree, existing(tasks, node)?),
        Action::Below { node, limit } => {
            fitted = open::below(&Plain(tree), cut, existing(tasks, node)?, limit.min(MOST_ITEMS));
        }
        Action::Depth { depth } => {
            let opened = open::to_depth(&Plain(tree), depth as usize, MANY_ITEMS);
            *cut = opened.0;
            // Levels end before the depth that was asked for, or there was no room for the next one.
            let closed = |part: Part| part.fold.is_none() && !tree.is_leaf(part.node);
            fitted = opened.1 >= depth as usize || !fold::visible(&Plain(tree), cut).any(closed);
        }
        Action::Reveal { node } => {
            open::reveal(&Plain(tree), cut, existing(tasks, node)?, usize::MAX);
        }
        Action::Critical => fitted = open_critical(tasks, cut),
        Action::Window { node, first, count } => {
            cut.set_window(existing(tasks, node)?, Window { first, count: count.min(MANY_ITEMS as u32) });
        }
        Action::Worst
        | Action::Alike { .. }
        | Action::Spread { .. }
        | Action::Gather { .. }
        | Action::Path { .. }
        | Action::RevealTask { .. } => {
            return Err("only the grain view can do that".to_owned());
        }
    }
    Ok(fitted)
}

/// Opens every node of the critical path, the upper ones first, as long as there is room. Says whether all fitted.
fn open_critical(tasks: &Tasks, cut: &mut Cut) -> bool {
    let tree = tasks.tree();
    let mut shown = fold::visible(&Plain(tree), cut).take(MANY_ITEMS).count();
    let mut queue = VecDeque::from([(NodeId::ROOT, tasks.critical_root())]);
    while let Some((node, way)) = queue.pop_front() {
        if tree.is_leaf(node) {
            continue;
        }
        let was_open = cut.is_open(node);
        cut.open(tree, node);
        let inside = tasks.critical_inside(node, &way);
        if let Some(child) = inside.leaves_by() {
            open::reveal(&Plain(tree), cut, child, usize::MAX); // it may be one of very many
        }
        let items = fold::shown(&Plain(tree), cut, node);
        if !was_open {
            shown += items.len();
            if shown > MANY_ITEMS {
                cut.close(tree, node);
                return false;
            }
        }
        let alone = items.into_iter().filter(|part| part.fold.is_none()).map(|part| part.node);
        queue.extend(alone.filter_map(|child| inside.way(child).map(|way| (child, way))));
    }
    true
}
