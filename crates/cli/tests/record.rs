//! `crosscut record` around programs that record nothing, or next to nothing: what the program sees, what the shell sees,
//! and what is left. The recorder is a stand-in.

use crate::support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use support::{fails, folder, names};
use tempfile::TempDir;

/// Leaves a folder as a recorder would, with events of a version that nobody reads, when it is told to.
const STAND_IN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void) {
    const char *events = getenv("CROSSCUT_EVENTS");
    char path[4096];
    if (!events || !getenv("STAND_IN_LEAVES")) return;
    snprintf(path, sizeof path, "%s/%d-1", events, (int)getpid());
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%d-1/process", events, (int)getpid());
    FILE *file = fopen(path, "w");
    if (file) fclose(file);
    snprintf(path, sizeof path, "%s/%d-1/thread-00000", events, (int)getpid());
    file = fopen(path, "w");
    if (file) { fprintf(file, "XCUTEVT1%08192d", 0); fclose(file); }
}
"#;

/// A folder to work in, and a stand-in for the recorder in another.
struct Workshop {
    folder: TempDir,
    tools: TempDir,
}

impl Workshop {
    fn new() -> Self {
        let workshop = Workshop { folder: folder(), tools: folder() };
        fs::write(workshop.tool("stand_in.c"), STAND_IN).unwrap();
        workshop.compile("gcc -shared -fPIC stand_in.c -o libcrosscut_record.so");
        workshop
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn tool(&self, name: &str) -> PathBuf {
        self.tools.path().join(name)
    }

    fn compile(&self, command: &str) {
        let mut words = command.split(' ');
        let output = Command::new(words.next().unwrap()).args(words).current_dir(self.tools.path()).output();
        let output =
            output.unwrap_or_else(|e| panic!("{command}: {e}; `cargo xtask doctor` says what is missing"));
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// `crosscut record` with these words after it.
    fn record(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crosscut"));
        command.current_dir(self.path()).arg("record").args(words);
        command.env("CROSSCUT_RECORDER", self.tool("libcrosscut_record.so")).env_remove("LD_PRELOAD");
        command
    }

    fn sh(&self, script: &str) -> Command {
        self.record(&["--", "sh", "-c", script])
    }
}

fn output(mut command: Command) -> (Output, String) {
    let output = command.output().unwrap();
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!errors.contains("panicked"), "{errors}");
    (output, errors)
}

/// Expects that nothing was started.
fn refused(shop: &Workshop, command: Command, says: &str) {
    let before = names(shop.path());
    let (output, errors) = output(command);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.starts_with("crosscut: ") && errors.contains(says), "{errors}");
    assert_eq!(names(shop.path()), before);
    assert!(output.stdout.is_empty());
}

#[test]
fn the_exit_code_is_the_programs() {
    let shop = Workshop::new();
    for code in [0, 1, 7, 255] {
        let (output, errors) = output(shop.sh(&format!("exit {code}")));
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert!(errors.starts_with("crosscut: nothing was recorded: "), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert_eq!(names(shop.path()), [""; 0]);
    }
}

#[test]
fn the_signal_that_ended_the_program_ends_us() {
    let shop = Workshop::new();
    for (name, signal) in [("TERM", 15), ("INT", 2), ("SEGV", 11), ("QUIT", 3), ("KILL", 9), ("USR1", 10)] {
        let (output, errors) = output(shop.sh(&format!("kill -{name} $$")));
        assert_eq!(output.status.signal(), Some(signal), "{errors}");
        assert!(!output.status.core_dumped());
        assert!(errors.contains("nothing was recorded"), "{errors}");
        assert!(names(shop.path()).iter().all(|name| name.starts_with("core")), "{:?}", names(shop.path()));
    }
}

/// Starts it and waits until it has said that it is ready.
fn start(mut command: Command) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    (child, said)
}

fn kill(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

fn rest(mut said: impl Read) -> String {
    let mut text = String::new();
    said.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn signals_are_passed_on() {
    let shop = Workshop::new();
    for signal in ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"] {
        let script =
            format!("trap 'echo got {signal}; exit 5' {signal}; echo ready; while :; do sleep 0.02; done");
        let (mut child, said) = start(shop.sh(&script));
        kill(&child, &format!("-{signal}"));
        assert_eq!(child.wait().unwrap().code(), Some(5), "{signal}");
        assert_eq!(rest(said), format!("got {signal}\n"));
    }
    // A program that does not care for it dies of it, and so do we.
    let (mut child, _said) = start(shop.sh("echo ready; exec sleep 60"));
    kill(&child, "-TERM");
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

#[test]
fn what_is_ignored_stays_ignored() {
    let shop = Workshop::new();
    let record = shop.sh("echo ready; sleep 0.3; echo done");
    let mut nohup = Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(record.get_program()).args(record.get_args());
    nohup.current_dir(shop.path()).env("CROSSCUT_RECORDER", shop.tool("libcrosscut_record.so"));
    let (mut child, said) = start(nohup);
    kill(&child, "-HUP");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(rest(said), "done\n");
}

#[test]
fn standard_output_and_input_are_the_programs() {
    let shop = Workshop::new();
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    fs::write(shop.tool("bytes"), &bytes).unwrap();
    let mut command = shop.record(&["cat", "-", "/dev/null"]);
    command.stdin(fs::File::open(shop.tool("bytes")).unwrap());
    let (output, errors) = output(command);
    assert!(output.status.success(), "{errors}");
    assert!(output.stdout == bytes);
}

#[test]
fn words_arrive_as_they_were_typed() {
    let shop = Workshop::new();
    let words =
        ["sh", "-c", "printf '%s|' \"$0\" \"$@\"", "zero", "-q", "--", "-o", "two words", "", "--help"];
    let expected = "zero|-q|--|-o|two words||--help|";
    for before in [&["--"][..], &[], &["--tasks", "--"]] {
        let (output, errors) = output(shop.record(&[before, &words].concat()));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{errors}");
    }
}

#[test]
fn what_the_program_is_told() {
    let shop = Workshop::new();
    let script =
        "echo \"$LD_PRELOAD\"; echo \"$CROSSCUT_RECORD\"; echo \"$OMP_TOOL\"; echo \"$CROSSCUT_EVENTS\"";
    let mut command = shop.record(&[
        "--collapse=50us",
        "--collapse-count",
        "1e3",
        "-o",
        "some run.crosscut",
        "--",
        "sh",
        "-c",
        script,
    ]);
    command.env("LD_PRELOAD", "libc.so.6");
    let (output, errors) = output(command);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let recorder = shop.tool("libcrosscut_record.so").display().to_string();
    assert_eq!(lines[0], format!("libc.so.6:{recorder}"), "{errors}");
    assert_eq!(lines[1], "collapse=50000,collapse-count=1000");
    assert_eq!(lines[2], "enabled");
    let here = shop.path().canonicalize().unwrap().display().to_string();
    assert!(lines[3].starts_with(&format!("{here}/some run.events-")), "{}", lines[3]);
}

/// The libraries that are loaded into a program of an OpenMP compiler.
fn preloaded(shop: &Workshop, options: &[&str], program: &str) -> String {
    let program = shop.tool(program);
    let (output, errors) = output(shop.record(&[options, &["--", program.to_str().unwrap()]].concat()));
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn llvms_runtime_takes_the_place_of_gccs_when_it_is_told_to() {
    let shop = Workshop::new();
    let library = "int tasks(void) { int n = 0;\n#pragma omp parallel reduction(+:n)\nn++; return n; }";
    fs::write(shop.tool("tasks.c"), library).unwrap();
    let main = "#include <stdio.h>\n#include <stdlib.h>\nint tasks(void);\n\
                int main(void) { printf(\"%s\", getenv(\"LD_PRELOAD\")); return tasks() == 0; }";
    fs::write(shop.tool("main.c"), main).unwrap();
    shop.compile("gcc -fopenmp main.c tasks.c -o gcc");
    shop.compile("clang-19 -fopenmp main.c tasks.c -o clang");
    shop.compile("gcc -fopenmp -shared -fPIC tasks.c -o libtasks.so");
    shop.compile("gcc main.c -L. -ltasks -Wl,-rpath,$ORIGIN -o through");
    let recorder = shop.tool("libcrosscut_record.so").display().to_string();
    for program in ["clang", "gcc", "through"] {
        assert_eq!(preloaded(&shop, &[], program), recorder);
        assert_eq!(preloaded(&shop, &["--runtime", "own"], program), recorder);
    }
    assert_eq!(preloaded(&shop, &["--runtime", "llvm"], "clang"), recorder);
    for program in ["gcc", "through"] {
        let libraries = preloaded(&shop, &["--runtime", "llvm"], program);
        assert!(
            libraries.starts_with(&recorder) && libraries.ends_with("/libomp.so.5"),
            "{program}: {libraries}"
        );
    }
    let mut missing = shop.record(&["--runtime", "llvm", "--", shop.tool("gcc").to_str().unwrap()]);
    missing.env("CROSSCUT_LIBOMP", "/no/libomp.so.5");
    refused(&shop, missing, "CROSSCUT_LIBOMP names /no/libomp.so.5, where no file is");
    let mut empty = shop.record(&["--runtime", "llvm", "--", shop.tool("gcc").to_str().unwrap()]);
    empty.env("CROSSCUT_LIBOMP", shop.tool("libcrosscut_record.so"));
    refused(&shop, empty, "does not have GOMP_parallel@GOMP_4.0");
}

#[test]
fn what_cannot_be_recorded_is_not_started() {
    let shop = Workshop::new();
    let start = ["--", "sh", "-c", "echo started"];
    fs::create_dir(shop.path().join("there.crosscut")).unwrap();
    refused(&shop, shop.record(&[&["-o", "there.crosscut"], &start[..]].concat()), "already exists");
    refused(&shop, shop.record(&[&["-o", "no/such/folder"], &start[..]].concat()), "no/such/folder");
    refused(&shop, shop.record(&[&["--counters", "a,b,c,d,e"], &start[..]].concat()), "5 counters");
    refused(&shop, shop.record(&[&["--counters", "a b"], &start[..]].concat()), "not the name of a counter");
    refused(&shop, shop.record(&[&["--collapse=soon"], &start[..]].concat()), "is not a time");
    refused(&shop, shop.record(&[&["--runtime", "intel"], &start[..]].concat()), "not a runtime to choose");
    refused(&shop, shop.record(&[]), "PROGRAM");
    refused(&shop, shop.record(&["--", "no-such-program"]), "no such program in PATH");
    refused(&shop, shop.record(&["--", "./no-such-program"]), "no such program");
    refused(&shop, shop.record(&["--", "/"]), "a directory");
    refused(&shop, shop.record(&["--", shop.tool("stand_in.c").to_str().unwrap()]), "not executable");

    let mut command = shop.record(&start);
    command.env("CROSSCUT_RECORDER", "/no/recorder.so");
    refused(&shop, command, "CROSSCUT_RECORDER names /no/recorder.so");

    fs::write(shop.tool("main.c"), "#include <stdio.h>\nint main(void) { puts(\"started\"); }").unwrap();
    shop.compile("gcc -static main.c -o static");
    refused(&shop, shop.record(&["--", shop.tool("static").to_str().unwrap()]), "statically linked");

    let mode =
        |name: &str, mode| fs::set_permissions(shop.tool(name), fs::Permissions::from_mode(mode)).unwrap();
    fs::write(shop.tool("narrow"), b"\x7fELF\x01\x01\x01").unwrap();
    fs::write(shop.tool("damaged"), b"\x7fELF\x02\x01\x01").unwrap();
    mode("narrow", 0o755);
    mode("damaged", 0o755);
    refused(&shop, shop.record(&["--", shop.tool("narrow").to_str().unwrap()]), "32-bit program");
    refused(&shop, shop.record(&["--", shop.tool("damaged").to_str().unwrap()]), "damaged");

    // Only root can give a file to somebody else.
    shop.compile("gcc main.c -o setuid");
    if std::os::unix::fs::chown(shop.tool("setuid"), Some(65_534), None).is_ok() {
        mode("setuid", 0o4755);
        refused(&shop, shop.record(&["--", shop.tool("setuid").to_str().unwrap()]), "setuid");
    }
}

#[test]
fn without_a_recorder_it_says_how_to_build_one() {
    let shop = Workshop::new();
    // A copy of the command, with nothing beside it.
    let copy = shop.tool("crosscut");
    fs::copy(env!("CARGO_BIN_EXE_crosscut"), &copy).unwrap();
    let mut command = Command::new(copy);
    command.current_dir(shop.path()).args(["record", "true"]).env_remove("CROSSCUT_RECORDER");
    fs::rename(shop.tool("libcrosscut_record.so"), shop.tool("other.so")).unwrap();
    refused(&shop, command, "cargo build --release -p crosscut-record");
}

#[test]
fn a_script_is_recorded() {
    let shop = Workshop::new();
    let script = shop.tool("script");
    let mut file = fs::File::create(&script).unwrap();
    file.write_all(b"#!/bin/sh\necho \"$LD_PRELOAD\"\nexit 3\n").unwrap();
    drop(file);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let (output, errors) = output(shop.record(&["--", script.to_str().unwrap()]));
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("libcrosscut_record.so"));
}

#[test]
fn a_recorder_in_a_folder_with_a_space() {
    let shop = Workshop::new();
    fs::create_dir(shop.tool("a folder")).unwrap();
    let recorder = shop.tool("a folder/libcrosscut_record.so");
    fs::copy(shop.tool("libcrosscut_record.so"), &recorder).unwrap();
    let mut command = shop.sh("test -e \"${LD_PRELOAD%%:*}\" && echo there");
    command.env("CROSSCUT_RECORDER", &recorder).env("STAND_IN_LEAVES", "1");
    let (output, errors) = output(command);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "there\n", "{errors}");
    assert!(errors.contains("crosscut import"), "{errors}"); // it was loaded, and left a folder
}

#[test]
fn events_that_cannot_become_a_run_are_kept() {
    let shop = Workshop::new();
    fs::create_dir(shop.path().join("sh.crosscut")).unwrap();
    for (code, ours) in [(0, 2), (4, 4)] {
        let mut command = shop.sh(&format!("exit {code}"));
        command.env("STAND_IN_LEAVES", "1");
        let (output, errors) = output(command);
        assert_eq!(output.status.code(), Some(ours), "{errors}");
        let left: Vec<String> = names(shop.path()).into_iter().filter(|name| name != "sh.crosscut").collect();
        assert!(left.len() == 1 && left[0].starts_with("sh-2.events-"), "{left:?}");
        // The line can be typed.
        let path = shop.path().canonicalize().unwrap().join(&left[0]);
        assert!(
            errors.contains(&format!("`crosscut import {} -o sh-2.crosscut`", path.display())),
            "{errors}"
        );
        let error = fails(shop.path(), &["import", path.to_str().unwrap(), "-o", "sh-2.crosscut"]);
        assert!(!error.contains("not a file"), "{error}");
        assert!(!shop.path().join("sh-2.crosscut").exists());
        fs::remove_dir_all(path).unwrap();
    }
}
