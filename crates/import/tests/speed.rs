//! How fast a large file is imported, printed beside how fast its bytes can be read at all. Run with
//! `cargo test --release -p crosscut-import --test all speed -- --ignored --nocapture`; NODES sets the size.

use crate::dag_writer;

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::time::Instant;

use crosscut_import::{Options, Quiet, import};

#[test]
#[ignore = "a measurement"]
fn import_speed() {
    let wanted = std::env::var("NODES").ok().and_then(|nodes| nodes.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.dag");
    let nodes = dag_writer::binary_tree(wanted, 4);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path).unwrap());
    dag_writer::write_dag(&mut out, 4, &nodes, nodes.len() * 5 / 6).unwrap();
    out.flush().unwrap();
    drop(out);
    let size = path.metadata().unwrap().len() as f64;
    let count = nodes.len() as f64;
    drop(nodes);
    for round in 0..3 {
        let clock = Instant::now();
        let mut file = File::open(&path).unwrap();
        let mut buffer = vec![0; 1 << 18];
        while file.read(&mut buffer).unwrap() > 0 {}
        let reading = clock.elapsed().as_secs_f64();
        let (clock, cpu) = (Instant::now(), cpu_seconds());
        let target = folder.path().join(format!("{round}.crosscut"));
        let run = import(&path, &target, &Options::default(), &Quiet).unwrap();
        let importing = clock.elapsed().as_secs_f64();
        let cpu = cpu_seconds() - cpu;
        println!(
            "{count:.0} nodes, {:.2} GB: import {importing:.2} s ({cpu:.2} s of CPU), {:.2} M nodes/s, {:.2} GB/s; reading alone {:.2} GB/s; run {:.0} B/node",
            size / 1e9,
            count / importing / 1e6,
            size / importing / 1e9,
            size / reading / 1e9,
            run.bytes() as f64 / count,
        );
        std::fs::remove_dir_all(&target).unwrap();
    }
}

/// CPU time of this process so far, in user and kernel: what remains comparable on a busy machine. 0 when not known.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks: f64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<f64>().ok()).sum();
    ticks / 100.0
}
