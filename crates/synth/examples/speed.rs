//! temporary
use crosscut_synth::*;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let shape: ShapeName = a[1].parse().unwrap();
    let nodes: f64 = a[2].parse().unwrap();
    let workers: usize = a[3].parse().unwrap();
    let policy: Policy = a[4].parse().unwrap();
    let target = std::path::PathBuf::from("/tmp/synthspeed.crosscut");
    let _ = std::fs::remove_dir_all(&target);
    let t = Instant::now();
    let simulated = std::cell::Cell::new(0.0);
    let o = Options { shape, nodes: nodes as u64, workers, policy, ..Default::default() };
    let run = tasks(&target, &o, &|d, n| {
        if d == n {
            simulated.set(t.elapsed().as_secs_f64())
        }
    })
    .unwrap();
    let total = t.elapsed().as_secs_f64();
    let n = o.node_count().unwrap() as f64;
    let facts = &run.manifest().facts["tasks"];
    let rss = std::fs::read_to_string("/proc/self/status").unwrap();
    let hwm = rss
        .lines()
        .filter(|l| l.starts_with("RssAnon") || l.starts_with("VmHWM"))
        .collect::<Vec<_>>()
        .join(" ");
    println!(
        "{shape} {policy} P={workers} n={n} sim {:.2}s = {:.1} M/s; total {:.2}s = {:.2} M/s; {:.1} B/node; speedup {:.2} depth {} {hwm}",
        simulated.get(),
        n / simulated.get() / 1e6,
        total,
        n / total / 1e6,
        run.bytes() as f64 / n,
        facts["work"].as_f64().unwrap() / facts["elapsed"].as_f64().unwrap(),
        facts["depth"]
    );
    let _ = std::fs::remove_dir_all(&target);
}
