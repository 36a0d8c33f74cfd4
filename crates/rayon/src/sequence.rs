//! Tests with a recorder that checks the order of the calls: with it and without it, results and panics are Rayon's.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use crate::recorder::{Recorder, inject, recorder};
use crate::{join, join_context, scope};

/// What the checking recorder knows of a task.
#[derive(Default)]
struct Known {
    root: bool,
    begun: bool,
    ended: bool,
    /// The thread that runs it, if one does.
    thread: Option<ThreadId>,
    /// The section that it was created in.
    section: usize,
    /// Its open sections, the innermost last.
    sections: Vec<usize>,
}

/// An open or closed section.
#[derive(Default)]
struct Opened {
    waits: bool,
    pending: usize,
}

/// All that was called so far, and what was wrong.
#[derive(Default)]
struct Log {
    tasks: Vec<Known>,
    sections: Vec<Opened>,
    current: HashMap<ThreadId, u64>,
    group_waits: usize,
    moves: usize,
    errors: Vec<String>,
}

impl Log {
    fn check(&mut self, holds: bool, error: &str) {
        if !holds {
            self.errors.push(error.to_owned());
        }
    }

    fn task(&mut self, number: u64) -> &mut Known {
        &mut self.tasks[number as usize - 1]
    }

    /// The current task of this thread; begins a root when there is none.
    fn current(&mut self) -> u64 {
        let thread = thread::current().id();
        if let Some(&task) = self.current.get(&thread) {
            let runs_here = self.task(task).thread == Some(thread);
            self.check(runs_here, "the current task of a thread runs elsewhere");
            return task;
        }
        self.tasks.push(Known { root: true, begun: true, thread: Some(thread), ..Known::default() });
        let task = self.tasks.len() as u64;
        self.current.insert(thread, task);
        task
    }

    fn switch_to(&mut self, task: u64) {
        let thread = thread::current().id();
        if let Some(&previous) = self.current.get(&thread) {
            self.task(previous).thread = None;
        }
        self.current.insert(thread, task);
        let before = self.task(task).thread.replace(thread);
        if before.is_some_and(|t| t != thread) {
            self.moves += 1;
            let before = before.unwrap();
            self.current.remove(&before);
        }
    }

    fn innermost(&mut self) -> Option<usize> {
        let current = self.current();
        let innermost = self.task(current).sections.last().copied();
        self.check(innermost.is_some(), "no section is open");
        innermost
    }
}

static LOG: LazyLock<Mutex<Log>> = LazyLock::new(Mutex::default);

fn log() -> MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

extern "C" fn current() -> u64 {
    log().current()
}

extern "C" fn create(code: *const c_void) -> u64 {
    let mut log = log();
    log.check(!code.is_null(), "created nowhere");
    let creator = log.current();
    // A task of a scope creates in the scope's section when it has none of its own.
    let section = log.task(creator).sections.last().copied().unwrap_or(log.task(creator).section);
    log.sections[section].pending += 1;
    log.tasks.push(Known { section, ..Known::default() });
    log.tasks.len() as u64
}

extern "C" fn begin(task: u64) {
    let mut log = log();
    let fresh = !log.task(task).begun;
    log.check(fresh, "begun twice");
    log.task(task).begun = true;
    log.switch_to(task);
}

extern "C" fn end(next: u64) {
    let mut log = log();
    let task = log.current();
    let (over, closed) = (log.task(task).ended, log.task(task).sections.is_empty());
    log.check(!over && closed, "ends twice or with an open section");
    let root = log.task(task).root;
    log.check(!root, "a root ends");
    log.task(task).ended = true;
    let section = log.task(task).section;
    log.sections[section].pending -= 1;
    log.switch_to(next);
}

extern "C" fn resume(task: u64) {
    let mut log = log();
    let over = log.task(task).ended;
    log.check(!over, "resumed after its end");
    log.switch_to(task);
}

extern "C" fn section(code: *const c_void) {
    let mut log = log();
    log.check(!code.is_null(), "opened nowhere");
    log.sections.push(Opened::default());
    let (current, section) = (log.current(), log.sections.len() - 1);
    log.task(current).sections.push(section);
}

extern "C" fn wait(code: *const c_void) {
    let mut log = log();
    log.check(!code.is_null(), "waits nowhere");
    if let Some(section) = log.innermost() {
        let twice = std::mem::replace(&mut log.sections[section].waits, true);
        log.check(!twice, "waits twice");
    }
}

extern "C" fn wait_end() {
    let mut log = log();
    if let Some(section) = log.innermost() {
        let Opened { waits, pending } = log.sections[section];
        log.check(waits && pending == 0, "waited for without a wait, or too short");
        let current = log.current();
        log.task(current).sections.pop();
    }
}

extern "C" fn group_wait(code: *const c_void) {
    wait(code);
    log().group_waits += 1;
}

static CHECKING: Recorder = Recorder {
    version: 1,
    size: size_of::<Recorder>() as u32,
    current,
    create,
    begin,
    end,
    resume,
    section,
    wait,
    wait_end,
    group_wait,
};

/// One test at a time: the recorder is the process's.
static ALONE: Mutex<()> = Mutex::new(());

fn off(test: impl FnOnce()) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    inject(None);
    test();
}

/// Created tasks, sections, and waits for descendants.
#[derive(Debug, PartialEq)]
struct Counts {
    tasks: usize,
    sections: usize,
    group_waits: usize,
}

/// Runs it with the checking recorder, outside of Rayon's workers and on one, and checks that the record is whole.
fn on(test: impl Fn() + Send + Sync) -> Counts {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let inside = recorded(|| pool.install(&test));
    let outside = recorded(&test);
    assert_eq!(inside, outside);
    inside
}

fn recorded(test: impl FnOnce()) -> Counts {
    *log() = Log::default();
    inject(Some(&CHECKING));
    test();
    inject(None);
    let log = log();
    assert_eq!(log.errors, [""; 0]);
    assert!(log.tasks.iter().all(|t| t.begun && (t.root || t.ended) && t.sections.is_empty()));
    assert!(log.sections.iter().all(|s| s.waits && s.pending == 0));
    Counts {
        tasks: log.tasks.iter().filter(|t| !t.root).count(),
        sections: log.sections.len(),
        group_waits: log.group_waits,
    }
}

fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn add_one(sum: &AtomicUsize) {
    sum.fetch_add(1, Ordering::Relaxed);
}

/// Spawns from spawned tasks.
fn spread<'scope>(s: &crate::Scope<'scope>, depth: u32, count: &'scope AtomicUsize) {
    count.fetch_add(1, Ordering::Relaxed);
    for _ in 0..if depth == 0 { 0 } else { 2 } {
        s.spawn(move |s| spread(s, depth - 1, count));
    }
}

#[test]
fn results_without_a_recorder() {
    off(|| {
        assert!(recorder().is_none());
        assert_eq!(fib(15), 610);
        assert_eq!(join_context(|_| 1, |_| 2), (1, 2));
        let count = AtomicUsize::new(0);
        let answer = scope(|s| {
            spread(s, 5, &count);
            42
        });
        assert_eq!((answer, count.into_inner()), (42, 63));
    });
}

#[test]
fn panics_without_a_recorder() {
    off(|| {
        assert_eq!(
            message(|| {
                join(|| panic!("a"), || 1);
            }),
            "a"
        );
        assert_eq!(
            message(|| {
                join(|| 1, || panic!("b"));
            }),
            "b"
        );
        assert_eq!(
            message(|| {
                join(|| panic!("a"), || panic!("b"));
            }),
            "a"
        );
        assert_eq!(message(|| scope(|_| panic!("op"))), "op");
        assert_eq!(message(|| scope(|s| s.spawn(|_| panic!("body")))), "body");
    });
}

#[test]
fn joins_are_sections_with_one_task() {
    // fib(n) calls itself fib(n + 1) - 1 times with n of two or more: 609 for fib(14).
    let counts = on(|| assert_eq!(fib(14), 377));
    assert_eq!(counts, Counts { tasks: 609, sections: 609, group_waits: 0 });
    let counts = on(|| assert_eq!(join_context(|_| 1, |_| 2), (1, 2)));
    assert_eq!(counts, Counts { tasks: 1, sections: 1, group_waits: 0 });
}

#[test]
fn scopes_are_sections_that_wait_for_descendants() {
    let counts = on(|| {
        let count = AtomicUsize::new(0);
        scope(|s| spread(s, 6, &count));
        assert_eq!(count.into_inner(), 127);
    });
    assert_eq!(counts, Counts { tasks: 126, sections: 1, group_waits: 1 });
}

#[test]
fn scopes_and_joins_nest() {
    let counts = on(|| {
        let sum = AtomicUsize::new(0);
        scope(|s| {
            for _ in 0..8 {
                s.spawn(|_| {
                    join(|| scope(|s| s.spawn(|_| add_one(&sum))), || fib(6));
                });
            }
        });
        assert_eq!(sum.into_inner(), 8);
    });
    // Each of the 8: itself, the join's second half, the inner scope's task, and 12 joins in fib(6).
    assert_eq!(counts, Counts { tasks: 8 * 15, sections: 1 + 8 * 14, group_waits: 9 });
}

#[test]
fn panics_pass_and_leave_a_whole_record() {
    on(|| {
        assert_eq!(
            message(|| {
                join(|| panic!("a"), || fib(8));
            }),
            "a"
        )
    });
    on(|| {
        assert_eq!(
            message(|| {
                join(|| fib(8), || panic!("b"));
            }),
            "b"
        )
    });
    on(|| {
        assert_eq!(
            message(|| {
                join(|| panic!("a"), || panic!("b"));
            }),
            "a"
        )
    });
    on(|| {
        assert_eq!(
            message(|| {
                join(|| join(|| panic!("deep"), || fib(8)), || fib(8));
            }),
            "deep"
        )
    });
    on(|| assert_eq!(message(|| scope(|s| s.spawn(|_| panic!("body")))), "body"));
    on(|| {
        let told = message(|| {
            scope(|s| {
                s.spawn(|_| assert_eq!(fib(8), 21));
                panic!("op")
            })
        });
        assert_eq!(told, "op");
    });
}

#[test]
fn closures_may_borrow_and_need_not_be_static() {
    let mut values = [3, 1, 2];
    let least = Cell::new(0);
    off(|| {
        let (a, b) = values.split_at_mut(1);
        let (x, y) = join(|| a[0], || b.iter().copied().min().unwrap());
        least.set(x.min(y));
    });
    assert_eq!(least.get(), 1);
}

/// What it panics with.
fn message(test: impl FnOnce()) -> String {
    let thrown = catch_unwind(AssertUnwindSafe(test)).unwrap_err();
    (*thrown.downcast_ref::<&str>().unwrap()).to_owned()
}
