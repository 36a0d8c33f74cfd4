//! `cargo xtask bench`: measures recording, import, tree building, the run's size and the server, each beside what the
//! machine itself can do, and prints a Markdown table. Nothing here is asserted: a timing is not a test.

mod calls;
mod client;
#[path = "../../import/tests/dag_writer/mod.rs"]
mod dag_writer;
mod grain;
mod hardware;
mod messages;
mod mpi;
mod record;
mod soak;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Parser;
use client::Client;
use crosscut_chance::Chance;
use crosscut_run::Run;
use crosscut_tree::Builder;
use hardware::Hardware;

/// Benchmarks beside the hardware.
#[derive(Parser)]
struct Args {
    /// Nodes of the large synthetic run; 10⁸ take about 5 GB of disk.
    #[arg(long, default_value_t = 100_000_000)]
    nodes: u64,
    /// Nodes of the imported .dag file (432 bytes each).
    #[arg(long, default_value_t = 2_000_000)]
    dag_nodes: usize,
    /// Steps of the walk through the large run.
    #[arg(long, default_value_t = 1000)]
    steps: usize,
    /// The programs that `cargo xtask examples` built; without them nothing is recorded.
    #[arg(long)]
    examples: Option<PathBuf>,
    /// Only the rows about recording.
    #[arg(long, requires = "examples")]
    only_record: bool,
    /// Grains of the largest grain graph; 10⁸ take about 18 GB of disk and 8 GB of memory.
    #[arg(long, default_value_t = 10_000_000)]
    grains: u64,
    /// Only the rows about grain graphs.
    #[arg(long)]
    only_grains: bool,
    /// Only the soak: 64 viewers on the synthetic run for so many seconds.
    #[arg(long, value_name = "SECONDS")]
    only_soak: Option<u64>,
    /// Only the rows about messages.
    #[arg(long)]
    only_messages: bool,
    /// Only the rows about call profiles.
    #[arg(long)]
    only_calls: bool,
    /// A Python that has Hatchet, to compare call profiles with.
    #[arg(long, value_name = "PYTHON")]
    hatchet: Option<PathBuf>,
    /// A Python that has igraph, to compare communities with.
    #[arg(long, value_name = "PYTHON")]
    igraph: Option<PathBuf>,
    /// The anchor file of an OTF2 trace, to compare reading with `otf2-print`.
    #[arg(long, value_name = "TRACE")]
    otf2: Option<PathBuf>,
    /// A Python that has OTF2's own module, to compare reading with.
    #[arg(long, value_name = "PYTHON")]
    otf2_python: Option<PathBuf>,
    /// Where the files go; removed afterwards.
    #[arg(long)]
    dir: Option<PathBuf>,
}

/// A row of the table.
struct Row {
    what: String,
    value: String,
    beside: String,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let dir = match &args.dir {
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
            tempfile::tempdir_in(dir)?
        }
        None => tempfile::tempdir()?,
    };
    let mut rows = Vec::new();
    let mut add = |what: &str, value: String, beside: String| {
        eprintln!("{what}: {value} ({beside})");
        rows.push(Row { what: what.to_owned(), value, beside });
    };

    if let Some(seconds) = args.only_soak {
        soaked(&args, seconds, dir.path(), &mut add)?;
        return print(rows);
    }
    let peers = messages::Peers {
        igraph: args.igraph.as_deref(),
        otf2: args.otf2.as_deref(),
        otf2_python: args.otf2_python.as_deref(),
    };
    if args.only_messages {
        if let Some(examples) = &args.examples {
            mpi::mpi(examples, dir.path(), &mut add)?;
        }
        messages::messages(dir.path(), &peers, &mut add)?;
        return print(rows);
    }
    if args.only_calls {
        calls::calls(dir.path(), args.hatchet.as_deref(), &mut add)?;
        return print(rows);
    }
    let hardware = hardware::measure(dir.path())?;
    add("memory copy", rate(hardware.copy), "the machine".into());
    add("file read, in the page cache", rate(hardware.cached), "the machine".into());
    add("file read, from the disk", rate(hardware.disk_read), "the machine".into());
    add("file write, until on the disk", rate(hardware.disk_write), "the machine".into());
    if let Some(examples) = args.examples.as_ref().filter(|_| !args.only_grains) {
        record::record(examples, dir.path(), &mut add)?;
        mpi::mpi(examples, dir.path(), &mut add)?;
    }
    if !args.only_record {
        grain::aggregate(args.grains, dir.path(), &mut add)?;
        grain::walk(args.grains.min(10_000_000), 500, dir.path(), &mut add)?;
    }
    if !args.only_record && !args.only_grains {
        build(&hardware, &mut add)?;
        import(&args, dir.path(), &hardware, &mut add)?;
        view(&args, dir.path(), &mut add)?;
        messages::messages(dir.path(), &peers, &mut add)?;
        calls::calls(dir.path(), args.hatchet.as_deref(), &mut add)?;
    }

    print(rows)
}

fn print(rows: Vec<Row>) -> Result<()> {
    println!("| what | measured | beside |\n|---|---|---|");
    for row in rows {
        println!("| {} | {} | {} |", row.what, row.value, row.beside);
    }
    Ok(())
}

/// The soak on a run of its own.
fn soaked(args: &Args, seconds: u64, dir: &Path, add: Add<'_>) -> Result<()> {
    let crosscut = std::env::current_exe()?.with_file_name("crosscut");
    let (run, _) = synth(dir, "soak.crosscut", args.nodes)?;
    let time = std::time::Duration::from_secs(seconds);
    let crowd = soak::Crowd { viewers: 64, predicting: 4, deaf: 25, time };
    soak::soak(&crosscut, run.path(), nodes_of(&run), &crowd, add)
}

type Add<'a> = &'a mut dyn FnMut(&str, String, String);

const CLOSE: i8 = -1;
const LEAF: i8 = -2;

/// The streaming builder on a task tree, with the index of wide nodes.
fn build(hardware: &Hardware, add: Add<'_>) -> Result<()> {
    // fib-like: five nodes per task, opened and closed with a stack of what is still to come.
    let mut seconds = f64::INFINITY;
    let mut nodes = 0;
    for _ in 0..3 {
        let begin = Instant::now();
        let mut builder = Builder::with_capacity(1 << 25);
        let mut todo: Vec<i8> = vec![30];
        while let Some(next) = todo.pop() {
            match next {
                CLOSE => drop(builder.close()?),
                LEAF => drop(builder.leaf()?),
                n if n < 2 => drop(builder.leaf()?),
                n => {
                    builder.open()?;
                    todo.extend([CLOSE, LEAF, n - 2, LEAF, n - 1, LEAF]);
                }
            }
        }
        let tree = builder.finish()?;
        seconds = seconds.min(begin.elapsed().as_secs_f64());
        nodes = std::hint::black_box(&tree).len.len();
    }
    let per_second = nodes as f64 / seconds;
    add(
        "tree building (streaming, one core)",
        format!("{} nodes/s, {}", si(per_second), rate(per_second * 8.0)),
        format!("{:.0} % of memory copy", 100.0 * per_second * 8.0 / hardware.copy),
    );
    Ok(())
}

/// A DAG Recorder file, from bytes to a finished run.
fn import(args: &Args, dir: &Path, hardware: &Hardware, add: Add<'_>) -> Result<()> {
    let file = dir.join("big.dag");
    let nodes = dag_writer::binary_tree(args.dag_nodes * 3 / 2, 8);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&file)?);
    dag_writer::write_dag(&mut out, 8, &nodes, nodes.len() * 5 / 6)?;
    // On the disk before the clock starts, so that the import does not pay for writing its own input.
    out.flush()?;
    out.get_ref().sync_all()?;
    drop((out, nodes));
    let bytes = std::fs::metadata(&file)?.len() as f64;
    let target = dir.join("big.crosscut");
    let (mut seconds, mut nodes) = (f64::INFINITY, 0.0);
    for _ in 0..3 {
        let begin = Instant::now();
        let run = crosscut_import::import(&file, &target, &Default::default(), &crosscut_import::Quiet)?;
        seconds = seconds.min(begin.elapsed().as_secs_f64());
        nodes = nodes_of(&run);
        std::fs::remove_dir_all(&target)?;
    }
    add(
        &format!("import of {} nodes (.dag, {})", si(nodes), size(bytes)),
        format!("{} nodes/s, {}", si(nodes / seconds), rate(bytes / seconds)),
        format!(
            "{:.0} % of reading the file from the page cache, {:.1}× the disk's reading",
            100.0 * bytes / seconds / hardware.cached,
            bytes / seconds / hardware.disk_read
        ),
    );
    std::fs::remove_file(&file)?;
    Ok(())
}

fn nodes_of(run: &Run) -> f64 {
    run.manifest().part("tasks/len").map_or(0.0, |part| part.rows as f64)
}

fn synth(dir: &Path, name: &str, nodes: u64) -> Result<(Run, f64)> {
    let begin = Instant::now();
    let options = crosscut_synth::Options { nodes, workers: 8, ..Default::default() };
    let run = crosscut_synth::tasks(&dir.join(name), &options, &|_, _| {})?;
    Ok((run, begin.elapsed().as_secs_f64()))
}

/// A small and a large run in the real server.
fn view(args: &Args, dir: &Path, add: Add<'_>) -> Result<()> {
    let crosscut = std::env::current_exe()?.with_file_name("crosscut");
    let (small, _) = synth(dir, "small.crosscut", 10_000)?;
    let (large, seconds) = synth(dir, "large.crosscut", args.nodes)?;
    let nodes = nodes_of(&large);
    let label = si(nodes);
    add(
        &format!("synth fib, {label} nodes, 8 workers, with all indexes"),
        format!("{} nodes/s", si(nodes / seconds)),
        format!("{:.1} s", seconds),
    );
    add(
        &format!("size on disk, {label} nodes"),
        format!("{:.1} bytes per node", large.bytes() as f64 / nodes),
        size(large.bytes() as f64),
    );
    let first_small = first_picture(&crosscut, small.path())?;
    let first_large = first_picture(&crosscut, large.path())?;
    add(
        &format!("start to first picture, 10⁴ and {label} nodes"),
        format!("{first_small:.0} ms and {first_large:.0} ms"),
        format!("{:.2}×", first_large / first_small),
    );
    let mut client = Client::start(&crosscut, large.path())?;
    let (times, rounds, biggest, bytes) = walk(&mut client, args.steps)?;
    add(
        &format!("open or close in {label} nodes, server time, {} steps", args.steps),
        format!(
            "p50 {:.1} ms, p99 {:.1} ms, worst {:.1} ms",
            at(&times, 0.5),
            at(&times, 0.99),
            at(&times, 1.0)
        ),
        format!(
            "{biggest} boxes and {} an answer at most; with sending and unpacking p99 {:.1} ms",
            size(bytes as f64),
            at(&rounds, 0.99)
        ),
    );
    let (_, end) = client.time()?;
    let mut windows = Vec::new();
    for k in 0..200 {
        let (from, width) = (end * (f64::from(k) * 0.618).fract(), end / f64::from(1 << (k % 20)));
        windows.push(client.window("tasks.timeline", from, (from + width).min(end))?);
        windows.push(client.window("tasks.profile", from, (from + width).min(end))?);
    }
    let found = windows.iter().map(|&(_, whole)| whole).fold(0.0, f64::max);
    let mut windows: Vec<f64> = windows.into_iter().map(|(first, _)| first).collect();
    windows.sort_by(f64::total_cmp);
    add(
        &format!("timeline and profile windows of {label} nodes, from the question to a picture"),
        format!(
            "p50 {:.1} ms, p99 {:.1} ms, worst {:.1} ms",
            at(&windows, 0.5),
            at(&windows, 0.99),
            at(&windows, 1.0)
        ),
        "400 windows, from the whole run to a millionth".into(),
    );
    add(
        &format!("what costs time in {label} nodes, found behind these pictures"),
        format!("{:.1} s", found / 1e3),
        "once; the pictures then have it, too".into(),
    );
    add(
        &format!("server memory beyond mapped pages, {label} nodes"),
        size(client.private_memory()? as f64),
        "after the walk, and with what costs time".into(),
    );
    Ok(())
}

/// Milliseconds from starting the program to having the first picture; the best of three.
fn first_picture(crosscut: &Path, run: &Path) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let mut client = Client::start(crosscut, run)?;
        client.dag("", None)?;
        best = best.min(client.since_start());
    }
    Ok(best)
}

/// A walk of opening and closing at random: server times and whole times in ascending order, most boxes, largest answer.
fn walk(client: &mut Client, steps: usize) -> Result<(Vec<f64>, Vec<f64>, usize, usize)> {
    let mut chance = Chance::new(42);
    let below = Some(("below", 0, vec![2000.0]));
    let mut picture = client.dag("", below.clone())?;
    let (mut times, mut rounds, mut biggest, mut bytes) = (Vec::new(), Vec::new(), 0, 0);
    while times.len() < steps {
        if picture.boxes < 1000 {
            // Something large was closed: begin again, that step does not count.
            picture = client.dag("", below.clone())?;
        }
        let close = picture.boxes > 6000
            || picture.closed.is_empty()
            || chance.index(2) == 0 && picture.open.len() > 1;
        let action = if close {
            // Not the root: that would end the walk.
            let at = 1 + chance.index(picture.open.len() - 1);
            Some(("close", *picture.open.get(at).context("nothing open")?, Vec::new()))
        } else {
            Some(("open", picture.closed[chance.index(picture.closed.len())], Vec::new()))
        };
        picture = client.dag(&picture.cut.clone(), action)?;
        times.push(picture.ms);
        rounds.push(picture.round);
        biggest = biggest.max(picture.boxes);
        bytes = bytes.max(picture.bytes);
    }
    times.sort_by(f64::total_cmp);
    rounds.sort_by(f64::total_cmp);
    Ok((times, rounds, biggest, bytes))
}

fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

fn si(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.2} G", v / 1e9),
        v if v >= 1e6 => format!("{:.1} M", v / 1e6),
        v if v >= 1e3 => format!("{:.0} k", v / 1e3),
        v => format!("{v:.0}"),
    }
}

fn rate(bytes: f64) -> String {
    format!("{:.2} GB/s", bytes / 1e9)
}

fn size(bytes: f64) -> String {
    match bytes {
        b if b >= 1073741824.0 => format!("{:.2} GiB", b / 1073741824.0),
        b if b >= 1048576.0 => format!("{:.0} MiB", b / 1048576.0),
        b => format!("{:.0} KiB", b / 1024.0),
    }
}
