//! What costs time in a profile: parts of the program that take longer on some ranks, functions that take most, and waiting.
//!
//! Time in barriers, locks and progress loops of known libraries, and all that is called there, is waiting: it is the effect of
//! something else. So it is left out where ranks are compared, and what is left of it is told last.

use crosscut_tree::NodeId;
use rayon::prelude::*;

use crate::Calls;
use crate::map::{By, Map};
use crate::peers::{Each, Peers};
use crate::schema::{NONE, Unit};
use crate::spread::imbalance;
pub use crate::waits::{is_waiting, waits};

/// From so many times the mean on, one rank has too much.
const UNEVEN: f64 = 1.25;
/// A process with less than this share of what the largest has is none of the ranks.
const PEER: f64 = 0.05;
/// Of what all places could have done: what is less is not worth a word.
const WORTH: f64 = 0.01;
/// A function that takes so much of all is hot.
const HOT: f64 = 0.10;
/// Ranks and functions that are named at most.
const NAMED: usize = 64;
const MOST_HOT: usize = 3;

/// What kind of cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A part of the program takes longer on some ranks, or threads where there is one rank.
    RankImbalance,
    /// One function takes much of all time.
    HotFunction,
    /// Barriers, locks, progress loops: what the causes above do not explain of it.
    Waiting,
}

impl Kind {
    /// The stable word for it.
    pub fn id(self) -> &'static str {
        match self {
            Kind::RankImbalance => "rank-imbalance",
            Kind::HotFunction => "hot-function",
            Kind::Waiting => "waiting",
        }
    }
}

/// Something that costs time.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// What it is.
    pub kind: Kind,
    /// The part of the program; empty of what is not in one.
    pub module: String,
    /// The frame of the function that has most of it; [`NONE`] where there is none.
    pub frame: u32,
    /// Time lost, summed over places.
    pub cost: i64,
    /// Ranks that have too much, the worst first; threads by their places where there is one rank.
    pub ranks: Vec<u32>,
    /// Ranks are threads of one rank.
    pub threads: bool,
    /// How many ranks there are.
    pub of: usize,
    /// The largest value of a rank, and the mean of all.
    pub most: f64,
    /// The mean of all ranks.
    pub mean: f64,
    /// All time in it.
    pub total: i64,
    /// What shows it: of an imbalance and of waiting the time of each rank in it, by its number, in their order; of a function
    /// the time of those that take most, by their frames.
    pub shows: Vec<(u32, i64)>,
}

/// Functions beside which a hot one is shown.
const SHOWN: usize = 5;

/// The metric that counts time: the first in nanoseconds.
pub fn time_metric(calls: &Calls) -> Option<usize> {
    calls.summary().metrics.iter().position(|metric| metric.unit == Unit::Ns)
}

/// What costs time, the most first.
pub fn causes(calls: &Calls) -> Vec<Cause> {
    let Some(metric) = time_metric(calls) else { return Vec::new() };
    let whole = calls.inclusive(metric, NodeId::ROOT);
    if whole <= 0 {
        return Vec::new();
    }
    let waits = waits(calls);
    let peers = peers(calls, metric);
    let mut all = uneven(calls, metric, &waits, &peers, whole);
    let explained = sum(all.iter().map(|cause| cause.cost));
    all.sort_by_key(|cause| (std::cmp::Reverse(cause.cost), cause.module.clone()));
    all.extend(hot(calls, metric, &waits, whole));
    all.extend(waiting(calls, metric, &waits, &peers, (whole, explained)));
    all
}

/// A sum of values that a file may have chosen: as large as it can be.
fn sum(values: impl Iterator<Item = i64>) -> i64 {
    values.fold(0, i64::saturating_add)
}

/// Who is compared: ranks; where there is one, its threads.
fn peers(calls: &Calls, metric: usize) -> Peers {
    let ranks = Peers::of(calls, metric, Some(Each::Rank)).from_share(PEER);
    if ranks.len() > 1 { ranks } else { Peers::of(calls, metric, Some(Each::Place)) }
}

/// Parts of the program that take longer on some ranks.
fn uneven(calls: &Calls, metric: usize, waits: &[bool], peers: &Peers, whole: i64) -> Vec<Cause> {
    let count = peers.len();
    if count < 2 {
        return Vec::new();
    }
    let labels = Map::from(By::Module).labels(calls.frames());
    // By node: its part of the program; loops and lines have that of what they are in, waiting has none.
    let mut label = vec![NONE; calls.node_count()];
    for (node, &parent) in calls.tree().parents().iter().enumerate().skip(1) {
        let frame = calls.frame_number(NodeId(node as u32)) as usize;
        let own = labels.of.get(frame).copied().unwrap_or(NONE);
        label[node] = if own == NONE { label[parent as usize] } else { own };
    }
    for (label, &waits) in label.iter_mut().zip(waits) {
        if waits {
            *label = NONE;
        }
    }
    let parts = labels.names.len();
    let by_place: Vec<Vec<i64>> = (0..calls.place_count())
        .into_par_iter()
        .map(|place| {
            let mut sums = vec![0i64; parts];
            let values = calls.by_place(metric).map_or(&[][..], |own| own.place(place as u32));
            for (&label, &value) in label.iter().zip(values) {
                if let Some(sum) = sums.get_mut(label as usize) {
                    *sum = sum.saturating_add(value);
                }
            }
            sums
        })
        .collect();
    let mut out = Vec::new();
    for part in 0..parts {
        let values = peers.sums(&by_place.iter().map(|sums| sums[part]).collect::<Vec<i64>>());
        let Some(spread) = imbalance(&values) else { continue };
        let cost = (spread.most - spread.mean) * count as f64;
        if spread.mean <= 0.0 || spread.ratio < UNEVEN || cost < WORTH * whole as f64 {
            continue;
        }
        let mut worst: Vec<usize> =
            (0..count).filter(|&rank| values[rank] as f64 > (spread.most + spread.mean) / 2.0).collect();
        worst.sort_by_key(|&rank| (std::cmp::Reverse(values[rank]), rank));
        out.push(Cause {
            kind: Kind::RankImbalance,
            module: labels.names[part].clone(),
            frame: largest(calls, metric, |node| label[node] == part as u32),
            cost: cost as i64,
            ranks: worst.iter().take(NAMED).map(|&peer| peers.number(peer)).collect(),
            threads: peers.each() == Each::Place,
            of: count,
            most: spread.most,
            mean: spread.mean,
            total: sum(values.iter().copied()),
            shows: numbered(peers, &values),
        });
    }
    out
}

/// Values of ranks with their numbers.
fn numbered(peers: &Peers, values: &[i64]) -> Vec<(u32, i64)> {
    values.iter().enumerate().map(|(peer, &value)| (peers.number(peer), value)).collect()
}

/// The frame with most of its own among some nodes.
fn largest(calls: &Calls, metric: usize, among: impl Fn(usize) -> bool) -> u32 {
    let mut own = vec![0i64; calls.frames().len()];
    for node in (1..calls.node_count()).filter(|&node| among(node)) {
        let id = NodeId(node as u32);
        if let Some(slot) = own.get_mut(calls.frame_number(id) as usize) {
            *slot = slot.saturating_add(calls.own(metric, id));
        }
    }
    let most = own.iter().enumerate().rev().max_by_key(|(_, own)| **own);
    most.filter(|(_, own)| **own > 0).map_or(NONE, |(frame, _)| frame as u32)
}

/// Functions that take much of all time, and are no waiting.
fn hot(calls: &Calls, metric: usize, waits: &[bool], whole: i64) -> Vec<Cause> {
    let functions = crate::Functions::of(calls.frames());
    let around = functions.around(calls);
    let mut own = vec![0i64; functions.len()];
    for (node, &around) in around.iter().enumerate().skip(1).filter(|(node, _)| !waits[*node]) {
        let function = functions.of_frame(calls.frame_number(NodeId(around)));
        if let Some(slot) = function.and_then(|function| own.get_mut(function as usize)) {
            *slot = slot.saturating_add(calls.own(metric, NodeId(node as u32)));
        }
    }
    let mut order: Vec<usize> = (0..own.len()).filter(|&at| own[at] > 0).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(own[at]), at));
    let shows: Vec<(u32, i64)> = order.iter().take(SHOWN).map(|&at| (functions.frame[at], own[at])).collect();
    order.retain(|&at| own[at] as f64 >= HOT * whole as f64);
    let cause = |at: usize| {
        let frame = functions.frame[at];
        let module = calls.frames().get(frame as usize).map(|of| Map::from(By::Module).label(of));
        Cause {
            kind: Kind::HotFunction,
            module: module.unwrap_or_default(),
            frame,
            cost: own[at],
            ranks: Vec::new(),
            threads: false,
            of: 0,
            most: 0.0,
            mean: 0.0,
            total: own[at],
            shows: shows.clone(),
        }
    };
    order.into_iter().take(MOST_HOT).map(cause).collect()
}

/// Waiting that nothing else explains.
fn waiting(
    calls: &Calls,
    metric: usize,
    waits: &[bool],
    peers: &Peers,
    (whole, explained): (i64, i64),
) -> Option<Cause> {
    let all = (1..calls.node_count()).filter(|&node| waits[node]);
    let total = sum(all.map(|node| calls.own(metric, NodeId(node as u32))));
    let cost = total.saturating_sub(explained);
    // Where most of it is waited, as the program calls it.
    let mut inside = vec![0i64; calls.frames().len()];
    let mut outermost = vec![0u32; calls.node_count()];
    for node in (1..calls.node_count()).filter(|&node| waits[node]) {
        let parent = calls.tree().parents()[node] as usize;
        outermost[node] = if waits[parent] { outermost[parent] } else { node as u32 };
        if let Some(slot) = inside.get_mut(calls.frame_number(NodeId(outermost[node])) as usize) {
            *slot = slot.saturating_add(calls.own(metric, NodeId(node as u32)));
        }
    }
    let most = inside.iter().enumerate().rev().max_by_key(|(_, inside)| **inside);
    let at_place = |place: usize| {
        let values = calls.by_place(metric).map_or(&[][..], |own| own.place(place as u32));
        let waited = values.iter().zip(waits).filter(|(_, waits)| **waits);
        waited.fold(0i64, |sum, (&value, _)| sum.saturating_add(value))
    };
    (cost as f64 >= WORTH * whole as f64).then(|| Cause {
        kind: Kind::Waiting,
        module: String::new(),
        frame: most.map_or(NONE, |(frame, _)| frame as u32),
        cost,
        ranks: Vec::new(),
        threads: peers.each() == Each::Place,
        of: 0,
        most: 0.0,
        mean: 0.0,
        total,
        shows: {
            let by_place: Vec<i64> = (0..calls.place_count()).into_par_iter().map(at_place).collect();
            numbered(peers, &peers.sums(&by_place))
        },
    })
}
