//! Columns by node and place: what a range of nodes adds up to at a place is what adding it up one by one gives.

mod made;

use std::ops::Range;

use crosscut_run::{ByPlace, Run, RunWriter, Summed};
use made::fresh_dir;
use proptest::prelude::*;
use rayon::prelude::*;

fn write<T: Summed>(
    nodes: usize,
    places: usize,
    value: impl Fn(usize, usize) -> T + Sync,
) -> (tempfile::TempDir, Run) {
    let dir = fresh_dir();
    let mut run = RunWriter::create(&dir.path().join("b.crosscut")).expect("a new run");
    let mut column = run.by_place::<T>("calls/cost", nodes, places).expect("a column");
    column.places_mut().enumerate().for_each(|(place, values)| {
        for (node, slot) in values.iter_mut().enumerate() {
            *slot = value(node, place);
        }
    });
    run.put_by_place(column).expect("a column");
    (dir, run.finish().expect("a run"))
}

/// Any values, the same ones every time.
fn mixed(node: usize, place: usize) -> i64 {
    ((node * 2_654_435_761 + place * 40_503) % 2001) as i64 - 1000
}

fn slow(values: &[i64], range: Range<usize>) -> i64 {
    values.iter().enumerate().filter(|(node, _)| range.contains(node)).map(|(_, value)| value).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sums_are_exact(
        // Around the borders of blocks of 64 and of 64 × 64.
        nodes in prop_oneof![0usize..200, 4000usize..4200, 8100usize..8300],
        places in 0usize..5,
        ranges in prop::collection::vec((0usize..8400, 0usize..8400), 20),
    ) {
        let (_dir, run) = write(nodes, places, mixed);
        prop_assert!(run.check().is_empty());
        let column: ByPlace<i64> = run.by_place("calls/cost").expect("a column");
        prop_assert_eq!(column.place_count(), places);
        prop_assert_eq!(column.node_count(), if places == 0 { 0 } else { nodes });
        let mut out = vec![0; places];
        for (a, b) in ranges.into_iter().chain([(0, nodes), (0, 64), (64, 128), (0, 4096)]) {
            let range = a.min(b)..a.max(b);
            column.sums(range.clone(), 0..places as u32, &mut out);
            for (place, &sum) in out.iter().enumerate() {
                let values = column.place(place as u32);
                prop_assert_eq!(sum, slow(values, range.clone()), "{:?} at {}", range, place);
            }
        }
        prop_assert!(column.place(places as u32).is_empty() && column.sum(0..nodes, places as u32) == 0);
    }
}

#[test]
fn values_stand_place_by_place() {
    let (_dir, run) = write(3, 2, |node, place| (10 * place + node) as f64);
    let column = run.by_place::<f64>("calls/cost").expect("a column");
    assert_eq!((column.place(0), column.place(1)), (&[0.0, 1.0, 2.0][..], &[10.0, 11.0, 12.0][..]));
    assert_eq!(run.column::<f64>("calls/cost").expect("the values")[..], [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
    assert_eq!(run.manifest().part("calls/cost").and_then(|part| part.places), Some(2));
}

/// A value that is not available concerns the ranges that hold it.
#[test]
fn what_is_not_available_stays_where_it_is() {
    let (_dir, run) = write(10_000, 1, |node, _| if node == 5000 { f64::NAN } else { 1.0 });
    let column = run.by_place::<f64>("calls/cost").expect("a column");
    assert!(column.sum(0..10_000, 0).is_nan() && column.sum(5000..5001, 0).is_nan());
    assert_eq!((column.sum(0..5000, 0), column.sum(5001..10_000, 0)), (5000.0, 4999.0));
    // No rest of a large value either, as differences of cumulative sums would leave it.
    let (_dir, run) = write(10_000, 1, |node, _| if node == 0 { 1e18 } else { 0.25 });
    let column = run.by_place::<f64>("calls/cost").expect("a column");
    assert_eq!(column.sum(1..10_000, 0), 2499.75);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let (_dir, run) = write(200, 3, mixed);
    let path = run.path().join("manifest.json");
    let text = std::fs::read_to_string(&path).expect("a manifest");
    for (field, value) in [("places", 0u64), ("places", 7), ("places", u64::MAX), ("places", 2)] {
        let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        json["domains"]["calls"]["cost"][field] = value.into();
        json.as_object_mut().expect("an object").remove("checksum");
        std::fs::write(&path, json.to_string()).expect("written");
        let run = Run::open(run.path()).expect("a run");
        let error = run.by_place::<i64>("calls/cost").expect_err("places").to_string();
        assert!(error.contains("`calls/cost`") && error.contains("fit together"), "{error}");
        assert!(run.by_place::<f64>("calls/cost").is_err(), "of another type");
        assert!(run.by_place::<i64>("calls/cost-sums").is_err(), "a plain column");
    }
}

#[test]
fn more_than_any_disk_holds_is_refused() {
    let dir = fresh_dir();
    let run = RunWriter::create(&dir.path().join("b.crosscut")).expect("a new run");
    assert!(run.by_place::<f64>("calls/cost", usize::MAX / 2, 100_000).is_err());
}
