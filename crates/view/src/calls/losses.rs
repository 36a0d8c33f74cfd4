//! What costs time in a profile, as losses: each cause with a sentence that proves it and an advice that follows from its numbers.

use crosscut_calls::causes::{Cause, Kind, time_metric};
use crosscut_calls::{Calls, NONE};
use crosscut_messages::Messages;
use crosscut_scene::Fill;
use crosscut_scene::format::{many, quantity, share, three};
use crosscut_scene::palette::slot;
use crosscut_tree::{NodeId, Unit};
use crosscut_workbench::{Cell, Hatch, How, Look, Loss};

use super::opened::Opened;
use super::{evidence, info};
use crate::tasks::words::line;

/// What all places spent, in nanoseconds; none where time was not measured.
pub fn capacity(calls: &Calls) -> Option<f64> {
    let metric = time_metric(calls)?;
    Some(calls.inclusive(metric, NodeId::ROOT) as f64).filter(|&whole| whole > 0.0)
}

/// All causes. What is lost is what was spent: a profile does not say when.
pub fn losses(opened: &Opened, run: usize) -> Vec<Loss> {
    let (calls, all) = (&*opened.calls, opened.causes());
    let Some(whole) = capacity(calls) else { return Vec::new() };
    let has_messages = Messages::is_in(calls.run());
    let own = all.iter().enumerate().filter(|(_, cause)| !has_messages || !is_told_by_messages(calls, cause));
    own.map(|(at, cause)| Loss {
        picture: Some(evidence::look(at, run)),
        ..loss(calls, cause, all, whole, run)
    })
    .collect()
}

/// Whether messages of the same run tell a loss: they know who waited for whom and when, where a profile sees only that ranks
/// differ and how long they are in calls of MPI. Each loss is told once, with its cause.
fn is_told_by_messages(calls: &Calls, cause: &Cause) -> bool {
    let is_mpi = |name: &str| ["MPI_", "PMPI_", "mpi_", "pmpi_"].iter().any(|begin| name.starts_with(begin));
    match cause.kind {
        Kind::RankImbalance => !cause.threads,
        Kind::HotFunction | Kind::Waiting => {
            calls.frames().get(cause.frame as usize).is_some_and(|frame| is_mpi(&frame.name))
        }
    }
}

fn loss(calls: &Calls, cause: &Cause, all: &[Cause], whole: f64, run: usize) -> Loss {
    let (what, evidence, advice) = match cause.kind {
        Kind::RankImbalance => imbalance(calls, cause),
        Kind::HotFunction => hot(calls, cause, whole),
        Kind::Waiting => waiting(calls, cause, all, whole),
    };
    Loss {
        cause: cause.kind.id(),
        claim: 0,
        line: source(calls, cause.frame),
        cost: cause.cost as f64,
        without: None,
        how: if cause.kind == Kind::HotFunction { How::Spent } else { How::Bound },
        behind: cause.kind != Kind::RankImbalance,
        hatch: hatch(cause.kind),
        stretches: Vec::new(),
        ranks: if cause.threads { Vec::new() } else { cause.ranks.clone() },
        what,
        evidence,
        advice,
        picture: None,
        show: Look::of(if cause.kind == Kind::RankImbalance { "calls.places" } else { "calls.icicle" }, run),
    }
}

fn hatch(kind: Kind) -> Hatch {
    match kind {
        Kind::RankImbalance => (Fill::Dots, slot::LOST),
        Kind::HotFunction => (Fill::Tint, slot::LOST + 1),
        Kind::Waiting => (Fill::Rising, slot::LOST + 1),
    }
}

/// The source line of a frame, where it is known.
fn source(calls: &Calls, frame: u32) -> Option<Cell> {
    let sources = calls.run().sources().ok()?;
    calls.frame_source(frame).and_then(|source| sources.get(source).map(line))
}

/// What a function is called.
pub fn function(calls: &Calls, frame: u32) -> String {
    match frame {
        NONE => "the program".to_owned(),
        frame => info::name(calls.frames().get(frame as usize)),
    }
}

fn time(value: f64) -> String {
    quantity(value, Unit::Ns)
}

/// What, evidence, advice.
type Told = (String, String, String);

fn imbalance(calls: &Calls, cause: &Cause) -> Told {
    let ranks = if cause.threads { "thread" } else { "rank" };
    let who = info::who(ranks, &cause.ranks);
    let what = format!("module {} takes longer on {}", cause.module, info::lower(&who));
    let evidence = format!(
        "{who} spent up to {} in {}, the mean of {} is {} ({}×); most of it in {}.",
        time(cause.most),
        cause.module,
        many(cause.of, ranks),
        time(cause.mean),
        three(cause.most / cause.mean.max(1.0)),
        function(calls, cause.frame),
    );
    let advice = format!(
        "Give all {ranks}s the same work in {}: others wait for the slowest, at most {} in sum.",
        cause.module,
        time(cause.cost as f64)
    );
    (what, evidence, advice)
}

fn hot(calls: &Calls, cause: &Cause, whole: f64) -> Told {
    let name = function(calls, cause.frame);
    let part = share(cause.cost as f64, whole);
    let what = format!("function {name} takes {part} of all time itself");
    let evidence = format!(
        "{} of {} were spent in {name}, without what it calls.",
        time(cause.cost as f64),
        time(whole)
    );
    let half = share(cause.cost as f64 / 2.0, whole);
    let advice =
        format!("Work on this function first: if it were twice as fast, {half} of all time would be saved.");
    (what, evidence, advice)
}

fn waiting(calls: &Calls, cause: &Cause, all: &[Cause], whole: f64) -> Told {
    let name = function(calls, cause.frame);
    let what = format!("{} of all time is waiting", share(cause.cost as f64, whole));
    let evidence = format!(
        "{} were spent in barriers, locks and progress loops, most of it in {name}.",
        time(cause.total as f64)
    );
    let advice = match all.iter().find(|other| other.kind == Kind::RankImbalance) {
        Some(other) => format!(
            "This is an effect: first give all ranks the same work in {}; then look at what is left.",
            other.module
        ),
        None => "This is an effect, and a profile does not say of what: record messages or tasks to see who was late."
            .to_owned(),
    };
    (what, evidence, advice)
}
