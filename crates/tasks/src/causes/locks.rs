//! Waiting for locks, by the line that waits.

use crosscut_run::NO_SITE;
use foldhash::{HashMap, HashMapExt};

use super::processor::Shares;
use crate::schema::NO_SOURCE;
use crate::tasks::Tasks;

/// What was waited at one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Time waited on a processor, summed over workers.
    pub cost: i64,
    /// Times acquired, and times it was not free.
    pub count: i64,
    pub waits: i64,
    /// Time held.
    pub held: i64,
    /// The lock that most was waited for here, and how many are acquired.
    pub lock: u32,
    pub locks: u64,
    most: i64,
    last: Option<u32>,
    /// The longest wait, and the interval that it was in.
    pub worst: (i64, u32),
    /// The line that held it in the longest wait.
    pub holder: u32,
    /// Waits whose times are known, from the first to the last; short ones are only counted.
    timed: i64,
    window: (i64, i64),
}

impl Waits {
    /// How long it took from the first to the last wait, where the times of all are known.
    pub fn window(&self) -> Option<i64> {
        let length = self.window.1.saturating_sub(self.window.0);
        (self.timed >= self.waits && length > 0).then_some(length)
    }
}

/// All waits of a run.
#[derive(Debug, Default)]
pub struct Locks {
    by_line: HashMap<u32, Waits>,
}

impl Locks {
    /// Of a run; nothing where no locks were recorded. Waiting without a processor is not the lock's fault.
    pub fn of(tasks: &Tasks, shares: &[Shares]) -> Self {
        let mut by_line: HashMap<u32, Waits> = HashMap::new();
        for used in tasks.lock_uses() {
            let waits = by_line.entry(line(used.source)).or_default();
            waits.cost = waits.cost.saturating_add(used.waited.max(0));
            waits.count = waits.count.saturating_add(used.count);
            waits.waits = waits.waits.saturating_add(used.waits);
            waits.held = waits.held.saturating_add(used.held);
            waits.locks += u64::from(waits.last.replace(used.lock) != Some(used.lock));
            if used.waited > waits.most {
                (waits.most, waits.lock) = (used.waited, used.lock);
            }
        }
        for wait in tasks.lock_waits(0..tasks.tree().node_count()) {
            let waits = by_line.entry(line(wait.source)).or_default();
            let time = wait.got.saturating_sub(wait.asked).max(0);
            let share =
                shares.get(wait.worker as usize).map_or(1.0, |shares| shares.busy(wait.asked, wait.got));
            waits.cost = waits.cost.saturating_sub(((1.0 - share) * time as f64) as i64);
            if time > waits.worst.0 {
                (waits.worst, waits.holder) = ((time, wait.node), line(wait.holder));
            }
            let (from, to) = waits.window;
            let first = if waits.timed == 0 { wait.asked } else { from.min(wait.asked) };
            waits.window = (first, to.max(wait.freed).max(wait.got));
            waits.timed += 1;
        }
        Locks { by_line }
    }

    /// By line, in the order of lines.
    pub fn by_line(&self) -> impl Iterator<Item = (u32, Waits)> {
        let mut lines: Vec<(u32, Waits)> = self.by_line.iter().map(|(&line, &waits)| (line, waits)).collect();
        lines.sort_unstable_by_key(|line| line.0);
        lines.into_iter()
    }

    pub fn of_line(&self, line: u32) -> Option<Waits> {
        self.by_line.get(&line).copied()
    }
}

fn line(source: u32) -> u32 {
    if source == NO_SOURCE { NO_SITE } else { source }
}
