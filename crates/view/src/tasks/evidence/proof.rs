//! What shows a finding in its small picture: the marks that are outlined, and what they are.

use crosscut_tasks::schema::{Kind, LockWait, Stretch};
use crosscut_tasks::{Cause, Finding, Tasks, Timeline};
use crosscut_tree::NodeId;
use crosscut_workbench::{Found, Lost, Span};

use crate::tasks::words;

/// Links of a chain, tasks or waits that are outlined at most.
const LINKS: usize = 96;
/// Barriers before and after the worst that are looked at.
const NEAR: usize = 64;

/// What shows a finding: rows and times, and what they are.
pub struct Proof {
    pub marks: Vec<(usize, Span)>,
    pub says: String,
    /// They lie inside of intervals.
    pub inside: bool,
}

impl Proof {
    fn new(marks: Vec<(usize, Span)>, says: String) -> Self {
        Proof { marks, says, inside: false }
    }
}

/// What shows it in a window, if anything does.
pub fn proof(tasks: &Tasks, window: (i64, i64), found: &Found, finding: &Finding) -> Option<Proof> {
    let lost = || longest_loss(tasks, window, found, finding).or_else(|| without_processor(tasks, finding));
    if let Some(waits) = waits(tasks, window, finding) {
        return Some(waits);
    }
    let Some(node) = finding.node.filter(|_| !is_waiting(finding.cause)) else { return lost() };
    match finding.cause {
        Cause::DependenceChain => return links(tasks, window, node, "link").or_else(lost),
        Cause::WaitInLoop => return links(tasks, window, node, "task").or_else(lost),
        Cause::BarrierWait => return last_ones(tasks, window, node).or_else(lost),
        _ => {}
    }
    // A member of a team is compared with the others as a whole.
    let member = tasks.tree().ancestors(node).find(|&above| tasks.kind(above) == Kind::Task);
    let shown = match finding.cause {
        Cause::Imbalance => member.filter(|&task| tasks.is_lane(task)).unwrap_or(node),
        _ => node,
    };
    let Some(worker) = tasks.worker(node) else { return lost() };
    let span = Span(tasks.start(shown) as f64, tasks.end(shown) as f64);
    let says =
        format!("outlined: {} on worker {worker}", words::time_text(tasks.elapsed(shown), tasks.clock()));
    Some(Proof::new(vec![(worker, span)], says))
}

/// Causes that are seen where workers do not work.
pub fn is_waiting(cause: Cause) -> bool {
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
    Some(Proof::new(vec![(worker, span)], says))
}

/// The stretch of a worker in which it was without a processor for longest: that is inside of what it ran.
fn without_processor(tasks: &Tasks, finding: &Finding) -> Option<Proof> {
    if finding.cause != Cause::Preempted {
        return None;
    }
    let off = |stretch: &Stretch| stretch.to - stretch.from - stretch.processor;
    // Who left its core to sleep was not preempted.
    let forced = |stretch: &Stretch| stretch.involuntary > stretch.voluntary;
    let of = |worker: usize| Some((worker, tasks.stretches(worker).filter(forced).max_by_key(off)?));
    let (worker, stretch) = (0..tasks.workers())
        .filter_map(of)
        .max_by_key(|(_, stretch)| off(stretch))
        .filter(|of| off(&of.1) > 0)?;
    let long = words::time_text(off(&stretch), tasks.clock());
    let says = format!("outlined: worker {worker} had no processor for {long} of this time");
    Some(Proof::new(vec![(worker, Span(stretch.from as f64, stretch.to as f64))], says))
}

/// All intervals of the line of a node that the window holds: links of a chain, or tasks, one after the other.
fn links(tasks: &Tasks, (from, to): (i64, i64), node: NodeId, word: &str) -> Option<Proof> {
    let line = |node: NodeId| tasks.sources().site(tasks.site(node)).map(|site| site.from);
    let Timeline::Intervals(list) = tasks.timeline(from, to, 1, LINKS) else { return None };
    let alike = |other: NodeId| line(other) == line(node) && tasks.kind(other) == tasks.kind(node);
    let same = list.iter().filter(|interval| alike(interval.node));
    let mark = |interval: &crosscut_tasks::Interval| {
        (interval.worker as usize, Span(interval.start as f64, interval.end as f64))
    };
    let marks: Vec<(usize, Span)> = same.map(mark).collect();
    let says = format!("outlined: {} in a row; a part is shown", words::many(marks.len(), word));
    Some(Proof::new(marks, says)).filter(|proof| !proof.marks.is_empty())
}

/// Who was last at each barrier that the window holds.
fn last_ones(tasks: &Tasks, (from, to): (i64, i64), node: NodeId) -> Option<Proof> {
    let tree = tasks.tree();
    let lane = std::iter::once(node).chain(tree.ancestors(node)).find(|&above| tasks.is_lane(above))?;
    let step = tree.parent(lane)?;
    let before = std::iter::successors(Some(step), |&step| tree.previous_sibling(step)).take(NEAR);
    let after = std::iter::successors(tree.next_sibling(step), |&step| tree.next_sibling(step)).take(NEAR);
    let in_window = |&step: &NodeId| tasks.end(step) > from && tasks.start(step) < to;
    let last = |step: NodeId| {
        let lanes = tree.children(step).filter(|&child| tasks.is_lane(child));
        let last = lanes.max_by_key(|&lane| tasks.elapsed(lane))?;
        Some((
            tasks.worker(first_interval(tasks, last)?)?,
            Span(tasks.start(last) as f64, tasks.end(last) as f64),
        ))
    };
    let mut marks: Vec<(usize, Span)> = before.chain(after).filter(in_window).filter_map(last).collect();
    marks.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let says = format!("outlined: who is last at {}; a part is shown", words::many(marks.len(), "barrier"));
    Some(Proof::new(marks, says)).filter(|proof| !proof.marks.is_empty())
}

/// The first interval of a member.
fn first_interval(tasks: &Tasks, lane: NodeId) -> Option<NodeId> {
    let tree = tasks.tree();
    std::iter::successors(Some(lane), |&node| tree.children(node).next()).last()
}

/// The waits for a lock at the line of a finding.
fn waits_of<'a>(tasks: &'a Tasks, finding: &'a Finding) -> impl Iterator<Item = LockWait> + 'a {
    let all = tasks.lock_waits(0..tasks.tree().node_count());
    let is_it = move |wait: &LockWait| Some(wait.source) == finding.source && wait.got > wait.asked;
    all.filter(move |wait| finding.cause == Cause::Lock && is_it(wait))
}

/// A long one of them. The longest of all is often a freak: a tenth are longer.
pub fn long_wait(tasks: &Tasks, finding: &Finding) -> Option<(i64, i64)> {
    let mut waits: Vec<(i64, i64)> = waits_of(tasks, finding).map(|wait| (wait.asked, wait.got)).collect();
    let last = waits.len().checked_sub(1)?;
    waits.sort_by_key(|(asked, got)| got.saturating_sub(*asked));
    waits.get(last - last / 10).copied()
}

/// All waits for a lock in the window, each inside of an interval.
fn waits(tasks: &Tasks, (from, to): (i64, i64), finding: &Finding) -> Option<Proof> {
    let inside = waits_of(tasks, finding).filter(|wait| wait.got > from && wait.asked < to);
    let shown: Vec<LockWait> = inside.take(LINKS).collect();
    let sum = shown.iter().map(|wait| wait.got.saturating_sub(wait.asked)).fold(0, i64::saturating_add);
    let mark = |wait: &LockWait| (wait.worker as usize, Span(wait.asked as f64, wait.got as f64));
    let marks: Vec<(usize, Span)> = shown.iter().map(mark).collect();
    let long = words::time_text(sum, tasks.clock());
    let says =
        format!("outlined: {} for the lock, {long}; a part is shown", words::many(marks.len(), "wait"));
    Some(Proof { marks, says, inside: true }).filter(|proof| !proof.marks.is_empty())
}
