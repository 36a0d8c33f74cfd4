//! What is kept of the messages of an open run: clocks, what their cuts into phases share, flows of phases. Everything is
//! made when it is first asked for, once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crosscut_messages::flows::Flow;
use crosscut_messages::gram::{Clock, Gram, Grams, Kept, MOST_PHASES, Phase, Proposal, Time};
use crosscut_messages::lateness::{Lateness, Part};
use crosscut_messages::path::CriticalPath;
use crosscut_messages::waits::Waits;
use crosscut_messages::{Class, Messages, NONE};
use crosscut_workbench::{Job, Options, Refusal, place_nodes};

use super::communities::Grouped;

/// The messages of a run with what was made of them.
#[derive(Debug)]
pub struct Opened {
    /// The messages.
    pub messages: Arc<Messages>,
    /// By rank: its node in the tree of places.
    pub places: Vec<u32>,
    /// By rank: the first of its places.
    pub first_place: Vec<u32>,
    /// By place: its rank.
    rank_of: Vec<u32>,
    clocks: Mutex<HashMap<ClockKey, Arc<OnceLock<Arc<Timed>>>>>,
    kinds: OnceLock<Kinds>,
    waits: OnceLock<Waits>,
    path: OnceLock<CriticalPath>,
    waited: OnceLock<Vec<Waited>>,
    lateness: OnceLock<Lateness>,
    late: OnceLock<Vec<Late>>,
}

/// A rank that was late by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// The message, or the collective after all messages, in which that showed first.
    pub event: u32,
    /// Who.
    pub rank: u32,
    /// What it explains of the longest wait.
    pub time: i64,
}

/// A wait: what for, who, how long.
#[derive(Clone, Copy, Debug)]
pub struct Waited {
    /// The message, or the collective after all messages.
    pub event: u32,
    /// Who waited.
    pub rank: u32,
    /// How long.
    pub lost: i64,
}

/// Which messages are looked at, and which clock puts them in order. As text it is a part of the names of trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClockKey {
    /// The clock.
    pub time: Time,
    /// Only this communicator.
    pub comm: Option<u32>,
    /// Only this tag.
    pub tag: Option<u32>,
    /// Only what was sent by this function.
    pub call: Option<u32>,
    /// Only of so many bytes or more.
    pub size: u64,
}

/// Communicators, tags and functions of messages, with how many messages each has, the most first.
#[derive(Debug, Default)]
pub struct Kinds {
    /// Communicators.
    pub comms: Vec<(u32, u64)>,
    /// Tags.
    pub tags: Vec<(u32, u64)>,
    /// Functions that sent.
    pub calls: Vec<(u32, u64)>,
}

/// Messages by a clock, with what was clustered of them.
#[derive(Debug)]
pub struct Timed {
    /// What it is of.
    pub key: ClockKey,
    /// The messages in order.
    pub clock: Clock,
    messages: Arc<Messages>,
    kept: Arc<Kept>,
    proposals: OnceLock<Vec<Proposal>>,
    flows: Mutex<Flows>,
    parts: ByPoints<Arc<Vec<Range<usize>>>>,
    sums: ByPoints<Totals>,
    known: OnceLock<Vec<Range<usize>>>,
    /// By number of phases.
    cuts: Mutex<HashMap<usize, Arc<Gram>>>,
    groups: Mutex<Vec<Arc<Grouped>>>,
}

/// What is known of stretches of points.
type ByPoints<T> = Mutex<HashMap<(usize, usize), T>>;

/// So many stretches are kept at most.
const MOST_STRETCHES: usize = 1 << 18;
/// Sub-phases of a phase at most.
const MOST_INSIDE: usize = 16;
/// Ranks in trees of groups that are kept at most, about 100 bytes each.
const MOST_GROUPED: usize = 2 << 20;
/// Cuts into so many phases are clustered beforehand.
const KNOWN: usize = 64;

/// What is kept of a stretch; made when it is first asked for.
fn kept<T: Clone>(all: &ByPoints<T>, points: &Range<usize>, make: impl FnOnce() -> T) -> T {
    let key = (points.start, points.end);
    let lock = || all.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&key) {
        return known.clone();
    }
    let made = make();
    let mut all = lock();
    if all.len() >= MOST_STRETCHES {
        all.clear();
    }
    all.insert(key, made.clone());
    made
}

#[derive(Debug, Default)]
struct Flows {
    by_points: HashMap<(usize, usize), Arc<Vec<Flow>>>,
    count: usize,
}

/// So many flows are kept at most, 24 bytes each.
const MOST_FLOWS: usize = 8 << 20;

impl Opened {
    /// Of an open run.
    pub fn new(messages: Arc<Messages>) -> Self {
        let places = messages.run().places().ok();
        let ranks = messages.summary().ranks as usize;
        let mut rank_of = Vec::new();
        let (mut nodes, mut first_place) = (vec![u32::MAX; ranks], vec![u32::MAX; ranks]);
        if let Some(places) = places {
            let all = place_nodes(&places);
            let several =
                (0..places.len() as u32).filter_map(|id| places.get(id)).any(|place| place.process > 0);
            for id in 0..places.len() as u32 {
                let rank = places.get(id).and_then(|place| usize::try_from(place.process).ok());
                rank_of.push(rank.filter(|&rank| rank < ranks).map_or(u32::MAX, |rank| rank as u32));
                let Some(rank) = rank.filter(|&rank| rank < ranks && first_place[rank] == u32::MAX) else {
                    continue;
                };
                first_place[rank] = id;
                // The node of a process stands before those of its workers.
                nodes[rank] =
                    all.get(id as usize).map_or(u32::MAX, |node| node.saturating_sub(several.into()));
            }
        }
        Opened {
            messages,
            places: nodes,
            first_place,
            rank_of,
            clocks: Mutex::default(),
            kinds: OnceLock::new(),
            waits: OnceLock::new(),
            path: OnceLock::new(),
            waited: OnceLock::new(),
            lateness: OnceLock::new(),
            late: OnceLock::new(),
        }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.messages.summary().ranks
    }

    /// The rank of a place.
    pub fn rank(&self, place: u32) -> Option<u32> {
        self.rank_of.get(place as usize).copied().filter(|&rank| rank != u32::MAX)
    }

    /// The places of all ranks: each thread is one.
    pub fn places(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.rank_of.len() as u32).filter(|&place| self.rank(place).is_some())
    }

    /// Messages in the order of a clock; made once.
    pub fn timed(&self, key: ClockKey) -> Arc<Timed> {
        let cell = {
            let mut clocks = self.clocks.lock().unwrap_or_else(PoisonError::into_inner);
            clocks.entry(key).or_default().clone()
        };
        cell.get_or_init(|| Arc::new(Timed::new(&self.messages, key))).clone()
    }

    /// Who waited for whom; made once.
    pub fn waits(&self) -> &Waits {
        self.waits.get_or_init(|| Waits::of(&self.messages))
    }

    /// What decided how long the run took; made once.
    pub fn path(&self) -> &CriticalPath {
        self.path.get_or_init(|| CriticalPath::of(&self.messages, self.waits()))
    }

    /// Whose work made others wait, as the findings say it; made once.
    pub fn lateness(&self) -> &Lateness {
        self.lateness.get_or_init(|| Lateness::of(&self.messages, self.waits()))
    }

    /// Who was late by itself, in the order in which that showed; made once.
    pub fn late(&self) -> &[Late] {
        self.late.get_or_init(|| late(&self.messages, self.waits(), self.lateness()))
    }

    /// All waits, rank by rank: few calls wait, so this is short; made once.
    pub fn waited(&self) -> &[Waited] {
        self.waited.get_or_init(|| waited(&self.messages, self.waits()))
    }

    /// What kinds of messages there are.
    pub fn kinds(&self) -> &Kinds {
        self.kinds.get_or_init(|| {
            let run = &self.messages;
            let mut counts: [HashMap<u32, u64>; 3] = Default::default();
            for row in 0..run.len() {
                let call = u32::from(run.calls.function[run.send_call[row] as usize]);
                for (count, of) in counts.iter_mut().zip([run.comm[row], run.tag[row], call]) {
                    *count.entry(of).or_default() += 1;
                }
            }
            let [comms, tags, calls] = counts.map(|counts| {
                let mut all: Vec<(u32, u64)> = counts.into_iter().collect();
                all.sort_unstable_by_key(|&(of, count)| (std::cmp::Reverse(count), of));
                all
            });
            Kinds { comms, tags, calls }
        })
    }

    /// The name of a function.
    pub fn function(&self, number: u32) -> String {
        let function = self.messages.functions().get(number as usize);
        function.map_or_else(|| format!("function {number}"), |function| function.name.clone())
    }

    /// The name of a communicator.
    pub fn comm(&self, number: u32) -> String {
        let comm = self.messages.comms().list.get(number as usize);
        match comm.map(|comm| (comm.name.as_str(), comm.members.len())) {
            Some(("", members)) => format!("communicator {number}, {members} ranks"),
            Some((name, _)) => name.to_owned(),
            None => format!("communicator {number}"),
        }
    }
}

impl ClockKey {
    /// All messages by a clock.
    pub fn all(time: Time) -> Self {
        ClockKey { time, comm: None, tag: None, call: None, size: 0 }
    }

    /// What the options of a tree say.
    pub fn of(with: &Options) -> Result<Self, Refusal> {
        let mut key = ClockKey::all(Time::Wall);
        for (name, value) in with {
            let short = || value.chars().take(40).collect::<String>();
            let number = || {
                let wrong =
                    || Refusal::new(format!("{name}: `{}` is no number; write all or a number", short()));
                if value == "all" { Ok(None) } else { value.parse().map(Some).map_err(|_| wrong()) }
            };
            match name.as_str() {
                "clock" => key.time = time(value)?,
                "comm" => key.comm = number()?,
                "tag" => key.tag = number()?,
                "call" => key.call = number()?,
                "size" => {
                    let bytes = value.parse::<f64>().ok().filter(|bytes| (0.0..=1e18).contains(bytes));
                    key.size = bytes
                        .ok_or_else(|| Refusal::new(format!("size: `{}` is no number of bytes", short())))?
                        as u64;
                }
                "k" | "filter" => {}
                other => {
                    let other: String = other.chars().take(40).collect();
                    return Err(Refusal::new(format!(
                        "phases have no option `{other}`; they have clock, k, filter, comm, tag, call, size"
                    )));
                }
            }
        }
        // A filter that is switched off chooses nothing, whatever it says.
        let filters = with.get("filter").is_some_and(|value| value == "true");
        Ok(if filters { key } else { ClockKey::all(key.time) })
    }

    /// Whether all messages are looked at.
    pub fn is_all(&self) -> bool {
        *self == ClockKey::all(self.time)
    }

    /// As it stands in the name of a tree.
    pub fn text(&self) -> String {
        let mut text = if self.time == Time::Wall { "wall" } else { "logical" }.to_owned();
        for (letter, number) in [("c", self.comm), ("t", self.tag), ("f", self.call)] {
            if let Some(number) = number {
                text += &format!(".{letter}{number}");
            }
        }
        if self.size > 0 {
            text += &format!(".s{}", self.size);
        }
        text
    }

    /// From such a text.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let mut key = ClockKey::all(time(parts.next()?).ok()?);
        for part in parts {
            let (letter, number) = part.split_at_checked(1)?;
            match letter {
                "c" => key.comm = Some(number.parse().ok()?),
                "t" => key.tag = Some(number.parse().ok()?),
                "f" => key.call = Some(number.parse().ok()?),
                "s" => key.size = number.parse().ok()?,
                _ => return None,
            }
        }
        Some(key)
    }

    /// What is looked at, in words; none where it is everything.
    pub fn words(&self, opened: &Opened) -> Option<String> {
        let mut words = Vec::new();
        words.extend(self.comm.map(|comm| format!("in {}", opened.comm(comm))));
        words.extend(self.tag.map(|tag| format!("with tag {tag}")));
        words.extend(self.call.map(|call| format!("by {}", opened.function(call))));
        if self.size > 0 {
            use crosscut_scene::format::{Unit, quantity};
            words.push(format!("from {}", quantity(self.size as f64, Unit::Bytes)));
        }
        (!words.is_empty()).then(|| format!("only messages {}", words.join(", ")))
    }

    /// Whether a message is looked at.
    pub fn has(&self, run: &Messages, row: usize) -> bool {
        self.comm.is_none_or(|comm| run.comm[row] == comm)
            && self.tag.is_none_or(|tag| run.tag[row] == tag)
            && self.call.is_none_or(|call| u32::from(run.calls.function[run.send_call[row] as usize]) == call)
            && run.bytes[row] >= self.size as i64
    }

    /// Whether a collective is: it has no tag, and its bytes are not those of a message.
    pub fn has_collective(&self, run: &Messages, number: usize) -> bool {
        let plain = self.tag.is_none() && self.call.is_none() && self.size == 0;
        plain && self.comm.is_none_or(|comm| run.collectives.comm[number] == comm)
    }
}

fn time(word: &str) -> Result<Time, Refusal> {
    match word {
        "wall" => Ok(Time::Wall),
        "logical" => Ok(Time::Logical),
        _ => {
            let word: String = word.chars().take(40).collect();
            Err(Refusal::new(format!("`{word}` is no clock; write wall or logical")))
        }
    }
}

impl Timed {
    fn new(messages: &Arc<Messages>, key: ClockKey) -> Self {
        let clock = match key.is_all() {
            true => Clock::of(messages, key.time),
            false => Clock::of_some(
                messages,
                key.time,
                |row| key.has(messages, row),
                |number| key.has_collective(messages, number),
            ),
        };
        Timed {
            key,
            clock,
            messages: messages.clone(),
            kept: Arc::default(),
            proposals: OnceLock::new(),
            flows: Mutex::default(),
            parts: Mutex::default(),
            sums: Mutex::default(),
            known: OnceLock::new(),
            cuts: Mutex::default(),
            groups: Mutex::default(),
        }
    }

    /// Works with what is kept.
    fn grams(&self) -> Grams<'_> {
        Grams::with(&self.messages, &self.clock, self.kept.clone())
    }

    /// Numbers of phases that are worth a look, the best first.
    pub fn proposals(&self) -> &[Proposal] {
        self.proposals.get_or_init(|| self.grams().proposals(self.clock.all()))
    }

    /// The messages as so many phases, or as many as is proposed first.
    pub fn cut(&self, phases: Option<usize>) -> Arc<Gram> {
        let phases = phases.unwrap_or_else(|| self.proposals().first().map_or(1, |best| best.phases));
        let phases = phases.clamp(1, MOST_PHASES);
        let kept = || self.cuts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gram) = kept().get(&phases) {
            return gram.clone();
        }
        let gram = Arc::new(self.grams().cut(self.clock.all(), phases));
        let mut cuts = kept();
        if self.kept.is_full() {
            // They would hold what is not kept any more.
            cuts.clear();
        }
        cuts.insert(phases, gram.clone());
        gram
    }

    /// Clusters what cuts into few phases show, so that another number of phases is a matter of looking it up.
    pub fn prepare(&self, job: &Job<'_>) -> Result<(), Refusal> {
        self.known();
        for phases in 1..=KNOWN {
            job.check()?;
            if self.kept.is_full() {
                break;
            }
            let gram = self.cut(Some(phases));
            for pattern in 0..gram.patterns.len() {
                let first = gram.phases.iter().find(|phase| phase.pattern == pattern);
                if let Some(phase) = first.filter(|phase| phase.messages > 0) {
                    self.groups(phase)?;
                }
            }
        }
        Ok(())
    }

    /// The groups of a phase at all levels. Phases that exchange the same share them.
    pub fn groups(&self, phase: &Phase) -> Result<Arc<Grouped>, Refusal> {
        let flows = self.flows(&phase.points);
        let kept = || self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &Arc<Grouped>| {
            Arc::ptr_eq(&known.edges, &phase.edges) && Arc::ptr_eq(&known.flows, &flows)
        };
        if let Some(known) = kept().iter().find(|known| is_same(known)) {
            return Ok(known.clone());
        }
        let made = Arc::new(Grouped::new(self.messages.summary().ranks, phase, flows)?);
        let mut all = kept();
        if all.iter().map(|groups| groups.ranks.len()).sum::<usize>() > MOST_GROUPED {
            all.clear();
        }
        all.push(made.clone());
        Ok(made)
    }

    /// The stretches that cuts into few phases are made of, clustered: another number of phases is then a matter of looking it up.
    pub fn known(&self) -> &[Range<usize>] {
        self.known.get_or_init(|| self.grams().know(self.clock.all(), KNOWN))
    }

    /// The parts of some points, at the number where they are clearest apart.
    pub fn parts(&self, points: &Range<usize>) -> Arc<Vec<Range<usize>>> {
        kept(&self.parts, points, || {
            let linkage = self.clock.linkage();
            let best = linkage.candidates(points.clone(), MOST_INSIDE, 1);
            Arc::new(best.first().map(|best| linkage.cut(points.clone(), best.phases)).unwrap_or_default())
        })
    }

    /// Some points as one phase.
    pub fn phase(&self, points: Range<usize>) -> Gram {
        self.grams().cut(points, 1)
    }

    /// Who sent how much to whom in some points.
    pub fn flows(&self, points: &Range<usize>) -> Arc<Vec<Flow>> {
        if let Some(flows) = self.grams().flows(points) {
            return flows;
        }
        let key = (points.start, points.end);
        let kept = || self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flows) = kept().by_points.get(&key) {
            return flows.clone();
        }
        let made = Arc::new(self.messages.flows(self.clock.messages(points.clone())));
        let mut flows = kept();
        if flows.count > MOST_FLOWS {
            *flows = Flows::default();
        }
        flows.count += made.len();
        flows.by_points.insert(key, made.clone());
        made
    }

    /// From when to when some points are, by the wall, with messages, bytes and collectives.
    pub fn totals(&self, points: &Range<usize>) -> Totals {
        kept(&self.sums, points, || self.summed(points))
    }

    fn summed(&self, points: &Range<usize>) -> Totals {
        let run = &self.messages;
        let mut totals = Totals::default();
        for row in self.clock.messages(points.clone()) {
            let row = row as usize;
            totals.messages += 1;
            totals.bytes = totals.bytes.saturating_add(run.bytes[row]);
            totals.reach(run.send_start[row], run.receive_end[row]);
        }
        for number in self.clock.collectives(points.clone()) {
            totals.collectives += 1;
            totals.reach(run.collectives.start[number], run.collectives.end[number]);
        }
        totals
    }
}

/// Sums over some points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// From when to when.
    pub span: (i64, i64),
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: i64,
    /// Collectives, barriers aside.
    pub collectives: u64,
}

impl Default for Totals {
    fn default() -> Self {
        Totals { span: (i64::MAX, i64::MIN), messages: 0, bytes: 0, collectives: 0 }
    }
}

impl Totals {
    fn reach(&mut self, from: i64, to: i64) {
        self.span = (self.span.0.min(from), self.span.1.max(to));
    }

    /// Both together.
    pub fn and(self, other: Totals) -> Totals {
        Totals {
            span: (self.span.0.min(other.span.0), self.span.1.max(other.span.1)),
            messages: self.messages + other.messages,
            bytes: self.bytes.saturating_add(other.bytes),
            collectives: self.collectives + other.collectives,
        }
    }
}

/// Where each lateness began, with what it explains of the longest wait.
pub fn late(messages: &Messages, waits: &Waits, lateness: &Lateness) -> Vec<Late> {
    let mut known: HashMap<(u32, bool), usize> = HashMap::new();
    let mut all: Vec<Late> = Vec::new();
    for wait in lateness.waits.iter().filter(|wait| wait.cost > 0) {
        let Some(origin) = wait.origin else { continue };
        let at = *known.entry((origin.call, origin.part == Part::Work)).or_insert_with(|| {
            let event = waits.event.get(wait.call as usize).copied().unwrap_or(NONE);
            all.push(Late { event, rank: messages.calls.rank(origin.call), time: 0 });
            all.len() - 1
        });
        all[at].time = all[at].time.max(wait.cost);
    }
    all
}

/// All waits, rank by rank.
pub fn waited(messages: &Messages, waits: &Waits) -> Vec<Waited> {
    let of = |rank: u32| {
        messages.calls.of(rank).filter_map(move |call| {
            let lost = waits.lost.get(call).copied().filter(|lost| *lost > 0)?;
            Some(Waited { event: waits.event[call], rank, lost })
        })
    };
    (0..messages.summary().ranks).flat_map(of).collect()
}

/// Whether a function sends.
pub fn sends(class: Class) -> bool {
    matches!(class, Class::Send | Class::Both | Class::Start)
}
