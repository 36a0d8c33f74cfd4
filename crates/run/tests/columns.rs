//! Columns and tables come back as they were written, and are what they claim to be: Arrow IPC and Parquet files that
//! other tools read.

mod made;

use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{ArrowPrimitiveType, RecordBatch};
use arrow_ipc::reader::FileReader;
use crosscut_run::{Places, Run, RunWriter, Source, SourcesBuilder, Value};
use made::fresh_dir;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::collection::vec;
use proptest::prelude::*;

/// The one batch of an Arrow file, read by Arrow's own reader.
fn arrow(path: &Path) -> RecordBatch {
    let reader = FileReader::try_new(File::open(path).expect("a file"), None).expect("an Arrow file");
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.expect("a batch")).collect();
    assert_eq!(batches.len(), 1);
    batches.into_iter().next().expect("one")
}

fn round_trip<A: ArrowPrimitiveType>(values: &[A::Native])
where
    A::Native: Value + PartialEq + std::fmt::Debug,
{
    let dir = fresh_dir();
    let mut run = RunWriter::create(&dir.path().join("r.crosscut")).expect("a new run");
    run.put_slice("deep/er/values", values).expect("a column");
    // Longer than needed at first, then cut to what was used.
    let mut longer = run.column::<A::Native>("cut", values.len() + 300).expect("a column");
    longer[..values.len()].copy_from_slice(values);
    longer.truncate(values.len());
    run.put(longer).expect("a column");
    let run = run.finish().expect("a run");
    for name in ["deep/er/values", "cut"] {
        assert_eq!(&run.column::<A::Native>(name).expect("the column")[..], values);
        assert_eq!(run.manifest().part(name).expect("a part").rows, values.len() as u64);
        let batch = arrow(&run.path().join(format!("{name}.arrow")));
        assert_eq!(batch.schema().field(0).name(), name);
        assert_eq!(batch.num_columns(), 1);
        assert_eq!(&batch.column(0).as_primitive::<A>().values()[..], values);
        assert_eq!(batch.column(0).null_count(), 0);
    }
    assert_eq!(run.check(), []);
    // As an array: the same bytes at the same address, which outlive the column and the run.
    let column = run.column::<A::Native>("cut").expect("the column");
    let (array, address) = (column.array(), column.as_ptr());
    drop((column, run));
    assert_eq!(&array.as_primitive::<A>().values()[..], values);
    assert_eq!(array.as_primitive::<A>().values().as_ptr(), address);
}

#[test]
fn what_stands_for_none_is_null() {
    let dir = fresh_dir();
    let mut run = RunWriter::create(&dir.path().join("r.crosscut")).expect("a new run");
    run.put_slice("some", &[3u32, u32::MAX, 5]).expect("a column");
    run.put_slice("all", &[3u32, 4]).expect("a column");
    let run = run.finish().expect("a run");
    let array = |name: &str| run.column::<u32>(name).expect("the column").array_without(u32::MAX);
    let values: Vec<Option<u32>> = array("some").as_primitive::<UInt32Type>().iter().collect();
    assert_eq!(values, [Some(3), None, Some(5)]);
    assert!(array("all").nulls().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_types_come_back(
        bytes in vec(any::<u8>(), 0..300),
        shorts in vec(any::<u16>(), 0..300),
        words in vec(any::<u32>(), 0..300),
        longs in vec(any::<i64>(), 0..300),
        numbers in vec(any::<f64>(), 0..300),
    ) {
        round_trip::<UInt8Type>(&bytes);
        round_trip::<UInt16Type>(&shorts);
        round_trip::<UInt32Type>(&words);
        round_trip::<Int64Type>(&longs);
        round_trip::<Float64Type>(&numbers);
    }
}

#[test]
fn empty_columns_come_back() {
    round_trip::<UInt8Type>(&[]);
    round_trip::<UInt16Type>(&[]);
    round_trip::<UInt32Type>(&[]);
    round_trip::<Int64Type>(&[]);
    round_trip::<Float64Type>(&[]);
}

#[test]
fn a_long_column_comes_back() {
    let values: Vec<i64> = (0..100_003).map(|i| i * i - 7).collect();
    round_trip::<Int64Type>(&values);
}

#[test]
fn a_new_column_is_zero() {
    let dir = fresh_dir();
    let run = RunWriter::create(&dir.path().join("z.crosscut")).expect("a new run");
    assert!(run.column::<u32>("zeros", 10_000).expect("a column").iter().all(|&v| v == 0));
}

#[test]
fn a_column_of_another_type_is_refused() {
    let dir = fresh_dir();
    let run = made::write(&dir.path().join("t.crosscut"));
    let error = run.column::<i64>("tree/len").expect_err("u32").to_string();
    assert!(error.contains("`tree/len`") && error.contains("column of i64"), "{error}");
    let error = run.column::<i64>("places").expect_err("a table").to_string();
    assert!(error.contains("`places`"), "{error}");
    let error = run.table("tree/len").expect_err("a column").to_string();
    assert!(error.contains("`tree/len`") && error.contains("table"), "{error}");
    let error = run.column::<i64>("nothing").expect_err("nothing").to_string();
    assert!(error.contains("no part `nothing`"), "{error}");
}

#[test]
fn a_name_that_does_not_fit_is_refused() {
    let dir = fresh_dir();
    let mut run = RunWriter::create(&dir.path().join("n.crosscut")).expect("a new run");
    let long = format!("{}x", "long/".repeat(300));
    let column = run.column::<u8>(&long, 1).expect("a file");
    let error = run.put(column).expect_err("too long").to_string();
    assert!(error.contains("name too long"), "{error}");
    for name in ["../out", "/tmp/out", "a//b", "", "a.b"] {
        let error = run.column::<u8>(name, 1).expect_err(name).to_string();
        assert!(error.contains("not a name for a part"), "{error}");
    }
    assert!(run.put_slice("twice", &[1u8]).is_ok());
    assert!(run.put_slice("twice", &[1u8]).is_err());
}

#[test]
fn tables_are_parquet() {
    let dir = fresh_dir();
    let run = made::write(&dir.path().join("p.crosscut"));
    for name in ["places", "sources", "sites"] {
        let file = File::open(run.path().join(format!("{name}.parquet"))).expect("a file");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
        let batches: Vec<RecordBatch> =
            reader.build().expect("a reader").map(|batch| batch.expect("a batch")).collect();
        let ours = run.table(name).expect("the table");
        assert_eq!(batches, std::slice::from_ref(&ours));
        assert_eq!(run.manifest().part(name).expect("a part").rows, ours.num_rows() as u64);
    }
}

#[test]
fn places_come_back() {
    let dir = fresh_dir();
    let mut places = Places::workers(300).expect("places");
    let mut ids = Vec::new();
    for worker in 0..300 {
        for core in [worker as i64, -1, 5000] {
            ids.push((worker, core, places.intern(worker, core).expect("a place")));
        }
    }
    let mut run = RunWriter::create(&dir.path().join("p.crosscut")).expect("a new run");
    run.put_places(&places).expect("a table");
    let back = run.finish().expect("a run").places().expect("places");
    assert_eq!(back, places);
    for (worker, core, id) in ids {
        assert_eq!(back.worker(id), Some(worker));
        assert_eq!(back.get(id).map(|p| p.core), Some(core));
        assert_eq!(id == worker as u32, core == -1, "a worker's own place stands at its number");
    }
    assert_eq!(back.worker(crosscut_run::SEVERAL), None);
}

#[test]
fn a_worker_that_is_not_there_has_no_place() {
    let mut places = Places::workers(2).expect("places");
    let error = places.intern(2, 0).expect_err("no such worker").to_string();
    assert!(error.contains("worker 2") && error.contains("has 2"), "{error}");
}

#[test]
fn what_places_have_in_common() {
    let mut places = Places::workers(2).expect("places");
    let (a, b, c) = (places.intern(0, 4), places.intern(0, 5), places.intern(1, 4));
    let (a, b, c) = (a.expect("a place"), b.expect("a place"), c.expect("a place"));
    assert_eq!(places.common(a, a), a);
    assert_eq!(places.common(a, b), 0);
    assert_eq!(places.common(a, 0), 0);
    assert_eq!(places.common(a, c), crosscut_run::SEVERAL);
    assert_eq!(places.common(a, crosscut_run::SEVERAL), crosscut_run::SEVERAL);
    assert_eq!(places.common(crosscut_run::SEVERAL, crosscut_run::SEVERAL), crosscut_run::SEVERAL);
}

#[test]
fn sources_come_back() {
    let dir = fresh_dir();
    let mut builder = SourcesBuilder::new();
    let source = |i: i64| Source { file: format!("f{}.cc", i % 7), line: i, function: "größer".repeat(2) };
    for i in 0..50 {
        let (a, b) = (builder.source(source(i)), builder.source(source(i / 2)));
        assert_eq!(builder.source(source(i)), a, "each once");
        let site = builder.site(a, b);
        assert_eq!(builder.site(a, b), site);
    }
    let sources = builder.finish();
    let mut run = RunWriter::create(&dir.path().join("s.crosscut")).expect("a new run");
    run.put_sources(&sources).expect("tables");
    let run: Run = run.finish().expect("a run");
    let back = run.sources().expect("sources");
    assert_eq!(back, sources);
    assert_eq!(back.from(49).map(ToString::to_string), Some("größergrößer f0.cc:49".to_owned()));
    assert_eq!(back.to(49).map(|s| s.line), Some(24));
    assert_eq!(back.from(crosscut_run::NO_SITE), None);
}
