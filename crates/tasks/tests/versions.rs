//! Runs of every format version, kept in `crates/run/tests/versions`: each opens and gives the numbers of this program.

use crate::model;

use std::path::{Path, PathBuf};

use crosscut_run::{Clock, FORMAT, Origin, Places, Run, RunWriter, Source, SourcesBuilder};
use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Tasks, finish};
use crosscut_tree::NodeId;
use model::{Chance, Folding, Program, Recording, Schedule};

fn kept(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../run/tests/versions/{version}/tiny"))
}

/// Two workers, four tasks, one of them collapsed with what it created.
fn tiny() -> Recording {
    let mut program = Program::new();
    program.leaf(Kind::Other, 2);
    program.open(Kind::Section);
    program.spawn(1, 9);
    program.leaf(Kind::Create, 1);
    let inner = program.open(Kind::Task);
    program.open(Kind::Section);
    program.spawn(1, 3);
    program.close(2);
    program.close(1);
    program.spawn(1, 5);
    program.close(2);
    program.close(1);
    let schedule = Schedule::run(&program, 2, |_| 0, |leaf, _| (usize::from(leaf > inner), -1, 0));
    let seed = (0..1000).find(|&seed| {
        let folded =
            Recording::new(program.clone(), schedule.clone(), 2, Folding::OneWorker, &mut Chance::new(seed));
        folded.kept.iter().filter(|k| k.collapsed).map(|k| k.model).eq([inner])
    });
    let mut chance = Chance::new(seed.expect("some seed collapses it"));
    Recording::new(program, schedule, 2, Folding::OneWorker, &mut chance)
}

fn write(target: &Path) -> Run {
    let mut run = RunWriter::create(target).expect("a new run");
    run.manifest().origin =
        Origin { command: vec!["tiny".into()], host: "nowhere".into(), ..Origin::default() };
    run.manifest().clock = Clock::Ticks;
    let mut sources = SourcesBuilder::new();
    let (from, to) = (source(&mut sources, 3), source(&mut sources, 8));
    let site = sources.site(from, to);
    run.put_sources(&sources.finish()).expect("tables");
    let mut places = Places::workers(2).expect("places");
    let mut tasks = tiny().fill(&run, &mut places);
    tasks.site.fill(site);
    finish(&mut run, tasks, &places).expect("finished");
    run.finish().expect("a run")
}

fn source(sources: &mut SourcesBuilder, line: i64) -> u32 {
    sources.source(Source { file: "tiny.c".into(), line, function: "main".into() })
}

/// Writes the fixture of the present version anew. Run it when the parts change within a version that is not out yet:
/// `cargo test -p crosscut-tasks --test versions -- --ignored`
#[test]
#[ignore = "writes into the source tree"]
fn regenerate() {
    let path = kept(FORMAT);
    if path.exists() {
        std::fs::remove_dir_all(&path).expect("removed");
    }
    write(&path);
}

#[test]
fn every_version_gives_the_same_numbers() {
    let dir = model::fresh_dir();
    let now = Tasks::open(write(&dir.path().join("tiny"))).expect("tasks");
    for version in 0..=FORMAT {
        let run = Run::open(&kept(version)).unwrap_or_else(|e| panic!("version {version}: {e}"));
        let tasks = Tasks::open(run).unwrap_or_else(|e| panic!("version {version}: {e}"));
        assert_eq!(tasks.run().manifest().format, FORMAT);
        assert_eq!(tasks.clock(), Clock::Ticks);
        assert_eq!(tasks.summary(), now.summary(), "version {version}");
        assert_eq!(tasks.exact_profile(), now.exact_profile());
        assert_eq!(tasks.timeline(0, 100, 8, 0), now.timeline(0, 100, 8, 0));
        for node in (0..now.summary().nodes).map(NodeId) {
            assert_eq!(tasks.title(node), now.title(node));
            assert_eq!(tasks.span(node), now.span(node));
        }
    }
    let s = now.summary();
    assert_eq!((s.work, s.tasks, s.workers), (29, 4, 2));
    assert!((0..s.nodes).any(|n| now.is_collapsed(NodeId(n))));
    assert_eq!(now.title(NodeId::ROOT), "task main tiny.c:3 → 8");
}
