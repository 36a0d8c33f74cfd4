//! Events written by hand, as a recorder would have left them, and ways to look at what becomes of them.
#![allow(dead_code)] // not every test file uses all of it

use std::fs;
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use crosscut_events::mpi::{FUNCTIONS, with_peer};
use crosscut_events::{
    CHUNK_BYTES, ClockKind, EventKind, FILE_MAGIC, FileHeader, Folded, HEADER_BYTES, PROCESS, TaskId,
    VERSION, WaitKind, pack_stack, samples_file, thread_file, with_tag,
};
use tempfile::TempDir;

/// Words before the first chunk.
pub const FIRST: usize = HEADER_BYTES / 8;
/// Words of a chunk.
pub const CHUNK: usize = CHUNK_BYTES / 8;

/// Words of the file header, by what they hold.
pub mod word {
    use super::*;
    pub const MAGIC: usize = offset_of!(FileHeader, magic) / 8;
    pub const VERSION_CLOCK: usize = offset_of!(FileHeader, version) / 8;
    pub const THREAD: usize = offset_of!(FileHeader, thread) / 8;
    pub const BASE_TICKS: usize = offset_of!(FileHeader, base_ticks) / 8;
    pub const BASE_NANOS: usize = offset_of!(FileHeader, base_nanos) / 8;
    pub const CHUNK_COUNTERS: usize = offset_of!(FileHeader, chunk_bytes) / 8;
    pub const LOST: usize = offset_of!(FileHeader, lost) / 8;
    pub const ARCHIVED: usize = offset_of!(FileHeader, archived) / 8;
    pub const ERROR_ENDED: usize = offset_of!(FileHeader, error) / 8;
    pub const JOURNAL: usize = FileHeader::JOURNAL_AT;
}

/// The file of one thread in the making. Each event comes a tick after the one before it, unless told otherwise.
#[derive(Clone)]
pub struct Stream {
    /// The header and the window.
    pub words: Vec<u64>,
    /// The chunks that were full.
    pub archive: Vec<u64>,
    /// Where the events begin that were put.
    pub heads: Vec<usize>,
    pub thread: u32,
    pub ticks: u64,
    pub step: u64,
    counters: usize,
    numbered: u64,
    chunks: u64,
}

impl Stream {
    pub fn new(thread: u32) -> Self {
        Self::with_clock(thread, ClockKind::Monotonic, 1_000, 1_000)
    }

    pub fn with_clock(thread: u32, clock: ClockKind, base_ticks: u64, base_nanos: u64) -> Self {
        let mut words = vec![0; FIRST];
        words[word::MAGIC] = FILE_MAGIC;
        words[word::VERSION_CLOCK] = u64::from(VERSION) | (clock as u64) << 32;
        words[word::THREAD] = u64::from(thread) | (100 + u64::from(thread)) << 32;
        words[word::BASE_TICKS] = base_ticks;
        words[word::BASE_NANOS] = base_nanos;
        words[word::CHUNK_COUNTERS] = CHUNK_BYTES as u64;
        words[word::ERROR_ENDED] = 1 << 32;
        let mut stream = Stream {
            words,
            archive: Vec::new(),
            heads: Vec::new(),
            thread,
            ticks: 0,
            step: 10,
            counters: 0,
            numbered: 0,
            chunks: 0,
        };
        stream.chunk();
        stream
    }

    /// The file has so many counters from now on.
    pub fn counters(mut self, counters: usize) -> Self {
        self.words[word::CHUNK_COUNTERS] |= (counters as u64) << 32;
        let names = offset_of!(FileHeader, counter_names) / 8;
        for counter in 0..counters.min(4) {
            self.words[names + 3 * counter] = u64::from_le_bytes(*b"faults0\0") + ((counter as u64) << 48);
        }
        self.counters = counters;
        self
    }

    /// Goes on to a new chunk: the window, if it is full, moves behind the others.
    pub fn chunk(&mut self) {
        if self.chunks > 0 {
            let mut full = self.words.split_off(FIRST);
            full.resize(CHUNK, 0);
            self.archive.extend(full);
            self.words[word::ARCHIVED] = self.chunks;
        }
        self.chunks += 1;
        let now = self.words[word::BASE_TICKS].wrapping_add(self.ticks);
        self.words.extend([self.chunks, now, now, self.numbered]);
    }

    /// The whole file.
    pub fn file(&self) -> Vec<u64> {
        let mut words = self.words.clone();
        if !self.archive.is_empty() {
            words.resize(FIRST + CHUNK, 0);
            words.extend(&self.archive);
        }
        words
    }

    /// An event at its own time.
    pub fn put_at(&mut self, ticks: u64, kind: EventKind, payload: &[u64]) -> &mut Self {
        let used = (self.words.len() - FIRST) % CHUNK;
        if used + 64 > CHUNK {
            self.chunk();
        }
        self.heads.push(self.words.len());
        self.words.push(ticks << 8 | kind as u64);
        self.words.extend(payload);
        self
    }

    /// The next event.
    pub fn put(&mut self, kind: EventKind, payload: &[u64]) -> &mut Self {
        self.ticks += self.step;
        if self.counters > 0 {
            let values: Vec<u64> =
                (0..self.counters as u64).map(|counter| self.ticks * (counter + 1)).collect();
            self.put_at(self.ticks, EventKind::Count, &values);
        }
        self.put_at(self.ticks, kind, payload)
    }

    fn number(&mut self) -> u64 {
        self.numbered += 1;
        TaskId::new(self.thread, self.numbered).0
    }

    pub fn root(&mut self) -> u64 {
        self.put(EventKind::Root, &[CODE]);
        self.number()
    }

    pub fn create(&mut self, flags: u16) -> u64 {
        let task = self.number();
        self.put(EventKind::Create, &[with_tag(CODE + 16, flags), task]);
        task
    }

    pub fn depend(&mut self, address: u64, how: u16) -> &mut Self {
        self.put(EventKind::Depend, &[with_tag(address, how)])
    }

    pub fn begin(&mut self, task: u64) -> &mut Self {
        self.put(EventKind::Begin, &[task])
    }

    pub fn end(&mut self, next: u64) -> &mut Self {
        self.put(EventKind::EndTo, &[next])
    }

    pub fn switch(&mut self, next: u64) -> &mut Self {
        self.put(EventKind::Switch, &[next])
    }

    pub fn wait(&mut self, kind: WaitKind) -> &mut Self {
        self.put(EventKind::Wait, &[with_tag(CODE + 32, kind as u16)])
    }

    pub fn wait_end(&mut self) -> &mut Self {
        self.put(EventKind::WaitEnd, &[])
    }

    pub fn group(&mut self) -> &mut Self {
        self.put(EventKind::Group, &[CODE + 48])
    }

    pub fn fork(&mut self, lanes: u16) -> u64 {
        let team = self.number();
        self.put(EventKind::Fork, &[with_tag(CODE + 64, lanes), team]);
        team
    }

    pub fn lane(&mut self, team: u64, index: u64) -> u64 {
        self.put(EventKind::Lane, &[team, index]);
        self.number()
    }

    /// A task or section that was folded; it numbers what was created inside.
    pub fn folded(&mut self, kind: EventKind, task: u64, next: u64, numbered: u64) -> &mut Self {
        let start = self.ticks + 1;
        self.ticks += 100;
        let folded = Folded {
            task,
            next,
            numbered,
            code: CODE + 80,
            start,
            last_start: start + 50,
            work: 80,
            span: 60,
            ready: [1, 2, 3, 4, 5],
            nodes: [numbered, 1, 0, numbered + 1],
            edges: [numbered, numbered, numbered, 1, 0],
        };
        self.numbered += numbered;
        self.put(kind, &folded.words())
    }

    /// What the journal in the header holds.
    pub fn journal(&mut self, at: usize, ticks: u64, kind: EventKind, payload: &[u64]) {
        self.words[word::JOURNAL] = at as u64;
        self.words[word::JOURNAL + 1] = ticks << 8 | kind as u64;
        self.words[word::JOURNAL + 2..][..payload.len()].copy_from_slice(payload);
    }
}

/// An address in the code of the process.
pub const CODE: u64 = 0x5555_5555_5000;

/// What a process left behind: the files of its folder.
#[derive(Clone, Default)]
pub struct Process {
    pub name: String,
    pub text: String,
    pub maps: String,
    pub threads: Vec<(String, Vec<u64>)>,
}

impl Process {
    pub fn new(pid: u32, threads: &[Stream]) -> Self {
        let text = format!(
            "pid {pid}\nargument program\nargument 27\nclock monotonic 1000 1000\nboot none\nthreads 2\nended 9000 9000\n"
        );
        let maps = "555555550000-555555560000 r-xp 00000000 00:00 0 [code]\n".into();
        let threads = threads.iter().map(|stream| (thread_file(stream.thread), stream.file())).collect();
        Process { name: format!("{pid}-1000"), text, maps, threads }
    }

    pub fn write(&self, folder: &Path) {
        let folder = folder.join(&self.name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(PROCESS), &self.text).unwrap();
        fs::write(folder.join("maps"), &self.maps).unwrap();
        for (name, words) in &self.threads {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            fs::write(folder.join(name), bytes).unwrap();
        }
    }
}

/// A team of two, with a loop, barriers, tasks that wait, depend, are undeferred, move, and stand in groups.
pub fn team() -> Process {
    let (mut a, mut b) = (Stream::new(0), Stream::new(1));
    a.put(EventKind::Core, &[1]);
    let root = a.root();
    let first = a.create(0);
    a.begin(first).end(root);
    a.wait(WaitKind::Tasks).wait_end();
    let team = a.fork(2);
    let lane = a.lane(team, 0);
    b.ticks = a.ticks;
    b.put(EventKind::Core, &[0]);
    let other = b.lane(team, 1);

    // A loop, and a barrier for both.
    for (stream, first) in [(&mut a, 0), (&mut b, 100)] {
        stream.put(EventKind::Loop, &[with_tag(CODE + 96, 1), 200]);
        for chunk in 0..3 {
            stream.put(EventKind::Chunk, &[first + chunk * 10, 10]);
        }
        stream.put(EventKind::LoopEnd, &[]);
        stream.wait(WaitKind::Barrier).wait_end();
    }
    b.ticks = a.ticks.max(b.ticks);
    a.ticks = b.ticks;

    // Lane 0 creates; lane 1 runs some of it at its last barrier.
    let tasks: Vec<u64> = (0..4)
        .map(|number| {
            let task = a.create(0);
            a.depend(0x1000, if number % 2 == 0 { 2 } else { 1 });
            task
        })
        .collect();
    let serial = a.create(1);
    a.begin(serial).end(lane);
    b.ticks = a.ticks;
    b.wait(WaitKind::LastBarrier);
    b.begin(tasks[0]).end(other);
    b.begin(tasks[1]);
    let inner = b.create(0);
    b.wait(WaitKind::Tasks).begin(inner).end(tasks[1]).wait_end().end(other);
    a.ticks = b.ticks;
    a.wait(WaitKind::Depend).depend(0x1000, 1).wait_end();
    a.wait(WaitKind::Tasks).begin(tasks[2]).end(lane).begin(tasks[3]).end(lane).wait_end();

    // A group, with a task that moves to the other thread.
    a.group();
    let moves = a.create(2);
    a.wait(WaitKind::Group).begin(moves).switch(lane);
    b.ticks = a.ticks;
    b.switch(moves).end(other);
    a.ticks = b.ticks;
    a.wait_end();
    a.wait(WaitKind::LastBarrier);
    b.put(EventKind::LaneEnd, &[]);
    a.put(EventKind::LaneEnd, &[]);
    a.put(EventKind::Join, &[root]);
    a.end(0);
    Process::new(71, &[a, b])
}

/// A rank of two, the other of which left nothing: communicators, a message to itself, a collective, and calls that asked in vain.
pub fn messaging() -> Process {
    let call = |name: &str| {
        let number = FUNCTIONS.iter().position(|function| function.name == name).unwrap();
        with_tag(CODE + 32, number as u16)
    };
    let mut a = Stream::new(0);
    let root = a.root();
    a.put(EventKind::MpiCall, &[call("MPI_Init")]);
    for (handle, parent, members) in [(10, 0, 2), (11, 0, 1)] {
        a.put(EventKind::MpiComm, &[handle, parent]).put(EventKind::MpiMembers, &[members, 1 << 1]);
    }
    a.put(EventKind::MpiReturn, &[]);
    a.put(EventKind::MpiCallOn, &[call("MPI_Comm_dup"), 10, 0, 0]);
    a.put(EventKind::MpiComm, &[12, 10]).put(EventKind::MpiMembers, &[2, 1 << 1]);
    a.put(EventKind::MpiReturn, &[]);
    let task = a.create(0);
    a.begin(task).end(root);
    a.put(EventKind::MpiCallOn, &[call("MPI_Isend"), 10, with_peer(0, 7), 64]);
    a.put(EventKind::MpiHandle, &[500]).put(EventKind::MpiReturn, &[]);
    a.put(EventKind::MpiPolled, &[call("MPI_Iprobe"), 3, 1_000 + a.ticks + 5]);
    a.ticks += 10;
    a.put(EventKind::MpiCallOn, &[call("MPI_Recv"), 10, with_peer(0, 7), 64]);
    a.put(EventKind::MpiDone, &[0, with_peer(0, 7), 64]).put(EventKind::MpiReturn, &[]);
    a.put(EventKind::MpiCall, &[call("MPI_Wait")]);
    a.put(EventKind::MpiDone, &[500, with_peer(0, 7), 64]).put(EventKind::MpiReturn, &[]);
    a.put(EventKind::MpiCallOn, &[call("MPI_Allreduce"), 12, 0, 8]).put(EventKind::MpiReturn, &[]);
    a.put(EventKind::MpiCallOn, &[call("MPI_Sendrecv"), 12, with_peer(1, 2), 8]);
    a.put(EventKind::MpiFrom, &[with_peer(1, 3)]).put(EventKind::MpiReturn, &[]);
    a.end(0);
    let mut process = Process::new(75, &[a]);
    process.text += "mpi-rank 0\nmpi-size 2\nmpi-world w\n";
    process
}

/// The lines of this process's memory map for the C library: code with call frame information that is there.
fn c_library() -> (u64, String) {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let lines: Vec<&str> =
        maps.lines().filter(|line| line.contains("/libc.so") || line.contains("/libc-")).collect();
    let code = lines.iter().find(|line| line.contains("r-xp")).expect("code of the C library");
    let start = u64::from_str_radix(code.split('-').next().unwrap(), 16).unwrap();
    (start, lines.join("\n"))
}

/// One thread and samples of its stack: in the C library, with callers by frame pointers and in the copy of the stack, and one that is
/// nowhere.
pub fn sampled() -> Process {
    let (code, maps) = c_library();
    let mut samples = Stream::new(0);
    for number in 0..64u64 {
        let at = code + 64 * number + 1;
        let stack: Vec<u64> = (0..40).map(|word| if word % 5 == 3 { at + word } else { word }).collect();
        pack_stack(stack.into_iter()).for_each(|words| {
            samples.put(EventKind::Stack, &words);
        });
        samples.put(EventKind::Frames, &[at + 5, at + 9, CODE, 0, 0, 0, 0]);
        samples.put(EventKind::Sample, &[1_000_000, at, 3, 0x7fff_0000_0000, 0x7fff_0000_0020, number % 3]);
    }
    samples.put(EventKind::Sample, &[1_000_000, 8, 0, 0, 0, 0]);
    let mut process = Process::new(72, &[Stream::new(0)]);
    process.maps = maps;
    process.threads.push((samples_file(0), samples.file()));
    process
}

/// One thread that folded most of what it ran, with counters.
pub fn folding() -> Process {
    let mut a = Stream::new(0).counters(2);
    let root = a.root();
    for _ in 0..3 {
        let task = a.create(0);
        a.wait(WaitKind::Tasks);
        a.folded(EventKind::FoldedTask, task, root, 5);
        a.wait_end();
        a.folded(EventKind::FoldedSection, root, root, 7);
    }
    let task = a.create(0);
    a.group();
    a.begin(task);
    a.folded(EventKind::FoldedSection, task, task, 3);
    a.end(root);
    a.wait(WaitKind::Group).wait_end();
    a.end(0);
    Process::new(72, &[a])
}

/// A thread that was killed while it put a folded event in place of others.
pub fn journalled() -> Process {
    let mut a = Stream::new(0);
    let root = a.root();
    let task = a.create(0);
    a.wait(WaitKind::Tasks);
    let at = a.words.len();
    a.begin(task);
    let inner = a.create(0);
    a.wait(WaitKind::Tasks).begin(inner).end(task).wait_end().end(root);
    let nodes = [1, 1, 0, 2];
    let folded = Folded {
        task,
        next: root,
        numbered: 1,
        start: 40,
        last_start: 60,
        work: 30,
        nodes,
        ..Folded::default()
    };
    a.journal(at, a.ticks, EventKind::FoldedTask, &folded.words());
    a.words[word::ERROR_ENDED] = 0;
    Process::new(73, &[a])
}

/// A folder for events and runs, in memory where the machine has that.
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("crosscut-damaged-").tempdir_in(place).unwrap()
}

/// All files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}
