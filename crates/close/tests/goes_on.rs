//! Where a task goes on after a team, and since when others were seen, from events written by hand.

mod common;

use common::{CODE, Process, Stream, folder};
use crosscut_close::{Options, Quiet, close};
use crosscut_events::{EventKind, WaitKind, with_tag};
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use tempfile::TempDir;

/// Code that is elsewhere.
const AFTER: u64 = 0x6666_6666_6000;

/// The program starts a team of one, and says where it goes on.
fn program(goes_on: Option<u64>) -> Process {
    let mut a = Stream::new(0);
    let root = a.root();
    let team = a.fork(1);
    a.lane(team, 0);
    a.wait(WaitKind::LastBarrier).put(EventKind::LaneEnd, &[]).put(EventKind::Join, &[root]);
    if let Some(code) = goes_on {
        a.put_at(a.ticks, EventKind::GoesOn, &[code]);
    }
    a.end(0);
    let mut process = Process::new(1, &[a]);
    process.maps.push_str("666666660000-666666670000 r-xp 00000000 00:00 0 [after]\n");
    process.maps.push_str("777777770000-777777780000 r-xp 00000000 00:00 0 /lib/libgomp.so.1\n");
    process
}

/// The run, with the folder that holds it.
fn closed(process: &Process) -> (Tasks, TempDir) {
    let folder = folder();
    process.write(&folder.path().join("events"));
    let target = folder.path().join("made.crosscut");
    close(&folder.path().join("events"), &target, &Options::default(), &Quiet).expect("a run");
    let run = crosscut_run::Run::open(&target).expect("a run");
    (Tasks::open(run).expect("tasks"), folder)
}

/// The file in which the last interval of the program begins.
fn last_begins_in((tasks, _): &(Tasks, TempDir)) -> String {
    let last = NodeId(tasks.tree().node_count() as u32 - 1);
    tasks.source(last).0.map(|source| source.file.clone()).unwrap_or_default()
}

#[test]
fn a_task_goes_on_where_the_call_returns_to() {
    assert_eq!(last_begins_in(&closed(&program(Some(AFTER)))), "[after]");
    // Recorders that do not say it, and runtimes that call themselves: the region stands for it.
    let region = last_begins_in(&closed(&program(None)));
    assert_eq!(region, "[code]", "{CODE:x}");
    assert_eq!(last_begins_in(&closed(&program(Some(0x7777_7777_7000)))), region);
}

/// The intervals of a lane that alone runs a construct with this code.
fn alone(code: u64) -> Vec<(Kind, String)> {
    let mut a = Stream::new(0);
    let root = a.root();
    let team = a.fork(1);
    a.lane(team, 0);
    a.put(EventKind::GoesOn, &[with_tag(code, 1)]);
    a.wait(WaitKind::LastBarrier).put(EventKind::LaneEnd, &[]).put(EventKind::Join, &[root]).end(0);
    let mut process = Process::new(1, &[a]);
    process.maps.push_str("666666660000-666666670000 r-xp 00000000 00:00 0 [alone]\n");
    let (tasks, _folder) = closed(&process);
    let nodes = (0..tasks.tree().node_count() as u32).map(NodeId);
    nodes
        .filter(|&node| tasks.tree().parent(node).is_some_and(|parent| tasks.is_lane(parent)))
        .map(|node| {
            (tasks.kind(node), tasks.source(node).0.map(|source| source.file.clone()).unwrap_or_default())
        })
        .collect()
}

/// What a lane did before it alone runs a construct is an interval of its own, and the construct has its line.
#[test]
fn a_construct_that_one_lane_runs_has_its_line() {
    assert_eq!(alone(AFTER), [(Kind::Other, "[code]".to_owned()), (Kind::End, "[alone]".to_owned())]);
    // Where the compiler gives it the line of the region, it says nothing.
    assert_eq!(alone(CODE + 16), [(Kind::End, "[code]".to_owned())]);
}

#[test]
fn idle_time_has_its_begin() {
    let mut process = program(None);
    let fact = |process: &Process, name: &str| {
        closed(process).0.run().manifest().facts.get(name).and_then(|number| number.as_i64())
    };
    process.text.push_str("idle-before 5000000\nidle-after 25000000\n");
    assert_eq!((fact(&process, "idle_ns"), fact(&process, "idle_from_ns")), (Some(20_000_000), None));
    process.text.push_str("idle-at 30\n");
    assert_eq!(fact(&process, "idle_from_ns"), Some(30));
}
