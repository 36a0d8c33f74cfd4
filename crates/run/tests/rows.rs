//! Tables of row groups: every row comes back, once; what is asked for by place and time is what going through all rows
//! finds; groups that cannot hold any of it are not read; memory is bounded on both sides.

mod made;

use std::collections::BTreeSet;
use std::fs::File;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use crosscut_run::{Pick, Run, RunError, RunWriter, TableReader};
use made::{batch, fresh_dir, layout, schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::collection::vec;
use proptest::prelude::*;

type Row = (u32, i64, i64);

fn write(batches: &[RecordBatch], places: u32, span: i64) -> (tempfile::TempDir, Run) {
    let dir = fresh_dir();
    let mut run = RunWriter::create(&dir.path().join("r.crosscut")).expect("a new run");
    let mut rows = run.rows("messages/sent", schema(), layout(places, span)).expect("a table");
    for batch in batches {
        rows.push(batch).expect("rows");
    }
    run.put_rows(rows).expect("a table");
    (dir, run.finish().expect("a run"))
}

fn rows_of(batch: &RecordBatch) -> Vec<Row> {
    let places = batch.column_by_name("rank").expect("a column").as_primitive::<UInt32Type>();
    let time = |name: &str| batch.column_by_name(name).expect("a column").as_primitive::<Int64Type>().clone();
    let (starts, ends) = (time("start"), time("end"));
    let text = batch.column_by_name("text").expect("a column").as_string::<i32>();
    (0..batch.num_rows())
        .map(|i| {
            let row = (places.value(i), starts.value(i), ends.value(i));
            assert_eq!(text.value(i), format!("{}@{}", row.0, row.1), "columns stay together");
            row
        })
        .collect()
}

fn read(table: &TableReader, pick: Pick) -> Vec<Row> {
    let mut rows: Vec<Row> = table.read(pick).flat_map(|batch| rows_of(&batch.expect("a group"))).collect();
    rows.sort_unstable();
    rows
}

/// What is asked for, by going through all rows.
fn slow(rows: &[Row], pick: &Pick) -> Vec<Row> {
    let here = |row: &&Row| pick.places.as_ref().is_none_or(|places| places.contains(&row.0));
    let then = |row: &&Row| pick.time.as_ref().is_none_or(|t| row.1 < t.end && row.2 >= t.start);
    let mut rows: Vec<Row> = rows.iter().filter(here).filter(then).copied().collect();
    rows.sort_unstable();
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_asked_for_is_found(
        rows in vec((0u32..50, -1000i64..1000, 0i64..300), 0..400),
        at_once in 1usize..60,
        (places, span) in (1u32..60, 1i64..1500),
        picks in vec((any::<[bool; 2]>(), 0u32..60, 0u32..60, -1200i64..1200, -1200i64..1200), 10),
    ) {
        let rows: Vec<Row> = rows.into_iter().map(|(place, start, length)| (place, start, start + length)).collect();
        let batches: Vec<RecordBatch> = rows.chunks(at_once).map(batch).collect();
        let (_dir, run) = write(&batches, places, span);
        prop_assert!(run.check().is_empty());
        let table = run.rows("messages/sent").expect("a table");
        prop_assert_eq!(read(&table, Pick::default()), slow(&rows, &Pick::default()));
        for ([by_place, by_time], a, b, from, to) in picks {
            let pick = Pick {
                places: by_place.then_some(a.min(b)..a.max(b)),
                time: by_time.then_some(from.min(to)..from.max(to)),
            };
            prop_assert_eq!(read(&table, pick.clone()), slow(&rows, &pick), "{:?}", pick);
        }
        // Each group is of few places and little time.
        for group in table.groups() {
            prop_assert_eq!(group.places.0 / places, group.places.1 / places);
        }
    }
}

/// 64 ranks that are read one after the other, each with 500 moments.
fn ranks() -> Vec<RecordBatch> {
    let rank = |rank: u32| -> Vec<Row> { (0..500).map(|k| (rank, 10 * k, 10 * k)).collect() };
    (0..64).map(|r| batch(&rank(r))).collect()
}

#[test]
fn other_groups_are_not_read() {
    let (_dir, run) = write(&ranks(), 8, 1000);
    let table = run.rows("messages/sent").expect("a table");
    assert_eq!(table.groups().len(), 8 * 5);
    let pick = Pick { places: Some(8..16), time: Some(2000..3000) };
    assert_eq!(table.matching(&pick).len(), 1);
    assert_eq!(table.matching(&Pick { time: Some(2000..3000), ..Pick::default() }).len(), 8);
    assert_eq!(table.matching(&Pick { places: Some(8..16), ..Pick::default() }).len(), 5);

    // Whatever happens to the others does not matter to it.
    let kept = table.matching(&pick)[0];
    let path = run.path().join("messages/sent.parquet");
    let mut bytes = std::fs::read(&path).expect("a file");
    let sound = read(&table, pick.clone());
    assert_eq!(sound.len(), 8 * 100);
    let first = bytes.len() / 100;
    bytes[first] ^= 1;
    std::fs::write(&path, &bytes).expect("written");
    assert!(kept > 2);
    let table = run.rows("messages/sent").expect("opens without reading them");
    assert_eq!(read(&table, pick), sound);
    let error = table.group(0).expect_err("changed").to_string();
    assert!(error.contains("`messages/sent`") && error.contains("checksum"), "{error}");
    assert_eq!(run.check().len(), 1);
}

#[test]
fn any_byte_that_is_changed_is_noticed() {
    let (_dir, run) = write(&[batch(&[(0, 1, 2), (1, 3, 9), (2, 5, 5)])], 1, 100);
    let path = run.path().join("messages/sent.parquet");
    let sound = std::fs::read(&path).expect("a file");
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&path, &bytes).expect("written");
        let all =
            run.rows("messages/sent").and_then(|t| t.read(Pick::default()).collect::<Result<Vec<_>, _>>());
        assert!(matches!(all, Err(RunError::Damaged { .. })), "byte {at}: {all:?}");
    }
}

/// Rows of all places at any time, more than are held back: they are written in good time, and all come back.
#[test]
fn more_rows_than_are_held() {
    const ROWS: i64 = 1_500_000;
    let row = |k: i64| ((k * 7919 % 1000) as u32, k / 3, k / 3 + 5);
    let of = |from: i64| batch(&(from..from + 50_000).map(row).collect::<Vec<Row>>());
    let batches = (0..ROWS / 50_000).map(|k| of(50_000 * k));
    let dir = fresh_dir();
    let mut run = RunWriter::create(&dir.path().join("r.crosscut")).expect("a new run");
    let mut rows = run.rows("messages/sent", schema(), layout(100, 1 << 40)).expect("a table");
    let mut most_held = 0;
    for batch in batches {
        rows.push(&batch).expect("rows");
        most_held = most_held.max(rows.held_bytes());
    }
    assert!((1 << 20..=64 << 20).contains(&most_held), "{most_held} bytes held");
    run.put_rows(rows).expect("a table");
    let run = run.finish().expect("a run");
    let table = run.rows("messages/sent").expect("a table");
    assert!(table.groups().iter().all(|group| group.rows <= 1 << 16));
    let mut seen = 0;
    let mut starts = BTreeSet::new();
    for batch in table.read(Pick { places: Some(300..301), time: None }) {
        let batch = batch.expect("a group");
        seen += batch.num_rows() as i64;
        starts.extend(rows_of(&batch).iter().map(|row| row.1));
    }
    assert_eq!((seen, starts.len() as i64), (ROWS / 1000, ROWS / 1000));
    assert_eq!(table.groups().iter().map(|group| group.rows).sum::<u64>(), ROWS as u64);
}

#[test]
fn it_is_a_parquet_file() {
    let (_dir, run) = write(&ranks(), 8, 1000);
    let file = File::open(run.path().join("messages/sent.parquet")).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file").build();
    let batches: Vec<RecordBatch> = reader.expect("a reader").collect::<Result<_, _>>().expect("batches");
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 64 * 500);
    assert_eq!(run.table("messages/sent").expect("as a small one").num_rows(), 64 * 500);
    assert_eq!(run.rows("messages/sent").expect("a table").schema().field(1).name(), "rank");
}

#[test]
fn an_empty_table_is_one() {
    let (_dir, run) = write(&[], 8, 1000);
    let table = run.rows("messages/sent").expect("a table");
    assert_eq!((table.groups().len(), table.read(Pick::default()).count()), (0, 0));
    assert!(table.group(0).is_err());
}

#[test]
fn what_cannot_be_parted_is_refused() {
    let dir = fresh_dir();
    let run = RunWriter::create(&dir.path().join("r.crosscut")).expect("a new run");
    assert!(run.rows("a/none", schema(), layout(0, 5)).is_err());
    assert!(run.rows("a/none", schema(), layout(5, 0)).is_err());
    let mut other = layout(5, 5);
    other.keys.place = "nothing".into();
    assert!(run.rows("a/none", schema(), other).is_err());
    let mut text = layout(5, 5);
    text.keys.place = "text".into();
    let mut table = run.rows("a/text", schema(), text).expect("a table");
    let error = table.push(&batch(&[(0, 1, 2)])).expect_err("text").to_string();
    assert!(error.contains("columns of u32"), "{error}");
}

#[test]
fn a_plain_table_is_not_one() {
    let dir = fresh_dir();
    let run = made::write(&dir.path().join("p.crosscut"));
    assert!(run.rows("places").is_err() && run.rows("tree/len").is_err());
}
