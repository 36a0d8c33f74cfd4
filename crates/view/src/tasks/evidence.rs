//! The small picture that proves a finding: what the workers did then, with a red outline around the mark that shows it.

use crosscut_scene::palette::slot;
use crosscut_scene::{Mark, Scene};
use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Cause, Finding, Tasks, Timeline};
use crosscut_tree::NodeId;
use crosscut_workbench::{Found, Lost, Size, Span};

use super::colour::ColourBy;
use super::styles::{self, role};
use super::timeline::{TimelineOptions, bar, frame, timeline};
use super::words;

/// Of what repeats, a part is shown: so many times as long as what shows it.
const REPEATS: i64 = 16;
/// Links of a chain that are outlined at most.
const LINKS: usize = 96;
/// An outline is at least so wide.
const NARROW: f32 = 4.0;

/// Draws it; without a finding only what the workers did.
pub fn draw(
    tasks: &Tasks,
    window: (i64, i64),
    size: Size,
    found: &Found,
    finding: Option<&Finding>,
) -> Scene {
    let options = TimelineOptions { width: size.w, height: size.h, colour: ColourBy::Source, small: true };
    let mut scene = timeline(tasks, window, &options, Some(found));
    let Some(proof) = finding.and_then(|finding| proof(tasks, window, found, finding)) else { return scene };
    let (axis, pitch) = frame(tasks, window, &options);
    let (left, right) = (axis.start(), axis.start() + axis.length());
    let style = scene.styles.put(&styles::PROOF);
    for &(row, Span(from, to)) in &proof.marks {
        let (from, to) = (axis.pixel(from).clamp(left, right), axis.pixel(to).clamp(left, right));
        let more = ((NARROW - (to - from)) / 2.0).max(0.0);
        let at =
            [from - more + 1.0, row as f32 * pitch + 1.0, to - from + 2.0 * more - 2.0, bar(pitch) - 2.0];
        scene.boxes.push(at, Mark::none().role(role::SIGN).looks(style, slot::RED));
    }
    scene.note = Some(proof.says);
    scene
}

/// What shows a finding: rows and times, and what they are.
struct Proof {
    marks: Vec<(usize, Span)>,
    says: String,
}

fn proof(tasks: &Tasks, window: (i64, i64), found: &Found, finding: &Finding) -> Option<Proof> {
    let lost = || longest_loss(tasks, window, found, finding).or_else(|| without_processor(tasks, finding));
    let Some(node) = finding.node.filter(|_| !is_waiting(finding.cause)) else { return lost() };
    if finding.cause == Cause::DependenceChain {
        return links(tasks, window, node).or_else(lost);
    }
    // A member of a team is compared with the others as a whole.
    let member = tasks.tree().ancestors(node).find(|&above| tasks.kind(above) == Kind::Task);
    let shown = match finding.cause {
        Cause::Imbalance | Cause::BarrierWait => member.filter(|&task| tasks.is_lane(task)).unwrap_or(node),
        _ => node,
    };
    let Some(worker) = tasks.worker(node) else { return lost() };
    let span = Span(tasks.start(shown) as f64, tasks.end(shown) as f64);
    let says =
        format!("outlined: {} on worker {worker}", words::time_text(tasks.elapsed(shown), tasks.clock()));
    Some(Proof { marks: vec![(worker, span)], says })
}

/// Causes that are seen where workers do not work.
fn is_waiting(cause: Cause) -> bool {
    matches!(cause, Cause::Lock | Cause::Preempted | Cause::RuntimeDelay | Cause::SmallTasks)
}

/// The longest stretch that was lost to it in the window.
fn longest_loss(tasks: &Tasks, window: (i64, i64), found: &Found, finding: &Finding) -> Option<Proof> {
    let line = finding.source.and_then(|source| tasks.sources().get(source)).map(words::line);
    let is_it = |lost: &&Lost| lost.cause == finding.cause.id() && lost.line == line;
    let inside = |&(place, Span(from, to)): &(u32, Span)| {
        let span = Span(from.max(window.0 as f64), to.min(window.1 as f64));
        Some((tasks.places().worker(place)?, span)).filter(|_| span.1 > span.0)
    };
    let length = |Span(from, to): Span| to - from;
    let stretches = found.lost.iter().find(is_it)?.stretches.iter().filter_map(inside);
    let (worker, span) = stretches.max_by(|a, b| length(a.1).total_cmp(&length(b.1)))?;
    let says =
        format!("outlined: worker {worker} lost {}", words::time_text(length(span) as i64, tasks.clock()));
    Some(Proof { marks: vec![(worker, span)], says })
}

/// The stretch of a worker in which it was without a processor for longest: that is inside of what it ran.
fn without_processor(tasks: &Tasks, finding: &Finding) -> Option<Proof> {
    if finding.cause != Cause::Preempted {
        return None;
    }
    let off = |stretch: &crosscut_tasks::schema::Stretch| stretch.to - stretch.from - stretch.processor;
    let of = |worker: usize| tasks.stretches(worker).max_by_key(off).map(|stretch| (worker, stretch));
    let (worker, stretch) = (0..tasks.workers())
        .filter_map(of)
        .max_by_key(|(_, stretch)| off(stretch))
        .filter(|of| off(&of.1) > 0)?;
    let long = words::time_text(off(&stretch), tasks.clock());
    let says = format!("outlined: worker {worker} had no processor for {long} of this time");
    Some(Proof { marks: vec![(worker, Span(stretch.from as f64, stretch.to as f64))], says })
}

/// All intervals of the line of a chain that the window holds: links, one after the other.
fn links(tasks: &Tasks, (from, to): (i64, i64), node: NodeId) -> Option<Proof> {
    let line = |node: NodeId| tasks.sources().site(tasks.site(node)).map(|site| site.from);
    let Timeline::Intervals(list) = tasks.timeline(from, to, 1, LINKS) else { return None };
    let same = list.iter().filter(|interval| line(interval.node) == line(node));
    let mark = |interval: &crosscut_tasks::Interval| {
        (interval.worker as usize, Span(interval.start as f64, interval.end as f64))
    };
    let marks: Vec<(usize, Span)> = same.map(mark).collect();
    let says = format!("outlined: {} in a row; a part is shown", words::many(marks.len(), "link"));
    Some(Proof { marks, says }).filter(|proof| !proof.marks.is_empty())
}

/// The time that proves a finding best: what repeats is shown in part, what is lost here and there where most of it is.
pub fn window(tasks: &Tasks, finding: &Finding) -> (i64, i64) {
    let whole = finding.window.unwrap_or((0, tasks.summary().elapsed));
    let part = |(from, to): (i64, i64), times: i64| {
        let (middle, half) = (from.midpoint(to), (to - from).max(1).saturating_mul(times) / 2);
        (middle.saturating_sub(half).max(0), middle.saturating_add(half).min(tasks.summary().elapsed))
    };
    match finding.cause {
        cause if is_waiting(cause) => {
            let longest = finding.stretches.iter().max_by_key(|(_, from, to)| to - from);
            longest.map_or((0, tasks.summary().elapsed), |&(_, from, to)| part((from, to), 3))
        }
        Cause::DependenceChain | Cause::WaitInLoop | Cause::SerialSpawn => {
            let Some(node) = finding.node else { return whole };
            let (from, to) = part((tasks.start(node), tasks.end(node)), REPEATS);
            if to - from < whole.1 - whole.0 { (from, to) } else { whole }
        }
        _ => whole,
    }
}
