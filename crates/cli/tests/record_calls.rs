//! `crosscut record --calls` on a program with a known hot path: the path is found, and each function has the share of the
//! samples that it has of the work, as far as chance allows; so it has in what `perf` says of the same program.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use common::crosscut;
use crosscut_calls::schema::Kind;
use crosscut_calls::{Calls, hot_path};
use crosscut_run::Run;
use crosscut_tree::NodeId;

/// Of all work, as the program's source says.
const SHARES: [(&str, f64); 5] =
    [("relax", 0.6), ("sweep", 0.6), ("residual", 0.3), ("solve", 0.9), ("setup", 0.1)];

/// Chance takes a share further from what it should be once in 15,000 times.
const SIGMAS: f64 = 4.0;

/// Between two samples of `perf`, at 500 in a second.
const PERF_NANOS: f64 = 2e6;

/// Builds `hot.c` by clang.
fn hot(folder: &Path, flags: &[&str]) -> PathBuf {
    hot_by("clang-19", folder, flags)
}

fn hot_by(compiler: &str, folder: &Path, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/calls/hot.c");
    let program = folder.join("hot");
    let output = Command::new(compiler)
        .args(["-g", "-O2", "-pthread"])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}; `cargo xtask doctor` says what is missing"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// What keeps a frame pointer in every function; GCC leaves it out of the innermost ones all the same.
const FRAMES: [&str; 2] = ["-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"];

/// Runs a command of ours, which must end well; what it says.
fn ours(folder: &Path, arguments: &[&str]) -> String {
    let output = crosscut(folder).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

fn open(run: &Path) -> Calls {
    let run = Run::open(run).unwrap();
    assert!(run.check().is_empty());
    let calls = Calls::open(Arc::new(run)).unwrap();
    calls.sound().unwrap();
    calls
}

/// Samples in all, and those in a function and what it called.
fn samples(calls: &Calls, function: &str) -> (f64, f64) {
    let metric = calls.summary().metrics.iter().position(|metric| metric.name == "samples");
    // `perf` has nanoseconds, as many for each sample.
    let (metric, one) = metric.map_or((0, PERF_NANOS), |metric| (metric, 1.0));
    let nodes = (0..calls.node_count() as u32).map(NodeId);
    let of_function = nodes.filter(|&node| {
        calls.frame(node).is_some_and(|frame| frame.kind == Kind::Function && frame.name == function)
    });
    let inside: i64 = of_function.map(|node| calls.inclusive(metric, node)).sum();
    (calls.inclusive(metric, NodeId::ROOT) as f64 / one, inside as f64 / one)
}

fn check_shares(calls: &Calls, what: &str) {
    for (function, share) in SHARES {
        let (all, inside) = samples(calls, function);
        assert!(all >= 200.0, "{what}: {all} samples");
        let most = SIGMAS * (share * (1.0 - share) / all).sqrt();
        assert!((inside / all - share).abs() <= most, "{what}: {function} has {inside} of {all} samples");
    }
}

fn names(calls: &Calls) -> Vec<String> {
    let path = hot_path(calls, 0, NodeId::ROOT);
    path.into_iter().filter_map(|node| Some(calls.frame(node)?.name.clone())).collect()
}

#[test]
fn a_known_hot_path_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let program = hot(folder.path(), &FRAMES);
    let said = ours(
        folder.path(),
        &["record", "--calls", "-o", "run.crosscut", "--", program.to_str().unwrap(), "2000", "2"],
    );
    let calls = open(&folder.path().join("run.crosscut"));
    check_shares(&calls, &said);
    // Both threads did the same.
    assert_eq!(calls.place_count(), 2, "{said}");
    let at_places = calls.at_places(0, 0..calls.node_count());
    let (least, most) = (at_places.iter().min().unwrap(), at_places.iter().max().unwrap());
    assert!(least * 3 > most * 2, "{at_places:?}");
    let path = names(&calls);
    let inner: Vec<&str> = path.iter().map(String::as_str).skip_while(|&name| name != "work").collect();
    assert_eq!(inner[..5], ["work", "solve", "sweep", "relax", "mix"], "inlined functions too: {path:?}");
    // The line that runs is in the file.
    let leaf = *hot_path(&calls, 0, NodeId::ROOT).last().unwrap();
    let frame = calls.frame(leaf).unwrap();
    assert!(frame.file.ends_with("examples/calls/hot.c") && frame.line > 0, "{frame:?}");
}

/// Code as compilers make it unless they are told otherwise has no frame pointers: whole paths all the same.
#[test]
fn without_frame_pointers() {
    for compiler in ["gcc", "clang-19"] {
        let folder = tempfile::tempdir().unwrap();
        let program = hot_by(compiler, folder.path(), &["-fomit-frame-pointer"]);
        let arguments =
            ["record", "--calls", "-o", "run.crosscut", "--", program.to_str().unwrap(), "2000", "2"];
        let said = ours(folder.path(), &arguments);
        let calls = open(&folder.path().join("run.crosscut"));
        check_shares(&calls, &said);
        let path = names(&calls);
        let inner: Vec<&str> = path.iter().map(String::as_str).skip_while(|&name| name != "work").collect();
        assert_eq!(
            inner.get(..5),
            Some(&["work", "solve", "sweep", "relax", "mix"][..]),
            "{compiler}: {path:?}"
        );
        // One thread comes from `main`, the other from where threads begin.
        let (all, mains) = samples(&calls, "main");
        assert!((mains / all - 0.5).abs() < 0.2, "{compiler}: {mains} of {all} below main");
        assert!(!said.contains("are not known"), "{compiler}: {said}");
    }
}

/// Frames of 6 KB are within reach, those of 60 KB are not; then the path begins further in, which is said.
#[test]
fn large_frames() {
    for (bytes, is_whole) in [(6_000, true), (60_000, false)] {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "#include <string.h>
             #define KEPT __attribute__((noinline))
             static KEPT unsigned long inner(unsigned long x) {{
                 for (long i = 0; i < 300000000; i++) x = (x ^ x >> 29) * 0xff51afd7ed558ccdu + 3;
                 return x;
             }}
             static KEPT unsigned long outer(int count) {{
                 volatile char large[{bytes}];
                 memset((char *)large, count, sizeof large);
                 return inner(large[count]) + large[0];
             }}
             int main(int count, char **arguments) {{ return outer(count) == 1 && arguments; }}"
        );
        let program = compiled(folder.path(), &text);
        let arguments = ["record", "--calls", "-o", "run.crosscut", "--", program.to_str().unwrap()];
        let said = ours(folder.path(), &arguments);
        let calls = open(&folder.path().join("run.crosscut"));
        let path = names(&calls);
        let has = |name: &str| path.iter().any(|other| other == name);
        assert!(has("inner") && has("outer") && has("main") == is_whole, "{path:?}");
        assert_eq!(said.contains("are not known"), !is_whole, "{said}");
    }
}

/// Where the kernel's performance events are not wanted, or not to be had, a timer does; the run says which it was.
#[test]
fn samples_by_a_timer() {
    let folder = tempfile::tempdir().unwrap();
    let program = hot(folder.path(), &[]);
    let run = |calls: &str, target: &str| {
        let said =
            ours(folder.path(), &["record", calls, "-o", target, "--", program.to_str().unwrap(), "2000"]);
        let calls = open(&folder.path().join(target));
        check_shares(&calls, &said);
        (calls.summary().format.clone(), said)
    };
    let (format, said) = run("--calls=timer", "timer.crosscut");
    assert!(format.contains("by timer signal: the timer was asked for"), "{format}");
    assert!(said.contains("timer signal"), "{said}");
    let (format, said) = run("--calls", "auto.crosscut");
    assert!(
        format.contains("by perf_event_open") || format.contains("by timer signal: perf_event_open: "),
        "{format}"
    );
    assert!(said.contains("perf_event_open"), "{said}");
    let output = crosscut(folder.path()).args(["info", "auto.crosscut"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains(&format), "{output:?}");
}

/// A program that takes its time in the kernel: that counts, below the function that calls it. How much of it is in its own code
/// varies: there must be enough of it for some samples.
#[test]
fn time_in_the_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <fcntl.h>
                #include <unistd.h>
                static char bytes[8192];
                __attribute__((noinline)) static long reads(int file) {
                    long all = 0;
                    for (int i = 0; i < 3000000; i++) all += read(file, bytes, 1 + i % 8192);
                    return all;
                }
                int main(void) { return reads(open(\"/dev/zero\", O_RDONLY)) == 0; }";
    let program = compiled(folder.path(), text);
    for calls in ["--calls", "--calls=timer"] {
        let run = format!("{}.crosscut", calls.len());
        ours(folder.path(), &["record", calls, "-o", &run, "--", program.to_str().unwrap()]);
        let calls = open(&folder.path().join(&run));
        let all = calls.inclusive(0, NodeId::ROOT);
        let nodes = (0..calls.node_count() as u32).map(NodeId);
        let reads = nodes.filter(|&node| calls.frame(node).is_some_and(|frame| frame.name == "reads"));
        let inside: i64 = reads.map(|node| calls.inclusive(0, node)).sum();
        assert!(all > 0 && inside * 10 > all * 8, "{inside} of {all}");
    }
}

/// One long call of the kernel, and nothing else: its time is in the run, whoever called it.
#[test]
fn time_in_the_kernel_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <fcntl.h>
                #include <sys/mman.h>
                #include <unistd.h>
                int main(void) {
                    long size = 1l << 29;
                    char *bytes = mmap(0, size, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                    return read(open(\"/dev/zero\", O_RDONLY), bytes, size) != size;
                }";
    let program = compiled(folder.path(), text);
    let program = program.to_str().unwrap();
    for (way, run) in [("--calls", "event.crosscut"), ("--calls=timer", "timer.crosscut")] {
        let said = ours(folder.path(), &["record", way, "-o", run, "--", program]);
        let calls = open(&folder.path().join(run));
        // Half a gigabyte is not written within that time.
        assert!(calls.inclusive(0, NodeId::ROOT) >= 10_000_000, "{said}");
    }
}

fn compiled(folder: &Path, text: &str) -> PathBuf {
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&source, text).unwrap();
    let built = Command::new("gcc").args(["-g", "-O2"]).arg(&source).arg("-o").arg(&program).status();
    assert!(built.unwrap().success());
    program
}

/// Whether the kernel refuses perf: `cargo xtask test` sets this then, and says so.
fn is_perf_refused() -> bool {
    std::env::var_os("CROSSCUT_WITHOUT_PERF").is_some()
}

/// Runs perf in a folder.
fn perf(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("perf").args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("perf: {error}; it is in the package linux-perf"));
    assert!(output.status.success(), "perf {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Functions have the same shares in both, as far as chance allows.
fn check_same(own: &Calls, theirs: &Calls) {
    for (function, _) in SHARES {
        let ((all, inside), (their_all, their_inside)) = (samples(own, function), samples(theirs, function));
        let (share, their_share) = (inside / all, their_inside / their_all);
        // Of two samples of one thing: the variances add up.
        let pooled = (inside + their_inside) / (all + their_all);
        let most = SIGMAS * (pooled * (1.0 - pooled) * (1.0 / all + 1.0 / their_all)).sqrt();
        assert!(
            (share - their_share).abs() <= most,
            "{function}: {inside} of {all}, perf {their_inside} of {their_all}"
        );
    }
}

#[test]
fn perf_says_the_same() {
    if is_perf_refused() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = hot(folder, &FRAMES);
    let program = program.to_str().unwrap();
    perf(folder, &["record", "-q", "-e", "cpu-clock", "-F", "500", "-g", "-o", "perf.data", program, "2000"]);
    std::fs::write(folder.join("perf.txt"), perf(folder, &["script", "-i", "perf.data"])).unwrap();
    ours(folder, &["import", "perf.txt", "-o", "perf.crosscut"]);
    ours(folder, &["record", "--calls", "-o", "ours.crosscut", "--", program, "2000"]);
    check_same(&open(&folder.join("ours.crosscut")), &open(&folder.join("perf.crosscut")));
}

/// Without frame pointers perf keeps copies of stacks, which are followed like ours; without the program they cannot be.
#[test]
fn perf_says_the_same_without_frame_pointers() {
    if is_perf_refused() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = hot_by("gcc", folder, &["-fomit-frame-pointer"]);
    let name = program.to_str().unwrap();
    let record =
        ["record", "-q", "-e", "cpu-clock", "-F", "500", "--call-graph", "dwarf", "-o", "perf.data", name];
    perf(folder, &[&record[..], &["2000"]].concat());
    ours(folder, &["import", "perf.data", "-o", "perf.crosscut"]);
    ours(folder, &["record", "--calls", "-o", "ours.crosscut", "--", name, "2000"]);
    let theirs = open(&folder.join("perf.crosscut"));
    check_same(&open(&folder.join("ours.crosscut")), &theirs);
    let path = names(&theirs);
    assert!(path.windows(4).any(|four| four == ["work", "solve", "sweep", "relax"]), "{path:?}");
    std::fs::remove_file(&program).unwrap();
    ours(folder, &["import", "perf.data", "-o", "gone.crosscut"]);
    let notes = open(&folder.join("gone.crosscut")).summary().notes.join("\n");
    assert!(notes.contains("have callers that are not known") && notes.contains("not here"), "{notes}");
}

/// What was sampled until then is in the run.
#[test]
fn a_program_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let program = hot(folder.path(), &FRAMES);
    let script = format!("{} 1000000 & child=$!; sleep 2; kill -9 $child; wait", program.display());
    ours(folder.path(), &["record", "--calls", "-o", "run.crosscut", "--", "sh", "-c", &script]);
    let calls = open(&folder.path().join("run.crosscut"));
    assert!(samples(&calls, "relax").1 > 10.0, "{:?}", calls.summary());
    let partial = calls.run().manifest().partial.clone().unwrap_or_default();
    assert!(partial.contains("did not exit normally"), "{partial}");
}
