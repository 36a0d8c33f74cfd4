//! `crosscut record` around programs of GCC on their own runtime: each does what it does without, and counts its tasks
//! itself.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{Recorded, crosscut, events_in, number_after, with_threads};
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use tempfile::TempDir;

/// A folder with programs.
struct Shop(TempDir);

impl Shop {
    fn new() -> Self {
        Shop(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a compiler in the folder of the sources; `OUT` stands for the folder of the programs.
    fn compile(&self, line: &str) {
        let line = line.replace("OUT", self.0.path().to_str().unwrap());
        let mut words = line.split(' ');
        let mut command = Command::new(words.next().unwrap());
        command.args(words).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gomp"));
        let output = command
            .output()
            .unwrap_or_else(|error| panic!("{line}: {error}; `cargo xtask doctor` says what is missing"));
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A program of GCC, at -O2 as users build it.
    fn program(&self, source: &str) -> PathBuf {
        let (name, kind) = source.split_once('.').unwrap();
        let compiler = if kind == "c" { "gcc" } else { "g++" };
        self.compile(&format!("{compiler} -g -O2 -fopenmp {source} -o OUT/{name}"));
        self.path(name)
    }
}

fn alone(program: &Path, threads: usize, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program);
    with_threads(command.envs(variables.iter().copied()), threads).output().unwrap()
}

/// Records a program, which must print and end as it does alone.
fn record(options: &[&str], program: &Path, threads: usize, variables: &[(&str, &str)]) -> Recorded {
    let plain = alone(program, threads, variables);
    let folder = tempfile::tempdir().unwrap();
    let mut command = crosscut(folder.path());
    command.args(["record", "-o", "run.crosscut"]).args(options).arg("--").arg(program);
    command.envs(variables.iter().copied());
    let output = with_threads(&mut command, threads).output().unwrap();
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    let what = format!("{} with {threads} threads: {stderr}", program.display());
    assert_eq!(output.status, plain.status, "{what}");
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(stdout, String::from_utf8(plain.stdout).unwrap(), "{what}");
    assert!(events_in(folder.path()).is_empty(), "{what}");
    Recorded { folder, output, stdout, stderr }
}

/// Records a program that counts its tasks and ends well, on its own runtime.
fn check(program: &Path, threads: usize, variables: &[(&str, &str)]) -> Recorded {
    let recorded = record(&[], program, threads, variables).well();
    let info = recorded.info();
    let what = format!("{} with {threads} threads: {}{}", program.display(), recorded.stderr, info.text());
    assert!(!info.is_partial(), "{what}");
    assert_eq!(info.number("tasks"), number_after(&recorded.stdout, "tasks").unwrap(), "{what}");
    assert!(runtime(&recorded).starts_with("GCC's libgomp ("), "{what}");
    recorded
}

/// The OpenMP runtime that a run names.
fn runtime(recorded: &Recorded) -> String {
    let run = crosscut_run::Run::open(&recorded.run()).unwrap();
    run.manifest().origin.tools.get("openmp").cloned().unwrap_or_default()
}

#[test]
fn programs_do_what_they_do_alone() {
    let shop = Shop::new();
    for source in [
        "detach.c",
        "allocators.c",
        "scan.c",
        "teams.c",
        "cancel.c",
        "copies.cpp",
        "taskloops.c",
        "reductions.c",
        "dependences.c",
        "old.c",
        "loops.c",
        "locks.c",
    ] {
        let program = shop.program(source);
        for threads in [1, 2, 4] {
            check(&program, threads, &[]);
        }
    }
}

#[test]
fn cancelled_tasks_are_not_missing() {
    let shop = Shop::new();
    let recorded = check(&shop.program("cancel.c"), 2, &[("OMP_CANCELLATION", "true")]);
    assert!(recorded.stderr.contains("tasks were cancelled before they began"), "{}", recorded.stderr);
}

/// How many leaves of a kind a run has.
fn count(recorded: &Recorded, kind: Kind) -> i64 {
    let at = Kind::LEAVES.iter().position(|&leaf| leaf == kind).unwrap();
    recorded.tasks().summary().counts[at]
}

#[test]
fn threads_of_inner_regions_are_the_same_workers() {
    let shop = Shop::new();
    let recorded = check(&shop.program("nested.c"), 2, &[]);
    let tasks = recorded.tasks();
    let lanes = (0..tasks.summary().nodes).map(NodeId).filter(|&node| tasks.is_lane(node)).count();
    // Ten regions of two, in each of those lanes one of two, and so on; a barrier may cut the inmost.
    assert!((10 * (2 + 4 + 8)..=10 * (2 + 4 + 16)).contains(&lanes), "{lanes}");
    // At most eight run at once; the threads of each inner region are new ones.
    let workers = recorded.info().number("workers");
    assert!((2..=12).contains(&workers), "{workers}");
}

#[test]
fn loops_have_their_iterations() {
    let shop = Shop::new();
    let recorded = check(&shop.program("loops.c"), 2, &[]);
    assert!(count(&recorded, Kind::Chunk) > 0);
    let tasks = recorded.tasks();
    let iterations: i64 = (0..tasks.summary().nodes)
        .map(NodeId)
        .filter_map(|node| tasks.chunk(node))
        .map(|chunk| chunk.1)
        .sum();
    // All but the static loop, the outer of the two that wait, and four sections.
    let turns = number_after(&recorded.stdout, "turns").unwrap();
    assert_eq!(iterations, turns - 60 + 60 + 8 + 4, "{}", recorded.stdout);
}

#[test]
fn locks_are_counted() {
    let shop = Shop::new();
    let recorded = check(&shop.program("locks.c"), 2, &[]);
    let tasks = recorded.tasks();
    let mut counts: Vec<i64> = Vec::new();
    for lock in 0..tasks.lock_count() {
        counts.push(tasks.lock_uses().filter(|used| used.lock as usize == lock).map(|used| used.count).sum());
    }
    counts.sort_unstable();
    // Two critical sections, an atomic update, a nested lock; the plain lock is taken twice in each turn.
    assert_eq!(counts, [100, 100, 100, 100, 200], "{}", recorded.info().text());
}

#[test]
fn locks_have_their_lines_under_every_runtime() {
    let shop = Shop::new();
    let mut expected = lines_of("locks.c", "critical");
    let own = shop.program("locks.c");
    shop.compile("clang-19 -g -O2 -fopenmp locks.c -o OUT/clang -latomic");
    let clang = shop.path("clang");
    for (options, program) in [(&[][..], &own), (&["--runtime", "llvm"], &own), (&[], &clang)] {
        let recorded = record(options, program, 2, &[]).well();
        let tasks = recorded.tasks();
        let mut found = Vec::new();
        for used in tasks.lock_uses() {
            let source = tasks.sources().get(used.source).unwrap();
            assert!(source.file.ends_with("locks.c"), "{options:?} {}: {source}", program.display());
            found.push(source.line);
        }
        expected.retain(|line| found.contains(line));
        assert_eq!(expected.len(), 2, "{options:?} {}: {found:?}", program.display());
    }
}

#[test]
fn folding_counts_the_same() {
    let shop = Shop::new();
    for source in ["taskloops.c", "dependences.c", "copies.cpp", "nested.c"] {
        let program = shop.program(source);
        for threads in [1, 2] {
            let recorded = record(&["--collapse"], &program, threads, &[]).well();
            let expected = number_after(&recorded.stdout, "tasks").unwrap();
            let info = recorded.info();
            assert_eq!(info.number("tasks"), expected, "{source}, {threads}: {}", recorded.stderr);
            assert!(!info.is_partial(), "{source}, {threads}: {}", recorded.stderr);
        }
    }
}

/// Lines of a source, from 1, with a directive.
fn lines_of(source: &str, directive: &str) -> Vec<i64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gomp").join(source);
    let source = fs::read_to_string(path).unwrap();
    let is_there =
        |line: &str| line.split([' ', '(']).skip_while(|word| *word != "omp").nth(1) == Some(directive);
    let lines = source.lines().enumerate().filter(|(_, line)| is_there(line));
    lines.map(|(number, _)| number as i64 + 1).collect()
}

/// The lines of all leaves of a kind, each once.
fn lines(recorded: &Recorded, kind: Kind) -> Vec<i64> {
    let tasks = recorded.tasks();
    let nodes = (0..tasks.summary().nodes).map(NodeId).filter(|&node| tasks.kind(node) == kind);
    let mut lines: Vec<i64> =
        nodes.filter_map(|node| tasks.source(node).1).map(|source| source.line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[test]
fn lines_are_those_of_the_directives() {
    let shop = Shop::new();
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        shop.compile(&format!("gcc -g {level} -fopenmp lines.c -o OUT/lines"));
        let recorded = check(&shop.path("lines"), 2, &[]);
        assert_eq!(lines(&recorded, Kind::Create), lines_of("lines.c", "task"), "{level}: tasks");
        assert_eq!(lines(&recorded, Kind::Fork), lines_of("lines.c", "parallel"), "{level}: regions");
        let waits = lines(&recorded, Kind::Wait);
        for line in lines_of("lines.c", "taskwait") {
            assert!(waits.contains(&line), "{level}: {line} is not in {waits:?}");
        }
    }
}

#[test]
fn libraries_with_a_runtime_of_their_own() {
    let shop = Shop::new();
    shop.compile("gcc -g -O2 -fopenmp -shared -fPIC plugin.c -o OUT/one.so");
    shop.compile("gcc -O2 load.c -o OUT/load -ldl");
    // A runtime under another name, as packages bring it along.
    let gcc = Command::new("gcc").arg("-print-file-name=libgomp.so.1").output().unwrap();
    let libgomp = fs::read(String::from_utf8(gcc.stdout).unwrap().trim()).unwrap();
    fs::write(shop.path("libgomp.so.7"), renamed(&libgomp)).unwrap();
    fs::write(shop.path("two.so"), renamed(&fs::read(shop.path("one.so")).unwrap())).unwrap();
    let folder = shop.0.path().to_str().unwrap().to_owned();
    for libraries in ["one.so", "two.so", "one.so:two.so"] {
        for threads in [1, 2] {
            check(&shop.path("load"), threads, &[("LIBRARIES", libraries), ("LD_LIBRARY_PATH", &folder)]);
        }
    }
}

/// An ELF file in which libgomp has another name of the same length.
fn renamed(file: &[u8]) -> Vec<u8> {
    let (name, other) = (b"libgomp.so.1\0", b"libgomp.so.7\0");
    let mut file = file.to_vec();
    let found: Vec<usize> = (0..file.len() - name.len()).filter(|&at| file[at..].starts_with(name)).collect();
    assert!(!found.is_empty());
    for at in found {
        file[at..at + name.len()].copy_from_slice(other);
    }
    file
}

#[test]
fn a_library_of_gcc_in_a_program_of_clang() {
    let shop = Shop::new();
    shop.compile("gcc -g -O2 -fopenmp -shared -fPIC plugin.c -o OUT/libplugin.so");
    shop.compile("clang-19 -g -O2 -fopenmp both.c -LOUT -lplugin -Wl,-rpath,OUT -o OUT/both");
    for threads in [1, 2] {
        // All calls end in libomp, which tells what it does; nothing is recorded twice.
        let recorded = record(&[], &shop.path("both"), threads, &[]).well();
        let info = recorded.info();
        let expected = number_after(&recorded.stdout, "tasks").unwrap();
        assert_eq!(info.number("tasks"), expected, "{}{}", recorded.stderr, info.text());
        assert!(runtime(&recorded).contains("LLVM"), "{}", runtime(&recorded));
    }
}

#[test]
fn a_runtime_inside_of_the_program_is_said() {
    let shop = Shop::new();
    shop.compile("gcc -O2 -fopenmp -c nested.c -o OUT/nested.o");
    shop.compile("gcc OUT/nested.o -o OUT/inside -Wl,-Bstatic -lgomp -Wl,-Bdynamic -lpthread -ldl");
    let folder = tempfile::tempdir().unwrap();
    let output = crosscut(folder.path()).args(["record", "--"]).arg(shop.path("inside")).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("libgomp.a"), "{stderr}");
}

#[test]
fn another_runtime_only_when_it_has_everything() {
    let shop = Shop::new();
    let refused = |program: &Path, says: &str| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = crosscut(folder.path());
        let output = command.args(["record", "--runtime", "llvm", "--"]).arg(program).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(output.stdout.is_empty() && stderr.contains(says), "{stderr}");
    };
    refused(&shop.program("detach.c"), "omp_fulfill_event@OMP_5.0.1");
    refused(&shop.program("allocators.c"), "omp_init_allocator@OMP_5.0");
    for source in ["dependences.c", "nested.c"] {
        let program = shop.program(source);
        let recorded = record(&["--runtime", "llvm"], &program, 2, &[]).well();
        let expected = number_after(&recorded.stdout, "tasks").unwrap();
        assert_eq!(recorded.info().number("tasks"), expected, "{}", recorded.stderr);
        assert!(runtime(&recorded).contains("LLVM"), "{}", runtime(&recorded));
    }
    let folder = tempfile::tempdir().unwrap();
    let output = crosscut(folder.path()).args(["record", "--runtime", "intel", "true"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("`own`") && stderr.contains("`llvm`"), "{stderr}");
}
