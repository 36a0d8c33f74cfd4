//! The accounting: delay and no-work equal their definitions, and with the work they make up P × elapsed.

use crate::model;

use model::{account, any_run, cases, full};
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn delay_and_no_work_are_the_integrals(case in any_run()) {
        let recording = case.record();
        let opened = recording.open();
        let summary = opened.tasks.summary();
        let expected = account(&recording.blocks(), recording.workers as i64);
        prop_assert_eq!((summary.delay, summary.no_work), (expected.delay, expected.no_work));
        let capacity = recording.workers as i64 * summary.elapsed;
        prop_assert_eq!(summary.work + summary.delay + summary.no_work, capacity + expected.excess);
    }

    #[test]
    fn a_full_recording_balances(case in full()) {
        let recording = case.record();
        let opened = recording.open();
        let s = opened.tasks.summary();
        prop_assert_eq!(s.work + s.delay + s.no_work, i64::from(s.workers) * s.elapsed);
        prop_assert!(s.span <= s.elapsed && s.span <= s.work);
        prop_assert!(s.delay >= 0 && s.no_work >= 0);
    }
}

/// Workers that were configured and never seen have no work all the time; the fact `workers` says how many.
#[test]
fn configured_workers_count() {
    let case = model::Case {
        seed: 7,
        size: 60,
        workers: 2,
        manners: model::Manners { longest: 50, pause: 5, stay: 5, cores: 1 },
        folding: model::Folding::None,
        wild: false,
    };
    let recording = case.record();
    let dir = model::fresh_dir();
    let mut run = crosscut_run::RunWriter::create(&dir.path().join("p.crosscut")).expect("a new run");
    run.manifest().facts.insert("workers".into(), 8.into());
    let mut places = crosscut_run::Places::workers(2).expect("places");
    let tasks = recording.fill(&run, &mut places);
    crosscut_tasks::finish(&mut run, tasks, &places).expect("finished");
    let tasks = crosscut_tasks::Tasks::open(run.finish().expect("a run")).expect("tasks");
    let s = tasks.summary();
    let expected = account(&recording.blocks(), 8);
    assert_eq!((s.workers, tasks.workers()), (8, 2));
    assert_eq!((s.delay, s.no_work), (expected.delay, expected.no_work));
    assert_eq!(s.work + s.delay + s.no_work, 8 * s.elapsed);
}
