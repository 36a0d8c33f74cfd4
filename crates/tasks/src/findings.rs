//! Findings: what cost time in a task run, worst first, each with the way to look at it. They come from the summary and
//! the coarse grids alone, so they cost the same for every size of run.

use crate::schema::{Edge, Kind};
use crosscut_run::Clock;
use crosscut_tree::NodeId;

use crate::tasks::Tasks;
use crate::timeline::{NONE, Timeline};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Over 20 % of P × elapsed.
    High,
    /// Over 5 %.
    Medium,
    /// Less.
    Low,
}

impl Severity {
    /// By the share of what all workers could have done.
    pub(crate) fn of(cost: i64, capacity: i64) -> Self {
        match cost as f64 / capacity.max(1) as f64 {
            share if share > 0.2 => Severity::High,
            share if share > 0.05 => Severity::Medium,
            _ => Severity::Low,
        }
    }

    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
        }
    }
}

/// Where a finding is seen best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingView {
    /// In the DAG.
    Dag,
    /// In the timeline.
    Timeline,
    /// In the grain graph: its node is one of that.
    Grain,
}

/// Something that cost time.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Stable word.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Time lost, summed over workers.
    pub cost: i64,
    /// What was seen.
    pub what: String,
    /// What to try.
    pub advice: String,
    /// Source position.
    pub place: Option<String>,
    /// Where to look.
    pub view: FindingView,
    /// The node to look at.
    pub node: Option<NodeId>,
    /// The time to look at.
    pub window: Option<(i64, i64)>,
}

/// A time with its unit, to three digits.
pub(crate) fn amount(value: f64, clock: Clock) -> String {
    let steps: &[(f64, &str)] = match clock {
        Clock::Ns => &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")],
        Clock::Ticks => &[(1e9, "G ticks"), (1e6, "M ticks"), (1e3, "k ticks"), (1.0, "ticks")],
    };
    let &(scale, unit) = steps.iter().find(|(scale, _)| value >= *scale).unwrap_or(&steps[3]);
    let value = value / scale;
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

/// A whole number with thin spaces between groups of three digits, as everywhere on the screen.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(2 * digits.len());
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

fn workers(count: u32) -> String {
    if count == 1 { "1 worker".to_owned() } else { format!("{} workers", grouped(count.into())) }
}

fn nobody(workers: u32) -> String {
    match workers {
        1 => "the worker had nothing to run".to_owned(),
        _ => format!("none of {} workers had anything to run", grouped(workers.into())),
    }
}

/// Cells over the run in which low parallelism is looked for.
const CELLS: usize = 256;
/// Below this share of P × elapsed nothing is reported.
const WORTH: f64 = 0.01;

impl Tasks {
    /// All findings, worst first.
    pub fn findings(&self) -> Vec<Finding> {
        let s = self.summary();
        let capacity = (i64::from(s.workers) * s.elapsed).max(1);
        // Of equal costs the one that says more about the cause comes first.
        let mut found = self.explained(self.idle_windows(), self.serial_spawns());
        found.extend(self.delay());
        found.extend(self.short_span());
        found.retain(|f| f.cost as f64 >= WORTH * capacity as f64);
        for finding in &mut found {
            finding.severity = Severity::of(finding.cost, capacity);
        }
        found.sort_by_key(|f| std::cmp::Reverse(f.cost));
        found
    }

    /// Idle time inside a serial spawn is the cost of that, not a finding of its own.
    fn explained(&self, idle: Vec<Finding>, spawns: Option<Finding>) -> Vec<Finding> {
        let Some(mut spawns) = spawns.filter(|f| f.cost > 0) else { return idle };
        let (begin, end) = spawns.window.unwrap_or_default();
        let inside = |f: &Finding| {
            let (from, to) = f.window.unwrap_or_default();
            10 * (to.min(end) - from.max(begin)) >= 9 * (to - from)
        };
        let (caused, mut found): (Vec<Finding>, Vec<Finding>) = idle.into_iter().partition(inside);
        spawns.cost = spawns.cost.max(caused.iter().map(|f| f.cost).sum());
        found.insert(0, spawns);
        found
    }

    fn source_text(&self, node: NodeId) -> Option<String> {
        self.source(node).0.map(ToString::to_string)
    }

    /// The three stretches of time in which most workers had nothing to run.
    fn idle_windows(&self) -> Vec<Finding> {
        let s = self.summary();
        let p = f64::from(s.workers);
        let profile = self.profile(0, s.elapsed, CELLS);
        let idle = |k: usize| {
            let ready: f64 = profile.ready.iter().map(|layer| layer[k]).sum();
            (p - profile.running[k] - ready).max(0.0)
        };
        let width = |k: usize| profile.cell.min(s.elapsed - (profile.from + k as i64 * profile.cell)).max(0);
        let mut windows: Vec<(f64, usize, usize)> = Vec::new();
        let mut k = 0;
        while k < profile.running.len() {
            let begin = k;
            let mut cost = 0.0;
            while k < profile.running.len() && idle(k) > p / 4.0 {
                cost += idle(k) * width(k) as f64;
                k += 1;
            }
            if k > begin {
                windows.push((cost, begin, k));
            }
            k += usize::from(k == begin);
        }
        windows.sort_by(|a, b| b.0.total_cmp(&a.0));
        windows.truncate(3);
        windows
            .into_iter()
            .map(|(cost, begin, end)| {
                let from = profile.from + begin as i64 * profile.cell;
                let to = (profile.from + end as i64 * profile.cell).min(s.elapsed);
                let mean = profile.running[begin..end].iter().sum::<f64>() / (end - begin) as f64;
                // Below that, `only 0.0 of 4 workers` would send people to look for what is not there.
                let nothing = mean < 0.05;
                let node = if nothing { None } else { self.busiest(from, to) };
                let share = 100.0 * (to - from) as f64 / s.elapsed.max(1) as f64;
                let (what, advice) = if nothing {
                    (
                        format!("{} for {share:.1} % of the time", nobody(s.workers)),
                        "nothing that is recorded runs here: look for waiting (input, locks, sleep), for threads \
                         that start late, or for code that is not recorded",
                    )
                } else {
                    (
                        format!(
                            "only {mean:.1} of {} had something to run for {share:.1} % of the time",
                            workers(s.workers)
                        ),
                        "look at what runs alone here: split it into tasks, or start it earlier",
                    )
                };
                Finding {
                    id: "no-work",
                    severity: Severity::Low,
                    cost: cost.round() as i64,
                    what,
                    advice: advice.into(),
                    place: node.and_then(|n| self.source_text(n)),
                    view: FindingView::Timeline,
                    node,
                    window: Some((from, to)),
                }
            })
            .collect()
    }

    /// The node that fills most of a window.
    fn busiest(&self, from: i64, to: i64) -> Option<NodeId> {
        match self.timeline(from, to, 64, 4096) {
            Timeline::Intervals(list) => {
                list.iter().max_by_key(|i| i.end.min(to) - i.start.max(from)).map(|i| i.node)
            }
            Timeline::Cells(cells) => {
                let overlap = |n: &NodeId| self.end(*n).min(to) - self.start(*n).max(from);
                cells.top.iter().filter(|&&n| n != NONE).map(|&n| NodeId(n)).max_by_key(overlap)
            }
        }
    }

    /// Something was ready, workers were free, and it did not run.
    fn delay(&self) -> Option<Finding> {
        let s = self.summary();
        let (edge, _) = s.ready.iter().enumerate().max_by_key(|(_, t)| **t)?;
        let what = format!(
            "work was ready while workers were free: an interval lasts {} on average, and most of the waiting was \
             after {}",
            amount(s.work as f64 / s.intervals.max(1) as f64, self.clock()),
            match Edge::ALL[edge] {
                Edge::End => "the last task of a section",
                Edge::Create => "the creation of a task",
                Edge::CreateCont => "a create, before its own task went on",
                Edge::WaitCont => "a wait",
                Edge::OtherCont => "another interval",
            }
        );
        Some(Finding {
            id: "delay",
            severity: Severity::Low,
            cost: s.delay,
            what,
            advice:
                "make tasks larger (cut off earlier), or create them where several workers can pick them up"
                    .into(),
            place: None,
            view: FindingView::Timeline,
            node: None,
            window: None,
        })
    }

    /// The critical path is longer than a fair share of the work.
    fn short_span(&self) -> Option<Finding> {
        let s = self.summary();
        let p = i64::from(s.workers);
        let over = s.span - s.work / p.max(1);
        if over <= 0 {
            return None;
        }
        let node = self.heaviest_critical();
        Some(Finding {
            id: "critical-path",
            severity: Severity::Low,
            cost: over * p,
            what: format!(
                "the critical path allows a speed-up of {:.1} at most; one interval on it lasts {}",
                s.work as f64 / s.span.max(1) as f64,
                amount(self.span(node) as f64, self.clock())
            ),
            advice: "shorten the critical path: split its longest interval, or overlap it with other work"
                .into(),
            place: self.source_text(node),
            view: FindingView::Dag,
            node: Some(node),
            window: Some((self.start(node), self.end(node))),
        })
    }

    /// Sections whose tasks are created one after another by one loop.
    fn serial_spawns(&self) -> Option<Finding> {
        let tree = self.tree();
        let s = self.summary();
        let p = i64::from(s.workers);
        let (cost, node, count) = self
            .wide_nodes()
            .iter()
            .take(64)
            .map(|&node| NodeId(node))
            .filter(|&node| self.kind(node) == Kind::Section)
            .filter_map(|node| {
                let children = tree.child_count(node);
                // The time until the last create, less the work: nobody else could run meanwhile. How long the created
                // tasks then waited is delay, not the loop's fault.
                let last = tree.children_from(node, children.saturating_sub(1)).next();
                let last = std::iter::successors(last, |&at| tree.previous_sibling(at))
                    .take(64)
                    .find(|&at| self.kind(at) == Kind::Create)?;
                let spawning = self.end(last) - self.start(node);
                let idle = p * spawning - self.work(node);
                Some((idle, node, children / 2))
            })
            .max_by_key(|(idle, _, _)| *idle)?;
        Some(Finding {
            id: "serial-spawn",
            severity: Severity::Low,
            cost: cost.max(0),
            what: format!(
                "one loop creates {} tasks one after another; the tasks are done before the next exists",
                grouped(count as u64)
            ),
            advice: "create the tasks recursively (divide the range in halves), or make each of them larger"
                .into(),
            place: self.source_text(node),
            view: FindingView::Dag,
            node: Some(node),
            window: Some((self.start(node), self.end(node))),
        })
    }
}
