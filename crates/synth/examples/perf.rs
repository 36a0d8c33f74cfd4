use crosscut_synth::{Options, ShapeName};
fn main() {
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let shape: ShapeName = std::env::args().nth(2).unwrap_or("fib".into()).parse().unwrap();
    let _ = std::fs::remove_dir_all("/tmp/perf.crosscut");
    let t = std::time::Instant::now();
    let o = Options { shape, nodes: n, workers: 8, ..Options::default() };
    let run = crosscut_synth::tasks(std::path::Path::new("/tmp/perf.crosscut"), &o, &|_, _| {}).unwrap();
    let s = t.elapsed().as_secs_f64();
    let nodes = run.manifest().parts["tasks/len"].rows as f64;
    println!("{} nodes {:.2}s {:.2} M/s {:.2} B/node", nodes, s, nodes / s / 1e6, run.bytes() as f64 / nodes);
}
