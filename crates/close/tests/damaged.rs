//! Events that no recorder wrote, made of those that one did: cut off, flipped, shuffled, doubled; and files that are not
//! events at all. Closing them gives an error and leaves nothing, or gives a run that opens and is sound. It never panics,
//! never hangs, and needs no more memory than the events are worth.

mod common;
mod damage;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::{CODE, FIRST, Process, Stream, folder, folding, journalled, messaging, team, word};
use crosscut_chance::Chance;
use crosscut_events::{EventKind, TaskId, with_tag};
use damage::{Outcome, Wrong, alone, bases, events_of, refused, run_of, survives, try_close_folder};

#[test]
fn undamaged() {
    let _alone = alone();
    assert_eq!(run_of(&[team()]), (8, None));
    assert_eq!(run_of(&[folding()]), (4 + 3 * 5 + 3 * 7 + 3, None));
    assert_eq!(run_of(&[journalled()]), (2, None));
    assert_eq!(run_of(&[messaging()]).0, 1);
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
fn flip(chance: &mut Chance, words: &[u64], at: usize) -> u64 {
    let old = words[at];
    let other = words[chance.index(words.len())];
    match chance.index(16) {
        0 => 0,
        1 => u64::MAX,
        2 => chance.any(),
        3 => chance.any() >> chance.index(64),
        4 => old ^ 1 << chance.index(64),
        5 => old.wrapping_add(chance.any() % 5).wrapping_sub(2),
        6 => other,
        // Another kind at the same time.
        7 | 8 => old & !0xff | (1 + chance.any() % 20),
        // Another time of the same kind.
        9 => old & 0xff | chance.any() << 8,
        10 => old & 0xff | (chance.any() % 600) << 8,
        // Another number of some task.
        11 | 12 => TaskId::new(chance.index(3) as u32, 1 + chance.any() % 24).0,
        13 => old & 0xffff_ffff_ffff | chance.any() << 48,
        14 => 1 << 63 >> chance.index(64),
        _ => (old & 0xff) | (u64::MAX >> chance.index(32)) << 8,
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
    let mut chance = Chance::new(seed);
    let mut bases = bases();
    let mut case = bases.swap_remove(chance.index(4));
    for _ in 0..1 + chance.index(5) {
        let process = chance.index(case.len());
        let thread = chance.index(case[process].threads.len());
        let words = &mut case[process].threads[thread].1;
        // Mostly events, sometimes the header.
        let from = match chance.index(8) {
            0 => 0,
            _ => FIRST,
        };
        let to = if from == 0 { word::JOURNAL + 26 } else { words.len() };
        let at = from + chance.index(to - from);
        words[at] = flip(&mut chance, words, at);
    }
    case
}

#[test]
fn words_flipped_at_random() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    for seed in seeds(1_500) {
        wrong.case(|| format!("seed {seed}"), &flipped(seed));
    }
    wrong.none();
}

/// Whole events taken out, doubled, exchanged, moved to another thread.
fn shuffled(seed: u64) -> Vec<Process> {
    let mut chance = Chance::new(seed ^ 0x5555);
    let mut bases = bases();
    let mut case = bases.swap_remove(chance.index(4));
    for _ in 0..1 + chance.index(6) {
        let from = chance.index(case.len());
        let thread = chance.index(case[from].threads.len());
        let events = events_of(&case[from].threads[thread].1);
        let Some(last) = events.len().checked_sub(1) else { continue };
        let (a, b) = (chance.index(last + 1), chance.index(last + 1));
        let (a, b) = (events[a.min(b)].0, events[a.max(b)].1);
        let taken = case[from].threads[thread].1[a..b].to_vec();
        let to = chance.index(case.len());
        let other = chance.index(case[to].threads.len());
        let places = events_of(&case[to].threads[other].1);
        let place = places.get(chance.index(places.len())).map_or(FIRST + 4, |place| place.0);
        match chance.index(3) {
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

#[test]
fn events_shuffled_at_random() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    for seed in seeds(1_000) {
        wrong.case(|| format!("seed {seed}"), &shuffled(seed));
    }
    wrong.none();
}

/// Nothing but events of all kinds with small numbers, in any order.
fn soup(seed: u64) -> Vec<Process> {
    let mut chance = Chance::new(seed ^ 0xaaaa);
    let threads = 1 + chance.index(3);
    let mut streams: Vec<Stream> = (0..threads).map(|thread| Stream::new(thread as u32)).collect();
    for (number, stream) in streams.iter_mut().enumerate() {
        if number == 0 || chance.index(2) == 0 {
            stream.root();
        }
        let ordered = chance.index(2) == 0;
        for _ in 0..chance.index(150) {
            let id = |chance: &mut Chance| TaskId::new(chance.index(threads) as u32, 1 + chance.any() % 12).0;
            let ticks = if ordered { stream.ticks + chance.any() % 20 } else { chance.any() % 500 };
            stream.ticks = ticks;
            match chance.index(22) {
                0..=2 => {
                    let task = id(&mut chance);
                    stream.put_at(ticks, EventKind::Create, &[with_tag(CODE, chance.index(2) as u16), task]);
                }
                3..=5 => {
                    let task = id(&mut chance);
                    stream.put_at(ticks, EventKind::Begin, &[task]);
                }
                6 | 7 => {
                    let task = id(&mut chance);
                    stream.put_at(ticks, EventKind::EndTo, &[task]);
                }
                8 | 9 => {
                    let task = id(&mut chance);
                    stream.put_at(ticks, EventKind::Switch, &[task]);
                }
                10 | 11 => {
                    let word = with_tag(CODE, chance.index(7) as u16);
                    stream.put_at(ticks, EventKind::Wait, &[word]);
                }
                12 => drop(stream.put_at(ticks, EventKind::WaitEnd, &[])),
                13 => drop(stream.put_at(ticks, EventKind::Group, &[CODE])),
                14 => {
                    let team = id(&mut chance);
                    stream.put_at(ticks, EventKind::Fork, &[with_tag(CODE, 2), team]);
                }
                15 => {
                    let team = id(&mut chance);
                    stream.put_at(ticks, EventKind::Lane, &[team, chance.any() % 3]);
                }
                16 => {
                    let task = id(&mut chance);
                    stream.put_at(ticks, EventKind::Join, &[task]);
                }
                17 => {
                    let how = [1, 2, 3, 4, 7, 34, 35][chance.index(7)];
                    stream.put_at(ticks, EventKind::Depend, &[with_tag(chance.any() % 3, how)]);
                }
                18 => {
                    let (task, next) = (id(&mut chance), id(&mut chance));
                    let kind = [EventKind::FoldedTask, EventKind::FoldedSection][chance.index(2)];
                    stream.folded(kind, task, next, chance.any() % 4);
                }
                19 => drop(stream.put_at(ticks, EventKind::Loop, &[CODE, 10])),
                20 => drop(stream.put_at(ticks, EventKind::Chunk, &[chance.any() % 9, 3])),
                _ => {
                    let kind = [EventKind::LoopEnd, EventKind::LaneEnd][chance.index(2)];
                    stream.put_at(ticks, kind, &[]);
                }
            }
        }
    }
    let mut processes = vec![Process::new(80, &streams)];
    if chance.index(2) == 0 {
        // What is wrong with the second process must not be looked for in the first.
        processes.insert(0, folding());
    }
    processes
}

#[test]
fn events_of_all_kinds_in_any_order() {
    let _alone = alone();
    let mut wrong = Wrong::default();
    for seed in seeds(1_000) {
        wrong.case(|| format!("seed {seed}"), &soup(seed));
    }
    wrong.none();
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

/// Files of a stranger's events that are links and pipes: nothing waits, and nothing of the kernel is read.
#[test]
fn files_that_are_no_files() {
    let _alone = alone();
    let pipe = |at: &Path| assert!(std::process::Command::new("mkfifo").arg(at).status().unwrap().success());
    let link = |to: &'static str| move |at: &Path| std::os::unix::fs::symlink(to, at).unwrap();
    type Put<'a> = &'a dyn Fn(&Path);
    let puts: [Put<'_>; 4] =
        [&pipe, &link("/dev/zero"), &link("/proc/self/pagemap"), &link("/proc/self/mem")];
    for put in puts {
        for name in ["process", "maps", "thread-0", "thread-7", "samples-0", "failures"] {
            let folder = folder();
            let events = folder.path().join("events");
            team().write(&events);
            let at = events.join(if name == "failures" { "" } else { "71-1000" }).join(name);
            let _ = fs::remove_file(&at);
            put(&at);
            let (done, wait) = std::sync::mpsc::channel();
            let target = folder.path().join("out.crosscut");
            std::thread::spawn(move || {
                let closed =
                    crosscut_close::close(&events, &target, &Default::default(), &crosscut_run::Quiet);
                let _ = done.send(closed.map(|_| ()).map_err(|error| error.to_string()));
            });
            let closed = wait.recv_timeout(std::time::Duration::from_secs(60)).expect("it waits for ever");
            match (name, closed) {
                ("maps" | "failures", closed) => closed.unwrap(),
                ("process", closed) => assert!(closed.is_err()),
                (_, closed) => {
                    let error = closed.unwrap_err();
                    assert!(error.contains(name) && error.contains("not a plain file"), "{name}: {error}");
                }
            }
        }
    }
}

/// Communicators whose members are a row of a few bytes: many thousands in each.
#[test]
fn communicators_that_are_larger_than_the_file() {
    let _alone = alone();
    let mut a = Stream::new(0);
    a.root();
    for comm in 0..2000u64 {
        a.put(EventKind::MpiComm, &[10 + comm, 0]);
        a.put(EventKind::MpiMembers, &[comm << 32 | 1 << 22, 1 << 1]);
    }
    a.end(0);
    let mut process = Process::new(75, &[a]);
    process.text += "mpi-rank 0\nmpi-size 2\nmpi-world w\n";
    let folder = folder();
    let events = folder.path().join("events");
    process.write(&events);
    let target = folder.path().join("out.crosscut");
    let closed = crosscut_close::close(&events, &target, &Default::default(), &crosscut_run::Quiet);
    let error = closed.err().unwrap().to_string();
    assert!(error.contains("too many members of communicators"), "{error}");
}
