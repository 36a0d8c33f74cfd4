//! MIR task statistics: what is read of a table is what the definitions find in the run.

use crate::grain_costs;

use std::collections::BTreeMap;
use std::time::Instant;

use crosscut_run::Clock;
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use grain_costs::{check, creation, members, nodes, open, overlaps, sync, work};
use proptest::prelude::*;

const HEADER: &str = "task,parent,joins_at,cpu_id,child_number,num_children,exec_cycles,creation_cycles,overhead_cycles,\
queue_size,create_instant,exec_end_instant,tag,metadata,outline_function,wait_instants\n";

fn read(text: &str) -> (tempfile::TempDir, Tasks) {
    open("stats.csv", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    let error = open("stats.csv", text.as_bytes()).expect_err("it is broken");
    assert!(error.path().is_some() && error.offset().is_some(), "{error}");
    error.to_string()
}

/// Five tasks on one worker, as a serial run of a small recursive program looks. The numbers are worked out by hand.
const SMALL: &str = "\
1,0,0,3,1,1,20000,900,8000,0,0,5000000,main_task,NA,4203733,[0;19000]
2,1,0,3,1,2,9000,5000,6600,0,14000,4998000,0x7ffd,NA,walk,[0;8600]
3,2,0,3,1,0,500,4400,0,0,5100,4990000,0x7ffe,NA,walk,[0]
4,2,0,3,2,0,700,1400,0,0,7200,4988000,0x7ffe,NA,leaf,[0]
9,NA,0,3,1,0,1,1,1,0,0,1,idle,NA,0,[0]
";

#[test]
fn a_small_table() {
    let (_folder, tasks) = read(&format!("{HEADER}{SMALL}"));
    check(&tasks);
    assert_eq!(tasks.clock(), Clock::Ticks);
    assert_eq!(tasks.run().manifest().facts["background_tasks"], 1);
    let found = nodes(&tasks, Kind::Task);
    assert_eq!(found.len(), 5, "the root and four tasks");
    let works: Vec<i64> = found.iter().map(|&task| work(&tasks, task)).collect();
    assert_eq!(works, [0, 12_000, 2_400, 500, 700]);
    let creations: Vec<i64> = found[1..].iter().map(|&task| creation(&tasks, task)).collect();
    assert_eq!(creations, [900, 5000, 4400, 1400]);
    let syncs: Vec<i64> = nodes(&tasks, Kind::Section).iter().map(|&section| sync(&tasks, section)).collect();
    // 8000 − 5000; 6600 − 4400 − 1400; the root has no overhead.
    assert_eq!(syncs, [0, 3000, 800]);
    assert_eq!(overlaps(&tasks), 0, "one worker does one thing at a time");
    assert_eq!((tasks.workers(), tasks.core(NodeId::ROOT)), (1, Some(3)));
    // Task 2: until its creates, until its wait, and the rest.
    let intervals: Vec<i64> =
        grain_costs::spine(&tasks, found[2]).iter().map(|&leaf| tasks.elapsed(leaf)).collect();
    assert_eq!(intervals, [5100 - 4400, 7200 - 5100 - 1400, 8600 - 7200 - 800, 9000 - 8600]);
    // The last to be created ran first.
    assert!(tasks.end(found[4]) <= tasks.start(found[3]));
    let names: Vec<String> = found
        .iter()
        .map(|&task| tasks.source(task).0.map_or(String::new(), |s| s.function.clone()))
        .collect();
    assert_eq!(names, ["", "main_task", "walk", "walk", "leaf"]);
}

/// As the authors' own scripts count: a row is a grain, and a root without a row is none.
#[test]
fn rows_are_grains() {
    let count =
        |text: &str| crosscut_tasks::grain::Grains::new(&read(&format!("{HEADER}{text}")).1).grain_count();
    assert_eq!(count(SMALL), 4);
    let root = "0,0,0,3,1,1,100,0,0,0,0,6000000,root,NA,main,[0]\n";
    assert_eq!(count(&format!("{root}{SMALL}")), 5);
    // Two waits of the root.
    let more = "5,0,1,3,2,0,700,1400,0,0,7300,4988000,0x7ffe,NA,leaf,[0]\n";
    assert_eq!(count(&format!("{SMALL}{more}")), 5);
}

/// The same rows, written as other programs would write them.
#[test]
fn rows_and_columns_in_any_order() {
    let (_folder, expected) = read(&format!("{HEADER}{SMALL}"));
    let header: Vec<&str> = HEADER.trim().split(',').collect();
    let mut lines: Vec<Vec<String>> =
        SMALL.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    lines.reverse();
    let turn = |fields: &[String], extra: &str| {
        let quoted = fields.iter().rev().map(|field| format!("\"{field}\""));
        let all: Vec<String> = quoted.chain([extra.to_owned()]).collect();
        format!("{}\r\n", all.join(","))
    };
    let names: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
    let mut text = format!("\u{feff}# a comment\r\n\r\n{}", turn(&names, "\"said, by whom\"\"?\""));
    for (at, line) in lines.iter().enumerate() {
        text.push_str(&turn(line, ["\"two\nlines\"", "x", ""][at % 3]));
    }
    let (_folder, tasks) = read(text.trim_end());
    let all = |tasks: &Tasks| -> Vec<(i64, i64, Kind)> {
        let nodes = (0..tasks.tree().node_count() as u32).map(NodeId);
        nodes.map(|node| (tasks.start(node), tasks.end(node), tasks.kind(node))).collect()
    };
    assert_eq!(all(&tasks), all(&expected));
}

#[test]
fn few_columns_are_enough() {
    let text = "exec_cycles,joins_at,parent,task\n10,0,0,7\n1e1,0,7,8\n5.0,1,7,9\n";
    let (_folder, tasks) = read(text);
    check(&tasks);
    assert_eq!(tasks.summary().tasks, 3);
    assert_eq!((tasks.summary().work, tasks.workers(), tasks.core(NodeId::ROOT)), (25, 1, None));
    // Nothing is said about time: all runs one after the other, a grain's work before what it creates.
    assert_eq!((tasks.summary().elapsed, overlaps(&tasks)), (25, 0));
    assert_eq!(nodes(&tasks, Kind::Section).len(), 3);
}

#[test]
fn chunks_become_lanes() {
    let rows = "\
1,0,0,0,1,5,1000,10,160,0,0,0,region,NA,loop,[0;900]
2,1,0,0,1,0,100,10,0,0,50,0,t,chunk_0_8,loop,[0]
3,1,0,1,2,0,200,20,0,0,60,0,t,chunk_start=8;chunk_end=12,loop,[0]
4,1,0,0,3,0,300,30,0,0,70,0,t,[12-16],loop,[0]
5,1,0,1,4,0,400,40,0,0,80,0,t,16-17,loop,[0]
6,1,0,1,5,0,7,10,0,0,90,0,t,chunk_start,loop,[0]
";
    let (_folder, tasks) = read(&format!("{HEADER}{rows}"));
    check(&tasks);
    let chunks: Vec<_> = nodes(&tasks, Kind::Chunk)
        .iter()
        .map(|&node| (tasks.elapsed(node), tasks.chunk(node), tasks.core(node)))
        .collect();
    let expected = [
        (100, Some((0, 8)), Some(0)),
        (300, Some((12, 4)), Some(0)),
        (200, Some((8, 4)), Some(1)),
        (400, Some((16, 1)), Some(1)),
    ];
    assert_eq!(chunks, expected);
    let section = nodes(&tasks, Kind::Section)[1];
    let words: Vec<&str> = members(&tasks, section).iter().map(|&task| tasks.word(task)).collect();
    assert_eq!(words, ["lane", "lane", "task"]);
    assert_eq!(tasks.summary().counts, [2, 2, 0, 5, 2, 4]);
    assert_eq!(sync(&tasks, section), 160 - 110);
    // A chunk's creation cost lies before it; the first one's is its lane's.
    let lanes = members(&tasks, section);
    assert_eq!((creation(&tasks, lanes[0]), creation(&tasks, lanes[1])), (10, 20));
    let nodes = nodes(&tasks, Kind::Chunk);
    assert_eq!(tasks.start(nodes[1]) - tasks.end(nodes[0]), 30);
    assert!(tasks.joins(section));
}

#[test]
fn the_merged_form_brings_counters() {
    let header = HEADER.replace("task,", "lineage,task,").replace(
        "wait_instants",
        "wait_instants,PAPI_TLB_DM_sum,PAPI_RES_STL_mean,leaf,work_cycles,source_line,ratio,\"cache misses\",zero",
    );
    let rows = "\
R-1,1,0,0,0,1,2,1000,10,160,0,0,0,a,NA,f,[0;900],950,22.5,FALSE,840,fib.c:12,0.5,7,0
R-9-9,2,1,0,0,1,0,100,10,0,0,50,0,b,NA,f,[0],45,1,TRUE,100,fib.c:20,1.5,NA,0
R-1-2,3,1,0,1,2,0,100,10,0,0,50,0,b,chunk_0_1,f,[0],1,1,TRUE,100,fib.c:20,1.5,3,NA
";
    let (_folder, tasks) = read(&format!("{header}{rows}"));
    let count = tasks.tree().node_count();
    let sums: BTreeMap<&str, i64> = tasks.counters(0..count).collect();
    assert_eq!(sums, BTreeMap::from([("PAPI_TLB_DM_sum", 996), ("cache_misses", 10)]));
    let found = nodes(&tasks, Kind::Task);
    let second = found[2].index()..found[2].index() + 2;
    assert_eq!(tasks.counters(second).collect::<Vec<_>>(), [("PAPI_TLB_DM_sum", 45), ("cache_misses", 0)]);
    let chunk = nodes(&tasks, Kind::Chunk)[0].index();
    assert_eq!(
        tasks.counters(chunk..chunk + 1).collect::<Vec<_>>(),
        [("PAPI_TLB_DM_sum", 1), ("cache_misses", 3)]
    );
    let source = tasks.source(found[1]).0.unwrap();
    assert_eq!((&*source.file, source.line, &*source.function), ("fib.c", 12, "f"));
}

#[test]
fn what_is_wrong_is_named() {
    let with = |rows: &str| refused(&format!("{HEADER}{rows}"));
    assert!(with("").contains("no tasks: the file ends after its header row"));
    let text = with("1,NA,0,0,1,0,1,1,0,0,0,1,a,NA,f,[0]\n");
    assert!(text.contains("line 2") || text.contains("line 3"), "{text}");
    assert!(text.contains("all 1 rows are background"), "{text}");
    let row = |task: &str, parent: &str| format!("{task},{parent},0,0,1,0,10,1,0,0,0,100,a,NA,f,[0]\n");
    let text = with(&(row("1", "0") + &row("2", "5")));
    assert!(text.contains("line 3: task 2 has the parent 5, which is not in the file"), "{text}");
    let text = with(&(row("1", "0") + &row("2", "3") + &row("3", "4") + &row("4", "2")));
    assert!(text.contains("line 3: the parents of task 2 lead in a circle"), "{text}");
    assert!(with(&row("1", "1")).contains("the parents of task 1 lead in a circle"));
    assert!(
        with(&(row("1", "0") + &row("1", "0"))).contains("line 3: task 1 again; it is already in line 2")
    );
    assert!(with(&row("0", "1")).contains("task 0 is the root, but its parent is 1"));
    assert!(with(&row("-1", "0")).contains("task is `-1`; expected a whole number from 0 on"));
    assert!(with(&row("NA", "0")).contains("task is missing"));
    assert!(with(&row("1", "x")).contains("parent is `x`"));
    assert!(with("1,0\n").contains("line 2: 2 fields, but the header row has 16"));
    assert!(with(&row("1", "0").replace("[0]", "[0;x]")).contains("wait_instants: `x`; expected [0;t1;…]"));
    assert!(with(&row("1", "0").replace(",10,", ",9e18,")).contains("exec_cycles is `9e18`"));
    assert!(with(&row("1", "0").replace(",10,", ",9000000000000000000,")).contains("is too large"));
    assert!(with("\"1,0\n").contains("a quote that is not closed"));
    let chunk = row("2", "1").replace("NA", "chunk_0_1");
    assert!(
        with(&(row("1", "0") + &chunk + &row("3", "2")))
            .contains("task 3 has the parent 2, which is a chunk")
    );
    assert!(refused("task,parent,joins_at\n1,0,0\n").contains("no column `exec_cycles` in the header row"));
}

#[test]
fn a_row_of_the_root() {
    let rows =
        "2,0,0,1,1,0,100,10,0,0,50,900,b,NA,g,[0]\n0,0,0,0,0,1,1000,0,200,0,0,1500,main,NA,main,[0;800]\n";
    let (_folder, tasks) = read(&format!("{HEADER}{rows}"));
    check(&tasks);
    let found = nodes(&tasks, Kind::Task);
    assert_eq!((work(&tasks, found[0]), work(&tasks, found[1])), (800, 100));
    assert_eq!(sync(&tasks, NodeId(1)), 190);
    assert_eq!(tasks.source(NodeId::ROOT).0.unwrap().function, "main");
}

/// A random program, as its table has it.
#[derive(Clone, Debug)]
struct Task {
    parent: usize,
    joins_at: usize,
    cpu: usize,
    exec: i64,
    creation: i64,
    overhead: i64,
    created: i64,
    end: i64,
}

/// The costs that the definitions must find, in pre-order.
#[derive(Debug, Default, PartialEq)]
struct Costs {
    work: Vec<i64>,
    creation: Vec<i64>,
    sync: Vec<i64>,
    sizes: Vec<usize>,
}

/// The children of a task by section. Number 0 is the root; task i of the list has number i + 1.
fn sections(tasks: &[Task], number: usize) -> Vec<Vec<usize>> {
    let mut by: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, task) in tasks.iter().enumerate().filter(|(_, task)| task.parent == number) {
        by.entry(task.joins_at).or_default().push(at + 1);
    }
    by.into_values().collect()
}

fn expect(tasks: &[Task], number: usize, costs: &mut Costs) {
    let own = |number: usize| number.checked_sub(1).map(|at| &tasks[at]);
    costs.work.push(own(number).map_or(0, |task| (task.exec - task.overhead).max(0)));
    let sections = sections(tasks, number);
    let children: Vec<usize> = sections.iter().flatten().copied().collect();
    let creation: i64 = children.iter().map(|&child| tasks[child - 1].creation).sum();
    let sync = (own(number).map_or(0, |task| task.overhead) - creation).max(0);
    let (mut before, count) = (0, children.len() as i64);
    for section in sections {
        let after = before + section.len() as i64;
        costs.sync.push(sync * after / count - sync * before / count);
        costs.sizes.push(section.len());
        before = after;
        for child in section {
            costs.creation.push(tasks[child - 1].creation);
            expect(tasks, child, costs);
        }
    }
}

fn written(tasks: &[Task], turn: usize, moments: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        let waits: Vec<String> = (1..4).map(|k| (k * task.exec / 4).to_string()).collect();
        let fields = [
            // The numbers of tasks need not be dense.
            (3 * (at + 1)).to_string(),
            (3 * task.parent).to_string(),
            task.joins_at.to_string(),
            task.cpu.to_string(),
            (at + 1).to_string(),
            "0".to_owned(),
            task.exec.to_string(),
            task.creation.to_string(),
            task.overhead.to_string(),
            "0".to_owned(),
            task.created.to_string(),
            if moments { task.end.to_string() } else { "0".to_owned() },
            format!("tag{at}"),
            "NA".to_owned(),
            "4206736".to_owned(),
            format!("[0;{}]", waits.join(";")),
        ];
        lines.push(fields.join(","));
    }
    let turn = turn % lines.len().max(1);
    lines.rotate_left(turn);
    if turn.is_multiple_of(2) {
        lines.reverse();
    }
    format!("{HEADER}{}\n", lines.join("\n"))
}

prop_compose! {
    fn some_task(number: usize)(
        parent in 0..=number,
        joins_at in 0..4usize,
        cpu in 0..4usize,
        exec in 0..2000i64,
        creation in 0..60i64,
        overhead in 0..1500i64,
        created in 0..2000i64,
        end in 1..20_000i64,
    ) -> Task {
        Task { parent, joins_at, cpu, exec, creation, overhead, created, end }
    }
}

fn some_tasks() -> impl Strategy<Value = Vec<Task>> {
    (1..40usize).prop_flat_map(|count| (0..count).map(some_task).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever the moments say, the costs are those of the file.
    #[test]
    fn costs_are_kept(tasks in some_tasks(), turn in 0..40usize, moments: bool) {
        let (_folder, run) = read(&written(&tasks, turn, moments));
        check(&run);
        let mut expected = Costs::default();
        expect(&tasks, 0, &mut expected);
        let found = nodes(&run, Kind::Task);
        let sections = nodes(&run, Kind::Section);
        let costs = Costs {
            work: found.iter().map(|&task| work(&run, task)).collect(),
            creation: found[1..].iter().map(|&task| creation(&run, task)).collect(),
            sync: sections.iter().map(|&section| sync(&run, section)).collect(),
            sizes: sections.iter().map(|&section| members(&run, section).len()).collect(),
        };
        prop_assert_eq!(costs, expected);
        let one_worker = run.workers() == 1;
        prop_assert!(moments && !one_worker || overlaps(&run) == 0, "a worker does one thing at a time");
    }
}

fn timed(what: &str, text: String) -> Tasks {
    let clock = Instant::now();
    let (_folder, tasks) = read(&text);
    let seconds = clock.elapsed().as_secs_f64();
    println!("{what}: {seconds:.2} s for {} MB", text.len() / 1_000_000);
    assert!(seconds < 60.0, "{what}: {seconds} s");
    tasks
}

/// A million in release builds.
const MANY: i64 = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };

#[test]
fn a_long_chain() {
    let rows: String = (1..=MANY)
        .rev()
        .map(|task| format!("{task},{},0,0,1,1,10,2,5,0,3,0,a,NA,f,[0;9]\n", task - 1))
        .collect();
    let tasks = timed("chain", format!("{HEADER}{rows}"));
    let summary = tasks.summary();
    assert_eq!((summary.tasks, i64::from(summary.depth)), (MANY, 2 * MANY + 1));
    assert_eq!(summary.work, 5 * MANY);
    // Each costs 2 to create, and 3 to wait for but the first, whose parent is the root.
    assert_eq!(summary.elapsed, 5 * MANY + 2 * MANY + 3 * (MANY - 1));
}

#[test]
fn many_children() {
    let rows: String = (1..=MANY)
        .map(|task| format!("{task},0,0,{},{task},0,10,2,0,0,{},{},a,NA,f,[0]\n", task % 4, task, 10 * task))
        .collect();
    let tasks = timed("fan", format!("{HEADER}{rows}"));
    assert_eq!((tasks.summary().tasks, tasks.workers()), (MANY, 4));
    assert_eq!(tasks.summary().work, 10 * MANY);
}

#[test]
fn many_waits() {
    let waits: String = (1..=MANY).map(|k| format!(";{}", 7 * k)).collect();
    let mut text = format!("{HEADER}1,0,0,0,1,{MANY},{},0,{},0,0,9,a,NA,f,[0{waits}]\n", 7 * MANY, 3 * MANY);
    for task in 0..MANY {
        text.push_str(&format!("{},1,{task},1,{task},0,4,1,0,0,{},0,a,NA,f,[0]\n", task + 2, 7 * task + 3));
    }
    let tasks = timed("waits", text);
    assert_eq!((tasks.summary().tasks, tasks.summary().work), (MANY + 1, 4 * MANY + 4 * MANY));
    assert_eq!(tasks.summary().counts[Kind::Wait as usize], MANY + 1);
}
