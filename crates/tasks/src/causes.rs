//! Causes: what cost time in a task run, worst first. P × elapsed = work + what each cause cost + what none explains.
//!
//! A worker that has nothing to run is the fault of what runs meanwhile: whatever that is keeps others from being ready.
//! One pass over the nodes finds the part that each interval plays ([`roles`]), one pass over time shares out the time of
//! free workers among them ([`blame`]), and [`judge`] says what that means and what to do. What is ready while workers are
//! free waits for the runtime, and is charged to what waits.
//!
//! Nothing is charged twice, so the account adds up to the last tick.

mod blame;
mod chains;
mod counted;
mod cutoff;
mod gains;
mod groups;
mod inflation;
mod judge;
mod locks;
mod phases;
mod processor;
mod roles;
mod sentences;
mod stretches;
mod words;

pub use counted::Counters;
pub use gains::Gains;
pub(crate) use words::grouped;

use crosscut_tree::NodeId;

use crate::summary::Summary;
use crate::tasks::Tasks;

/// Why time was lost. The ids are what scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Workers had no processor.
    Preempted,
    /// Workers waited for a lock.
    Lock,
    /// Tasks cost more than they do.
    SmallTasks,
    /// Chunks of a loop cost more than they do.
    FineChunks,
    /// A task, or a few, are waited for before the next ones are created.
    WaitInLoop,
    /// Tasks that wait for one another.
    DependenceChain,
    /// A long task that starts when the others are done.
    LateTask,
    /// One task creates all others, too slowly.
    SerialSpawn,
    /// Code that runs alone.
    SerialPart,
    /// Members of a team, or tasks of a join, that have unequal work.
    Imbalance,
    /// Barriers at which another worker is last each time.
    BarrierWait,
    /// The same code takes longer than in a run with one worker, or more cycles than while it runs alone.
    WorkInflation,
    /// Something was ready, a worker was free, and none of the others explains why it did not run.
    RuntimeDelay,
}

impl Cause {
    /// All of them, the most specific first: of two that could claim a loss, the one that stands first gets it.
    pub const ALL: [Cause; 13] = [
        Cause::Preempted,
        Cause::Lock,
        Cause::SmallTasks,
        Cause::FineChunks,
        Cause::WaitInLoop,
        Cause::DependenceChain,
        Cause::LateTask,
        Cause::SerialSpawn,
        Cause::SerialPart,
        Cause::Imbalance,
        Cause::BarrierWait,
        Cause::WorkInflation,
        Cause::RuntimeDelay,
    ];

    /// Stable word.
    pub fn id(self) -> &'static str {
        match self {
            Cause::Preempted => "preempted",
            Cause::Lock => "lock",
            Cause::SmallTasks => "small-tasks",
            Cause::FineChunks => "fine-chunks",
            Cause::WaitInLoop => "wait-in-loop",
            Cause::DependenceChain => "dependence-chain",
            Cause::LateTask => "late-task",
            Cause::SerialSpawn => "serial-spawn",
            Cause::SerialPart => "serial-part",
            Cause::Imbalance => "imbalance",
            Cause::BarrierWait => "barrier-wait",
            Cause::WorkInflation => "work-inflation",
            Cause::RuntimeDelay => "runtime-delay",
        }
    }

    /// Whether it lies outside of the program's code, in the machine or the runtime. Such losses are told after what the
    /// program can change.
    pub fn is_outside(self) -> bool {
        matches!(self, Cause::Preempted | Cause::RuntimeDelay)
    }

    /// How specific it is: higher ones claim first.
    pub fn claim(self) -> u8 {
        (Cause::ALL.len() - self as usize) as u8
    }
}

/// Something that cost time.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Why.
    pub cause: Cause,
    /// Time lost, summed over workers.
    pub cost: i64,
    /// How long the run would take without it, at least.
    pub without: i64,
    /// What people call it: "Imbalance in a loop".
    pub what: String,
    /// Who, how much, against what, how often.
    pub evidence: String,
    /// What to do; it follows from the numbers.
    pub advice: String,
    /// The construct in the source, by number of [`crosscut_run::Sources`].
    pub source: Option<u32>,
    /// The node that shows it best.
    pub node: Option<NodeId>,
    /// The time that shows it best.
    pub window: Option<(i64, i64)>,
    /// Whether it is told after others: it lies outside of the program, or is little against what the program had.
    pub behind: bool,
    /// Who lost it when: worker, from, to; by worker, then by time, and no two overlap. Gaps that are short against the run
    /// are put together.
    pub stretches: Vec<(u32, i64, i64)>,
    /// How long the tasks or chunks are, where that is the point.
    pub sizes: Option<Sizes>,
}

/// How long the tasks or chunks of a line take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizes {
    /// How many of each power of two, from the first that has any: the shortest length, and how many.
    pub bins: Vec<(i64, u64)>,
    /// Those that are shorter cost too much for what they do.
    pub needed: i64,
    /// Their share of all, about.
    pub below: f64,
}

/// Where P × elapsed went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// P × elapsed.
    pub capacity: i64,
    /// In the program's own code.
    pub work: i64,
    /// Lost, with a cause.
    pub lost: i64,
    /// Time of workers beyond the number of processors: nobody could have had it.
    pub shared: i64,
    /// Lost, and none of the causes explains it.
    pub unexplained: i64,
}

/// All causes of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Causes {
    /// Worst first: all that cost anything at all.
    pub findings: Vec<Finding>,
    /// Where the time went.
    pub account: Account,
    /// Workers that could have a processor at once.
    pub workers: i64,
    /// Processor time that others than the workers took meanwhile; none where the recorder did not see it.
    pub others: Option<i64>,
    /// Time in which tasks slept in the system: in calls that wait, or for locks that were not recorded. It counts as work.
    pub blocked: i64,
}

impl Causes {
    /// Below this share of the time that workers could have had a loss is not worth a sentence.
    pub const WORTH: f64 = 0.01;

    /// Those that are worth a sentence.
    pub fn worth(&self) -> impl Iterator<Item = &Finding> {
        let least = Self::WORTH * (self.account.capacity - self.account.shared) as f64;
        self.findings.iter().filter(move |finding| finding.cost as f64 >= least)
    }
}

impl Tasks {
    /// What cost time in the run: a few passes over it, some seconds for ten million nodes.
    pub fn causes(&self) -> Causes {
        self.causes_against(None)
    }

    /// The same, with a run of the same program on one worker: only that shows which code takes longer beside others. Of a
    /// run whose tree is broken nothing is explained.
    pub fn causes_against(&self, baseline: Option<&Tasks>) -> Causes {
        if let Some(account) = beyond_reason(self.summary(), !self.is_sound()) {
            return Causes { account, ..Causes::default() };
        }
        let baseline = baseline.filter(|baseline| baseline.is_sound());
        let mut roles = roles::Roles::of(self);
        let blame = blame::Blame::of(self, &mut roles);
        let judged = judge::judge(self, &roles, &blame, baseline);
        sentences::tell(self, &roles, &blame, &judged)
    }
}

/// Times of all workers together from here on, and work too: sums of them would not fit, and no program runs for a century.
const BEYOND: i64 = 1 << 61;

/// The account of a run that is broken, or whose times no clock has shown: nothing in it is explained.
fn beyond_reason(summary: &Summary, is_broken: bool) -> Option<Account> {
    let capacity = i64::from(summary.workers).saturating_mul(summary.elapsed.max(0));
    let all = capacity.max(summary.work).max(summary.delay);
    (is_broken || all >= BEYOND).then(|| {
        let work = summary.work.clamp(0, capacity);
        Account { capacity, work, lost: 0, shared: 0, unexplained: capacity - work }
    })
}
