//! Counters of the kernel and the processor for each thread, where the machine has them.

use std::sync::OnceLock;

use crosscut_events::MAX_COUNTERS;

use crate::process::{self, Process};
use crate::sys;

/// Name, type and number of an event (`perf_event_open`).
type Event = (&'static str, u32, u64);

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;

const EVENTS: &[Event] = &[
    ("cycles", HARDWARE, 0),
    ("instructions", HARDWARE, 1),
    ("cache-references", HARDWARE, 2),
    ("cache-misses", HARDWARE, 3),
    ("branches", HARDWARE, 4),
    ("branch-misses", HARDWARE, 5),
    ("task-clock", SOFTWARE, 1),
    ("page-faults", SOFTWARE, 2),
    ("context-switches", SOFTWARE, 3),
];

/// A group of counters that are read together.
pub struct Counters {
    descriptors: [i32; MAX_COUNTERS],
    events: [Event; MAX_COUNTERS],
    count: usize,
    /// What was read last.
    last: [u64; MAX_COUNTERS],
}

impl Counters {
    /// Opens those that were asked for and that this machine has; the text about the process says which it has not.
    pub fn open(process: &Process) -> Option<Counters> {
        static SAID: OnceLock<()> = OnceLock::new();
        let mut counters = Counters {
            descriptors: [-1; MAX_COUNTERS],
            events: [EVENTS[0]; MAX_COUNTERS],
            count: 0,
            last: [0; MAX_COUNTERS],
        };
        let mut missing = Vec::new();
        for name in &process.options.counters {
            let Some(event) = EVENTS.iter().find(|event| event.0 == name) else {
                missing.push(format!("{name} is not a known counter"));
                continue;
            };
            if counters.count == MAX_COUNTERS {
                missing.push(format!("{name} is one too many: {MAX_COUNTERS} at most"));
                continue;
            }
            match open(event, counters.descriptors[0]) {
                Ok(descriptor) => {
                    counters.descriptors[counters.count] = descriptor;
                    counters.events[counters.count] = *event;
                    counters.count += 1;
                }
                Err(error) => missing.push(format!("{name} is not available: {}", why(error))),
            }
        }
        SAID.get_or_init(|| missing.iter().for_each(|line| process.note("counter-missing", line)));
        if counters.count == 0 {
            return None;
        }
        sys::enable_counters(counters.descriptors[0]);
        Some(counters)
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Their names, for the header.
    pub fn names(&self) -> [[u8; 24]; MAX_COUNTERS] {
        let mut names = [[0; 24]; MAX_COUNTERS];
        for (name, event) in names.iter_mut().zip(&self.events[..self.count]) {
            name[..event.0.len()].copy_from_slice(event.0.as_bytes());
        }
        names
    }

    /// The values now. Once the program has closed them, they stay as they were.
    #[inline]
    pub fn read(&mut self) -> [u64; MAX_COUNTERS] {
        if self.descriptors[0] < 0 {
            return self.last;
        }
        if !sys::is_counter(self.descriptors[0]) {
            return self.lose();
        }
        let mut words = [0; 1 + MAX_COUNTERS];
        sys::read_words(self.descriptors[0], &mut words[..1 + self.count]);
        let [_, values @ ..] = words;
        self.last = values;
        values
    }

    #[cold]
    fn lose(&mut self) -> [u64; MAX_COUNTERS] {
        static SAID: OnceLock<()> = OnceLock::new();
        self.descriptors = [-1; MAX_COUNTERS];
        if let Some(process) = process::shared() {
            SAID.get_or_init(|| {
                process.note(
                    "counter-missing",
                    "the program closed the counters: they stand still from there on",
                );
            });
        }
        self.last
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        for &descriptor in &self.descriptors[..self.count] {
            if sys::is_counter(descriptor) {
                sys::close_descriptor(descriptor);
            }
        }
    }
}

const EACCES: u32 = 13;

/// Opens one event. Who may not count what happens in the kernel still may count what his own code causes.
fn open(event: &Event, group: i32) -> Result<i32, u32> {
    let moved = |descriptor| sys::move_up(descriptor);
    match sys::perf_event_open(&attributes(event, event.1 == HARDWARE), group) {
        // Switches happen in the kernel alone: without it they would be counted as none.
        Err(EACCES) if event.0 != "context-switches" => {
            sys::perf_event_open(&attributes(event, true), group).map(moved)
        }
        opened => opened.map(moved),
    }
}

/// Why the kernel does not count something.
fn why(error: u32) -> String {
    const ENOENT: u32 = 2;
    const EOPNOTSUPP: u32 = 95;
    match error {
        ENOENT | EOPNOTSUPP => "not available on this machine; most virtual machines have none".into(),
        EACCES => "not permitted (see /proc/sys/kernel/perf_event_paranoid)".into(),
        error => std::io::Error::from_raw_os_error(error as i32).to_string(),
    }
}

/// `struct perf_event_attr` as words: type and size, config, sample period, sample type, read format, flags.
fn attributes(event: &Event, only_user: bool) -> [u64; 16] {
    const SIZE: u64 = 128;
    const GROUP: u64 = 1 << 3;
    const DISABLED: u64 = 1;
    const EXCLUDE_KERNEL: u64 = 1 << 5;
    const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
    let mut words = [0; 16];
    words[0] = u64::from(event.1) | SIZE << 32;
    words[1] = event.2;
    words[4] = GROUP;
    words[5] = DISABLED | if only_user { EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR } else { 0 };
    words
}
