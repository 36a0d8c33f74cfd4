//! Tasks, messages and calls in one run: a task, a phase and a window of time open into the functions that ran in them.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use common::crosscut;
use crosscut_calls::Calls;
use crosscut_run::Run;
use crosscut_tree::NodeId;
use crosscut_view::REGISTRY;
use crosscut_workbench::{
    Block, Cell, Look, Nodes, OpenRun, Scope, Selection, Settings, Sheet, Shown, Span, TreeKey, TreeRef,
    Which, Workbench,
};

const HEAD: &str = "Functions that ran in it";

/// Builds `stages.c` as it comes: optimised, without frame pointers.
fn stages(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/calls/stages.c");
    let program = folder.join("stages");
    let built = Command::new("mpicc.openmpi")
        .args(["-g", "-O2", "-fopenmp"])
        .arg(source)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap_or_else(|error| panic!("mpicc.openmpi: {error}; `cargo xtask doctor` says what is missing"));
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    program
}

fn recorded(folder: &Path) -> Workbench {
    let program = stages(folder);
    let mut command = crosscut(folder);
    command.args(["record", "--tasks", "--mpi", "--calls", "-o", "run.crosscut", "--", "mpirun.openmpi"]);
    command.args(["--oversubscribe", "-n", "2"]).arg(program);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = Run::open(&folder.join("run.crosscut")).unwrap();
    assert!(run.check().is_empty());
    Workbench::new(vec![OpenRun::open(run, REGISTRY, &Settings::new()).unwrap()], "")
}

/// The functions that a sheet lists, with their time; none where it has no such table.
fn functions(sheet: &Sheet) -> Option<Vec<(String, f64)>> {
    let mut blocks = sheet.blocks.iter();
    blocks.find(|block| matches!(block, Block::Head { text } if text == HEAD))?;
    let table = blocks.find_map(|block| match block {
        Block::Table { table } => Some(table),
        _ => None,
    });
    let cell = |cell: &Cell| match cell {
        Cell::Number { value, .. } => *value,
        _ => 0.0,
    };
    let rows = table.map(|table| table.rows.iter());
    let row = |row: &crosscut_workbench::Row| match &row.cells[..] {
        [Cell::Text { text, .. }, own, ..] => (text.clone(), cell(own)),
        cells => panic!("{cells:?}"),
    };
    Some(rows.map(|rows| rows.map(row).collect()).unwrap_or_default())
}

/// How much of what the program's own functions took; on a busy machine the kernel takes some of the time of each.
fn share(functions: &[(String, f64)], name: &str) -> f64 {
    let all: f64 = functions.iter().filter(|(other, _)| other != "(kernel)").map(|(_, time)| time).sum();
    functions.iter().filter(|(other, _)| other == name).map(|(_, time)| time).sum::<f64>() / all
}

/// The picture of a look as text.
fn drawn(bench: &Workbench, look: &Look) -> String {
    match bench.draw(look).unwrap().shown {
        Shown::Scene(scene) => scene.labels.iter().map(|label| format!("{}\n", label.text)).collect(),
        Shown::Sheet(_) => panic!("no picture"),
    }
}

#[test]
fn what_ran_in_a_task_a_phase_and_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let bench = recorded(folder.path());
    let (mut assembled, mut factored, mut tasks) = (0, 0, Vec::new());
    // Every task of the program was one function.
    let table = bench.tree_frame(0, &TreeRef::named("tasks"), &Which::All, &Scope::default(), None);
    let nodes = table.unwrap().num_rows() as u32;
    for node in (0..nodes).map(NodeId) {
        let selection = Selection::node(0, "tasks", node);
        let sheet = bench.about(&selection).unwrap();
        let Some(ran) = functions(&sheet).filter(|ran| !ran.is_empty() && sheet.kind == "task") else {
            continue;
        };
        let (first, second) = (share(&ran, "assemble"), share(&ran, "factor"));
        // The tasks that the ranks begin with ran both, and others neither.
        if first.max(second) < 0.9 {
            continue;
        }
        tasks.push(node);
        assembled += usize::from(first > 0.9);
        factored += usize::from(second > 0.9);
        // Looked at alone, the other function is not there.
        let (here, other) = if first > 0.9 { ("assemble", "factor") } else { ("factor", "assemble") };
        let mut look = Look::of("calls.icicle", 0);
        look.scope.inside = Some(selection);
        let text = drawn(&bench, &look);
        assert!(text.contains(here) && !text.contains(other), "{text}");
    }
    // Four of each on each of two ranks.
    assert_eq!((assembled, factored), (8, 8));

    // Both are in the whole run; the one ran before the message, the other after it.
    let mut look = Look::of("calls.icicle", 0);
    let text = drawn(&bench, &look);
    assert!(text.contains("assemble") && text.contains("factor"), "{text}");
    let (first, second) = (times(folder.path(), "assemble"), times(folder.path(), "factor"));
    assert!(first.1 < second.0, "{first:?} {second:?}");
    for (time, here, other) in [(first, "assemble", "factor"), (second, "factor", "assemble")] {
        look.scope.time = Some(Span(time.0 as f64, time.1 as f64));
        let text = drawn(&bench, &look);
        assert!(text.contains(here) && !text.contains(other), "{text}");
    }

    // So does the command line.
    let render = |view: &str, inside: &str| {
        let mut command = crosscut(folder.path());
        command.args(["render", "run.crosscut", "--view", view, "--inside", inside, "-o", "inside.svg"]);
        let output = command.output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (is_done, said) = render("calls.icicle", &format!("tasks:{}", tasks[0].0));
    let text = std::fs::read_to_string(folder.path().join("inside.svg")).unwrap_or_default();
    assert!(is_done && text.contains("assemble") != text.contains("factor"), "{said}");
    let (is_done, said) = render("tasks.timeline", "tasks:1");
    assert!(!is_done && said.contains("timeline is of the whole run"), "{said}");
    let (is_done, said) = render("calls.icicle", "tasks");
    assert!(!is_done && said.contains("`tasks` are no nodes of a tree"), "{said}");

    // The page's tree of phases knows, too: the whole program is one.
    let phase = Selection { nodes: Nodes::one(NodeId::ROOT), ..Selection::node(0, "phases", NodeId::ROOT) };
    assert_eq!(phase.tree, TreeKey::named("phases"));
    let ran = functions(&bench.about(&phase).unwrap()).expect("functions of a phase");
    assert!(share(&ran, "assemble") > 0.2 && share(&ran, "factor") > 0.2, "{ran:?}");
}

/// First and last sample of a function.
fn times(folder: &Path, function: &str) -> (i64, i64) {
    let calls = Calls::open(Arc::new(Run::open(&folder.join("run.crosscut")).unwrap())).unwrap();
    let samples = calls.samples().unwrap();
    let all = 0..samples.len();
    let of_function = |node: u32| {
        let path = std::iter::once(NodeId(node)).chain(calls.tree().ancestors(NodeId(node)));
        path.filter_map(|node| calls.frame(node)).any(|frame| frame.name == function)
    };
    let found = samples.nodes(all.clone()).iter().zip(samples.times(all));
    let found = found.filter(|&(&node, _)| of_function(node)).map(|(_, &time)| time);
    (found.clone().min().unwrap(), found.max().unwrap())
}
