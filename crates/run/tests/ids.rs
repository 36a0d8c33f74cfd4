//! Columns of ids are narrow on disk where they fit, and 32 bits wide wherever they are used. A run has room for the places
//! of 100,000 processes.

mod made;

use crosscut_run::{Ids, Place, Places, Run, RunWriter, SEVERAL};
use made::fresh_dir;
use proptest::collection::vec;
use proptest::prelude::*;

/// Writes ids into a run of their own, in a column that was made too long.
fn write(ids: &[u32]) -> (tempfile::TempDir, Run) {
    let dir = fresh_dir();
    let mut run = RunWriter::create(&dir.path().join("i.crosscut")).expect("a new run");
    let mut column = run.column::<u32>("a/ids", ids.len() + 7).expect("a column");
    column[..ids.len()].copy_from_slice(ids);
    column.truncate(ids.len());
    run.put_ids(column).expect("a column");
    (dir, run.finish().expect("a run"))
}

fn check(ids: &[u32], narrow: bool) {
    let (_dir, run) = write(ids);
    assert_eq!(run.check(), []);
    let back = run.ids("a/ids").expect("ids");
    assert_eq!(matches!(back, Ids::Narrow(_)), narrow, "{ids:?}");
    assert_eq!((back.len(), back.is_empty()), (ids.len(), ids.is_empty()));
    assert_eq!((0..ids.len()).map(|row| back.at(row)).collect::<Vec<_>>(), ids);
    assert_eq!(back.at(ids.len()), SEVERAL);
}

#[test]
fn the_border_between_narrow_and_wide() {
    check(&[], true);
    check(&[0, 1, 65_534, SEVERAL, 2], true);
    check(&[0, 65_535], false);
    check(&[65_536, 1], false);
    check(&[0xffff_0000, 1], false);
    check(&[SEVERAL - 1], false);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ids_come_back(few in vec(0..65_535u32, 0..300), any in vec(any::<u32>(), 0..300)) {
        check(&few, true);
        check(&any, any.iter().all(|&id| id < 65_535 || id == SEVERAL));
    }
}

#[test]
fn a_hundred_thousand_processes() {
    const PROCESSES: usize = 100_000;
    let dir = fresh_dir();
    let mut places = Places::processes(&vec![1; PROCESSES]).expect("places");
    let on_core = places.intern(PROCESSES - 1, 17).expect("a place");
    assert_eq!(on_core as usize, PROCESSES);
    let mut run = RunWriter::create(&dir.path().join("p.crosscut")).expect("a new run");
    run.put_places(&places).expect("a table");
    let mut column = run.column::<u32>("a/place", 2 * PROCESSES).expect("a column");
    for (row, id) in column.iter_mut().enumerate() {
        *id = (row % PROCESSES) as u32;
    }
    column[7] = SEVERAL;
    run.put_ids(column).expect("a column");
    let run = run.finish().expect("a run");

    let back = run.places().expect("places");
    assert_eq!(back, places);
    assert_eq!((back.len(), back.worker_count()), (PROCESSES + 1, PROCESSES));
    let last = PROCESSES as u32 - 1;
    assert_eq!(back.get(last), Some(Place { process: last.into(), worker: last.into(), core: -1 }));
    assert_eq!(back.worker(on_core), Some(last as usize));
    assert_eq!(back.common(on_core, last), last, "the worker");
    assert_eq!(back.common(on_core, 70_000), SEVERAL);
    let ids = run.ids("a/place").expect("ids");
    assert!((0..ids.len()).all(|row| row == 7 || ids.at(row) as usize == row % PROCESSES));
    assert_eq!(ids.at(7), SEVERAL);
    // Two bytes more for each row than where there are fewer places.
    let bytes = |run: &Run| run.manifest().part("a/place").or(run.manifest().part("a/ids")).map(|p| p.bytes);
    let (_dir, narrow) = write(&vec![1; 2 * PROCESSES]);
    let more = bytes(&run).zip(bytes(&narrow)).map(|(wide, narrow)| wide - narrow).expect("parts");
    assert!(more.abs_diff(4 * PROCESSES as u64) < 64, "{more}");
}
