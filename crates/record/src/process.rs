//! What all threads of the recorded process share: where to write, which clock, which options. It begins when the library
//! is loaded and records nothing unless `crosscut record` has named a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crosscut_events::{
    ClockKind, FOLDER_VARIABLE, MAPS, MAX_THREADS, OPTIONS_VARIABLE, PROCESS, TOO_MANY_THREADS,
};

use crate::options::Options;
use crate::{clock, failure, files, gomp, idle, memory, mutexes, samples, sampling, sys, thread};

static SHARED: OnceLock<Process> = OnceLock::new();
/// Off in a process that was not started by `crosscut record`, and in the child of a `fork`.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// The recorded process.
pub struct Process {
    /// Its folder, made when the first thread needs it.
    folder: PathBuf,
    made: OnceLock<bool>,
    /// The clock of all events.
    pub clock: ClockKind,
    /// Ticks that times are counted from.
    pub base_ticks: u64,
    /// Nanoseconds at that moment.
    pub base_nanos: u64,
    /// What the main thread had used by then ([`crate::sampling::used`]).
    pub base_used: [u64; 3],
    /// What was asked for.
    pub options: Options,
    /// A microsecond in ticks, once somebody asked.
    microsecond: OnceLock<u64>,
    next_thread: AtomicU32,
    /// The key whose destructor ends the files of threads that nobody else tells us about.
    key: Option<u32>,
}

/// The process, when it is being recorded.
#[inline]
pub fn shared() -> Option<&'static Process> {
    if ACTIVE.load(Ordering::Relaxed) { SHARED.get() } else { None }
}

/// The dynamic loader calls it before the program's own code runs.
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

extern "C" fn loaded() {
    let Some(folder) = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) else { return };
    let clock = clock::choose();
    let base_nanos = sys::nanos();
    let base_ticks = clock::ticks(clock);
    failure::find(Path::new(&folder));
    let folder = PathBuf::from(folder).join(format!("{}-{base_nanos}", std::process::id()));
    let options = Options::read(&std::env::var(OPTIONS_VARIABLE).unwrap_or_default());
    let mut key = 0;
    // SAFETY: the functions are ours and live as long as the process.
    let made = unsafe {
        let failed = sys::pthread_key_create(&mut key, Some(thread::at_thread_exit));
        sys::pthread_atfork(None, None, Some(in_forked_child));
        sys::atexit(at_exit);
        failed == 0
    };
    let process = Process {
        folder,
        made: OnceLock::new(),
        clock,
        base_ticks,
        base_nanos,
        base_used: sampling::used(),
        options,
        microsecond: OnceLock::new(),
        next_thread: AtomicU32::new(0),
        key: made.then_some(key),
    };
    mutexes::watch(process.options.locks);
    if SHARED.set(process).is_ok() {
        ACTIVE.store(true, Ordering::Release);
        gomp::settle();
        samples::begin();
    }
}

/// The child of a fork has the parent's maps: it must not store to them. A program that it starts is recorded again.
extern "C" fn in_forked_child() {
    ACTIVE.store(false, Ordering::Relaxed);
    memory::in_forked_child();
    mutexes::watch(false);
    thread::forget();
}

extern "C" fn at_exit() {
    if let Some(process) = shared()
        && process.made.get() == Some(&true)
    {
        samples::end();
        thread::at_process_exit();
        process.copy_maps();
        if let Some(idle) = idle::nanos() {
            process.note("idle-after", &idle.to_string());
        }
        process.note("ended", &format!("{} {}", clock::ticks(process.clock), sys::nanos()));
    }
}

impl Process {
    /// A process that records into this folder, beside the one that really runs.
    #[cfg(test)]
    pub fn for_test(folder: PathBuf, options: Options) -> Process {
        Process {
            folder,
            made: OnceLock::new(),
            clock: ClockKind::Monotonic,
            base_ticks: 0,
            base_nanos: 0,
            base_used: [0; 3],
            options,
            // Nothing is gathered or looked at beside what a test stores.
            microsecond: OnceLock::from(0),
            next_thread: AtomicU32::new(0),
            key: None,
        }
    }

    /// A microsecond in ticks.
    pub fn microsecond(&self) -> u64 {
        *self.microsecond.get_or_init(|| clock::from_nanos(self, 1000))
    }

    /// The number for a new thread, while a run has room for one.
    pub fn number_thread(&self) -> Result<u32, u32> {
        let number = self.next_thread.fetch_add(1, Ordering::Relaxed);
        // Other processes have threads in the same run.
        if number < MAX_THREADS as u32 - 1 { Ok(number) } else { Err(TOO_MANY_THREADS) }
    }

    /// Asks for `at_thread_exit` when this thread ends, for the first or second time.
    pub fn watch_thread(&self, times: usize) {
        if let Some(key) = self.key {
            // SAFETY: the key was made when the library was loaded; it only has to be not null.
            unsafe { sys::pthread_setspecific(key, std::ptr::without_provenance(times)) };
        }
    }

    /// The folder, made now if it was not; `None` when that failed.
    pub fn folder(&self) -> Option<&PathBuf> {
        self.made.get_or_init(|| self.make_folder()).then_some(&self.folder)
    }

    fn make_folder(&self) -> bool {
        if let Err(error) = fs::create_dir_all(&self.folder) {
            failure::end(files::number(error));
            return false;
        }
        if let Some(all) = self.folder.parent() {
            failure::make(all);
        }
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let mut lines = format!("pid {}\n", std::process::id());
        let mut line = |key: &str, value: &str| {
            // A value is one line.
            let value = value.trim().replace('\n', " ");
            lines.extend([key, " ", &value, "\n"]);
        };
        let command = text("/proc/self/cmdline");
        command
            .split('\0')
            .filter(|argument| !argument.is_empty())
            .for_each(|argument| line("argument", argument));
        let clock = match self.clock {
            ClockKind::Processor => "processor",
            ClockKind::Monotonic => "monotonic",
        };
        line("clock", &format!("{clock} {} {}", self.base_ticks, self.base_nanos));
        line("boot", &text("/proc/sys/kernel/random/boot_id"));
        // What it may use: who has more threads than that must share processors.
        if let Ok(processors) = std::thread::available_parallelism() {
            line("processors", &processors.to_string());
        }
        if let Some(idle) = idle::nanos() {
            line("idle-before", &idle.to_string());
            // The program may have run for long before it had anything to record.
            line("idle-at", &clock::ticks(self.clock).saturating_sub(self.base_ticks).to_string());
        }
        self.append(&lines);
        self.copy_maps();
        true
    }

    /// Adds a line to the text about the process.
    pub fn note(&self, key: &str, value: &str) {
        self.append(&format!("{key} {value}\n"));
    }

    fn append(&self, lines: &str) {
        if let Err(error) = files::append(&self.folder.join(PROCESS), lines) {
            failure::end(error);
        }
    }

    /// Keeps where the code is now, for the names of functions.
    pub fn copy_maps(&self) {
        const NOW: &str = "/proc/self/maps";
        let (beside, to) =
            (self.folder.join(format!("{MAPS}-{}", sys::thread_number())), self.folder.join(MAPS));
        let gone = match self.options.calls.is_some() {
            true => unloaded(
                &fs::read_to_string(&to).unwrap_or_default(),
                &fs::read_to_string(NOW).unwrap_or_default(),
            ),
            false => String::new(),
        };
        // Without them functions have no names, which is no reason to stop.
        let _ = files::copy(Path::new(NOW), gone.as_bytes(), &beside, &to);
    }
}

/// The lines of an earlier memory map for code of libraries that is there no more, and where nothing else is now: samples may
/// have been taken in it.
fn unloaded(before: &str, now: &str) -> String {
    let range = |line: &str| {
        let (from, to) = line.split(' ').next()?.split_once('-')?;
        Some((u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?))
    };
    let there: Vec<(u64, u64)> = now.lines().filter_map(range).collect();
    let is_gone = |line: &&str| {
        line.contains(" r-xp ")
            && range(line)
                .is_some_and(|(from, to)| there.iter().all(|other| other.1 <= from || to <= other.0))
    };
    before.lines().filter(is_gone).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::unloaded;

    #[test]
    fn code_that_was_unloaded_is_kept() {
        let before = "1000-2000 r-xp 0 0:0 1 /a.so\n2000-3000 r--p 0 0:0 1 /a.so\n5000-6000 r-xp 0 0:0 2 /b.so\n\
                      8000-9000 r-xp 0 0:0 3 /c.so\nnonsense\n";
        let now = "1000-2000 r-xp 0 0:0 1 /a.so\n8800-9800 rw-p 0 0:0 0 \n";
        assert_eq!(unloaded(before, now), "5000-6000 r-xp 0 0:0 2 /b.so\n");
        assert_eq!(unloaded("", now), "");
        assert_eq!(unloaded(now, ""), "1000-2000 r-xp 0 0:0 1 /a.so\n");
    }
}
