//! What reading, clustering and looking at messages costs, beside other tools on the same input in the same run. What another tool
//! is not there for is measured without it. What runs on one core is measured by processor time, so that other work on the
//! machine counts for nobody.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use crosscut_chance::Chance;
use crosscut_messages::communities::{Communities, Edge};
use crosscut_messages::times::Linkage;
use serde_json::json;

use crate::client::Client;
use crate::{Add, at, si, size};

/// Turns of each tool, one after the other. The best counts: others on the machine only ever add.
const TURNS: usize = 5;
/// What one core reads of DUMPI in the class of tools that Crosscut is measured by, in calls a second.
const DUMPI_CLASS: f64 = 0.7e6;

/// What may be there to compare with.
pub struct Peers<'a> {
    /// A Python that has igraph.
    pub igraph: Option<&'a Path>,
    /// The anchor file of an OTF2 trace, for `otf2-print`.
    pub otf2: Option<&'a Path>,
    /// A Python that has OTF2's own module.
    pub otf2_python: Option<&'a Path>,
}

/// Adds the rows about messages.
pub fn messages(dir: &Path, peers: &Peers<'_>, add: Add<'_>) -> Result<()> {
    times(add)?;
    communities(dir, peers.igraph, add)?;
    dumpi(dir, add)?;
    if let Some(trace) = peers.otf2 {
        otf2(dir, trace, peers.otf2_python, add)?;
    }
    large(dir, add)
}

fn crosscut() -> Result<std::path::PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("crosscut"))
}

/// Runs a program to its end: seconds, and seconds of processor time of it and what it started.
fn run(command: &mut Command) -> Result<(f64, f64)> {
    let begin = Instant::now();
    let before = processor();
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok((begin.elapsed().as_secs_f64(), processor() - before))
}

/// Processor time of all children that have ended.
fn processor() -> f64 {
    // SAFETY: a struct of numbers that the call fills.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + 1e-6 * time.tv_usec as f64;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// What something on this thread gives, and the processor time that it takes.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let now = || {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: a struct of numbers that the call fills.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
    };
    let begin = now();
    let found = work();
    (found, now() - begin)
}

/// The most memory that this process ever had, in bytes.
fn most_memory() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).context("no number")?.parse::<f64>()? * 1024.0)
}

/// 10⁷ messages clustered in time.
fn times(add: Add<'_>) -> Result<()> {
    const MESSAGES: usize = 10_000_000;
    let mut chance = Chance::new(3);
    let mut now = 0.0;
    let times: Vec<f64> = (0..MESSAGES)
        .map(|_| {
            now += chance.below(1 << 20) as f64;
            now
        })
        .collect();
    let (linkage, seconds) = timed(|| Linkage::of(&times));
    if linkage.heights().len() + 1 != MESSAGES {
        bail!("{} heights", linkage.heights().len());
    }
    add(
        "10⁷ messages clustered in time, the whole tree",
        format!("{seconds:.2} s"),
        format!("{} of memory at most, the times with it", size(most_memory()?)),
    );
    Ok(())
}

/// Communities of 100,000 processes, beside igraph.
fn communities(dir: &Path, igraph: Option<&Path>, add: Add<'_>) -> Result<()> {
    const PROCESSES: u32 = 100_000;
    let mut chance = Chance::new(4);
    // A grid in blocks, with weights that differ by one per cent: many merges are nearly as good as the best.
    let side = 316u32;
    let mut edges = Vec::new();
    for process in 0..PROCESSES {
        let others = [process + 1, process + side, process + side + 1, process + side - 1];
        for other in others.into_iter().filter(|&other| other < PROCESSES) {
            let inside = process / 64 == other / 64;
            let weight = if inside { 4.0 } else { 1.0 } * (1.0 + chance.below(1000) as f64 * 1e-5);
            edges.push(Edge { a: process, b: other, weight });
        }
    }
    let file = dir.join("graph.txt");
    let mut out = std::io::BufWriter::new(std::fs::File::create(&file)?);
    for edge in &edges {
        writeln!(out, "{} {} {}", edge.a, edge.b, edge.weight)?;
    }
    out.flush()?;
    drop(out);
    let (mut best, mut other) = (f64::INFINITY, f64::INFINITY);
    let mut modularity = (0.0, None);
    for _ in 0..TURNS {
        let (communities, seconds) = timed(|| Communities::of(PROCESSES, &edges));
        best = best.min(seconds);
        modularity.0 = communities.best().1;
        if let Some(python) = igraph {
            let told = Command::new(python).args(["-c", IGRAPH]).arg(&file).output()?;
            let told = String::from_utf8(told.stdout)?;
            let mut words = told.split_whitespace().map(str::parse::<f64>);
            let (Some(Ok(seconds)), Some(Ok(found))) = (words.next(), words.next()) else {
                bail!("igraph said {told}")
            };
            other = other.min(seconds);
            modularity.1 = Some(found);
        }
    }
    add(
        &format!("communities of {PROCESSES} processes, {} edges, the whole tree", si(edges.len() as f64)),
        format!("{best:.2} s, modularity {:.4}", modularity.0),
        match modularity.1 {
            Some(found) => {
                format!("igraph {other:.2} s, modularity {found:.4}: {:.1}× as fast", other / best)
            }
            None => "igraph is not here".to_owned(),
        },
    );
    Ok(())
}

const IGRAPH: &str = "
import sys, time, igraph
rows = [line.split() for line in open(sys.argv[1])]
edges = [(int(a), int(b)) for a, b, _ in rows]
weights = [float(w) for _, _, w in rows]
graph = igraph.Graph(n=100000, edges=edges)
begin = time.process_time()
tree = graph.community_fastgreedy(weights=weights)
seconds = time.process_time() - begin
print(seconds, graph.modularity(tree.as_clustering(), weights=weights))
";

/// Calls of DUMPI from files to a run, a core.
fn dumpi(dir: &Path, add: Add<'_>) -> Result<()> {
    let (files, out) = (dir.join("dumpi"), dir.join("dumpi.crosscut"));
    run(Command::new(crosscut()?)
        .args(["synth", "messages", "halo*8,radix-4,allreduce", "--ranks", "64", "--steps", "2000"])
        .arg("--dumpi")
        .arg(&files))?;
    let mut best = f64::INFINITY;
    let mut calls = 0.0;
    let (mut decoded, mut records) = (f64::INFINITY, 0u64);
    let paths = [files.as_path()];
    let inputs = crosscut_import::Inputs::find(&paths, &crosscut_import::Quiet)?;
    for _ in 0..TURNS {
        let (found, seconds) = timed(|| crosscut_import::decode_dumpi(&inputs));
        (records, decoded) = (found?, decoded.min(seconds));
        let _ = std::fs::remove_dir_all(&out);
        let (_, processor) = run(Command::new(crosscut()?).arg("import").arg(&files).arg("-o").arg(&out))?;
        best = best.min(processor);
        let facts = crosscut_run::Run::open(&out)?;
        calls = facts.manifest().facts["messages"]["calls"].as_f64().context("no calls")?;
    }
    let rate = records as f64 / decoded;
    add(
        &format!("decoding {} calls (DUMPI, 64 ranks), one core", si(records as f64)),
        format!("{} calls/s", si(rate)),
        format!("{:.1}× the class of 0.7 M calls/s a core", rate / DUMPI_CLASS),
    );
    add(
        "import of them: decoded twice, matched, clocks compared, written",
        format!("{} calls/s a core", si(calls / best)),
        format!("{best:.2} s of processor time"),
    );
    std::fs::remove_dir_all(&files)?;
    Ok(())
}

/// An OTF2 trace: decoded, and made a run, beside reading it by the library of OTF2 and by its Python module.
fn otf2(dir: &Path, trace: &Path, python: Option<&Path>, add: Add<'_>) -> Result<()> {
    let out = dir.join("otf2.crosscut");
    let paths = [trace];
    let inputs = crosscut_import::Inputs::find(&paths, &crosscut_import::Quiet)?;
    let (mut events, mut decoded, mut other) = (0, f64::INFINITY, f64::INFINITY);
    let mut imported = (f64::INFINITY, f64::INFINITY);
    for _ in 0..TURNS {
        let (found, seconds) = timed(|| crosscut_import::decode_otf2(&inputs));
        (events, decoded) = (found?, decoded.min(seconds));
        if let Ok((_, processor)) = run(Command::new("otf2-print").arg("--silent").arg(trace)) {
            other = other.min(processor);
        }
        let _ = std::fs::remove_dir_all(&out);
        let (seconds, processor) =
            run(Command::new(crosscut()?).arg("import").arg(trace).arg("-o").arg(&out))?;
        imported = (imported.0.min(seconds), imported.1.min(processor));
    }
    let rate = |seconds: f64| format!("{} events/s", si(events as f64 / seconds));
    add(
        &format!("decoding {} events (OTF2), one core", si(events as f64)),
        rate(decoded),
        match other.is_finite() {
            true => format!("otf2-print --silent {}: {:.1}× as fast", rate(other), other / decoded),
            false => "otf2-print is not here".to_owned(),
        },
    );
    let list = match python {
        Some(python) => run(Command::new(python).args(["-c", OTF2_MODULE]).arg(trace))?.1,
        None => f64::INFINITY,
    };
    add(
        "import of them: decoded twice, call trees made, matched, clocks compared, written",
        format!("{} a core, {:.2} s", rate(imported.1), imported.0),
        match list.is_finite() {
            true => format!(
                "{:.1}× as fast as otf2-print --silent, which only decodes; a list of the events by OTF2's Python module, with which Pipit \
                 begins: {}, {:.0}× as fast",
                other / imported.1,
                rate(list),
                list / imported.1
            ),
            false => format!("{:.2} s of processor time", imported.1),
        },
    );
    Ok(())
}

const OTF2_MODULE: &str = "
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    list(trace.events(list(trace.definitions.locations)))
";

/// 4,320 processes and 10⁶ messages: from files to the first picture, then clicks.
fn large(dir: &Path, add: Add<'_>) -> Result<()> {
    let (files, out) = (dir.join("large"), dir.join("large-messages.crosscut"));
    run(Command::new(crosscut()?)
        .args(["synth", "messages", "halo*8,radix-4", "--ranks", "4320", "--steps", "33"])
        .args(["--late", "1234", "--late-by", "5000000", "--late-in", "12", "--dumpi"])
        .arg(&files))?;
    let begin = Instant::now();
    run(Command::new(crosscut()?).arg("import").arg(&files).arg("-o").arg(&out))?;
    let imported = begin.elapsed().as_secs_f64();
    let mut client = Client::start(&crosscut()?, &out)?;
    picture(&mut client, "messages.gram", json!({}), json!({}))?;
    let first = begin.elapsed().as_secs_f64();
    let run = crosscut_run::Run::open(&out)?;
    let messages = run.manifest().facts["messages"]["messages"].as_f64().context("no messages")?;
    add(
        &format!("4,320 processes, {} messages, from DUMPI files to the first picture", si(messages)),
        format!("{first:.1} s"),
        format!("{imported:.1} s of them reading and matching"),
    );
    drop(client);
    // As fast as answers come, and as a hand comes that has looked at the first picture.
    for (pause, when) in [(0, "at once after it"), (LOOKS, "from 5 s after it on")] {
        let mut client = Client::start(&crosscut()?, &out)?;
        picture(&mut client, "messages.gram", json!({}), json!({}))?;
        std::thread::sleep(std::time::Duration::from_secs(pause));
        let clicks = clicks(&mut client)?;
        let times: Vec<f64> = clicks.iter().map(|click| click.0).collect();
        let worst: Vec<String> =
            clicks.iter().rev().take(3).map(|(ms, what)| format!("{what} {ms:.0} ms")).collect();
        let (half, most, all) = (at(&times, 0.5), at(&times, 0.9), at(&times, 1.0));
        add(
            &format!("{} clicks there, {when}, each of them new: server time", clicks.len()),
            format!("p50 {half:.1} ms, p90 {most:.1} ms, worst {all:.1} ms"),
            worst.join(", "),
        );
    }
    Ok(())
}

/// How long somebody looks at the first picture, in seconds.
const LOOKS: u64 = 5;

/// Other numbers of phases, windows, other views, the other clock: server times in milliseconds, the shortest first.
fn clicks(client: &mut Client) -> Result<Vec<(f64, String)>> {
    let (from, to) = client.time()?;
    let mut clicks = Vec::new();
    let windows = |share: f64| json!({ "time": [from, from + (to - from) * share] });
    let phases = |with: serde_json::Value| json!({ "phases": { "with": with } });
    for k in [1, 2, 3, 5, 8, 11, 16, 22, 27, 32, 33, 34, 48, 64] {
        let with = phases(json!({ "k": k.to_string() }));
        clicks.push((picture(client, "messages.gram", with.clone(), json!({}))?, format!("k = {k}")));
        clicks.push((picture(client, "messages.volume", with, json!({}))?, format!("volume, k = {k}")));
    }
    for share in [1.0, 0.5, 0.25, 0.1, 0.03, 0.01] {
        for view in
            ["messages.gram", "messages.ranks", "messages.volume", "messages.matrix", "messages.sizes"]
        {
            clicks.push((picture(client, view, json!({}), windows(share))?, view.to_owned()));
        }
    }
    for k in ["auto", "2", "16", "40", "64"] {
        let with = phases(json!({ "clock": "logical", "k": k }));
        clicks.push((picture(client, "messages.gram", with, json!({}))?, format!("logical, k = {k}")));
    }
    clicks.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(clicks)
}

/// Asks for a picture; says the server time in milliseconds.
fn picture(
    client: &mut Client,
    view: &str,
    trees: serde_json::Value,
    scope: serde_json::Value,
) -> Result<f64> {
    let look = json!({
        "view": view, "run": 0, "trees": trees, "scope": scope, "size": { "w": 1280.0, "h": 800.0 }
    });
    let (answer, _, _) = client.ask(json!({ "ask": "scene", "look": look }))?;
    answer["ms"].as_f64().context("no ms")
}
