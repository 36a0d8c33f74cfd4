//! Real profilers on a program with a known hot path (`examples/profiles`): it is found from what each of them writes. They
//! have to be installed: `cargo xtask test` does that.

use crate::profile;

use std::path::{Path, PathBuf};
use std::process::Command;

use crosscut_calls::{Calls, hot_path};
use crosscut_tree::NodeId;
use profile::{adds_up, read, repository};

/// The hot path of the program, outermost first.
const HOT: [&str; 4] = ["main", "solve", "sweep", "relax"];
/// Set where the kernel refuses perf, by `cargo xtask test`, which says so.
const NO_PERF: &str = "CROSSCUT_WITHOUT_PERF";

/// Every function has a frame, also those that call nothing: gcc leaves these out from `-O1` on, whatever it is told.
const FLAGS: [&str; 2] = ["-O0", "-g"];

fn source(name: &str) -> PathBuf {
    repository().join("examples/profiles").join(name)
}

/// Runs a command in a folder; it has to end well.
fn run(command: &mut Command, folder: &Path) {
    let output = command.current_dir(folder).output();
    let output = output.unwrap_or_else(|error| {
        panic!("{command:?}: {error}. `cargo xtask test rust` installs what is missing")
    });
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
}

/// The program in two modules: itself and its library.
fn two_modules(folder: &Path, more: &[&str]) -> PathBuf {
    let library = folder.join("libkernel.so");
    run(
        Command::new("gcc")
            .args(FLAGS)
            .args(["-shared", "-fPIC"])
            .arg(source("kernel.c"))
            .arg("-o")
            .arg(&library),
        folder,
    );
    let program = folder.join("solver");
    let mut link = Command::new("gcc");
    link.args(FLAGS).arg(source("solver.c")).arg("-o").arg(&program);
    link.args(["-L.", "-lkernel", "-Wl,-rpath,$ORIGIN"]).args(more);
    run(&mut link, folder);
    program
}

fn names(calls: &Calls) -> Vec<String> {
    let name = |node: NodeId| calls.frame(node).map(|frame| frame.name.clone());
    hot_path(calls, 0, NodeId::ROOT).into_iter().filter_map(name).collect()
}

/// The hot path goes through all that it should, in order, and ends in the function that takes most.
fn is_found(calls: &Calls) {
    adds_up(calls);
    let found = names(calls);
    let mut rest = found.iter();
    for name in HOT {
        assert!(rest.any(|other| other == name), "{name} is not on the hot path {found:?}");
    }
    assert_eq!(found.last().map(String::as_str), Some("relax"));
    let total = calls.inclusive(0, NodeId::ROOT);
    let relax = crosscut_calls::flat(calls, 0).into_iter().next().unwrap();
    assert_eq!(calls.frames()[relax.frame as usize].name, "relax");
    assert!(relax.own * 2 > total, "relax has {} of {total}", relax.own);
}

fn module_of(calls: &Calls, name: &str) -> String {
    let frame = calls.frames().iter().find(|frame| frame.name == name);
    let module = frame.map(|frame| frame.module.clone()).unwrap_or_default();
    module.rsplit('/').next().unwrap_or_default().to_owned()
}

#[test]
fn perf() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path();
    let program = two_modules(folder, &[]);
    let record = |what: &mut Command| {
        what.current_dir(folder)
            .output()
            .unwrap_or_else(|error| panic!("perf: {error}. `cargo xtask test rust` installs it"))
    };
    let recorded = record(
        Command::new("perf")
            .args(["record", "-e", "cpu-clock", "-F", "499", "-g", "-o", "perf.data", "--"])
            .arg(&program)
            .arg("2000"),
    );
    if !recorded.status.success() && std::env::var_os(NO_PERF).is_some() {
        eprintln!("perf is not permitted here: {}", String::from_utf8_lossy(&recorded.stderr));
        return;
    }
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert!(
        recorded.status.success(),
        "perf record failed; {NO_PERF}=1 says that this is expected here\n{said}"
    );
    let printed = record(Command::new("perf").args(["script", "-i", "perf.data"]));
    assert!(printed.status.success());
    let file = folder.join("perf.script");
    std::fs::write(&file, printed.stdout).unwrap();
    // What it prints, and its own file.
    for file in [file, folder.join("perf.data")] {
        let (_run, calls) = read(&file);
        is_found(&calls);
        assert_eq!(module_of(&calls, "relax"), "libkernel.so");
        assert_eq!(module_of(&calls, "solve"), "solver");
    }
}

#[test]
fn gperftools() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path();
    // Linked in, though nothing of it is called.
    let program = two_modules(folder, &["-Wl,--no-as-needed", "-lprofiler"]);
    let file = folder.join("cpu.prof");
    run(
        Command::new(&program).arg("3000").env("CPUPROFILE", &file).env("CPUPROFILE_FREQUENCY", "250"),
        folder,
    );
    let (_run, calls) = read(&file);
    is_found(&calls);
    assert_eq!(module_of(&calls, "relax"), "libkernel.so");
}

#[test]
fn callgrind() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path();
    let program = two_modules(folder, &[]);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=callgrind.out.1"]);
    // All that a file can hold: several events, addresses, jumps.
    valgrind.args(["--cache-sim=yes", "--dump-instr=yes", "--collect-jumps=yes"]).arg(&program).arg("20");
    run(&mut valgrind, folder);
    let (_run, calls) = read(&folder.join("callgrind.out.1"));
    is_found(&calls);
    assert_eq!(module_of(&calls, "relax"), "libkernel.so");
    assert!(calls.summary().metrics.len() > 9, "{:?}", calls.summary().metrics);
    assert!(
        !calls.summary().notes.iter().any(|note| note.contains("but it says")),
        "{:?}",
        calls.summary().notes
    );
}

#[test]
fn gprof() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path();
    // What is in a library is not seen by gprof: one module.
    let program = folder.join("solver");
    let mut link = Command::new("gcc");
    link.args(FLAGS)
        .args(["-pg", "-no-pie"])
        .arg(source("solver.c"))
        .arg(source("kernel.c"))
        .arg("-o")
        .arg(&program);
    run(&mut link, folder);
    run(Command::new(&program).arg("6000"), folder);
    let print = |name: &str, options: &[&str]| {
        let printed =
            Command::new("gprof").args(options).arg(&program).arg("gmon.out").current_dir(folder).output();
        let printed = printed.unwrap();
        assert!(printed.status.success());
        let file = folder.join(name);
        std::fs::write(&file, printed.stdout).unwrap();
        file
    };
    // Without explanations, and without the flat table too.
    for options in [&["-b"] as &[&str], &["-b", "-q"]] {
        let (_run, calls) = read(&print("brief.txt", options));
        is_found(&calls);
    }
    let file = print("gprof.txt", &[]);
    // Its own file: names are those of the program beside it.
    let (_run, calls) = read(&folder.join("gmon.out"));
    is_found(&calls);
    let (_run, calls) = read(&file);
    is_found(&calls);
    let metric = calls.summary().metrics.iter().position(|metric| metric.name == "calls").unwrap();
    let relax = crosscut_calls::flat(&calls, metric)
        .into_iter()
        .find(|row| calls.frames()[row.frame as usize].name == "relax");
    assert_eq!(relax.map(|row| row.own), Some(6000 * 4096));
}

/// Functions that a compiler inlined have no frames of their own: the lines of the code say who they are.
#[test]
fn inlined_functions_are_on_the_path() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path();
    let text = "static volatile double sum;\n\
        static inline __attribute__((always_inline)) void inner(void) { for (int i = 0; i < 1000; i++) sum += i; }\n\
        static inline __attribute__((always_inline)) void middle(void) { inner(); }\n\
        __attribute__((noinline)) void outer(void) { middle(); }\n\
        int main(void) { for (int i = 0; i < 300000; i++) outer(); return 0; }\n";
    std::fs::write(folder.join("inlined.c"), text).unwrap();
    let mut link = Command::new("gcc");
    link.args(["-O1", "-g", "inlined.c", "-o", "inlined", "-Wl,--no-as-needed", "-lprofiler"]);
    run(&mut link, folder);
    let file = folder.join("cpu.prof");
    run(
        Command::new(folder.join("inlined")).env("CPUPROFILE", &file).env("CPUPROFILE_FREQUENCY", "250"),
        folder,
    );
    let (_run, calls) = read(&file);
    adds_up(&calls);
    let found = names(&calls);
    let at = found.iter().position(|name| name == "outer").unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(found[at..], ["outer", "middle", "inner"]);
}
