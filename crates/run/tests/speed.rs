//! How fast columns by place and tables of row groups are, and how much memory the latter take. Run with
//! `cargo test --release -p crosscut-run --test speed -- --ignored --nocapture`.

mod made;

use std::time::Instant;

use crosscut_run::{Pick, RunWriter};
use made::{batch, layout, schema};
use rayon::prelude::*;

/// 200 visible nodes at 128 of 256 places, of 10⁶ nodes.
#[test]
#[ignore = "a measurement"]
fn sums_by_place() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut run = RunWriter::create(&dir.path().join("s.crosscut")).expect("a new run");
    let (nodes, places) = (1_000_000, 256);
    let clock = Instant::now();
    let mut column = run.by_place::<f64>("calls/cost", nodes, places).expect("a column");
    column.places_mut().for_each(|values| values.iter_mut().enumerate().for_each(|(i, v)| *v = i as f64));
    run.put_by_place(column).expect("a column");
    let run = run.finish().expect("a run");
    println!("written: {:.1} s, {} MB", clock.elapsed().as_secs_f64(), run.bytes() >> 20);
    let column = run.by_place::<f64>("calls/cost").expect("a column");
    for round in ["first", "second", "third"] {
        let clock = Instant::now();
        let mut out = vec![0.0; 128];
        let mut sum = 0.0;
        for node in 0..200 {
            // Subtrees of all sizes.
            let from = node * 4999;
            column.sums(from..from + (1 << (node % 13)), 64..192, &mut out);
            sum += out.iter().sum::<f64>();
        }
        println!("{round}: {:.2} ms ({sum})", clock.elapsed().as_secs_f64() * 1e3);
    }
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).unwrap_or(0) >> 10
}

/// 1,000 ranks that are read one after the other, 20,000 rows each.
#[test]
#[ignore = "a measurement"]
fn rows_of_many_ranks() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut run = RunWriter::create(&dir.path().join("r.crosscut")).expect("a new run");
    let mut table = run.rows("messages/sent", schema(), layout(16, 100_000)).expect("a table");
    let clock = Instant::now();
    for rank in 0..1000 {
        let rows: Vec<_> = (0..20_000).map(|k| (rank, 50 * k, 50 * k + 7)).collect();
        table.push(&batch(&rows)).expect("rows");
    }
    run.put_rows(table).expect("a table");
    let run = run.finish().expect("a run");
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "written: {:.1} M rows/s, {} MB, peak memory {} MB",
        20.0 / seconds,
        run.bytes() >> 20,
        peak_memory()
    );
    let table = run.rows("messages/sent").expect("a table");
    for (what, pick) in [
        ("all", Pick::default()),
        ("16 ranks", Pick { places: Some(320..336), time: None }),
        ("a tenth of the time", Pick { places: None, time: Some(300_000..400_000) }),
        ("both", Pick { places: Some(320..336), time: Some(300_000..400_000) }),
    ] {
        let clock = Instant::now();
        let groups = table.matching(&pick).len();
        let rows: usize = table.read(pick).map(|batch| batch.expect("a group").num_rows()).sum();
        let ms = clock.elapsed().as_secs_f64() * 1e3;
        println!("{what}: {rows} rows of {groups} of {} groups in {ms:.0} ms", table.groups().len());
    }
    println!("peak memory {} MB", peak_memory());
}
