//! What a recorder knows beside the tree: locks and who waited for them, chunks of loops that were joined while recording,
//! and how long each worker was on a processor. Runs that have none of it open as before, and answer with empty lists.

use std::ops::Range;

use crosscut_run::{Column, Run, RunError, RunWriter, Value};

use crate::error::TasksError;

/// No source is known.
pub const NO_SOURCE: u32 = u32::MAX;

/// Locks whose names are kept.
const NAMES: usize = 4096;

/// The fact that holds their names, as pairs of lock and name.
const NAMES_FACT: &str = "lock_names";

/// What a lock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum LockKind {
    /// A critical section.
    Critical = 0,
    /// A lock of OpenMP.
    Lock = 1,
    /// One that its owner may acquire again.
    NestLock = 2,
    /// An atomic update that the runtime does under a lock.
    Atomic = 3,
    /// The turn of an iteration in an `ordered` region.
    Ordered = 4,
    /// A mutex of the C library.
    Mutex = 5,
    /// A lock for readers and writers, held for reading.
    ReadLock = 6,
    /// The same, held for writing.
    WriteLock = 7,
}

impl LockKind {
    /// All kinds, by number.
    pub const ALL: [LockKind; 8] = [
        LockKind::Critical,
        LockKind::Lock,
        LockKind::NestLock,
        LockKind::Atomic,
        LockKind::Ordered,
        LockKind::Mutex,
        LockKind::ReadLock,
        LockKind::WriteLock,
    ];

    /// The words for it.
    pub fn word(self) -> &'static str {
        match self {
            LockKind::Critical => "critical section",
            LockKind::Lock => "lock",
            LockKind::NestLock => "nested lock",
            LockKind::Atomic => "atomic update",
            LockKind::Ordered => "ordered region",
            LockKind::Mutex => "mutex",
            LockKind::ReadLock => "read lock",
            LockKind::WriteLock => "write lock",
        }
    }
}

/// A lock of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// What it is.
    pub kind: LockKind,
    /// The process that it belongs to, as in the places.
    pub process: u32,
    /// Its address there.
    pub address: i64,
}

/// A time when a worker had to wait for a lock. Short waits may be in [`LockUse`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockWait {
    /// The interval in which it happened.
    pub node: u32,
    /// The lock.
    pub lock: u32,
    /// The worker that waited.
    pub worker: u32,
    /// When it was asked for.
    pub asked: i64,
    /// When it was got: from `asked` to here the worker waited.
    pub got: i64,
    /// When it was given back.
    pub freed: i64,
    /// The line that waits, as a number of a source, or [`NO_SOURCE`].
    pub source: u32,
    /// The line that held it last meanwhile, or [`NO_SOURCE`].
    pub holder: u32,
}

/// What one worker did with one lock from one line, over the whole run. Everything is counted here, also what has a
/// [`LockWait`] of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockUse {
    /// The lock.
    pub lock: u32,
    /// The line that acquires it, or [`NO_SOURCE`].
    pub source: u32,
    /// The worker.
    pub worker: u32,
    /// How often it was acquired.
    pub count: i64,
    /// How often another worker had it and it was not free at once.
    pub waits: i64,
    /// Time spent until it was acquired, over all waits.
    pub waited: i64,
    /// Time until it was given back.
    pub held: i64,
    /// The longest wait.
    pub longest: i64,
}

/// Several short chunks of a loop that one worker ran one after the other, joined into one node of kind
/// [`crate::schema::Kind::Chunk`] while recording. [`crate::Tasks::chunk`] has the smallest iteration of all of them and how
/// many iterations they are together; between them may be iterations that others ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The node.
    pub node: u32,
    /// How many chunks, at least 2.
    pub chunks: i64,
    /// Time of the shortest.
    pub least: i64,
    /// Time of the longest.
    pub most: i64,
    /// One more than the largest iteration.
    pub past: i64,
}

/// A stretch of time of a worker, with the processor time that it got in it. Where the worker's intervals in a stretch take
/// longer than its processor time, it was off the processor while it had work: preempted when switches are involuntary,
/// blocked in the system when they are voluntary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The worker.
    pub worker: u32,
    /// When it begins.
    pub from: i64,
    /// When it ends.
    pub to: i64,
    /// Time on a processor.
    pub processor: i64,
    /// How often the thread left its core to wait for something.
    pub voluntary: i64,
    /// How often it left its core because another thread was to run there.
    pub involuntary: i64,
}

/// What is known beside the tree, in the making.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The locks.
    pub locks: Vec<Lock>,
    /// Names of some of them, where they are variables of the program.
    pub lock_names: Vec<(u32, String)>,
    /// Waits for locks, ascending by node, then by time.
    pub lock_waits: Vec<LockWait>,
    /// What was done with locks, ascending by lock, source and worker.
    pub lock_uses: Vec<LockUse>,
    /// Joined chunks, ascending by node.
    pub joined: Vec<Joined>,
    /// Processor time, ascending by worker, then by time.
    pub stretches: Vec<Stretch>,
}

impl Beside {
    /// Checks that the lists are in order and within the tree.
    pub(crate) fn check(&self, nodes: usize) -> Result<(), TasksError> {
        let is_inside = |node: u32| (node as usize) < nodes;
        let is_lock = |lock: u32| (lock as usize) < self.locks.len();
        let is_sound = self.lock_waits.is_sorted_by_key(|wait| (wait.node, wait.asked))
            && self.lock_waits.iter().all(|wait| is_inside(wait.node) && is_lock(wait.lock))
            && self.lock_uses.is_sorted_by_key(|used| (used.lock, used.source, used.worker))
            && self.lock_uses.iter().all(|used| is_lock(used.lock))
            && self.joined.is_sorted_by(|a, b| a.node < b.node)
            && self.joined.last().is_none_or(|joined| is_inside(joined.node))
            && self.stretches.is_sorted_by_key(|stretch| (stretch.worker, stretch.from));
        if is_sound { Ok(()) } else { Err(TasksError::Broken("locks or chunks are not in order".into())) }
    }

    /// Writes what there is.
    pub(crate) fn put(&self, run: &mut RunWriter) -> Result<(), RunError> {
        if !self.locks.is_empty() {
            put(run, "tasks/lock_kind", &self.locks, |l| [l.kind as u8])?;
            put(run, "tasks/lock_process", &self.locks, |l| [l.process])?;
            put(run, "tasks/lock_address", &self.locks, |l| [l.address])?;
            put(run, "tasks/lock_wait_ids", &self.lock_waits, |w| {
                [w.node, w.lock, w.worker, w.source, w.holder]
            })?;
            put(run, "tasks/lock_wait_times", &self.lock_waits, |w| [w.asked, w.got, w.freed])?;
            put(run, "tasks/lock_use_ids", &self.lock_uses, |u| [u.lock, u.source, u.worker])?;
            put(run, "tasks/lock_use_values", &self.lock_uses, |u| {
                [u.count, u.waits, u.waited, u.held, u.longest]
            })?;
            let names: Vec<_> = self.lock_names.iter().take(NAMES).collect();
            if let (false, Ok(names)) = (names.is_empty(), serde_json::to_value(names)) {
                run.manifest().facts.insert(NAMES_FACT.into(), names);
            }
        }
        if !self.joined.is_empty() {
            put(run, "tasks/joined_node", &self.joined, |j| [j.node])?;
            put(run, "tasks/joined_values", &self.joined, |j| [j.chunks, j.least, j.most, j.past])?;
        }
        if !self.stretches.is_empty() {
            put(run, "tasks/stretch_worker", &self.stretches, |s| [s.worker])?;
            put(run, "tasks/stretch_values", &self.stretches, |s| {
                [s.from, s.to, s.processor, s.voluntary, s.involuntary]
            })?;
        }
        Ok(())
    }
}

fn put<R, T: Value, const N: usize>(
    run: &mut RunWriter,
    name: &str,
    rows: &[R],
    values: impl Fn(&R) -> [T; N],
) -> Result<(), RunError> {
    let values: Vec<T> = rows.iter().flat_map(values).collect();
    run.put_slice(name, &values)
}

/// Rows of `N` values each, one behind the other in a column; no rows when the run has no such column.
#[derive(Debug)]
struct Rows<T: Value, const N: usize>(Option<Column<T>>);

impl<T: Value, const N: usize> Rows<T, N> {
    fn open(run: &Run, name: &str) -> Result<Self, RunError> {
        Ok(Rows(if run.has(name) { Some(run.column(name)?) } else { None }))
    }

    fn values(&self) -> &[[T; N]] {
        self.0.as_deref().map_or(&[], |values| values.as_chunks().0)
    }

    fn len(&self) -> usize {
        self.values().len()
    }
}

/// What is known beside the tree of an open run.
#[derive(Debug)]
pub(crate) struct Known {
    lock_kind: Rows<u8, 1>,
    lock_process: Rows<u32, 1>,
    lock_address: Rows<i64, 1>,
    names: Vec<(u32, String)>,
    wait_ids: Rows<u32, 5>,
    wait_times: Rows<i64, 3>,
    use_ids: Rows<u32, 3>,
    use_values: Rows<i64, 5>,
    joined_node: Rows<u32, 1>,
    joined_values: Rows<i64, 4>,
    stretch_worker: Rows<u32, 1>,
    stretch_values: Rows<i64, 5>,
}

impl Known {
    pub(crate) fn open(run: &Run) -> Result<Self, TasksError> {
        let names = run.manifest().facts.get(NAMES_FACT).cloned().unwrap_or_default();
        let mut names: Vec<(u32, String)> = serde_json::from_value(names).unwrap_or_default();
        names.sort_unstable();
        let known = Known {
            lock_kind: Rows::open(run, "tasks/lock_kind")?,
            lock_process: Rows::open(run, "tasks/lock_process")?,
            lock_address: Rows::open(run, "tasks/lock_address")?,
            names,
            wait_ids: Rows::open(run, "tasks/lock_wait_ids")?,
            wait_times: Rows::open(run, "tasks/lock_wait_times")?,
            use_ids: Rows::open(run, "tasks/lock_use_ids")?,
            use_values: Rows::open(run, "tasks/lock_use_values")?,
            joined_node: Rows::open(run, "tasks/joined_node")?,
            joined_values: Rows::open(run, "tasks/joined_values")?,
            stretch_worker: Rows::open(run, "tasks/stretch_worker")?,
            stretch_values: Rows::open(run, "tasks/stretch_values")?,
        };
        let fits = known.lock_process.len() == known.lock_kind.len()
            && known.lock_address.len() == known.lock_kind.len()
            && known.wait_times.len() == known.wait_ids.len()
            && known.use_values.len() == known.use_ids.len()
            && known.joined_values.len() == known.joined_node.len()
            && known.stretch_values.len() == known.stretch_worker.len();
        if fits { Ok(known) } else { Err(TasksError::Broken("its columns do not fit together".into())) }
    }

    /// Checks that the lists are in order and within the tree.
    pub(crate) fn check(&self, nodes: usize) -> Result<(), TasksError> {
        let beside = Beside {
            locks: (0..self.lock_count() as u32).map_while(|lock| self.lock(lock)).collect(),
            lock_names: Vec::new(),
            lock_waits: self.lock_waits(0..usize::MAX).collect(),
            lock_uses: self.lock_uses().collect(),
            joined: self.joined(0..usize::MAX).collect(),
            stretches: Vec::new(),
        };
        let stretch = |(worker, values): (&[u32; 1], &[i64; 5])| (worker[0], values[0]);
        let stretches = self.stretch_worker.values().iter().zip(self.stretch_values.values()).map(stretch);
        if !stretches.is_sorted() || beside.locks.len() != self.lock_count() {
            return Err(TasksError::Broken("locks or stretches are not in order".into()));
        }
        beside.check(nodes)
    }

    pub(crate) fn lock_count(&self) -> usize {
        self.lock_kind.len()
    }

    pub(crate) fn lock(&self, lock: u32) -> Option<Lock> {
        let at = lock as usize;
        Some(Lock {
            kind: *LockKind::ALL.get(usize::from(self.lock_kind.values().get(at)?[0]))?,
            process: self.lock_process.values().get(at)?[0],
            address: self.lock_address.values().get(at)?[0],
        })
    }

    pub(crate) fn lock_name(&self, lock: u32) -> Option<&str> {
        let at = self.names.binary_search_by_key(&lock, |(lock, _)| *lock).ok()?;
        Some(&self.names[at].1)
    }

    pub(crate) fn lock_waits(&self, nodes: Range<usize>) -> impl ExactSizeIterator<Item = LockWait> {
        let ids = self.wait_ids.values();
        let from = ids.partition_point(|id| (id[0] as usize) < nodes.start);
        let to = ids.partition_point(|id| (id[0] as usize) < nodes.end).max(from);
        let times = &self.wait_times.values()[from..to];
        ids[from..to].iter().zip(times).map(|(id, time)| {
            let ([node, lock, worker, source, holder], [asked, got, freed]) = (*id, *time);
            LockWait { node, lock, worker, asked, got, freed, source, holder }
        })
    }

    pub(crate) fn lock_uses(&self) -> impl ExactSizeIterator<Item = LockUse> {
        self.use_ids.values().iter().zip(self.use_values.values()).map(|(id, value)| {
            let ([lock, source, worker], [count, waits, waited, held, longest]) = (*id, *value);
            LockUse { lock, source, worker, count, waits, waited, held, longest }
        })
    }

    pub(crate) fn joined(&self, nodes: Range<usize>) -> impl ExactSizeIterator<Item = Joined> {
        let ids = self.joined_node.values();
        let from = ids.partition_point(|id| (id[0] as usize) < nodes.start);
        let to = ids.partition_point(|id| (id[0] as usize) < nodes.end).max(from);
        let values = &self.joined_values.values()[from..to];
        ids[from..to].iter().zip(values).map(|(&[node], &[chunks, least, most, past])| Joined {
            node,
            chunks,
            least,
            most,
            past,
        })
    }

    pub(crate) fn stretches(&self, worker: usize) -> impl ExactSizeIterator<Item = Stretch> {
        let workers = self.stretch_worker.values();
        let from = workers.partition_point(|w| (w[0] as usize) < worker);
        let to = workers.partition_point(|w| (w[0] as usize) <= worker).max(from);
        let values = &self.stretch_values.values()[from..to];
        workers[from..to].iter().zip(values).map(
            |(&[worker], &[from, to, processor, voluntary, involuntary])| Stretch {
                worker,
                from,
                to,
                processor,
                voluntary,
                involuntary,
            },
        )
    }
}
