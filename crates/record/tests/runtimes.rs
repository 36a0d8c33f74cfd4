//! One program for six task runtimes, through `crosscut.h` and `crosscut.hpp`: compiled by two compilers, run alone, and
//! recorded. `runtimes/README.md` says which runtimes are real here and which have stand-ins.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What all files are compiled with.
const FLAGS: [&str; 6] = ["-g", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

struct Compiler {
    c: &'static str,
    cpp: &'static str,
}

const GCC: Compiler = Compiler { c: "gcc", cpp: "g++" };
const CLANG: Compiler = Compiler { c: "clang-19", cpp: "clang++-19" };

struct Runtime {
    /// `CROSSCUT_…`
    name: &'static str,
    /// Files in `runtimes/stand-in`; none when the runtime is real.
    stand_in: &'static [&'static str],
    compile: &'static [&'static str],
    link: &'static [&'static str],
}

const RUNTIMES: [Runtime; 6] = [
    Runtime { name: "SERIAL", stand_in: &[], compile: &[], link: &[] },
    Runtime { name: "OPENMP", stand_in: &[], compile: &["-fopenmp"], link: &["-fopenmp"] },
    Runtime { name: "TBB", stand_in: &[], compile: &[], link: &["-ltbb"] },
    Runtime { name: "CILK", stand_in: &["cilk.c", "fibers.c"], compile: &[], link: &["-pthread"] },
    Runtime { name: "QTHREADS", stand_in: &["qthread.c", "fibers.c"], compile: &[], link: &["-pthread"] },
    Runtime { name: "MASSIVETHREADS", stand_in: &["myth.c", "fibers.c"], compile: &[], link: &["-pthread"] },
];

/// Every program, compiled into a folder of its own.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtimes");
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    let mut programs = Vec::new();
    for compiler in [GCC, CLANG] {
        for runtime in &RUNTIMES {
            build(&compiler, runtime, &folder, &mut programs);
        }
    }
    programs
}

/// The C source, the C++ source, and the C++ source with members in place of macros where the runtime allows it.
fn build(compiler: &Compiler, runtime: &Runtime, folder: &Path, programs: &mut Vec<PathBuf>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let stand_in = root.join("tests/runtimes/stand-in");
    let sources = root.join("../../examples/runtimes");
    let prefix = format!("{}-{}", compiler.c, runtime.name);
    let object = |language: &str, source: &Path, name: &str, more: &[&str]| {
        let object = folder.join(format!("{prefix}-{name}.o"));
        let (tool, form) = match language {
            "c" => (compiler.c, ["-x", "c", "-std=c11"]),
            _ => (compiler.cpp, ["-x", "c++", "-std=c++17"]),
        };
        let mut compile = Command::new(tool);
        compile.args(form).args(FLAGS).args(runtime.compile).args(more);
        compile.arg(format!("-DCROSSCUT_{}", runtime.name)).arg("-I").arg(root.join("include"));
        if !runtime.stand_in.is_empty() {
            compile.arg("-I").arg(&stand_in);
        }
        run(compile.arg("-c").arg(source).arg("-o").arg(&object));
        object
    };
    let library: Vec<PathBuf> =
        runtime.stand_in.iter().map(|file| object("c", &stand_in.join(file), file, &[])).collect();

    // oneTBB takes the C source as C++.
    let c = if runtime.name == "TBB" { "c++" } else { "c" };
    let mut objects = vec![
        object(c, &sources.join("tree.c"), "c", &[]),
        object("c++", &sources.join("tree.cpp"), "cpp", &[]),
    ];
    if runtime.name != "CILK" {
        objects.push(object("c++", &sources.join("tree.cpp"), "members", &["-DMEMBERS"]));
    }
    for object in objects {
        let program = object.with_extension("");
        run(Command::new(compiler.cpp)
            .arg(&object)
            .args(&library)
            .args(runtime.link)
            .arg("-o")
            .arg(&program));
        programs.push(program);
    }
}

/// Runs a command that must work, and returns what it prints.
fn run(command: &mut Command) -> String {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => panic!("{command:?}: {error}; `cargo xtask doctor` says what is missing"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{errors}\n`cargo xtask doctor` says if a compiler or a library is missing",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

/// A tree of depth d has 2^d leaves and 2^(d+1) - 2 tasks; the nested form makes 43 of them, each as a task.
const CASES: [(&[&str], u64, u64); 5] = [
    (&["0", "2"], 1, 0),
    (&["1", "2"], 2, 2),
    (&["7", "1"], 128, 254),
    (&["7", "4"], 128, 254),
    (&["nested", "4", "4"], 43 * 16, 43 * 31),
];

/// One test, because compiling takes most of it.
#[test]
fn every_runtime_gives_the_same_answer_and_is_recorded() {
    let crosscut = std::env::var_os("CROSSCUT_BIN").expect("CROSSCUT_BIN is not set: use `cargo xtask test`");
    for program in programs() {
        for (arguments, leaves, tasks) in CASES {
            let printed = run(Command::new(&program).args(arguments));
            let expected = format!("result {leaves}\ntasks {tasks}\n");
            assert_eq!(printed, expected, "{program:?} {arguments:?}");
            if tasks == 0 {
                continue;
            }
            let name = format!("{}-{}.crosscut", program.display(), arguments.join("-"));
            let printed = run(Command::new(&crosscut)
                .args([OsStr::new("record"), OsStr::new("-o"), OsStr::new(&name), OsStr::new("--")])
                .arg(&program)
                .args(arguments));
            assert!(printed.contains(&format!("tasks {tasks}\n")), "{name}: {printed}");
            let info = run(Command::new(&crosscut).args(["info", "--json", &name]));
            assert_eq!(recorded_tasks(&info), Some(tasks), "{name}: {info}");
        }
    }
}

/// `tasks.tasks` in the answer of `crosscut info --json`.
fn recorded_tasks(json: &str) -> Option<u64> {
    let dense: String = json.chars().filter(|c| !c.is_whitespace()).collect();
    let (_, part) = dense.split_once("\"tasks\":{")?;
    let (_, number) = part.split_once("\"tasks\":")?;
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..digits].parse().ok()
}

#[test]
fn a_wrong_choice_of_runtime_is_explained() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let stand_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runtimes/stand-in");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/runtimes");
    let one_of = "define exactly one of CROSSCUT_OPENMP, CROSSCUT_TBB, CROSSCUT_CILK, CROSSCUT_QTHREADS, ";
    let cases: [(&str, &str, &[&str], &str); 5] = [
        (GCC.c, "tree.c", &[], one_of),
        (CLANG.c, "tree.c", &["-DCROSSCUT_SERIAL", "-DCROSSCUT_CILK"], one_of),
        (GCC.c, "tree.c", &["-DCROSSCUT_TBB"], "oneTBB exists in C++ only"),
        (CLANG.c, "tree.c", &["-DCROSSCUT_OPENMP"], "compile with -fopenmp"),
        (
            CLANG.cpp,
            "tree.cpp",
            &["-std=c++17", "-DCROSSCUT_CILK", "-DMEMBERS"],
            "use CROSSCUT_CREATE(section, closure)",
        ),
    ];
    for (compiler, source, flags, expected) in cases {
        let mut command = Command::new(compiler);
        command
            .args(flags)
            .arg("-I")
            .arg(&include)
            .arg("-I")
            .arg(&stand_in)
            .arg("-fsyntax-only")
            .arg(sources.join(source));
        let output = command.output().expect("no compiler: `cargo xtask doctor` says what is missing");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(expected), "{command:?}: {errors}");
    }
}
