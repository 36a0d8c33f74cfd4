//! Folding changes nothing but the size: the same schedule of a random program, recorded in full and folded, gives the
//! same totals. Time is made up, so that both see the same.

use std::collections::VecDeque;
use std::path::Path;

use crosscut_chance::Chance;
use crosscut_close::Exit;
use crosscut_events::{TaskId, WaitKind};
use crosscut_tasks::{Summary, Tasks};

use crate::options::Options;
use crate::process::Process;
use crate::thread::Thread;

#[derive(Clone, Copy)]
enum Do {
    Create,
    Wait,
    Section,
    SectionWait,
}

/// A task of the simulation.
struct Job {
    id: TaskId,
    /// Its steps, last first.
    steps: Vec<Do>,
    depth: u32,
    /// Children that have not ended, and who waits for them.
    open: usize,
    parent: Option<usize>,
    waits: bool,
    /// Where it was created: the interval after that begins when this has run, if it runs at once.
    at_once: bool,
}

/// A random program on some workers.
#[derive(Clone, Copy, Debug)]
struct Case {
    seed: u64,
    workers: usize,
    /// How likely a worker without tasks takes one from another, and a task is run when it is created, in per cent.
    stealing: u64,
    at_once: u64,
    /// Tasks at this depth create none.
    deepest: u32,
}

fn steps(chance: &mut Chance, depth: u32, deepest: u32) -> Vec<Do> {
    let mut steps = Vec::new();
    if depth < deepest {
        for _ in 0..chance.below(4) {
            let explicit = chance.below(3) == 0;
            if explicit {
                steps.push(Do::Section);
            }
            for _ in 0..chance.below(4) {
                steps.push(Do::Create);
            }
            if explicit {
                steps.push(Do::SectionWait);
            } else if chance.below(12) > 0 {
                steps.push(Do::Wait);
            }
        }
        // Some end without waiting.
        if depth == 0 || chance.below(12) > 0 {
            steps.push(Do::Wait);
        }
    }
    steps.reverse();
    steps
}

/// Runs a random program on some threads and records it.
fn record(folder: &Path, case: Case, options: Options) {
    let Case { seed, workers, stealing, at_once, deepest } = case;
    let process = Process::for_test(folder.join("1-1"), options);
    let mut threads: Vec<Box<Thread>> =
        (0..workers).map(|_| Thread::new(&process).expect("a thread")).collect();
    let mut chance = Chance::new(seed);
    let mut jobs: Vec<Job> = Vec::new();
    let mut stacks: Vec<Vec<usize>> = vec![Vec::new(); workers];
    let mut queues: Vec<VecDeque<usize>> = vec![VecDeque::new(); workers];
    let mut time = 1;
    threads[0].test_time = Some(time);
    let root = threads[0].root(true);
    jobs.push(Job {
        id: root,
        steps: steps(&mut chance, 0, deepest),
        depth: 0,
        open: 0,
        parent: None,
        waits: false,
        at_once: false,
    });
    stacks[0].push(0);
    let mut running = 1;
    while running > 0 {
        time += 1 + chance.below(50);
        let w = chance.below(workers as u64) as usize;
        let thread = &mut threads[w];
        thread.test_time = Some(time);
        let current = stacks[w].last().copied();
        let ready = current.is_none_or(|job| jobs[job].waits && jobs[job].open > 0);
        if ready {
            // Take a task: the youngest of its own, or the oldest of somebody else's.
            let victim = chance.below(workers as u64) as usize;
            let taken = match queues[w].pop_back() {
                None if chance.below(100) < stealing => queues[victim].pop_front(),
                own => own,
            };
            if let Some(job) = taken {
                thread.begin(jobs[job].id);
                stacks[w].push(job);
            }
            continue;
        }
        let Some(current) = current else { continue };
        if jobs[current].waits {
            jobs[current].waits = false;
            thread.wait_end();
            continue;
        }
        match jobs[current].steps.pop() {
            Some(Do::Create) => {
                let id = thread.create(0, 0);
                let depth = jobs[current].depth + 1;
                let parent = Some(current);
                let at_once = chance.below(100) < at_once;
                let steps = steps(&mut chance, depth, deepest);
                jobs.push(Job { id, steps, depth, open: 0, parent, waits: false, at_once });
                jobs[current].open += 1;
                running += 1;
                if at_once {
                    thread.test_time = Some(time + 1);
                    thread.begin(id);
                    stacks[w].push(jobs.len() - 1);
                } else {
                    queues[w].push_back(jobs.len() - 1);
                }
            }
            Some(Do::Section) => thread.group(0),
            Some(step @ (Do::Wait | Do::SectionWait)) => {
                thread.wait(if matches!(step, Do::Wait) { WaitKind::Tasks } else { WaitKind::Section }, 0);
                jobs[current].waits = true;
            }
            None => {
                stacks[w].pop();
                let next = stacks[w].last().map_or(TaskId::NONE, |&below| jobs[below].id);
                thread.end(next);
                running -= 1;
                if let Some(parent) = jobs[current].parent {
                    jobs[parent].open -= 1;
                }
            }
        }
    }
    assert!(
        jobs.iter().all(|job| job.steps.is_empty()) && jobs.iter().any(|job| job.at_once || job.depth == 0)
    );
}

fn close(folder: &Path, name: &str) -> (Summary, u64) {
    let target = folder.join(format!("{name}.crosscut"));
    let options = crosscut_close::Options { exit: Some(Exit::Code(0)), ..Default::default() };
    let closed =
        crosscut_close::close(&folder.join(name), &target, &options, &crosscut_close::Quiet).expect("a run");
    assert_eq!(closed.run.manifest().partial, None);
    let tasks = Tasks::open(closed.run).expect("a task tree");
    let size = tasks.summary().nodes.into();
    (tasks.summary().clone(), size)
}

fn compare(case: Case) -> (Summary, u64, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    record(&folder.path().join("full"), case, Options::default());
    let options = Options { collapse: true, ..Options::default() };
    record(&folder.path().join("folded"), case, options);
    let (full, full_nodes) = close(folder.path(), "full");
    let (folded, folded_nodes) = close(folder.path(), "folded");
    let text = format!("{case:?}");
    assert_eq!(full.tasks, folded.tasks, "tasks, {text}");
    assert_eq!(full.work, folded.work, "work, {text}");
    assert_eq!(full.span, folded.span, "span, {text}");
    assert_eq!(full.counts, folded.counts, "intervals by kind, {text}");
    assert_eq!(full.edges, folded.edges, "edges by kind, {text}");
    assert_eq!(full.elapsed, folded.elapsed, "elapsed, {text}");
    assert_eq!(full.busy, folded.busy, "work by worker, {text}");
    (full, full_nodes, folded_nodes)
}

#[test]
fn totals_are_equal() {
    let mut saved = 0;
    for seed in 0..150 {
        let case =
            Case { seed, workers: 1 + seed as usize % 3, stealing: 40, at_once: seed % 2 * 30, deepest: 5 };
        let (_, full, folded) = compare(case);
        saved += full - folded;
    }
    assert!(saved > 0, "nothing was ever folded");
}

#[test]
fn totals_are_equal_over_many_chunks() {
    let mut most = 0;
    for seed in 0..6 {
        let (full, ..) = compare(Case { seed, workers: 2, stealing: 30, at_once: 10, deepest: 9 });
        most = most.max(full.tasks);
    }
    assert!(most > 5_000, "at most {most} tasks: that fits into a chunk or two");
}

#[test]
fn one_worker_folds_to_nearly_nothing() {
    for seed in 1000..1020 {
        let (full, _, nodes) =
            compare(Case { seed, workers: 1, stealing: 0, at_once: 100 * (seed % 2), deepest: 5 });
        // Sections with no wait stay open, and so do the tasks around them.
        if full.nodes > 1000 {
            assert!(nodes * 4 < u64::from(full.nodes), "{nodes} of {} nodes are left", full.nodes);
        }
    }
}
