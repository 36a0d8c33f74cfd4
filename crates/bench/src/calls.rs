//! What operations on call profiles cost, beside Hatchet on the same files in the same run, and how fast the server answers on a
//! large one. Without a Python that has Hatchet only our side is measured.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use crosscut_calls::{Arithmetic, Calls, LeftOut, Paths, Query, combine, squash, subtree_sums};
use crosscut_chance::Chance;
use crosscut_tree::NodeSet;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::{Add, at, si};

/// Call paths of the profiles that both read.
const NODES: usize = 100_000;
/// Turns of our side; the best counts: others on the machine only ever add.
const TURNS: usize = 5;
/// Values above it are kept by the filter, in seconds: half of all, they go up to 1 s.
const THRESHOLD: f64 = 0.5;
/// The same for the large profile, in nanoseconds.
const FILTERED: i64 = 50_000;
/// Seconds of processor time after which an operation of Hatchet is given up, and reading with many ranks.
const MOST: u32 = 60;
const MOST_READING: u32 = 400;
/// The same query for both: any number of functions that begin with f1, then one that begins with f2.
const QUERY: &str = r#"("*", p) -> (q) where p.name ~ "^f1" and q.name ~ "^f2""#;

/// Adds the rows about calls. `hatchet` is a Python that has it.
pub fn calls(dir: &Path, hatchet: Option<&Path>, add: Add<'_>) -> Result<()> {
    for ranks in [1, 64] {
        beside(dir, ranks, hatchet, add)?;
    }
    large(dir, add)
}

/// What Hatchet says.
#[derive(Deserialize)]
struct Told {
    seconds: BTreeMap<String, f64>,
    /// Operations that took too long.
    given_up: Vec<String>,
    nodes: usize,
    kept: Option<usize>,
    found: Option<usize>,
}

/// A random tree in Caliper's JSON form: each node below any earlier one, siblings with names of their own.
fn profile(file: &Path, ranks: usize, seed: u64) -> Result<()> {
    let mut chance = Chance::new(seed);
    let (mut labels, mut children) = (vec![0usize], vec![0usize]);
    let mut nodes = vec![json!({"label": "main", "column": "path"})];
    while nodes.len() < NODES {
        let parent = chance.index(nodes.len());
        children[parent] += 1;
        let label = (labels[parent] * 31 + children[parent]) % 400;
        nodes.push(json!({"label": format!("f{label}"), "column": "path", "parent": parent}));
        labels.push(label);
        children.push(0);
    }
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    write!(out, "{{\"data\":[")?;
    for rank in 0..ranks {
        for node in 0..NODES {
            let comma = if rank + node > 0 { "," } else { "" };
            let time = chance.below(1_000_000) as f64 / 1e6;
            match ranks {
                1 => write!(out, "{comma}[{time},{node}]")?,
                _ => write!(out, "{comma}[{rank},{time},{node}]")?,
            }
        }
    }
    let rank = if ranks > 1 { (r#""mpi.rank","#, r#"{"is_value":true},"#) } else { ("", "") };
    write!(out, r#"],"columns":[{}"time","path"],"column_metadata":[{}"#, rank.0, rank.1)?;
    let time = json!({"is_value": true, "attribute.alias": "time", "attribute.unit": "sec"});
    let rest = json!({"is_value": false});
    write!(out, "{time},{rest}],\"nodes\":{}}}", serde_json::to_string(&nodes)?)?;
    Ok(out.flush()?)
}

/// The best of some turns, and what the last one gave.
fn best<T>(mut what: impl FnMut() -> Result<T>) -> Result<(f64, T)> {
    let mut turn = || {
        let begin = Instant::now();
        what().map(|value| (begin.elapsed().as_secs_f64(), value))
    };
    let mut best = turn()?;
    for _ in 1..TURNS {
        let next = turn()?;
        best = (best.0.min(next.0), next.1);
    }
    Ok(best)
}

fn read(file: &Path, target: &Path) -> Result<Calls> {
    if target.exists() {
        std::fs::remove_dir_all(target)?;
    }
    let run = crosscut_import::import(file, target, &Default::default(), &crosscut_import::Quiet)?;
    Ok(Calls::open(Arc::new(run))?)
}

/// All operations on both sides.
fn beside(dir: &Path, ranks: usize, hatchet: Option<&Path>, add: Add<'_>) -> Result<()> {
    let files: Vec<PathBuf> = (0..2).map(|number| dir.join(format!("{number}-{ranks}.json"))).collect();
    for (seed, file) in files.iter().enumerate() {
        profile(file, ranks, seed as u64)?;
    }
    let targets: Vec<PathBuf> = files.iter().map(|file| file.with_extension("crosscut")).collect();
    let mut ours = BTreeMap::new();
    let (seconds, one) = best(|| read(&files[0], &targets[0]))?;
    ours.insert("read", seconds);
    let other = read(&files[1], &targets[1])?;
    let threshold = (THRESHOLD * 1e9) as i64;
    // Hatchet's filter squashes as well.
    let filtered = best(|| Ok(squash(&one, &filter(&one, threshold), LeftOut::Goes)))?;
    ours.insert("filter", filtered.0);
    let kept = filter(&one, threshold);
    ours.insert("squash", best(|| Ok(squash(&one, &kept, LeftOut::Goes)))?.0);
    let sums =
        || (0..one.column_count()).map(|place| subtree_sums(one.tree(), one.column(0, place))).collect();
    ours.insert("sums", best(|| Ok::<Vec<_>, _>(sums()))?.0);
    let (seconds, found) = best(|| Ok(Query::parse(QUERY)?.nodes(&one)?))?;
    ours.insert("query", seconds);
    ours.insert("subtraction", best(|| Ok(combine(&one, &other, Arithmetic::Minus)?))?.0);
    // What Hatchet cannot read in time is made of what it reads at one rank.
    let alone: Vec<PathBuf> = (0..2).map(|number| dir.join(format!("{number}-1.json"))).collect();
    let theirs = hatchet.map(|python| peer(python, &files, &alone, ranks)).transpose()?;
    if let Some(theirs) = &theirs {
        // The same work: as many nodes, as many kept, as many found. Our root is the program.
        let ours = (one.node_count() - 1, kept.len(), found.len());
        let theirs = (theirs.nodes, theirs.kept.unwrap_or(ours.1), theirs.found.unwrap_or(ours.2));
        if ours != theirs {
            bail!("we have {ours:?} nodes, kept and found; Hatchet {theirs:?}");
        }
    }
    let size = if ranks > 1 { format!("10⁵ × {ranks}") } else { "10⁵".to_owned() };
    let names = [
        ("read", "read (Caliper JSON to a run on disk)"),
        ("filter", "filter by a value, and squash"),
        ("squash", "squash alone"),
        ("sums", "subtree sums"),
        ("query", "path query"),
        ("subtraction", "subtraction of two"),
    ];
    for (key, name) in names {
        let Some(&here) = ours.get(key) else { continue };
        let there = theirs.as_ref().and_then(|theirs| Some((theirs, theirs.seconds.get(key)?)));
        let beside = there.map_or("no Hatchet to compare with".to_owned(), |(theirs, there)| {
            match theirs.given_up.iter().any(|name| name == key) {
                true => format!("more than {:.0}×: Hatchet was given up after {there:.0} s", there / here),
                false => format!("{:.0}× as fast as Hatchet, {there:.2} s", there / here),
            }
        });
        add(&format!("calls: {name}, {size} nodes"), format!("{:.2} ms", here * 1e3), beside);
    }
    Ok(())
}

/// Call paths with a larger value at any place.
fn filter(calls: &Calls, threshold: i64) -> NodeSet {
    let mut keep = vec![false; calls.node_count()];
    for place in 0..calls.column_count() {
        let own = calls.column(0, place);
        keep.iter_mut().zip(own).for_each(|(keep, &own)| *keep |= own > threshold);
    }
    NodeSet::from_fn(keep.len(), |node| keep[node.index()])
}

fn peer(python: &Path, files: &[PathBuf], alone: &[PathBuf], ranks: usize) -> Result<Told> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/hatchet_calls.py");
    let output = Command::new(python)
        .arg(script)
        .args(files)
        .args(alone)
        .args([ranks.to_string(), THRESHOLD.to_string(), MOST.to_string(), MOST_READING.to_string()])
        .output()?;
    if !output.status.success() {
        bail!("Hatchet: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout)?;
    let last = text.lines().last().context("Hatchet said nothing")?;
    serde_json::from_str(last).with_context(|| format!("Hatchet said {last}"))
}

/// 10⁶ call paths at 256 ranks: opening, and every view in the real server.
fn large(dir: &Path, add: Add<'_>) -> Result<()> {
    const LARGE: u64 = 1_000_000;
    let crosscut = std::env::current_exe()?.with_file_name("crosscut");
    let run = dir.join("calls.crosscut");
    let made = Command::new(&crosscut)
        .args(["synth", "calls", "--ranks", "256", "--slow", "64-95", "--size"])
        .arg(LARGE.to_string())
        .arg("-o")
        .arg(&run)
        .output()?;
    if !made.status.success() {
        bail!("synth: {}", String::from_utf8_lossy(&made.stderr));
    }
    let label = format!("{} call paths × 256 ranks", si(LARGE as f64));
    let alone = "our side alone: Hatchet does not read so many".to_owned();
    let (seconds, calls) = best(|| Ok(Calls::open(Arc::new(crosscut_run::Run::open(&run)?))?))?;
    add(&format!("calls: {label}, open"), format!("{:.1} ms", seconds * 1e3), alone.clone());
    let seconds = best(|| Ok(squash(&calls, &filter(&calls, FILTERED), LeftOut::Goes)))?.0;
    let what = format!("calls: {label}, filter by a value, and squash");
    add(&what, format!("{:.1} ms", seconds * 1e3), alone);
    drop(calls);
    let mut client = Client::start(&crosscut, &run)?;
    let first = picture(&mut client, "calls.flow", json!({}), 1280)?;
    let opened = client.since_start();
    add(
        &format!("calls: {label}, from start to the first flow"),
        format!("{opened:.0} ms"),
        format!("{first:.0} ms of it for the picture"),
    );
    let filter = |percent: f64| json!({"super/module": {"cut": "", "with": {"filter": percent.to_string()}}});
    told(&format!("calls: {label}, another filter, until the flow is there"), add, |step| {
        picture(&mut client, "calls.flow", filter(0.2 + f64::from(step) / 50.0), 1280)?;
        Ok(client.first())
    })?;
    told(&format!("calls: {label}, another filter, with the strips over ranks"), add, |step| {
        picture(&mut client, "calls.flow", filter(0.21 + f64::from(step) / 50.0), 1280)
    })?;
    operations(&mut client, &label, add)?;
    for view in ["flow", "icicle", "tree", "places", "scatter", "strip"] {
        let name = format!("calls.{view}");
        picture(&mut client, &name, json!({}), 1280)?;
        // Another size each time, so that no answer is one that was given before.
        told(&format!("calls: {label}, {name}, server time"), add, |step| {
            picture(&mut client, &name, json!({}), 1200 + step)
        })?;
    }
    Ok(())
}

/// Everything that somebody does in the views, each time in another way, so that no answer is one that was given before.
fn operations(client: &mut Client, label: &str, add: Add<'_>) -> Result<()> {
    let modules = ["physics", "eos", "transport", "mesh", "chemistry", "boundary"];
    let scene = |more: Value, width: u32| {
        let mut look = json!({"view": "calls.flow", "run": 0, "size": {"w": width, "h": 800.0}});
        if let (Some(look), Some(more)) = (look.as_object_mut(), more.as_object()) {
            look.extend(more.clone());
        }
        json!({"ask": "scene", "look": look})
    };
    let places = |step: u32| format!("{}-{}", step, step + 31);
    let table = |tree: &str, state: Value| {
        let look = json!({"v": 1, "view": "calls.table", "run": 0, "trees": {tree: state}, "size": {"w": 1280, "h": 800}});
        json!({"ask": "table", "look": look, "tree": tree, "count": 100})
    };
    let module = |step: u32| modules[step as usize % modules.len()];
    type Asked<'a> = (&'a str, Box<dyn Fn(u32) -> Value + 'a>);
    let all: [Asked<'_>; 7] = [
        (
            "split by caller",
            Box::new(|step| {
                let with = json!({"split": format!("caller {}", module(step))});
                scene(json!({"trees": {"super/module": {"with": with}}}), 1100 + step)
            }),
        ),
        ("brush", Box::new(|step| scene(json!({"scope": {"places": places(step)}}), 1280))),
        (
            "brush against the rest",
            Box::new(|step| scene(json!({"scope": {"places": places(40 + step)}, "against": "rest"}), 1280)),
        ),
        (
            "selection",
            Box::new(|step| {
                let selected = json!({"run": 0, "tree": "calls", "nodes": (1000 * (step + 1)).to_string()});
                scene(json!({"view": "calls.places", "selected": selected}), 1280)
            }),
        ),
        (
            "table",
            Box::new(|step| {
                table("calls", json!({"lens": {"name": "outliers", "value": 1.0 + f64::from(step) / 10.0}}))
            }),
        ),
        (
            "callers",
            // The root and one node are open.
            Box::new(|step| {
                let node = char::from_digit(step + 1, 36).unwrap_or('z');
                table("callers", json!({"cut": format!("0.0.{node}")}))
            }),
        ),
        (
            "query",
            Box::new(|step| {
                let query =
                    format!(r#"("*") -> (q) where q.name ~ "f{step}$" and q.module = "{}""#, module(step));
                table("calls", json!({"with": {"query": query}, "lens": {"name": "query"}}))
            }),
        ),
    ];
    for (what, request) in all {
        // What is made once for all of them is not what the operation costs.
        asked(client, request(20))?;
        told(&format!("calls: {label}, {what}, server time"), add, |step| asked(client, request(step)))?;
    }
    Ok(())
}

/// Asks, and says the server time in milliseconds: as the server says, else from the question to the answer on this machine.
fn asked(client: &mut Client, request: Value) -> Result<f64> {
    let begin = Instant::now();
    let (answer, _, _) = client.ask(request)?;
    let round = begin.elapsed().as_secs_f64() * 1e3;
    Ok(answer["ms"].as_f64().unwrap_or(round))
}

/// A row about some answers.
fn told(what: &str, add: Add<'_>, mut answer: impl FnMut(u32) -> Result<f64>) -> Result<()> {
    let mut times = (0..20).map(&mut answer).collect::<Result<Vec<f64>>>()?;
    times.sort_by(f64::total_cmp);
    let measured = format!("p50 {:.1} ms, worst {:.1} ms", at(&times, 0.5), at(&times, 1.0));
    add(what, measured, "20 answers, none of them given before".into());
    Ok(())
}

/// Asks for a picture; says the server time in milliseconds.
fn picture(client: &mut Client, view: &str, trees: Value, width: u32) -> Result<f64> {
    let size = json!({"w": width, "h": 800.0});
    let look = json!({"view": view, "run": 0, "trees": trees, "size": size});
    let (answer, _, _) = client.ask(json!({"ask": "scene", "look": look}))?;
    answer["ms"].as_f64().context("no ms")
}
