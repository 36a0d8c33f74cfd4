//! What costs time between ranks, as text and for scripts: phases and what repeats, wait states, who sends most to whom, who
//! works longest, who caused most waiting.

use std::cmp::Reverse;
use std::sync::Arc;

use crosscut_messages::flows::Flow;
use crosscut_messages::gram::{Gram, Time};
use crosscut_messages::path::Stretch;
use crosscut_messages::waits::Why;
use crosscut_messages::{Messages, patterns};
use crosscut_run::Source;
use crosscut_scene::format::{count, many, quantity, share, three};
use crosscut_tree::Unit;
use crosscut_workbench::text::columns;
use crosscut_workbench::{Cell, Fact, Found, Refusal, Settings, Told, object};
use serde::Serialize;
use serde_json::{Map, Value};

use super::judged::Judged;
use super::opened::{ClockKey, Opened};
use super::overview::headline;
use crate::tasks::words;

/// How the command line wants messages to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// By which clock.
    pub time: Time,
    /// Into so many phases; as many as is proposed first where none are asked for.
    pub phases: Option<usize>,
    /// Processes of each phase into so many communities.
    pub communities: Option<u32>,
}

impl Asked {
    /// What the settings say: "phases" and "communities" are numbers, "time" is a clock.
    pub fn of(settings: &Settings) -> Result<Asked, Refusal> {
        let number = |name: &str| {
            let value = settings.get(name);
            let number = value.map(|value| value.parse::<u32>().ok().filter(|&number| number > 0));
            match number {
                Some(None) => Err(Refusal::new(format!("{name}: write a number from 1 on"))),
                other => Ok(other.flatten()),
            }
        };
        let time = match settings.get("time").map(String::as_str) {
            Some("logical") => Time::Logical,
            None | Some("wall") => Time::Wall,
            Some(_) => return Err(Refusal::new("time: write wall or logical")),
        };
        let phases = number("phases")?.map(|phases| phases as usize);
        Ok(Asked { time, phases, communities: number("communities")? })
    }

    /// The clock.
    pub fn key(&self) -> ClockKey {
        ClockKey::all(self.time)
    }
}

/// So many pairs and ranks are listed.
const LISTED: usize = 10;
/// So many phases are listed as text; scripts get all.
const PHASES: usize = 32;

/// What messages add to `crosscut report --json`.
#[derive(Debug, Serialize)]
struct Json {
    messages: Figures,
}

#[derive(Debug, Serialize)]
struct Figures {
    time: &'static str,
    phases: Vec<PhaseJson>,
    expression: String,
    candidates: Vec<Candidate>,
    wait_states: Vec<WaitState>,
    waiting_ns: i64,
    in_calls_ns: i64,
    work_ns: i64,
    /// Before the first call of ranks, and after the last one of those that did not come to their end.
    absent_ns: i64,
    top_pairs: Vec<Pair>,
    imbalance: Imbalance,
    worst_ranks: Vec<RankJson>,
    critical_path: Path,
}

#[derive(Debug, Serialize)]
struct PhaseJson {
    t0_ns: i64,
    t1_ns: i64,
    messages: u64,
    bytes: i64,
    collectives: u64,
    /// What all ranks put into them.
    collective_bytes: i64,
    pattern: String,
    change: f64,
    height: f64,
    groups: u32,
    wait_ns: i64,
    /// World ranks of each community, where a number of them was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    communities: Option<Vec<Vec<u32>>>,
}

#[derive(Debug, Serialize)]
struct Candidate {
    phases: usize,
    expression: String,
    ratio: Option<f64>,
}

#[derive(Debug, Serialize)]
struct WaitState {
    id: &'static str,
    calls: u64,
    ns: i64,
}

#[derive(Debug, Serialize)]
struct Pair {
    from: u32,
    to: u32,
    messages: u64,
    bytes: i64,
}

#[derive(Debug, Serialize)]
struct Imbalance {
    rank: u32,
    work_ns: i64,
    mean_ns: i64,
    ratio: f64,
}

#[derive(Debug, Serialize)]
struct RankJson {
    rank: u32,
    caused_ns: i64,
    waited_ns: i64,
    work_ns: i64,
    /// It made calls.
    #[serde(skip)]
    there: bool,
}

#[derive(Debug, Serialize)]
struct Path {
    ns: i64,
    in_calls_ns: i64,
    ranks: usize,
    /// The longest, in the order of time.
    stretches: Vec<StretchJson>,
    /// Lines of tasks that it goes through inside of ranks, where the run has tasks, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<LineJson>,
}

#[derive(Debug, Serialize)]
struct StretchJson {
    rank: u32,
    t0_ns: i64,
    t1_ns: i64,
    in_calls_ns: i64,
}

#[derive(Debug, Serialize)]
struct LineJson {
    r#where: String,
    ns: i64,
}

/// Everything that a report says.
pub struct Report<'a> {
    opened: &'a Opened,
    judged: &'a Judged,
    asked: Asked,
    gram: Arc<Gram>,
    /// Waiting of all ranks in each phase.
    waits: Vec<i64>,
}

impl<'a> Report<'a> {
    /// Of an open run.
    pub fn of(opened: &'a Opened, judged: &'a Judged, asked: Asked) -> Self {
        let timed = opened.timed(asked.key());
        let gram = timed.cut(asked.phases);
        let phases: Vec<_> = gram.phases.iter().map(|phase| (phase.points.clone(), phase.span)).collect();
        let rows = judged.waits().by_phase(&opened.messages, &timed.clock, &phases);
        let waits = rows.iter().map(|row| row.iter().copied().fold(0, i64::saturating_add)).collect();
        Report { opened, judged, asked, gram, waits }
    }

    fn messages(&self) -> &Messages {
        &self.opened.messages
    }

    /// Number and time of each wait state, those that are there.
    fn states(&self) -> Vec<WaitState> {
        let waits = self.judged.waits();
        let mut sums = [(0u64, 0i64); 7];
        for (why, lost) in waits.why.iter().zip(&waits.lost) {
            let sum = &mut sums[*why as usize];
            *sum = (sum.0 + 1, sum.1.saturating_add(*lost));
        }
        let state = |why: Why| (why.word(), sums[why as usize]);
        let mut states: Vec<WaitState> = Why::ALL
            .map(state)
            .into_iter()
            .filter(|(_, (calls, _))| *calls > 0)
            .map(|(id, (calls, ns))| WaitState { id, calls, ns })
            .collect();
        states.sort_by_key(|state| Reverse(state.ns));
        states
    }

    fn pairs(&self) -> Vec<Flow> {
        let mut flows = self.messages().flows(0..self.messages().len() as u32);
        flows.sort_by_key(|flow| (Reverse(flow.bytes), flow.from, flow.to));
        flows.truncate(LISTED);
        flows
    }

    /// What each rank caused, waited and worked, those who caused most first.
    fn ranks(&self) -> Vec<RankJson> {
        let (messages, lateness) = (self.messages(), self.judged.lateness());
        let waited = self.judged.waits().by_rank(&messages.calls, i64::MIN..i64::MAX);
        let mut caused = vec![0i64; waited.len()];
        for wait in &lateness.waits {
            let rank = wait.origin.map(|origin| messages.calls.rank(origin.call) as usize);
            if let Some(sum) = rank.and_then(|rank| caused.get_mut(rank)) {
                *sum = sum.saturating_add(wait.cost);
            }
        }
        let mut ranks: Vec<RankJson> = (0u32..)
            .zip(caused.into_iter().zip(waited))
            .map(|(rank, (caused_ns, waited_ns))| {
                let worked = messages.worked(rank);
                let work_ns = worked.map_or(0, |(_, work)| work);
                RankJson { rank, caused_ns, waited_ns, work_ns, there: worked.is_some() }
            })
            .collect();
        ranks.sort_by_key(|rank| (Reverse(rank.caused_ns), rank.rank));
        ranks
    }

    fn imbalance(&self, ranks: &[RankJson]) -> Imbalance {
        // Nothing is known of the work of ranks without calls.
        let there = || ranks.iter().filter(|rank| rank.there);
        let most = there().max_by_key(|rank| (rank.work_ns, Reverse(rank.rank)));
        let sum = there().map(|rank| rank.work_ns).fold(0, i64::saturating_add);
        let mean_ns = sum / (there().count() as i64).max(1);
        let (rank, work_ns) = most.map_or((0, 0), |most| (most.rank, most.work_ns));
        Imbalance { rank, work_ns, mean_ns, ratio: work_ns as f64 / mean_ns.max(1) as f64 }
    }

    fn path(&self) -> Path {
        let path = self.judged.path();
        let (ns, in_calls_ns) = path.length();
        let on_it = path.by_rank(self.messages().summary().ranks);
        let lines = self.judged.worked(self.messages()).on_path(self.messages(), path);
        let stretch =
            |of: Stretch| StretchJson { rank: of.rank, t0_ns: of.from, t1_ns: of.to, in_calls_ns: of.inside };
        let line = |(source, ns): (Source, i64)| LineJson { r#where: words::line(&source).position(), ns };
        Path {
            ns,
            in_calls_ns,
            ranks: on_it.iter().filter(|time| **time > 0).count(),
            stretches: path.longest(LISTED).into_iter().map(stretch).collect(),
            lines: lines.into_iter().take(LISTED).map(line).collect(),
        }
    }

    /// For scripts.
    pub fn json(&self) -> Result<Map<String, Value>, Refusal> {
        let account = self.judged.causes(self.messages()).account;
        let timed = self.opened.timed(self.asked.key());
        let mut worst_ranks = self.ranks();
        let imbalance = self.imbalance(&worst_ranks);
        worst_ranks.truncate(LISTED);
        let candidate = |proposal: &crosscut_messages::gram::Proposal| Candidate {
            phases: proposal.phases,
            expression: proposal.expression.to_string(),
            ratio: Some(proposal.ratio).filter(|ratio| ratio.is_finite()),
        };
        object(&Json {
            messages: Figures {
                time: if self.asked.time == Time::Wall { "wall" } else { "logical" },
                phases: self.phases(),
                expression: self.gram.expression.to_string(),
                candidates: timed.proposals().iter().map(candidate).collect(),
                wait_states: self.states(),
                waiting_ns: account.waiting,
                in_calls_ns: account.inside,
                work_ns: account.work,
                absent_ns: account.absent,
                top_pairs: (self.pairs().into_iter())
                    .map(|Flow { from, to, messages, bytes }| Pair { from, to, messages, bytes })
                    .collect(),
                imbalance,
                worst_ranks,
                critical_path: self.path(),
            },
        })
    }

    fn phases(&self) -> Vec<PhaseJson> {
        let phases = self.gram.phases.iter().zip(&self.waits);
        let phase = |(phase, &wait_ns): (&crosscut_messages::gram::Phase, &i64)| PhaseJson {
            t0_ns: phase.span.0,
            t1_ns: phase.span.1,
            messages: phase.messages,
            bytes: phase.bytes,
            collectives: phase.collectives,
            collective_bytes: phase.collective_bytes,
            pattern: patterns::name(phase.pattern),
            change: phase.change,
            height: phase.height,
            groups: self.gram.patterns.get(phase.pattern).map_or(0, |partition| partition.communities()),
            wait_ns,
            communities: self.asked.communities.map(|wanted| {
                let partition = phase.communities.cut(wanted.min(phase.communities.processes()));
                partition.groups()
            }),
        };
        phases.map(phase).collect()
    }

    /// As text.
    pub fn told(&self, found: &Found) -> Told {
        let summary = self.messages().summary();
        let account = self.judged.causes(self.messages()).account;
        let ranks = self.ranks();
        let part = |value: i64| share(value as f64, account.capacity as f64);
        let mut facts = Vec::new();
        let mut add = |name: &str, text: String| facts.push(Fact::new(name, Cell::text(text)));
        add(
            "account",
            format!(
                "of {}: work {}, waiting {}, in calls {}",
                ns(account.capacity),
                part(account.work),
                part(account.waiting),
                part(account.inside)
            ) + &match account.absent {
                0 => String::new(),
                absent => format!(", ranks not there {}", part(absent)),
            },
        );
        let clock = if self.asked.time == Time::Wall { "wall" } else { "logical" };
        let expression = self.gram.expression.to_string();
        add("phases", format!("{} by {clock} time: {expression}", count(self.gram.phases.len() as i64)));
        let timed = self.opened.timed(self.asked.key());
        let others = timed.proposals().iter().filter(|proposal| proposal.phases != self.gram.phases.len());
        let others: Vec<String> = others
            .take(3)
            .map(|proposal| format!("{}: {}", proposal.phases, shortened(&proposal.expression.to_string())))
            .collect();
        if !others.is_empty() {
            add("or", others.join(" · "));
        }
        if let Some(mixed) = self.mixed() {
            add("note", mixed);
        }
        let state = |state: &WaitState| {
            format!("{} {} in {}", state.id, part(state.ns), many(state.calls as usize, "call"))
        };
        let states: Vec<String> = self.states().iter().map(state).collect();
        add("wait states", if states.is_empty() { "none".to_owned() } else { states.join(", ") });
        let imbalance = self.imbalance(&ranks);
        add(
            "imbalance",
            format!(
                "rank {} works {}, the mean is {} ({}×)",
                imbalance.rank,
                ns(imbalance.work_ns),
                ns(imbalance.mean_ns),
                three(imbalance.ratio)
            ),
        );
        let path = self.path();
        add(
            "critical path",
            format!(
                "over {}, {} of it in calls",
                many(path.ranks, "rank"),
                share(path.in_calls_ns as f64, path.ns as f64)
            ) + &path.lines.iter().take(3).map(through(path.ns)).collect::<String>(),
        );
        Told { line: headline(summary, &account, found), facts, lines: self.lines(&ranks) }
    }

    /// Phases that begin before the one before has ended.
    fn mixed(&self) -> Option<String> {
        let overlaps = |pair: &&[crosscut_messages::gram::Phase]| pair[0].span.1 > pair[1].span.0;
        let mixed = self.gram.phases.windows(2).filter(overlaps).count();
        (mixed > 0 && self.asked.time == Time::Wall).then(|| {
            let all = count(self.gram.phases.len() as i64);
            format!("{mixed} of {all} phases overlap with the next: wall time mixes steps, --time logical does not")
        })
    }

    fn lines(&self, ranks: &[RankJson]) -> Vec<String> {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<String>>();
        let mut rows =
            vec![row(&["phase", "pattern", "from", "to", "messages", "bytes", "waiting", "groups"])];
        for (number, phase) in self.phases().iter().enumerate().take(PHASES) {
            rows.push(vec![
                count(number as i64 + 1),
                phase.pattern.clone(),
                ns(phase.t0_ns),
                ns(phase.t1_ns),
                match phase.collectives {
                    0 => count(phase.messages as i64),
                    n => format!("{} + {}", count(phase.messages as i64), many(n as usize, "collective")),
                },
                quantity(phase.bytes as f64, Unit::Bytes),
                ns(phase.wait_ns),
                count(phase.groups.into()),
            ]);
        }
        let mut lines = columns(&rows);
        if self.gram.phases.len() > PHASES {
            let more = many(self.gram.phases.len() - PHASES, "phase");
            lines.push(format!("and {more} more: --json lists them"));
        }
        lines.push(String::new());
        let mut rows = vec![row(&["from", "to", "messages", "bytes"])];
        for flow in self.pairs() {
            let bytes = quantity(flow.bytes as f64, Unit::Bytes);
            rows.push(vec![flow.from.to_string(), flow.to.to_string(), count(flow.messages as i64), bytes]);
        }
        lines.extend(columns(&rows));
        lines.push(String::new());
        let mut rows = vec![row(&["rank", "others waited for it", "it waited", "it worked"])];
        for rank in ranks.iter().take(LISTED) {
            rows.push(vec![rank.rank.to_string(), ns(rank.caused_ns), ns(rank.waited_ns), ns(rank.work_ns)]);
        }
        lines.extend(columns(&rows));
        lines
    }
}

/// ", 40 % of it in tasks at a.c:15".
fn through(all: i64) -> impl Fn(&LineJson) -> String {
    move |line| format!(", {} of it in tasks at {}", share(line.ns as f64, all as f64), line.r#where)
}

fn ns(time: i64) -> String {
    quantity(time as f64, Unit::Ns)
}

/// A long expression with its end left out.
fn shortened(text: &str) -> String {
    const LONG: usize = 40;
    match text.char_indices().nth(LONG) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
