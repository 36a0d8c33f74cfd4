//! The CommGram of a run: time as a sequence of phases, the processes of each grouped by what they exchange, and one curve
//! that shows when the grouping changes.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::communities::{Communities, Edge};
use crate::flows::{Flow, edges, merged};
use crate::messages::Messages;
use crate::partition::Partition;
use crate::patterns::{Expression, Patterns};
use crate::schema::Collective;
use crate::steps::{Order, Steps};
use crate::times::Linkage;

/// Which clock puts messages in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Time {
    /// The mean of when a message was sent and when it was received.
    Wall,
    /// Its step: what had to happen before it. A late process changes nothing.
    Logical,
}

/// Messages, and collectives other than barriers, in the order of a clock, clustered.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Messages by their numbers; collectives by theirs, after all messages.
    points: Vec<u32>,
    linkage: Linkage,
    messages: usize,
}

/// The most phases that are tried for a run.
pub const MOST_PHASES: usize = 512;
/// How many numbers of phases are tried.
const CANDIDATES: usize = 8;
/// Where nothing repeats, only so many phases are proposed.
const FEW: usize = 12;
/// How often each point is looked at, at most, to know phases beforehand.
const LOOKED: usize = 32;
/// So many stretches are clustered beforehand at once.
const AT_ONCE: usize = 16;
/// A phase that is proposed has a message for every so many ranks, as a rule: single messages are no phases.
const SPARSE: usize = 4;

impl Clock {
    /// The messages of a run by one of the clocks.
    pub fn of(messages: &Messages, time: Time) -> Clock {
        Clock::of_some(messages, time, |_| true, |_| true)
    }

    /// Some of the messages and collectives of a run, by their numbers. Steps are those of all of them.
    pub fn of_some(
        messages: &Messages,
        time: Time,
        message: impl Fn(usize) -> bool + Sync,
        collective: impl Fn(usize) -> bool + Sync,
    ) -> Clock {
        let count = messages.len();
        let collectives = &messages.collectives;
        let steps = (time == Time::Logical).then(|| messages.steps());
        let at = |point: usize| match &steps {
            Some(steps) if point < count => f64::from(steps.messages[point]),
            Some(steps) => f64::from(steps.collectives[point - count]),
            None if point < count => mean(messages.send_start[point], messages.receive_end[point]),
            None => mean(collectives.start[point - count], collectives.end[point - count]),
        };
        let exchanges =
            |number: usize| Collective(collectives.kind[number]) != Collective::BARRIER && collective(number);
        let mut points: Vec<(f64, u32)> = (0..count + collectives.kind.len())
            .into_par_iter()
            .filter(|&point| if point < count { message(point) } else { exchanges(point - count) })
            .map(|point| (at(point), point as u32))
            .collect();
        points.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let times: Vec<f64> = points.iter().map(|point| point.0).collect();
        let linkage = Linkage::of(&times);
        Clock { points: points.into_iter().map(|point| point.1).collect(), linkage, messages: count }
    }

    /// Its clustering in time.
    pub fn linkage(&self) -> &Linkage {
        &self.linkage
    }

    /// The messages of some points.
    pub fn messages(&self, points: Range<usize>) -> impl Iterator<Item = u32> + '_ {
        let points = self.points.get(points).unwrap_or_default();
        points.iter().copied().filter(|&point| (point as usize) < self.messages)
    }

    /// The collectives of some points.
    pub fn collectives(&self, points: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let points = self.points.get(points).unwrap_or_default();
        points.iter().filter_map(|&point| (point as usize).checked_sub(self.messages))
    }

    /// All points.
    pub fn all(&self) -> Range<usize> {
        0..self.points.len()
    }
}

fn mean(a: i64, b: i64) -> f64 {
    // Halves of nanoseconds are exact for weeks.
    (a as f64 + b as f64) / 2.0
}

impl Messages {
    /// The logical steps of messages and collectives.
    pub fn steps(&self) -> Steps {
        Steps::of(&Order {
            first: &self.calls.first,
            sent: &self.send_start,
            send_call: &self.send_call,
            send_done: &self.send_done,
            receive_call: &self.receive_call,
            receive_done: &self.receive_done,
            collective_first: &self.collectives.first,
            collective_call: &self.collectives.call,
        })
    }
}

/// A stretch of the run in which messages belong together.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Its points, by the clock.
    pub points: Range<usize>,
    /// From when to when, by the wall: the first send, the last receive.
    pub span: (i64, i64),
    /// How many messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: i64,
    /// How many collectives, barriers aside.
    pub collectives: u64,
    /// What all ranks put into them.
    pub collective_bytes: i64,
    /// What its processes exchanged, both ways.
    pub edges: Arc<Vec<Edge>>,
    /// How its processes group by themselves, at every level.
    pub communities: Arc<Communities>,
    /// Which of the patterns it is.
    pub pattern: usize,
    /// How far its pattern is from that of the phase before; 0 for the first.
    pub change: f64,
    /// How far its pattern is from that of the first phase.
    pub height: f64,
}

/// A run as a sequence of phases.
#[derive(Clone, Debug)]
pub struct Gram {
    /// In order of time.
    pub phases: Vec<Phase>,
    /// The partitions of the patterns; the first is "A".
    pub patterns: Vec<Arc<Partition>>,
    /// What repeats.
    pub expression: Expression,
}

/// A number of phases that could be looked at, and what it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The number of phases.
    pub phases: usize,
    /// How much clearer they are apart than what is inside them.
    pub ratio: f64,
    /// What repeats.
    pub expression: Expression,
}

/// Cuts a run into phases. Keeps what it has clustered: other cuts of the same run share most of it.
pub struct Grams<'a> {
    run: &'a Messages,
    clock: &'a Clock,
    kept: Arc<Kept>,
}

/// Phases that have been clustered. One more phase costs two of them, not all. Several may work with it at once.
#[derive(Debug, Default)]
pub struct Kept(Mutex<Stretches>);

#[derive(Debug, Default)]
struct Stretches {
    /// By the stamp of their edges: phases that exchange the same are clustered once.
    known: foldhash::HashMap<u64, Vec<Known>>,
    /// By their points.
    phases: foldhash::HashMap<(usize, usize), Arc<Clustered>>,
    /// Edges, flows and places of ranks of all that is kept; what is the same is kept once.
    size: usize,
}

/// So much is kept at most; an edge takes 16 bytes, a flow 24.
const MOST_KEPT: usize = 16 << 20;

/// A graph that has been clustered.
#[derive(Clone, Debug)]
struct Known {
    edges: Arc<Vec<Edge>>,
    communities: Arc<Communities>,
    /// What was sent in the phase that was clustered first: as a rule the same in all others.
    flows: Arc<Vec<Flow>>,
}

/// A phase that has been clustered, whatever comes before it.
#[derive(Debug)]
struct Clustered {
    graph: Graph,
    flows: Arc<Vec<Flow>>,
    edges: Arc<Vec<Edge>>,
    communities: Arc<Communities>,
    own: Arc<Partition>,
}

impl Kept {
    /// Whether so much is kept that nothing more should be made beforehand.
    pub fn is_full(&self) -> bool {
        self.lock().size > MOST_KEPT / 4 * 3
    }

    fn lock(&self) -> MutexGuard<'_, Stretches> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stretches {
    /// A graph with its clustering, if it is known.
    fn known(&self, edges: &[Edge]) -> Option<Known> {
        self.known.get(&stamp(edges))?.iter().find(|known| *known.edges == edges).cloned()
    }
}

impl<'a> Grams<'a> {
    /// For the messages of a run by a clock.
    pub fn new(run: &'a Messages, clock: &'a Clock) -> Grams<'a> {
        Grams::with(run, clock, Arc::default())
    }

    /// Works with what was kept of the same run and clock.
    pub fn with(run: &'a Messages, clock: &'a Clock, kept: Arc<Kept>) -> Grams<'a> {
        Grams { run, clock, kept }
    }

    /// Who sent how much to whom in some points, if they have been clustered.
    pub fn flows(&self, points: &Range<usize>) -> Option<Arc<Vec<Flow>>> {
        self.kept.lock().phases.get(&(points.start, points.end)).map(|phase| phase.flows.clone())
    }

    /// Some points as so many phases.
    pub fn cut(&self, points: Range<usize>, phases: usize) -> Gram {
        let mut patterns = Patterns::default();
        let mut distances: foldhash::HashMap<(usize, usize), f64> = foldhash::HashMap::default();
        let mut gram: Vec<Phase> = Vec::new();
        // What collectives imply is no exchange of messages, whatever the groups.
        let mut collective: Vec<bool> = Vec::new();
        // The same exchange has the same name again, whatever partitions were seen in between. Equal edges are kept once.
        let mut named: foldhash::HashMap<(*const Vec<Edge>, bool), usize> = foldhash::HashMap::default();
        for phase in self.clustered(self.clock.linkage().cut(points, phases)) {
            let alone = phase.graph.messages == 0;
            let pattern = *named.entry((Arc::as_ptr(&phase.edges), alone)).or_insert_with(|| {
                patterns.recognise_among(&phase.edges, &phase.own, |known| collective[known] == alone)
            });
            if pattern == collective.len() {
                collective.push(alone);
            }
            let partitions = patterns.partitions();
            let mut to = |other: usize| {
                *distances
                    .entry((pattern, other))
                    .or_insert_with(|| partitions[pattern].distance(&partitions[other]))
            };
            let (change, height) = match (gram.last(), gram.first()) {
                (Some(before), Some(first)) => (to(before.pattern), to(first.pattern)),
                _ => (0.0, 0.0),
            };
            let Graph { points, span, messages, bytes, collectives, collective_bytes } = phase.graph.clone();
            let (edges, communities) = (phase.edges.clone(), phase.communities.clone());
            gram.push(Phase {
                points,
                span,
                messages,
                bytes,
                collectives,
                collective_bytes,
                edges,
                communities,
                pattern,
                change,
                height,
            });
        }
        let sequence: Vec<usize> = gram.iter().map(|phase| phase.pattern).collect();
        let patterns = patterns.partitions().to_vec();
        Gram { phases: gram, patterns, expression: Expression::of(&sequence) }
    }

    /// Clusters all that cuts into up to `most` phases are made of, so that another number of phases needs no clustering. It stops
    /// where that would look at every point too often. Returns the stretches.
    pub fn know(&self, points: Range<usize>, most: usize) -> Vec<Range<usize>> {
        let mut seen: foldhash::HashSet<(usize, usize)> = foldhash::HashSet::default();
        let (mut all, mut looked) = (Vec::new(), 0usize);
        for phases in 1..=most {
            for range in self.clock.linkage().cut(points.clone(), phases) {
                if seen.insert((range.start, range.end)) {
                    looked = looked.saturating_add(range.len());
                    all.push(range);
                }
            }
            if looked > LOOKED.saturating_mul(points.len()) {
                break;
            }
        }
        // Bit by bit: who asks meanwhile finds what is known by then.
        let room = |_: &&[Range<usize>]| !self.kept.is_full();
        all.chunks(AT_ONCE).take_while(room).for_each(|some| drop(self.clustered(some.to_vec())));
        all
    }

    /// Numbers of phases that are worth a look, the best first: of those at which phases are clearest apart, the one
    /// whose patterns repeat most; where nothing repeats, the clearest of few.
    pub fn proposals(&self, points: Range<usize>) -> Vec<Proposal> {
        let each = (self.run.summary().ranks as usize / SPARSE).max(2);
        let most = (points.len() / each).clamp(2, MOST_PHASES);
        let candidates = self.clock.linkage().candidates(points.clone(), most, CANDIDATES);
        let mut proposals: Vec<Proposal> = candidates
            .iter()
            .map(|candidate| {
                let gram = self.cut(points.clone(), candidate.phases);
                Proposal { phases: gram.phases.len(), ratio: candidate.ratio, expression: gram.expression }
            })
            .collect();
        let folds = |proposal: &Proposal| proposal.phases as f64 / proposal.expression.names().max(1) as f64;
        if proposals.iter().any(|proposal| folds(proposal) >= 2.0) {
            proposals.sort_by(|a, b| folds(b).total_cmp(&folds(a)));
        } else {
            proposals.sort_by_key(|proposal| proposal.phases > FEW);
        }
        proposals
    }

    /// Phases with their clusterings; those that are not known are clustered now.
    fn clustered(&self, ranges: Vec<Range<usize>>) -> Vec<Arc<Clustered>> {
        let mut found = self.found(&ranges);
        let missing: Vec<usize> = (0..ranges.len()).filter(|&at| found[at].is_none()).collect();
        let graphs: Vec<Looked> = missing.par_iter().map(|&at| self.graph(ranges[at].clone())).collect();
        self.cluster(&graphs);
        for (at, (graph, edges, flows)) in missing.into_iter().zip(graphs) {
            let known = self.known(&edges, &flows);
            let own = Arc::new(known.communities.cut(known.communities.best().0));
            let points = (graph.points.start, graph.points.end);
            let mut kept = self.kept.lock();
            let is_same = known.flows == flows;
            kept.size += own.of().len() + if is_same { 0 } else { flows.len() };
            let flows = if is_same { known.flows } else { flows };
            let (edges, communities) = (known.edges, known.communities);
            let clustered = Arc::new(Clustered { graph, flows, edges, communities, own });
            kept.phases.insert(points, clustered.clone());
            found[at] = Some(clustered);
        }
        found.into_iter().flatten().collect()
    }

    /// Phases that are known.
    fn found(&self, ranges: &[Range<usize>]) -> Vec<Option<Arc<Clustered>>> {
        let mut kept = self.kept.lock();
        if kept.size > MOST_KEPT {
            *kept = Stretches::default();
        }
        ranges.iter().map(|range| kept.phases.get(&(range.start, range.end)).cloned()).collect()
    }

    /// What a phase is, and what its processes exchanged.
    fn graph(&self, points: Range<usize>) -> Looked {
        let run = self.run;
        let flows = run.flows(self.clock.messages(points.clone()));
        let mut all = edges(&flows);
        let mut span = (i64::MAX, i64::MIN);
        let mut reach = |from: i64, to: i64| span = (span.0.min(from), span.1.max(to));
        for message in self.clock.messages(points.clone()) {
            reach(run.send_start[message as usize], run.receive_end[message as usize]);
        }
        let (mut collectives, mut collective_bytes) = (0, 0i64);
        for collective in self.clock.collectives(points.clone()) {
            reach(run.collectives.start[collective], run.collectives.end[collective]);
            run.implied(collective, flows.is_empty(), &mut all);
            collectives += 1;
            collective_bytes = collective_bytes.saturating_add(run.collectives.bytes[collective]);
        }
        if collectives > 0 {
            all = merged(all);
        }
        let graph = Graph {
            points,
            span,
            messages: flows.iter().map(|flow| flow.messages).sum(),
            bytes: flows.iter().fold(0, |sum: i64, flow| sum.saturating_add(flow.bytes)),
            collectives,
            collective_bytes,
        };
        (graph, all, Arc::new(flows))
    }

    /// Clusters the graphs that are new.
    fn cluster(&self, graphs: &[Looked]) {
        let mut new: foldhash::HashMap<u64, (&Vec<Edge>, &Arc<Vec<Flow>>)> = foldhash::HashMap::default();
        {
            let kept = self.kept.lock();
            for (_, edges, flows) in graphs {
                let stamp = stamp(edges);
                if !kept.known.contains_key(&stamp) {
                    new.entry(stamp).or_insert((edges, flows));
                }
            }
        }
        new.into_par_iter().for_each(|(_, (edges, flows))| drop(self.known(edges, flows)));
    }

    /// A graph with its clustering.
    fn known(&self, edges: &[Edge], flows: &Arc<Vec<Flow>>) -> Known {
        if let Some(known) = self.kept.lock().known(edges) {
            return known;
        }
        let communities = Arc::new(Communities::of(self.run.summary().ranks, edges));
        let mut kept = self.kept.lock();
        // Somebody else may have clustered it meanwhile: equal edges are kept once.
        kept.known(edges).unwrap_or_else(|| {
            let known = Known { edges: Arc::new(edges.to_vec()), communities, flows: flows.clone() };
            kept.size += edges.len() + flows.len();
            kept.known.entry(stamp(edges)).or_default().push(known.clone());
            known
        })
    }
}

/// A phase that is not clustered yet: what it is, what its processes exchanged, who sent how much to whom.
type Looked = (Graph, Vec<Edge>, Arc<Vec<Flow>>);

#[derive(Clone, Debug)]
struct Graph {
    points: Range<usize>,
    span: (i64, i64),
    messages: u64,
    bytes: i64,
    collectives: u64,
    collective_bytes: i64,
}

fn stamp(edges: &[Edge]) -> u64 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    for edge in edges {
        hasher.write_u64(u64::from(edge.a) << 32 | u64::from(edge.b));
        hasher.write_u64(edge.weight.to_bits());
    }
    hasher.finish()
}
