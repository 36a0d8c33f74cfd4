//! Events that no recorder wrote: cut off, flipped, shuffled, doubled, in circles. Closing them gives an error and leaves
//! nothing, or gives a run that opens and is sound. It never panics, never hangs, and needs no more memory than the events
//! are worth.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::time::Duration;

use common::{CHUNK, CODE, FIRST, Process, Random, Stream, files, folder, folding, journalled, team, word};
use crosscut_close::{Options, Quiet, close};
use crosscut_events::{ClockKind, EventKind, TaskId, WaitKind, with_tag};
use crosscut_run::Run;
use crosscut_tasks::Tasks;
use crosscut_tree::NodeId;

/// No case here is worth more.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes that closing may have at once, beside some for each byte of events.
const MEMORY: usize = 64 << 20;

/// Counts bytes.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does everything.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory is counted for one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What became of a case.
#[derive(Debug)]
enum Outcome {
    Run { tasks: i64, partial: Option<String>, notes: Vec<String> },
    Refused(String),
}

/// The last panic, with its place.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Closes some processes. `Err` says what must never happen.
fn try_close(processes: &[Process]) -> Result<Outcome, String> {
    let folder = folder();
    let events = folder.path().join("events");
    fs::create_dir(&events).unwrap();
    processes.iter().for_each(|process| process.write(&events));
    try_close_folder(folder.path(), &events)
}

fn try_close_folder(folder: &Path, events: &Path) -> Result<Outcome, String> {
    let bytes: u64 = files(events).iter().map(|file| file.metadata().unwrap().len()).sum();
    let target = folder.join("run.crosscut");
    std::panic::set_hook(Box::new(|info| *PANIC.lock().unwrap() = info.to_string()));
    let (done, wait) = mpsc::channel();
    let (from, to) = (events.to_owned(), target.clone());
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let outcome = std::panic::catch_unwind(|| closed(&from, &to));
        let _ = done.send(outcome.unwrap_or_else(|_| Err(format!("panic: {}", PANIC.lock().unwrap()))));
    });
    let thread = thread.unwrap();
    let outcome = match wait.recv_timeout(PATIENCE) {
        Ok(outcome) => outcome,
        // The thread goes on for ever; there is no way to stop it.
        Err(_) => Err("hangs".into()),
    };
    let _ = std::panic::take_hook();
    if outcome.as_ref().is_err_and(|what| what == "hangs") {
        return outcome;
    }
    let _ = thread.join();
    let used = MOST.load(Ordering::Relaxed).saturating_sub(before);
    if used > MEMORY + 64 * bytes as usize {
        return Err(format!("memory: {used} bytes for {bytes} bytes of events"));
    }
    let written: u64 = files(&target).iter().map(|file| file.metadata().unwrap().len()).sum();
    if written > (MEMORY as u64) + 64 * bytes {
        return Err(format!("disk: {written} bytes for {bytes} bytes of events"));
    }
    let left: Vec<_> = files(folder)
        .into_iter()
        .filter(|file| !file.starts_with(events) && !file.starts_with(&target))
        .collect();
    if !left.is_empty() {
        return Err(format!("left behind: {left:?}"));
    }
    outcome
}

/// Closes, opens, and looks at everything.
fn closed(events: &Path, target: &Path) -> Result<Outcome, String> {
    let closed = match close(events, target, &Options::default(), &Quiet) {
        Ok(closed) => closed,
        Err(_) if target.exists() => return Err("an error, and a run all the same".into()),
        Err(error) => return Ok(Outcome::Refused(error.to_string())),
    };
    drop(closed.run);
    let run = Run::open(target).map_err(|error| format!("does not open: {error}"))?;
    let damages = run.check();
    if !damages.is_empty() {
        return Err(format!("a damaged run: {damages:?}"));
    }
    let partial = run.manifest().partial.clone();
    let tasks = Tasks::open(run).map_err(|error| format!("has no tasks: {error}"))?;
    let s = tasks.summary().clone();
    let tree = tasks.tree();
    tree.check().map_err(|error| format!("no tree: {error}"))?;
    for node in (0..s.nodes).map(NodeId) {
        let (start, end) = (tasks.start(node), tasks.end(node));
        if start < 0 || end < start || end > s.elapsed {
            return Err(format!("node {node:?} from {start} to {end} of {}", s.elapsed));
        }
        let _ =
            (tasks.source(node), tasks.title(node), tasks.work(node), tasks.worker(node), tasks.chunk(node));
    }
    Ok(Outcome::Run { tasks: s.tasks, partial, notes: closed.about.notes })
}

/// Cases that went wrong, each kind once, with the first case of it.
#[derive(Default)]
struct Wrong {
    kinds: BTreeMap<String, (String, usize)>,
    cases: usize,
    runs: usize,
}

impl Wrong {
    fn case(&mut self, name: impl Fn() -> String, processes: &[Process]) {
        self.cases += 1;
        match try_close(processes) {
            Ok(Outcome::Run { .. }) => self.runs += 1,
            Ok(Outcome::Refused(_)) => {}
            Err(what) => {
                // Numbers differ from case to case.
                let kind: String =
                    what.chars().filter(|c| what.starts_with("panic") || !c.is_ascii_digit()).collect();
                let entry = self.kinds.entry(kind).or_insert_with(|| (format!("{}: {what}", name()), 0));
                entry.1 += 1;
                assert!(what != "hangs", "{}: hangs", name());
            }
        }
    }

    fn none(self) {
        println!("{} cases, {} of them runs", self.cases, self.runs);
        let list: Vec<String> =
            self.kinds.values().map(|(first, times)| format!("{times} times, first in {first}")).collect();
        assert!(list.is_empty(), "{} kinds of wrong:\n{}", list.len(), list.join("\n"));
    }
}

/// Expects a run of it.
fn run_of(processes: &[Process]) -> (i64, Option<String>) {
    match try_close(processes).unwrap() {
        Outcome::Run { tasks, partial, .. } => (tasks, partial),
        Outcome::Refused(why) => panic!("{why}"),
    }
}

fn refused(processes: &[Process]) -> String {
    match try_close(processes).unwrap() {
        Outcome::Refused(why) => why,
        run => panic!("{run:?}"),
    }
}

/// Expects a run or an error.
fn survives(processes: &[Process]) {
    let outcome = try_close(processes).unwrap_or_else(|what| panic!("{what}"));
    println!("{outcome:?}");
}

fn bases() -> Vec<Vec<Process>> {
    vec![vec![team()], vec![folding()], vec![journalled()], vec![folding(), team(), journalled()]]
}

#[test]
fn undamaged() {
    let _alone = alone();
    assert_eq!(run_of(&[team()]), (8, None));
    assert_eq!(run_of(&[folding()]), (4 + 3 * 5 + 3 * 7 + 3, None));
    assert_eq!(run_of(&[journalled()]), (2, None));
    let (tasks, _) = run_of(&[folding(), team(), journalled()]);
    assert_eq!(tasks, 8 + 43 + 2);
}

#[test]
fn cut_off_anywhere() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    for (number, base) in bases().into_iter().enumerate() {
        for process in 0..base.len() {
            for thread in 0..base[process].threads.len() {
                let words = base[process].threads[thread].1.len();
                let header = (0..word::JOURNAL + 30).chain([FIRST - 1]);
                for length in header.chain(FIRST..words) {
                    let mut case = base.clone();
                    case[process].threads[thread].1.truncate(length);
                    wrong.case(
                        || format!("base {number}, process {process}, thread {thread} cut at {length}"),
                        &case,
                    );
                }
            }
        }
    }
    wrong.none();
}

#[test]
fn cut_off_within_a_word() {
    let _alone = alone();
    let folder = folder();
    let events = folder.path().join("events");
    team().write(&events);
    let file = events.join("71-1000/thread-00000");
    let bytes = fs::read(&file).unwrap();
    for length in (0..200).chain(4090..bytes.len()).step_by(3) {
        fs::write(&file, &bytes[..length]).unwrap();
        if let Err(what) = try_close_folder(folder.path(), &events) {
            panic!("cut at byte {length}: {what}");
        }
        let _ = fs::remove_dir_all(folder.path().join("run.crosscut"));
    }
}

/// A word that is not what it was.
fn flip(random: &mut Random, words: &[u64], at: usize) -> u64 {
    let old = words[at];
    let other = words[random.below(words.len())];
    match random.below(16) {
        0 => 0,
        1 => u64::MAX,
        2 => random.next(),
        3 => random.next() >> random.below(64),
        4 => old ^ 1 << random.below(64),
        5 => old.wrapping_add(random.next() % 5).wrapping_sub(2),
        6 => other,
        // Another kind at the same time.
        7 | 8 => old & !0xff | (1 + random.next() % 20),
        // Another time of the same kind.
        9 => old & 0xff | random.next() << 8,
        10 => old & 0xff | (random.next() % 600) << 8,
        // Another number of some task.
        11 | 12 => TaskId::new(random.below(3) as u32, 1 + random.next() % 24).0,
        13 => old & 0xffff_ffff_ffff | random.next() << 48,
        14 => 1 << 63 >> random.below(64),
        _ => (old & 0xff) | (u64::MAX >> random.below(32)) << 8,
    }
}

/// So many seeds; `CROSSCUT_SEEDS=1000000..2000000 cargo test` looks further.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let given = std::env::var("CROSSCUT_SEEDS").ok().and_then(|text| {
        let (from, to) = text.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    given.unwrap_or(0..count)
}

fn flipped(seed: u64) -> Vec<Process> {
    let mut random = Random::new(seed);
    let mut bases = bases();
    let mut case = bases.swap_remove(random.below(4));
    for _ in 0..1 + random.below(5) {
        let process = random.below(case.len());
        let thread = random.below(case[process].threads.len());
        let words = &mut case[process].threads[thread].1;
        // Mostly events, sometimes the header.
        let from = match random.below(8) {
            0 => 0,
            _ => FIRST,
        };
        let to = if from == 0 { word::JOURNAL + 26 } else { words.len() };
        let at = from + random.below(to - from);
        words[at] = flip(&mut random, words, at);
    }
    case
}

#[test]
fn words_flipped_at_random() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    for seed in seeds(3_000) {
        wrong.case(|| format!("seed {seed}"), &flipped(seed));
    }
    wrong.none();
}

/// Whole events taken out, doubled, exchanged, moved to another thread.
fn shuffled(seed: u64) -> Vec<Process> {
    let mut random = Random::new(seed ^ 0x5555);
    let mut bases = bases();
    let mut case = bases.swap_remove(random.below(4));
    for _ in 0..1 + random.below(6) {
        let from = random.below(case.len());
        let thread = random.below(case[from].threads.len());
        let events = events_of(&case[from].threads[thread].1);
        let Some(last) = events.len().checked_sub(1) else { continue };
        let (a, b) = (random.below(last + 1), random.below(last + 1));
        let (a, b) = (events[a.min(b)].0, events[a.max(b)].1);
        let taken = case[from].threads[thread].1[a..b].to_vec();
        let to = random.below(case.len());
        let other = random.below(case[to].threads.len());
        let places = events_of(&case[to].threads[other].1);
        let place = places.get(random.below(places.len())).map_or(FIRST + 4, |place| place.0);
        match random.below(3) {
            0 => drop(case[from].threads[thread].1.drain(a..b)),
            1 => drop(case[to].threads[other].1.splice(place..place, taken)),
            _ => {
                case[from].threads[thread].1.drain(a..b);
                let words = &mut case[to].threads[other].1;
                let place = place.min(words.len());
                words.splice(place..place, taken);
            }
        }
    }
    case
}

/// Where the events of a file begin and end.
fn events_of(words: &[u64]) -> Vec<(usize, usize)> {
    let Ok(mut events) = crosscut_events::Events::new(words) else { return Vec::new() };
    let mut found = Vec::new();
    while let Ok(Some(event)) = events.step() {
        if event.position >= FIRST {
            found.push((event.position, event.position + 1 + event.payload.len()));
        }
    }
    found
}

#[test]
fn events_shuffled_at_random() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    for seed in seeds(2_000) {
        wrong.case(|| format!("seed {seed}"), &shuffled(seed));
    }
    wrong.none();
}

/// Nothing but events of all kinds with small numbers, in any order.
fn soup(seed: u64) -> Vec<Process> {
    let mut random = Random::new(seed ^ 0xaaaa);
    let threads = 1 + random.below(3);
    let mut streams: Vec<Stream> = (0..threads).map(|thread| Stream::new(thread as u32)).collect();
    for (number, stream) in streams.iter_mut().enumerate() {
        if number == 0 || random.below(2) == 0 {
            stream.root();
        }
        let ordered = random.below(2) == 0;
        for _ in 0..random.below(150) {
            let id =
                |random: &mut Random| TaskId::new(random.below(threads) as u32, 1 + random.next() % 12).0;
            let ticks = if ordered { stream.ticks + random.next() % 20 } else { random.next() % 500 };
            stream.ticks = ticks;
            match random.below(22) {
                0..=2 => {
                    let task = id(&mut random);
                    stream.put_at(ticks, EventKind::Create, &[with_tag(CODE, random.below(2) as u16), task]);
                }
                3..=5 => {
                    let task = id(&mut random);
                    stream.put_at(ticks, EventKind::Begin, &[task]);
                }
                6 | 7 => {
                    let task = id(&mut random);
                    stream.put_at(ticks, EventKind::EndTo, &[task]);
                }
                8 | 9 => {
                    let task = id(&mut random);
                    stream.put_at(ticks, EventKind::Switch, &[task]);
                }
                10 | 11 => {
                    let word = with_tag(CODE, random.below(7) as u16);
                    stream.put_at(ticks, EventKind::Wait, &[word]);
                }
                12 => drop(stream.put_at(ticks, EventKind::WaitEnd, &[])),
                13 => drop(stream.put_at(ticks, EventKind::Group, &[CODE])),
                14 => {
                    let team = id(&mut random);
                    stream.put_at(ticks, EventKind::Fork, &[with_tag(CODE, 2), team]);
                }
                15 => {
                    let team = id(&mut random);
                    stream.put_at(ticks, EventKind::Lane, &[team, random.next() % 3]);
                }
                16 => {
                    let task = id(&mut random);
                    stream.put_at(ticks, EventKind::Join, &[task]);
                }
                17 => {
                    let how = [1, 2, 3, 4, 7, 34, 35][random.below(7)];
                    stream.put_at(ticks, EventKind::Depend, &[with_tag(random.next() % 3, how)]);
                }
                18 => {
                    let (task, next) = (id(&mut random), id(&mut random));
                    let kind = [EventKind::FoldedTask, EventKind::FoldedSection][random.below(2)];
                    stream.folded(kind, task, next, random.next() % 4);
                }
                19 => drop(stream.put_at(ticks, EventKind::Loop, &[CODE, 10])),
                20 => drop(stream.put_at(ticks, EventKind::Chunk, &[random.next() % 9, 3])),
                _ => {
                    let kind = [EventKind::LoopEnd, EventKind::LaneEnd][random.below(2)];
                    stream.put_at(ticks, kind, &[]);
                }
            }
        }
    }
    let mut processes = vec![Process::new(80, &streams)];
    if random.below(2) == 0 {
        // What is wrong with the second process must not be looked for in the first.
        processes.insert(0, folding());
    }
    processes
}

#[test]
fn events_of_all_kinds_in_any_order() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    for seed in seeds(2_000) {
        wrong.case(|| format!("seed {seed}"), &soup(seed));
    }
    wrong.none();
}

/// Stays within a few hundred ticks, so that any order of times is likely.
#[test]
fn a_task_that_goes_on_before_it_stopped() {
    let _alone = alone();
    let mut a = Stream::new(0);
    let root = a.root();
    let other = TaskId::new(0, 9).0;
    a.wait(WaitKind::Tasks);
    a.put_at(100, EventKind::Switch, &[other]);
    a.put_at(200, EventKind::Switch, &[root]);
    a.put_at(50, EventKind::LoopEnd, &[]);
    a.put_at(60, EventKind::Switch, &[other]);
    survives(&[Process::new(1, &[a])]);
}

#[test]
fn a_task_that_moves_in_a_circle() {
    let _alone = alone();
    // Two threads hand the same task to each other, at times that go backwards.
    let (mut a, mut b) = (Stream::new(0), Stream::new(1));
    let root = a.root();
    let (x, y) = (TaskId::new(0, 7).0, TaskId::new(0, 8).0);
    a.wait(WaitKind::Tasks);
    for turn in 0..4 {
        a.put_at(1_000 - turn * 100, EventKind::Switch, &[x]);
        b.put_at(950 - turn * 100, EventKind::Switch, &[root]);
        b.put_at(10, EventKind::Depend, &[5]);
        b.put_at(20 + turn, EventKind::Switch, &[y]);
        a.put_at(900 - turn * 100, EventKind::Switch, &[root]);
    }
    survives(&[Process::new(1, &[a, b])]);
}

#[test]
fn a_task_that_creates_itself() {
    let _alone = alone();
    let mut a = Stream::new(0);
    let root = a.root();
    let task = a.create(0);
    a.begin(task);
    a.put(EventKind::Create, &[CODE, task]);
    a.put(EventKind::Create, &[CODE, root]);
    a.end(root).end(0);
    survives(&[Process::new(1, &[a])]);

    // Two that create each other.
    let mut a = Stream::new(0);
    let root = a.root();
    let (x, y) = (a.create(0), a.create(0));
    a.begin(x).put(EventKind::Create, &[CODE, y]).end(root);
    a.begin(y).put(EventKind::Create, &[CODE, x]).end(root).end(0);
    survives(&[Process::new(1, &[a])]);
}

#[test]
fn a_task_that_begins_and_ends_twice() {
    let _alone = alone();
    for order in ["begin begin end end", "end begin", "begin end begin end", "begin end end", "begin begin"] {
        let mut a = Stream::new(0);
        let root = a.root();
        let task = a.create(0);
        for word in order.split(' ') {
            if word == "begin" {
                a.begin(task)
            } else {
                a.end(root)
            };
        }
        a.wait(WaitKind::Tasks).wait_end().end(0);
        survives(&[Process::new(1, &[a])]);
    }
}

#[test]
fn a_journal_that_begins_what_has_ended() {
    let _alone = alone();
    let mut a = Stream::new(0);
    let root = a.root();
    let task = a.create(0);
    a.wait(WaitKind::Tasks);
    a.begin(task).end(root);
    a.journal(a.words.len(), a.ticks + 10, EventKind::Begin, &[task]);
    survives(&[Process::new(1, &[a.clone()])]);
    // Every kind of event, anywhere.
    for kind in EventKind::ALL {
        for at in [
            0,
            1,
            FIRST - 1,
            FIRST,
            FIRST + 4,
            FIRST + 8,
            a.words.len() - 1,
            a.words.len() + CHUNK,
            usize::MAX,
        ] {
            let mut case = a.clone();
            case.journal(at, 77, kind, &[task, root, 1]);
            survives(&[Process::new(1, &[case])]);
        }
    }
}

#[test]
fn a_lane_that_never_came_to_its_barrier() {
    let _alone = alone();
    // The second process: places in the first one are not its own.
    let mut a = Stream::new(0);
    let root = a.root();
    let team = a.fork(2);
    let lane = a.lane(team, 0);
    let task = a.create(0);
    a.begin(task).end(lane);
    // A root in the middle ends the walk through the lane; the barriers stand behind it.
    a.put(EventKind::Join, &[lane]);
    a.wait(WaitKind::Barrier).wait_end();
    a.wait(WaitKind::Barrier).wait_end();
    a.create(0);
    a.wait(WaitKind::LastBarrier).put(EventKind::LaneEnd, &[]).put(EventKind::Join, &[root]).end(0);
    survives(&[Process::new(1, &[a.clone()])]);
    survives(&[team_of_one(), Process::new(90, &[a])]);
}

fn team_of_one() -> Process {
    let mut process = team();
    process.name = "1-1".into();
    process.text = process.text.replace("1000", "1");
    process
}

#[test]
fn a_team_inside_itself() {
    let _alone = alone();
    let mut a = Stream::new(0);
    let root = a.root();
    let team = a.fork(2);
    a.lane(team, 0);
    a.put(EventKind::Fork, &[CODE, team]);
    a.lane(team, 1);
    a.put(EventKind::Fork, &[CODE, team]);
    a.put(EventKind::Join, &[root]).put(EventKind::Join, &[root]).end(0);
    survives(&[Process::new(1, &[a])]);
}

#[test]
fn absurd_numbers_in_headers() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    for base in bases() {
        for at in (0..word::JOURNAL + 26).chain(FIRST..FIRST + 4) {
            for value in [0, 1, u64::MAX, 1 << 63, i64::MAX as u64, u64::from(u32::MAX), 1 << 40] {
                let mut case = base.clone();
                for process in &mut case {
                    for (_, words) in &mut process.threads {
                        words[at] = value;
                    }
                }
                wrong.case(|| format!("word {at} is {value:#x}"), &case);
            }
        }
    }
    wrong.none();
}

/// A file with three chunks.
fn long() -> Stream {
    let mut a = Stream::new(0);
    a.step = 1;
    let root = a.root();
    for _ in 0..CHUNK / 11 {
        let task = a.create(0);
        a.wait(WaitKind::Tasks).begin(task).end(root).wait_end();
    }
    for _ in 0..2 {
        a.chunk();
        let task = a.create(0);
        a.wait(WaitKind::Tasks).begin(task).end(root).wait_end();
    }
    a.end(0);
    a
}

#[test]
fn chunks_that_are_damaged() {
    let _alone = alone();
    let base = long().file();
    let process = |words: Vec<u64>| {
        let mut process = Process::new(1, &[Stream::new(0)]);
        process.threads[0].1 = words;
        [process]
    };
    // The window stands first.
    assert_eq!((base.len() - FIRST) / CHUNK, 3);
    assert_eq!(run_of(&process(base.clone())), (CHUNK as i64 / 11 + 2, None));
    let mut wrong = Wrong::default();
    let first = |chunk: usize| FIRST + chunk * CHUNK;
    for chunk in 0..3 {
        for word in 0..8 {
            for value in [0, 1, 2, 3, 7, u64::MAX, 1 << 32, 1 << 40] {
                let mut case = base.clone();
                case[first(chunk) + word] = value;
                wrong.case(|| format!("word {word} of chunk {chunk} is {value:#x}"), &process(case));
            }
        }
        // It is gone, or never was written, or is another.
        let inside = first(chunk)..first(chunk + 1);
        let mut case = base.clone();
        case[inside.clone()].fill(0);
        wrong.case(|| format!("chunk {chunk} is empty"), &process(case));
        let mut case = base.clone();
        case.drain(inside);
        wrong.case(|| format!("chunk {chunk} is missing"), &process(case));
        for other in 0..3 {
            let mut case = base.clone();
            case.copy_within(first(other)..first(other + 1), first(chunk));
            wrong.case(|| format!("chunk {chunk} is chunk {other} again"), &process(case));
        }
        for length in first(chunk) - 3..first(chunk) + 12 {
            let case = base[..length].to_vec();
            wrong.case(|| format!("cut at word {length}"), &process(case));
        }
    }
    // More or fewer of them behind the window than the header says.
    for archived in (0..6).chain([u64::MAX, 1 << 40, 1 << 63]) {
        let mut case = base.clone();
        case[word::ARCHIVED] = archived;
        wrong.case(|| format!("{archived} chunks behind the window"), &process(case));
    }
    // A hole: what comes behind it is in the next chunk.
    let mut case = base.clone();
    case[first(1) + 1_000] = 0;
    wrong.case(|| "a hole".into(), &process(case));
    wrong.none();
}

#[test]
fn lost_events_are_added_up_without_overflow() {
    let _alone = alone();
    let mut case = team();
    case.threads.iter_mut().for_each(|(_, words)| words[word::LOST] = u64::MAX - 1);
    survives(&[case]);
}

#[test]
fn folded_numbers_that_are_absurd() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    for field in 0..22 {
        for value in [u64::MAX, 1 << 63, 1 << 56, 1 << 40, u64::from(u32::MAX), 1 << 20, 0] {
            let mut case = folding();
            let words = &mut case.threads[0].1;
            let folded: Vec<usize> = events_of(words)
                .iter()
                .map(|event| event.0)
                .filter(|&at| words[at] as u8 >= EventKind::FoldedTask as u8)
                .collect();
            folded.iter().for_each(|at| words[at + 1 + field] = value);
            wrong.case(|| format!("field {field} is {value:#x}"), &[case]);
        }
    }
    wrong.none();
}

#[test]
fn more_tasks_than_words() {
    let _alone = alone();
    // Folding leaves few words for many tasks; those that come later are found all the same.
    let mut a = Stream::new(0);
    let root = a.root();
    a.folded(EventKind::FoldedSection, root, root, 1_000_000);
    let task = a.create(0);
    a.wait(WaitKind::Tasks).begin(task);
    let inner = a.create(0);
    a.wait(WaitKind::Tasks).begin(inner).end(task).wait_end();
    a.end(root).wait_end().end(0);
    assert_eq!(run_of(&[Process::new(1, &[a])]), (1_000_002, None));
}

#[test]
fn times_far_apart() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    let long = (1 << 56) - 1;
    // Up and down many times: each interval is as long as they come.
    for (number, clock) in [ClockKind::Monotonic, ClockKind::Processor].into_iter().enumerate() {
        let mut a = Stream::with_clock(0, clock, 1_000, 1_000);
        let root = a.root();
        for turn in 0..40 {
            let ticks = if turn % 2 == 0 { long } else { 0 };
            a.put_at(ticks, EventKind::Wait, &[with_tag(CODE, 0)]);
            a.put_at(ticks, EventKind::WaitEnd, &[]);
            let task = a.create(0);
            a.put_at(ticks, EventKind::Begin, &[task]);
            a.put_at(long - ticks, EventKind::EndTo, &[root]);
        }
        a.put_at(long, EventKind::EndTo, &[0]);
        let mut process = Process::new(1, &[a.clone()]);
        process.text = "ended 1001 18446744073709551615\n".into();
        wrong.case(|| format!("clock {number}"), &[process.clone()]);
        // Processes that began at opposite ends of time.
        let mut late = process.clone();
        late.name = "2-2".into();
        late.threads[0].1[word::BASE_NANOS] = u64::MAX;
        wrong.case(|| format!("clock {number}, far apart"), &[process, late]);
    }
    wrong.none();
}

#[test]
fn dependences_of_one_task_on_itself() {
    let _alone = alone();
    for uses in [
        &[(1, 2), (1, 34)][..],
        &[(0, 34), (0, 35)],
        &[(1, 34), (1, 1), (1, 2)],
        &[(1, 4), (1, 4), (1, 7)],
        &[(1, 3), (2, 3), (1, 1)],
    ] {
        let mut a = Stream::new(0);
        let root = a.root();
        let mut tasks = Vec::new();
        for _ in 0..3 {
            tasks.push(a.create(0));
            for &(address, how) in uses {
                a.depend(address, how);
            }
        }
        a.wait(WaitKind::Tasks);
        for task in tasks {
            a.begin(task).end(root);
        }
        a.wait_end().end(0);
        assert_eq!(run_of(&[Process::new(1, &[a])]), (3, None), "{uses:?}");
    }
}

#[test]
fn many_dependences_need_no_absurd_memory() {
    let _alone = alone();
    // Every reader depends on every one of the set before it.
    let mut a = Stream::new(0);
    a.step = 1;
    let root = a.root();
    for task in 0..2_000 {
        a.create(0);
        a.depend(1, if task < 1_000 { 7 } else { 1 });
    }
    a.end(root);
    survives(&[Process::new(1, &[a])]);
}

#[test]
fn many_of_everything() {
    let _alone = alone();
    // Kinds that are searched for or kept in lists, tens of thousands of each.
    let many = 40_000;
    for kind in ["roots", "groups", "switches", "forks", "lanes", "begins", "cores", "barriers"] {
        let mut a = Stream::new(0);
        a.step = 1;
        let root = a.root();
        let team = a.fork(2);
        if kind == "barriers" {
            a.lane(team, 0);
        }
        for turn in 0..many {
            match kind {
                "roots" => {
                    a.root();
                    a.create(0);
                }
                "groups" => drop(a.group()),
                "switches" => drop(a.switch(root)),
                "forks" => drop(a.fork(1)),
                "lanes" => drop(a.lane(team, turn)),
                "begins" => {
                    let task = a.create(0);
                    a.begin(task);
                }
                "cores" => drop(a.put(EventKind::Core, &[turn]).put(EventKind::LoopEnd, &[])),
                _ => drop(a.wait(WaitKind::Barrier).wait_end()),
            }
        }
        match try_close(&[Process::new(1, &[a])]) {
            Ok(outcome) => println!("{kind}: {outcome:?}"),
            Err(what) => panic!("{kind}: {what}"),
        }
    }
}

#[test]
fn files_that_are_there_twice() {
    let _alone = alone();
    // The same number under two names.
    let mut case = team();
    let (_, words) = case.threads[0].clone();
    case.threads.push(("thread-0".into(), words.clone()));
    survives(&[case]);
    // Another thread's file under a name that is not its own.
    let mut case = team();
    case.threads.push(("thread-00002".into(), words.clone()));
    assert!(refused(&[case]).contains("another thread"));
    // The same events as another thread.
    let mut case = team();
    let mut copy = words;
    copy[word::THREAD] = 5;
    case.threads.push(("thread-00005".into(), copy));
    survives(&[case]);
    // A whole process twice.
    let mut again = team();
    again.name = "71-2000".into();
    let (tasks, _) = run_of(&[team(), again]);
    assert_eq!(tasks, 16);
    // A thread with an absurd number.
    for number in [1 << 20, u32::MAX] {
        let mut case = team();
        let mut words = case.threads[1].1.clone();
        words[word::THREAD] = u64::from(number);
        case.threads.push((format!("thread-{number}"), words));
        survives(&[case]);
    }
    // One of two threads is missing.
    for missing in 0..2 {
        let mut case = team();
        case.threads.remove(missing);
        survives(&[case]);
    }
}

#[test]
fn texts_that_are_not_what_they_were() {
    let _alone = alone();
    let long = "x".repeat(100_000);
    for text in [
        "",
        "\n\n\n",
        "clock",
        "clock monotonic",
        "clock monotonic -1 99999999999999999999999",
        "ended x y\nended 1 1",
        "ended 18446744073709551615 18446744073709551615",
        "\0\0\0",
        "pid \u{fffd}",
        &long,
    ] {
        let mut case = team();
        case.text = text.into();
        survives(&[case.clone()]);
        for (_, words) in &mut case.threads {
            words[word::VERSION_CLOCK] = 1 | 1 << 32;
        }
        survives(&[case]);
    }
    for maps in [
        "",
        "0-ffffffffffffffff r-xp 0 00:00 0 /",
        "555555550000-555555560000 r-xp ffffffffffffffff 00:00 0 /proc/self/exe",
        "555555550000-555555560000 r-xp 0 00:00 0 /dev/zero",
        "555555550000-555555560000 r-xp 0 00:00 0 /proc/self/mem",
        "555555560000-555555550000 r-xp 0 00:00 0 /bin/sh\n555555550000-555555560000 r-xp 0 00:00 0 /bin/sh",
        "ffffffffffffffff-0 r-xp 0 0 0 /bin/sh",
        "555555550000-555555560000 r-xp 0 00:00 0 /no/such/file\n555555550000 r-xp",
        &long,
    ] {
        let mut case = team();
        case.maps = maps.into();
        survives(&[case]);
    }
}

#[test]
fn a_folder_with_other_things_in_it() {
    let _alone = alone();
    let outcome = |prepare: &dyn Fn(&Path)| {
        let folder = folder();
        let events = folder.path().join("events");
        team().write(&events);
        prepare(&events);
        try_close_folder(folder.path(), &events).unwrap()
    };
    let is_run = |outcome: &Outcome| matches!(outcome, Outcome::Run { tasks: 8, .. });
    assert!(is_run(&outcome(&|events| fs::write(events.join("notes.txt"), "mine").unwrap())));
    assert!(is_run(&outcome(&|events| fs::write(events.join("71-1000/thread-x"), "mine").unwrap())));
    assert!(is_run(&outcome(&|events| fs::write(events.join("71-1000/maps-17"), "mine").unwrap())));
    assert!(is_run(&outcome(&|events| fs::create_dir(events.join("71-1000/more")).unwrap())));
    assert!(is_run(&outcome(&|events| fs::write(events.join("71-1000/thread-00002"), "").unwrap())));
    assert!(is_run(&outcome(&|events| fs::write(events.join("71-1000/thread-00002"), [0; 4096]).unwrap())));
    // A file that cannot be read as events is named.
    for (bytes, says) in [(&b"not events, but long enough"[..], ""), (&[b'x'; 8192], "not a file of events")]
    {
        match outcome(&|events| fs::write(events.join("71-1000/thread-00002"), bytes).unwrap()) {
            Outcome::Refused(why) => assert!(why.contains("thread-00002") && why.contains(says), "{why}"),
            Outcome::Run { notes, .. } => println!("{notes:?}"),
        }
    }
    match outcome(&|events| fs::create_dir(events.join("71-1000/thread-00002")).unwrap()) {
        Outcome::Refused(why) => assert!(why.contains("thread-00002"), "{why}"),
        Outcome::Run { .. } => {}
    }
}

#[test]
fn closing_is_repeatable() {
    let _alone = alone();
    // The same events give the same totals, however often.
    let once = Arc::new(run_of(&[team(), folding()]));
    for _ in 0..5 {
        assert_eq!(run_of(&[team(), folding()]), *once);
    }
}
