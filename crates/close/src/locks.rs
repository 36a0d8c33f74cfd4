//! Locks and processor time: what the threads say about them becomes tables beside the tree.

use std::collections::BTreeMap;

use crosscut_events::{LockUse, LockWait, code_of, tag_of};
use crosscut_tasks::schema;
use foldhash::HashMap;

use crate::build::Recorded;
use crate::clock::Clock;
use crate::files::Process;
use crate::sources::Sites;
use crate::symbols;

/// The locks of a run in the making, and who waited for them.
#[derive(Debug, Default)]
pub struct Locks {
    /// The number of each lock, by process and word.
    numbers: HashMap<(u32, u64), u32>,
    locks: Vec<schema::Lock>,
    waits: Vec<schema::LockWait>,
}

impl Locks {
    /// The number of a lock. A kind that nobody knows reads as a plain lock.
    fn number(&mut self, process: u32, word: u64) -> u32 {
        *self.numbers.entry((process, word)).or_insert_with(|| {
            let kind = schema::LockKind::ALL.get(usize::from(tag_of(word)));
            self.locks.push(schema::Lock {
                kind: kind.copied().unwrap_or(schema::LockKind::Lock),
                process,
                address: code_of(word) as i64,
            });
            self.locks.len() as u32 - 1
        })
    }

    /// The waits of an interval on a thread of a process; they are taken out.
    #[cold]
    pub fn add_waits(
        &mut self,
        node: u32,
        (process, worker, clock): (u32, u32, Clock),
        waits: &mut Vec<(u64, LockWait)>,
        sites: &Sites,
    ) {
        for (freed, wait) in waits.drain(..) {
            // Locks of the runtime itself are its own business.
            if wait.code != 0 && sites.is_runtime(process, wait.code) {
                continue;
            }
            let (asked, got) = (clock.time(wait.asked), clock.time(wait.got));
            let lock = self.number(process, wait.lock);
            self.waits.push(schema::LockWait {
                node,
                lock,
                worker,
                asked,
                got: got.max(asked),
                freed: clock.time(freed).max(got).max(asked),
                source: sites.source(process, wait.code),
                holder: sites.source(process, wait.holder),
            });
        }
    }

    /// Everything that is known beside the tree, but for joined chunks.
    pub fn finish(
        mut self,
        processes: &[&Process],
        recorded: &[Recorded<'_>],
        sites: &Sites,
    ) -> schema::Beside {
        let mut codes: BTreeMap<u32, u64> = BTreeMap::new();
        let mut uses: HashMap<(u32, u32, u32), schema::LockUse> = HashMap::default();
        let mut stretches = Vec::new();
        for (process, recorded) in recorded.iter().enumerate() {
            let process = process as u32;
            for (at, thread) in recorded.index.beside.iter().enumerate() {
                let worker = (recorded.first_thread + at) as u32;
                let uses_of = thread.lock_uses.iter();
                for used in uses_of.filter(|used| used.code == 0 || !sites.is_runtime(process, used.code)) {
                    let lock = self.number(process, used.lock);
                    codes.entry(lock).or_insert(used.code);
                    let source = sites.source(process, used.code);
                    let row = new_use(lock, source, worker);
                    add_use(uses.entry((lock, source, worker)).or_insert(row), used, &recorded.clock);
                }
                let samples = thread.processor.windows(2);
                stretches.extend(samples.map(|pair| stretch(worker, pair[0], pair[1], &recorded.clock)));
            }
        }
        let mut lock_uses: Vec<schema::LockUse> = uses.into_values().collect();
        lock_uses.sort_unstable_by_key(|used| (used.lock, used.source, used.worker));
        self.waits.sort_by_key(|wait| (wait.node, wait.asked));
        let lock_names = self.names(processes, &codes);
        schema::Beside {
            locks: self.locks,
            lock_names,
            lock_waits: self.waits,
            lock_uses,
            stretches,
            ..Default::default()
        }
    }

    /// The names of locks that are variables of the program, or critical sections with a name.
    fn names(&self, processes: &[&Process], codes: &BTreeMap<u32, u64>) -> Vec<(u32, String)> {
        let mut names = Vec::new();
        for (number, process) in processes.iter().enumerate() {
            let is_here = |lock: u32| self.locks[lock as usize].process as usize == number;
            let mut locks: Vec<(u32, u64)> = codes.iter().map(|(&lock, &code)| (lock, code)).collect();
            locks.retain(|&(lock, code)| code != 0 && is_here(lock));
            locks.truncate(NAMED);
            if locks.is_empty() {
                continue;
            }
            let address = |lock: u32| self.locks[lock as usize].address as u64;
            let wanted: Vec<(u64, u64)> = locks.iter().map(|&(lock, code)| (code, address(lock))).collect();
            let found = symbols::variables(&process.maps, &wanted);
            let named = locks.iter().zip(&found).map(|(&(lock, _), name)| (lock, readable(name).to_owned()));
            names.extend(named.filter(|(_, name)| !name.is_empty()));
        }
        names
    }
}

/// Locks of a process whose names are looked up.
const NAMED: usize = 4096;

/// The user's name for a lock: compilers keep a critical section in a variable.
fn readable(variable: &str) -> &str {
    match variable.strip_prefix(".gomp_critical_user_") {
        Some(name) => name.strip_suffix(".var").unwrap_or(name),
        None => variable,
    }
}

fn new_use(lock: u32, source: u32, worker: u32) -> schema::LockUse {
    schema::LockUse { lock, source, worker, count: 0, waits: 0, waited: 0, held: 0, longest: 0 }
}

fn add_use(sum: &mut schema::LockUse, used: &LockUse, clock: &Clock) {
    let add = |sum: &mut i64, value: i64| *sum = sum.saturating_add(value);
    let small = |value: u64| value.min(i64::MAX as u64) as i64;
    add(&mut sum.count, small(used.count));
    add(&mut sum.waits, small(used.waits));
    add(&mut sum.waited, clock.length(used.waited));
    add(&mut sum.held, clock.length(used.held));
    sum.longest = sum.longest.max(clock.length(used.longest));
}

/// The processor time of a thread at a moment: ticks, nanoseconds, how often it left its core to wait and for others.
pub type Sample = (u64, [u64; 3]);

fn stretch(worker: u32, (from, before): Sample, (to, after): Sample, clock: &Clock) -> schema::Stretch {
    let grew = |at: usize| after[at].saturating_sub(before[at]).min(i64::MAX as u64) as i64;
    let from = clock.time(from);
    let to = clock.time(to).max(from);
    schema::Stretch { worker, from, to, processor: grew(0), voluntary: grew(1), involuntary: grew(2) }
}
