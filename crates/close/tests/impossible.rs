//! Events in the right form that no program can have caused: tasks in circles, teams inside themselves, absurd numbers,
//! times far apart, far too many of everything. Closing them gives an error or a sound run, within memory.

mod common;
mod damage;

use common::{CHUNK, CODE, FIRST, Process, Stream, folding, team, word};
use crosscut_events::{ClockKind, EventKind, TaskId, WaitKind, with_tag};
use damage::{Wrong, alone, bases, events_of, run_of, survives, try_close};

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
