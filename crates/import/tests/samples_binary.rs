//! Profiles of samples in binary files: pprof, gperftools, perf.data, gmon.out. Totals that are known; harmed files.

use crate::harmed;
use crate::profile;

use std::process::Command;

use crosscut_calls::Calls;
use crosscut_tree::NodeId;
use harmed::harm;
use profile::{adds_up, check, children, fixture, named, read, read_bytes, refused, top};

fn total(calls: &Calls) -> i64 {
    calls.inclusive(0, NodeId::ROOT)
}

#[test]
fn pprof() {
    for name in ["cpu.pprof", "cpu.pb.gz"] {
        let (_work, calls) = read(&fixture(name));
        // main, solve, dot (inlined into it), code without a name, and a sample without a stack.
        check(&calls, 5, 3, 80_000_000);
        let names: Vec<&str> = calls.summary().metrics.iter().map(|metric| &*metric.name).collect();
        assert_eq!(names, ["cpu", "samples"]);
        assert_eq!(calls.inclusive(1, NodeId::ROOT), 8);
        let known = [("main.dot", 40_000_000), ("0x1200 [app]", 20_000_000)];
        assert_eq!(top(&calls, 2), named(&known));
        assert_eq!(
            children(&calls, NodeId::ROOT),
            named(&[("main.main", 70_000_000), ("(outside)", 10_000_000)])
        );
        adds_up(&calls);
    }
}

/// The fields of a protocol buffer, each with its number.
fn fields(mut bytes: &[u8]) -> Vec<(u64, &[u8])> {
    fn number(bytes: &[u8], at: &mut usize) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[*at];
            *at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return value;
            }
        }
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let mut at = 0;
        let tag = number(bytes, &mut at);
        let value = number(bytes, &mut at);
        let end = if tag & 7 == 2 { at + value as usize } else { at };
        found.push((tag >> 3, &bytes[..end]));
        bytes = &bytes[end..];
    }
    found
}

/// Samples may come before what their values are, in a file that begins with nothing else for long.
#[test]
fn pprof_with_samples_first() {
    let known = std::fs::read(fixture("cpu.pprof")).unwrap();
    let all = fields(&known);
    let samples: Vec<u8> =
        all.iter().filter(|(field, _)| *field == 2).flat_map(|(_, bytes)| *bytes).copied().collect();
    let mut others: Vec<&(u64, &[u8])> = all.iter().filter(|(field, _)| *field != 2).collect();
    others.sort_by_key(|(field, _)| *field == 1);
    let others: Vec<u8> = others.iter().flat_map(|(_, bytes)| *bytes).copied().collect();
    for times in [1, 4000] {
        let bytes = [samples.repeat(times), others.clone()].concat();
        let (_work, calls) = read_bytes(&bytes).unwrap();
        check(&calls, 5, 3, 80_000_000 * times as i64);
    }
    // A type too many: each sample has one value less than it should.
    let one = all.iter().find(|(field, _)| *field == 1).unwrap().1;
    let bytes = [&samples, &others, one].concat();
    let what = refused(&bytes);
    assert!(what.starts_with("byte 2:") && what.contains("another number of values"), "{what}");
}

#[test]
fn gperftools() {
    let (_work, calls) = read(&fixture("gp.prof"));
    let summary = calls.summary();
    assert_eq!((total(&calls), summary.places), (1_370_000_000, 1), "{summary:?}");
    assert_eq!(calls.inclusive(1, NodeId::ROOT), 137);
    // Where the libraries are those that were measured, addresses of one function are one node; functions that were inlined
    // there are nodes more. The 115 records are of 333 addresses.
    let nodes = || (0..calls.node_count() as u32).map(NodeId);
    for node in nodes() {
        let mut below: Vec<u32> =
            calls.tree().children(node).map(|child| calls.frame_number(child)).collect();
        let count = below.len();
        below.sort_unstable();
        below.dedup();
        assert_eq!(below.len(), count, "two nodes of one function below node {}", node.0);
    }
    assert!(nodes().filter(|&node| calls.own(1, node) > 0).count() <= 115, "{summary:?}");
    adds_up(&calls);
    let mut modules = std::collections::BTreeMap::new();
    for node in (1..calls.node_count() as u32).map(NodeId) {
        let module = calls.frame(node).unwrap().module.clone();
        *modules.entry(module.rsplit('/').next().unwrap().to_owned()).or_insert(0) += calls.own(1, node);
    }
    modules.retain(|_, count| *count > 0);
    assert_eq!(modules.into_iter().collect::<Vec<_>>(), [("a".to_owned(), 2), ("libm.so.6".to_owned(), 135)]);
}

#[test]
fn gmon() {
    let (_work, calls) = read(&fixture("gmon.out"));
    // Three ticks of a hundredth of a second.
    assert_eq!(total(&calls), 30_000_000);
    adds_up(&calls);
    assert!(calls.summary().notes.iter().any(|note| note.contains("Name the program")));
}

#[test]
fn perf_data() {
    let mut before = None;
    for name in ["app.perf.data", "packed.perf.data", "pipe.perf.data"] {
        let (_work, calls) = read(&fixture(name));
        let summary = calls.summary();
        assert_eq!((total(&calls), summary.places), (15_000_000, 3), "{name}: {summary:?}");
        let metrics: Vec<(&str, i64)> =
            (0..2).map(|at| (&*summary.metrics[at].name, calls.inclusive(at, NodeId::ROOT))).collect();
        assert_eq!(metrics, [("cpu-clock", 15_000_000), ("page-faults", 600)]);
        // The library was mapped before the sample was taken, though the file has it behind.
        let known = [
            ("0x2010 [app]", 6_000_000),
            ("0xffffffff81000123 [[kernel.kallsyms]_text]", 5_000_000),
            ("0x1234 [libx.so]", 4_000_000),
        ];
        assert_eq!(top(&calls, 3), named(&known), "{name}");
        assert_eq!(calls.at_places(0, 0..calls.node_count()), [8_000_000, 4_000_000, 3_000_000]);
        assert!(summary.notes.iter().any(|note| note.starts_with("3 samples or other records were lost")));
        adds_up(&calls);
        let rows = top(&calls, 10);
        assert_eq!(*before.get_or_insert(rows.clone()), rows);
    }
}

/// A program that spends its time in its own code: `hot`, called thirty times by `mid`, which is called three times.
const BUSY: &str = "volatile double sink;
__attribute__((noinline)) void hot(void) { for (int i = 0; i < 10000000; i++) sink += i * 0.5; }
__attribute__((noinline)) void mid(void) { for (int i = 0; i < 10; i++) hot(); }
int main(void) { for (int i = 0; i < 3; i++) mid(); return 0; }
";

/// A program compiled with `-pg` here, and what it leaves: with the program beside it, functions have their names, and calls are
/// counted exactly.
#[test]
fn gmon_of_this_machine() {
    let work = tempfile::tempdir().unwrap();
    let (program, source) = (work.path().join("busy"), work.path().join("busy.c"));
    std::fs::write(&source, BUSY).unwrap();
    let gcc = Command::new("gcc").args(["-O1", "-pg", "-o"]).arg(&program).arg(&source).output();
    let works = gcc.is_ok_and(|output| output.status.success());
    let ran = works && Command::new(&program).current_dir(work.path()).output().is_ok();
    let file = work.path().join("gmon.out");
    if !ran || !file.is_file() {
        eprintln!("skipped: gcc -pg does not work here");
        return;
    }
    let (_work, calls) = read(&file);
    adds_up(&calls);
    let sum = |metric: usize, name: &str| -> i64 {
        let nodes = (1..calls.node_count() as u32).map(NodeId);
        let nodes = nodes.filter(|&node| calls.frame(node).is_some_and(|frame| frame.name == name));
        nodes.map(|node| calls.own(metric, node)).sum()
    };
    assert_eq!((sum(1, "hot"), sum(1, "mid")), (30, 3), "{:?}", calls.summary());
    assert!(sum(0, "hot") * 10 > total(&calls) * 9);
    assert!(calls.summary().notes.iter().any(|note| note.contains("names are those of")));
}

/// The same with functions that are inlined: their time and their calls are those of the function that they are in, as gprof has
/// it, which knows nothing of them.
const INLINED: &str = "volatile double sink;
static inline __attribute__((always_inline)) void inner(void) { for (int i = 0; i < 5000000; i++) sink += i * 0.5; }
__attribute__((noinline)) void leaf(void) { sink += 1; }
static inline __attribute__((always_inline)) void step(void) { inner(); leaf(); }
__attribute__((noinline)) void outer(void) { for (int i = 0; i < 10; i++) step(); }
int main(void) { for (int i = 0; i < 3; i++) outer(); return 0; }
";

#[test]
fn gmon_of_inlined_functions() {
    let work = tempfile::tempdir().unwrap();
    let (program, source) = (work.path().join("inlined"), work.path().join("inlined.c"));
    std::fs::write(&source, INLINED).unwrap();
    let gcc = Command::new("gcc").args(["-O1", "-g", "-pg", "-o"]).arg(&program).arg(&source).output();
    let works = gcc.is_ok_and(|output| output.status.success());
    let ran = works && Command::new(&program).current_dir(work.path()).output().is_ok();
    let file = work.path().join("gmon.out");
    if !ran || !file.is_file() {
        eprintln!("skipped: gcc -pg does not work here");
        return;
    }
    let (_work, calls) = read(&file);
    adds_up(&calls);
    let names: Vec<&str> = calls.frames().iter().map(|frame| frame.name.as_str()).collect();
    assert!(!names.contains(&"inner") && !names.contains(&"step"), "{names:?}");
    let main = calls.tree().children(NodeId::ROOT).find(|&root| calls.frame(root).unwrap().name == "main");
    assert!(calls.inclusive(0, main.unwrap()) * 10 > total(&calls) * 9, "{names:?}");
    // Three calls of `outer`, thirty of `leaf`.
    assert_eq!(calls.inclusive(1, NodeId::ROOT), 33);
}

/// A program that is measured by perf here: what `perf script` says of the same file, sample by sample.
#[test]
fn perf_of_this_machine() {
    let work = tempfile::tempdir().unwrap();
    let (program, data) = (work.path().join("a"), work.path().join("perf.data"));
    let run = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    let compiled = run(Command::new("gcc")
        .args(["-O1", "-g", "-fno-omit-frame-pointer", "-o"])
        .arg(&program)
        .arg(fixture("a.c"))
        .arg("-lm"));
    let record = |extra: &[&str]| {
        let mut perf = Command::new("perf");
        perf.args(["record", "-q", "-e", "cpu-clock", "-F", "499", "-g"]).args(extra).arg("-o").arg(&data);
        run(perf.arg("--").arg(&program).arg("5"))
    };
    if !compiled || !record(&[]) {
        eprintln!("skipped: gcc or perf does not work here");
        return;
    }
    for extra in [&[][..], &["-z"]] {
        if !record(extra) {
            eprintln!("skipped: perf record {extra:?}");
            continue;
        }
        let script = Command::new("perf").args(["script", "-i"]).arg(&data).output().unwrap();
        let text = work.path().join("perf.script");
        std::fs::write(&text, script.stdout).unwrap();
        let ((_a, calls), (_b, same)) = (read(&data), read(&text));
        assert_eq!(
            (total(&calls), calls.summary().places),
            (total(&same), same.summary().places),
            "{extra:?}"
        );
        adds_up(&calls);
        let inclusive = |calls: &Calls, name: &str| {
            let found = crosscut_calls::flat(calls, 0)
                .into_iter()
                .find(|row| calls.frames()[row.frame as usize].name == name);
            found.map_or(0, |row| row.inclusive)
        };
        for name in ["main", "mid", "rec", "leaf"] {
            assert_eq!(inclusive(&calls, name), inclusive(&same, name), "{name} {extra:?}");
        }
        assert!(inclusive(&calls, "main") * 10 > total(&calls) * 9);
    }
}

#[test]
fn harmed_profiles_are_refused_or_read() {
    harm(&fixture("cpu.pprof"), false);
    harm(&fixture("cpu.pb.gz"), true);
    harm(&fixture("app.perf.data"), true);
    harm(&fixture("packed.perf.data"), true);
    harm(&fixture("pipe.perf.data"), false);
    harm(&fixture("gmon.out"), false);
    harm(&fixture("gp.prof"), false);
}
