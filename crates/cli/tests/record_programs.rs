//! `crosscut record` around every example: the program must not notice, and the run must be right.

use crate::common;

use common::{COMPILERS, alone, crosscut, events_in, info, number_after, record, source};
use crosscut_tasks::grain::Grains;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;

/// The examples in C, with their arguments.
const PROGRAMS: [&str; 13] = [
    "alignment",
    "fib",
    "nqueens 12 4",
    "sort 400000 flawed",
    "sort 400000 fixed",
    "lu",
    "loop",
    "loop 2000 16 static",
    "loop 2000 16 guided",
    "depend",
    "taskgroup",
    "mixed",
    "forks",
];

/// Records a program and looks at all that must hold for any program.
fn check(line: &str, threads: usize) {
    let expected = alone(line, threads);
    let expected = String::from_utf8(expected.stdout).unwrap();
    let recorded = record(&[], line, threads).well();
    let what = format!("{line} with {threads} threads: {}", recorded.stderr);
    assert_eq!(recorded.stdout, expected, "{what}");
    assert!(events_in(recorded.folder.path()).is_empty(), "{what}");
    let info = recorded.info();
    let what = format!("{what}{}", info.text());
    assert!(!info.is_partial(), "{what}");
    assert_eq!(info.number("dropped_events"), 0, "{what}");
    if let Some(tasks) = number_after(&expected, "tasks") {
        // The second child of `forks` is a program with four tasks of its own.
        let more = if line.contains("forks") { 4 } else { 0 };
        assert_eq!(info.number("tasks"), tasks + more, "{what}");
    }
    let (elapsed, work) = (info.number("elapsed_ns"), info.number("work_ns"));
    let all = info.number("workers") * elapsed;
    assert!(0 < work && work <= all, "{what}");
    let span = info.number("span_ns");
    assert!(0 < span && span <= elapsed && span <= work, "{what}");
    let sum = work + info.number("delay_ns") + info.number("no_work_ns");
    assert!((sum - all).abs() <= info.number("workers"), "{what}: {sum} is not {all}");
    if !line.contains("forks") && !line.contains("mixed") {
        assert!(info.number("workers") <= threads as i64 + i64::from(line.contains("quicksort")), "{what}");
    }
}

#[test]
fn every_program_of_clang() {
    for program in PROGRAMS {
        check(&format!("clang {program}"), 1);
        check(&format!("clang {program}"), 2);
    }
}

#[test]
fn every_program_of_gcc() {
    for program in PROGRAMS {
        check(&format!("gcc {program}"), 1);
        check(&format!("gcc {program}"), 2);
    }
}

#[test]
fn a_program_of_rust() {
    for threads in [1, 2] {
        check("rust quicksort", threads);
        check("rust quicksort 10000 100", threads);
    }
}

#[test]
fn fib_has_its_tasks_whatever_the_threads() {
    for compiler in COMPILERS {
        for threads in [1, 2, 8] {
            let recorded = record(&[], &format!("{compiler} fib"), threads).well();
            assert_eq!(recorded.info().number("tasks"), 510, "{compiler}, {threads}: {}", recorded.stderr);
        }
    }
}

#[test]
fn a_chain_is_as_long_as_its_work() {
    for compiler in COMPILERS {
        let recorded = record(&[], &format!("{compiler} depend"), 2).well();
        let tasks = recorded.tasks();
        let links: Vec<NodeId> = (1..tasks.summary().nodes)
            .map(NodeId)
            .filter(|&node| tasks.kind(node) == Kind::Task && !tasks.is_lane(node))
            .collect();
        assert_eq!(links.len(), 4, "{compiler}: {}", recorded.stderr);
        // A lane that was kept waiting for a processor counts as work beside the chain, so work is no measure of it.
        let chain: i64 = links.iter().map(|&link| tasks.work(link)).sum();
        let longest = links.iter().map(|&link| tasks.work(link)).max().unwrap();
        assert!(0 < longest && longest < chain, "{compiler}: {longest} of {chain}");
        assert!(tasks.summary().span >= chain, "{compiler}: {} < {chain}", tasks.summary().span);
    }
}

#[test]
fn a_group_waits_for_grandchildren() {
    for compiler in COMPILERS {
        let recorded = record(&[], &format!("{compiler} taskgroup"), 2).well();
        let tasks = recorded.tasks();
        let s = tasks.summary();
        assert_eq!(s.tasks, 36, "{compiler}");
        // From the longest child to the longest of its grandchildren, and on behind the group.
        let nodes = || {
            (0..s.nodes).map(NodeId).filter(|&node| tasks.kind(node) == Kind::Task && !tasks.is_lane(node))
        };
        let inside = |node: NodeId| {
            tasks
                .tree()
                .ancestors(node)
                .any(|above| above != node && nodes().any(|n| n == above) && above.0 != 0)
        };
        let longest = nodes().filter(|&node| inside(node)).map(|node| tasks.span(node)).max().unwrap();
        assert!(longest > 0 && s.span >= longest, "{compiler}: {} < {longest}", s.span);
    }
}

#[test]
fn tasks_created_in_a_chunk_belong_to_the_chunk() {
    // As many as the grain graphs of the Barcelona OpenMP Task Suite have: n chunks, a task for each pair, the program.
    for (compiler, threads) in [("gcc", 1), ("gcc", 2), ("gcc", 4), ("clang", 2), ("clang", 8)] {
        for (sequences, grains, fork_joins, nodes) in [(20, 211, 21, 255), (100, 5_051, 101, 5_255)] {
            let recorded = record(&[], &format!("{compiler} alignment {sequences}"), threads).well();
            let graph = Grains::new(&recorded.tasks());
            let found = (graph.grain_count(), graph.fork_joins(), graph.raw_nodes());
            let what = format!("{compiler} with {threads} threads: {}", recorded.stderr);
            assert_eq!(found, (grains, fork_joins, nodes), "{what}");
        }
    }
    // One thread of LLVM's runtime takes all iterations as one chunk.
    let graph = Grains::new(&record(&[], "clang alignment 20", 1).well().tasks());
    assert_eq!((graph.grain_count(), graph.fork_joins()), (192, 3));
}

/// Lines of a source, from 1, that begin so.
fn lines_of(source: &str, begin: &str) -> Vec<i64> {
    let lines = source.lines().enumerate().filter(|(_, line)| line.starts_with(begin));
    lines.map(|(number, _)| number as i64 + 1).collect()
}

#[test]
fn tasks_know_where_they_are_in_the_source() {
    let expected = lines_of(&source("fib.c"), "#pragma omp task shared");
    assert_eq!(expected.len(), 2);
    for compiler in COMPILERS {
        let recorded = record(&[], &format!("{compiler} fib"), 2).well();
        let tasks = recorded.tasks();
        let mut found = Vec::new();
        for node in (0..tasks.summary().nodes).map(NodeId).filter(|&node| tasks.kind(node) == Kind::Create) {
            let (_, to) = tasks.source(node);
            let to = to.unwrap_or_else(|| panic!("{compiler}: a create without a place"));
            assert!(to.file.ends_with("fib.c"), "{compiler}: {to}");
            assert_eq!(to.function, "fib", "{compiler}: {to}");
            found.push(to.line);
        }
        assert_eq!(found.len(), 510);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected, "{compiler}");
    }
}

#[test]
fn a_loop_has_its_chunks() {
    for compiler in COMPILERS {
        for arguments in ["2000 16 dynamic", "2000 7 dynamic", "100 100 dynamic"] {
            let recorded = record(&[], &format!("{compiler} loop {arguments}"), 2).well();
            let chunks = number_after(&recorded.stdout, "chunks").unwrap();
            let tasks = recorded.tasks();
            let kind = Kind::LEAVES.iter().position(|&kind| kind == Kind::Chunk).unwrap();
            // Short ones are joined.
            let joined = tasks.joined_in(0..tasks.summary().nodes as usize);
            let more: i64 = joined.map(|joined| joined.chunks - 1).sum();
            assert_eq!(tasks.summary().counts[kind] + more, chunks, "{compiler} {arguments}");
            // Each iteration once.
            let nodes = (0..tasks.summary().nodes).map(NodeId);
            let mut found: Vec<(i64, i64)> = nodes.filter_map(|node| tasks.chunk(node)).collect();
            found.sort_unstable();
            let iterations: i64 = arguments.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(
                found.iter().map(|(_, count)| count).sum::<i64>(),
                iterations,
                "{compiler} {arguments}"
            );
            let follows = |pair: &[(i64, i64)]| pair[0].0 + pair[0].1 == pair[1].0;
            assert!(more > 0 || found.windows(2).all(follows), "{compiler} {arguments}: {found:?}");
        }
    }
}

#[test]
fn folding_keeps_the_totals() {
    for compiler in COMPILERS {
        for threads in [1, 2] {
            let line = format!("{compiler} nqueens 12 4");
            let whole = record(&[], &line, threads).well();
            let folded = record(&["--collapse"], &line, threads).well();
            let (w, f) = (whole.tasks().summary().clone(), folded.tasks().summary().clone());
            let what = format!("{line} with {threads} threads: {} {}", whole.stderr, folded.stderr);
            assert!(!folded.info().is_partial(), "{what}");
            assert_eq!((w.tasks, f.tasks), (4958, 4958), "{what}");
            let kind = |kind: Kind| Kind::LEAVES.iter().position(|&leaf| leaf == kind).unwrap();
            assert_eq!(f.counts[kind(Kind::Create)], 4958, "{what}");
            // One end for each task, the program itself and the lanes.
            assert!(
                (4958 + 1..4958 + 8).contains(&f.counts[kind(Kind::End)]),
                "{what}: {:?} {:?}",
                f.counts,
                w.counts
            );
            assert!(
                f.counts[kind(Kind::Wait)] >= w.counts[kind(Kind::Wait)] - 8,
                "{what}: {:?} {:?}",
                f.counts,
                w.counts
            );
            assert_eq!(f.intervals, f.counts.iter().sum::<i64>(), "{what}");
            assert!(u64::from(f.nodes) * 4 < u64::from(w.nodes), "{what}: {} and {} nodes", f.nodes, w.nodes);
            assert!(f.work <= f.elapsed * i64::from(f.workers) && f.span <= f.elapsed, "{what}");
        }
    }
}

#[test]
fn folding_of_more_tasks_than_fit_into_a_chunk() {
    // All that is left of a million tasks are a few hundred events.
    for (line, tasks) in [("clang nqueens 11 0", 166_925), ("gcc fib 24 24", 150_048)] {
        for threads in [1, 2] {
            let recorded = record(&["--collapse"], line, threads).well();
            let info = recorded.info();
            let expected = number_after(&recorded.stdout, "tasks").unwrap();
            assert_eq!(expected, tasks);
            assert_eq!(info.number("tasks"), tasks, "{line} with {threads} threads: {}", recorded.stderr);
            assert!(!info.is_partial(), "{line} with {threads} threads: {}", recorded.stderr);
        }
    }
}

#[test]
fn counters() {
    for compiler in COMPILERS {
        let recorded =
            record(&["--counters", "page-faults,task-clock"], &format!("{compiler} fib"), 2).well();
        assert_eq!(recorded.info().number("tasks"), 510, "{}", recorded.stderr);
        assert!(!recorded.info().is_partial());
        // Virtual machines have none of these.
        let recorded = record(&["--counters", "instructions"], &format!("{compiler} fib"), 2).well();
        assert_eq!(recorded.info().number("tasks"), 510, "{}", recorded.stderr);
        let about: Vec<&str> = recorded.stderr.lines().filter(|line| line.contains("instructions")).collect();
        assert!(about.len() <= 1, "{}", recorded.stderr);
        assert!(about.iter().all(|line| line.starts_with("crosscut: ")), "{about:?}");
        // One that no machine has.
        let recorded = record(&["--counters", "no-such-counter"], &format!("{compiler} fib"), 2).well();
        assert_eq!(recorded.info().number("tasks"), 510, "{}", recorded.stderr);
        let about: Vec<&str> =
            recorded.stderr.lines().filter(|line| line.contains("no-such-counter")).collect();
        assert_eq!(about.len(), 1, "{}", recorded.stderr);
    }
}

#[test]
fn kept_events_become_the_same_run() {
    for (options, line) in [
        (&["--keep-events"][..], "clang fib"),
        (&["--keep-events"], "gcc mixed"),
        (&["--keep-events"], "clang forks"),
        (&["--keep-events", "--collapse"], "gcc nqueens 12 4"),
    ] {
        let recorded = record(options, line, 2).well();
        let folder = recorded.folder.path();
        let events = events_in(folder);
        assert_eq!(events.len(), 1, "{}", recorded.stderr);
        assert!(recorded.stderr.contains("crosscut import"), "{}", recorded.stderr);
        let output =
            crosscut(folder).arg("import").arg(&events[0]).args(["-o", "again.crosscut"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let again = info(&folder.join("again.crosscut"));
        let first = recorded.info();
        assert_eq!(again.totals(), first.totals(), "{line}");
        assert_eq!(again.is_partial(), first.is_partial());
        let (a, b) = (again.number("elapsed_ns") as f64, first.number("elapsed_ns") as f64);
        assert!((a / b - 1.0).abs() < 0.01, "{line}: {a} and {b}");
    }
}
