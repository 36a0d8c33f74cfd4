//! Where workers wait, by line: every moment of every worker looked at, against one pass over its intervals.

use crate::model;

use crosscut_tasks::schema::Kind;
use model::{Program, Recording, Schedule, any_run, cases};
use proptest::prelude::*;

/// Gives every interval that ends at a wait, and every last one, a line of its own: its number.
fn with_lines(mut recording: Recording) -> Recording {
    for node in 0..recording.program.nodes.len() {
        if matches!(recording.program.nodes[node].kind, Kind::Wait | Kind::End) {
            recording.program.at(node, node as u32);
        }
    }
    recording
}

/// A wait: its line, the worker that comes to it, when, and until when it is not over.
struct Wait {
    line: usize,
    worker: usize,
    from: i64,
    until: i64,
}

/// All waits of a recording, from the edges of the program: what follows a wait is what its interval leads to.
fn waits(recording: &Recording) -> Vec<Wait> {
    let (program, schedule) = (&recording.program, &recording.schedule);
    let (edges, joined) = (program.edges(), program.joined());
    let is_kept = |node: usize| {
        let kept = &recording.kept[recording.kept_as[node]];
        kept.model == node && !kept.collapsed
    };
    // When all is done that a section waits for.
    let released = |section: usize, wait: usize| {
        let tasks = joined[section].iter().copied();
        let depends = program.depends.iter().filter(|depend| depend.0 == wait).map(|depend| depend.1);
        tasks
            .chain(depends)
            .map(|task| schedule.end[program.last_leaf(task)])
            .fold(schedule.end[wait], i64::max)
    };
    let mut waits = Vec::new();
    for (node, at) in program.nodes.iter().enumerate().filter(|(node, _)| is_kept(*node)) {
        let Some(above) = at.parent else { continue };
        let until = match at.kind {
            Kind::Wait => {
                let after = edges.iter().find(|edge| edge.0 == node).map(|edge| schedule.start[edge.1]);
                Some(after.unwrap_or_else(|| released(above, node)))
            }
            Kind::End if above > 0 && program.nodes[above - 1].kind == Kind::Fork => {
                let team = program.nodes[above].parent.expect("a team");
                program.wait(team).map(|wait| released(team, wait))
            }
            _ => None,
        };
        let (worker, from) = (schedule.worker[node], schedule.end[node]);
        waits.extend(until.map(|until| Wait { line: node, worker, from, until }));
    }
    waits
}

/// By line: from one moment to the next, a worker that runs nothing stands at the wait that it came to last.
fn slow(recording: &Recording) -> Vec<i64> {
    let (blocks, waits) = (recording.blocks(), waits(recording));
    let mut moments: Vec<i64> = blocks.iter().flat_map(|block| [block.start, block.end]).collect();
    moments.extend(waits.iter().flat_map(|wait| [wait.from, wait.until]));
    moments.extend([0, recording.elapsed()]);
    moments.sort_unstable();
    moments.dedup();
    let mut waited = vec![0; recording.program.nodes.len()];
    // Of intervals that take no time, the one that stands later in the order of the worker is the later one.
    let order = |wait: &Wait| {
        let node = recording.kept_as[wait.line];
        (recording.schedule.start[wait.line], wait.from, node)
    };
    for worker in 0..recording.workers {
        for pair in moments.windows(2) {
            let (t, to) = (pair[0], pair[1]);
            let runs = |block: &&model::Block| block.row == worker && block.start <= t && t < block.end;
            if blocks.iter().any(|block| runs(&block)) {
                continue;
            }
            let here = waits.iter().filter(|wait| wait.worker == worker && wait.from <= t && t < wait.until);
            if let Some(last) = here.max_by_key(|wait| order(wait)) {
                waited[last.line] += to - t;
            }
        }
    }
    waited
}

fn check(recording: &Recording) {
    let mut expected = slow(recording);
    let found = recording.open().tasks.waited_by_line();
    expected.truncate(found.len());
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn waiting_is_that_of_every_moment(case in any_run()) {
        check(&with_lines(case.record()));
    }
}

/// Two tasks of 100 and 40 on two workers: the one that has the short one waits, at the line of the wait if it is the
/// creator, else nowhere.
#[test]
fn a_creator_that_has_nothing_left_waits() {
    let mut program = Program::new();
    program.open(Kind::Section);
    program.spawn(0, 100);
    let wait = program.close(40);
    program.at(wait, 7);
    program.close(0);
    let schedule = Schedule::greedy(&program, 2);
    let recording = Recording::whole(program, schedule, 2);
    assert_eq!(recording.open().tasks.waited_by_line()[7], 60);
}

/// Members of a team that are done wait where they end.
#[test]
fn members_wait_for_the_longest() {
    let mut program = Program::new();
    program.open(Kind::Section);
    for work in [100, 30, 20] {
        program.leaf(Kind::Fork, 0);
        program.open(Kind::Task);
        let end = program.close(work);
        program.at(end, 9);
    }
    // Whoever comes there first waits for the team instead of its own member.
    let wait = program.close_deep(0);
    program.at(wait, 9);
    program.close(0);
    let schedule = Schedule::greedy(&program, 3);
    let recording = Recording::whole(program, schedule, 3);
    assert_eq!(recording.open().tasks.waited_by_line()[9], 150);
}
