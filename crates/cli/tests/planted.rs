//! Programs with one planted cause each, recorded and reported: the cause is the first finding, at its line, and programs
//! without one have no finding that matters. `examples/planted/causes.txt` says what is planted where.
//!
//! What is looked for is time, and other programs may take the processors at any moment. So the tests of causes are run by
//! `cargo xtask planted`, on a machine that has nothing else to do: of three recordings two must show what was planted. A
//! recording during which others took the processors says so (`account.others_ns`): if it does not show it, it does not
//! count and is made again. A program without a cause may have lost what others took, and nothing more. What does not
//! depend on time is tested always.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{crosscut, example, source, with_threads};
use serde_json::Value;

/// So many recordings must show what was planted, before as many do not.
const MAJORITY: usize = 2;
/// Recordings that are made at most, with those that do not count.
const MOST: usize = 10;
/// A machine on which others took more of the processors is busy.
const BUSY: f64 = 0.02;

/// A program, and what is planted in it.
#[derive(Clone, Debug)]
struct Planted {
    name: String,
    cause: String,
    file: String,
    /// The lines of the construct; none where it has none.
    lines: Option<(u64, u64)>,
    /// The number of workers is its argument.
    is_told: bool,
    /// The one compiler whose runtime shows it.
    only: Option<String>,
}

fn planted() -> Vec<Planted> {
    let text = source("planted/causes.txt");
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.map(|row| {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [name, cause, file, first, last, more @ ..] = &words[..] else { panic!("{row}") };
        Planted {
            name: (*name).to_owned(),
            cause: (*cause).to_owned(),
            file: (*file).to_owned(),
            lines: first.parse().ok().zip(last.parse().ok()),
            is_told: more.contains(&"workers=argument"),
            only: more.iter().find_map(|word| word.strip_prefix("only=")).map(str::to_owned),
        }
    })
    .collect()
}

/// What a recording showed.
struct Found {
    findings: Vec<Value>,
    /// Processor time that others than the workers took, and its share of what the workers could have had.
    others: f64,
    share: f64,
}

impl Planted {
    fn record(&self, compiler: &str, workers: usize, folder: &Path, run: &str) {
        let program = example(compiler, &format!("planted/{}", self.name));
        let mut command: Command = crosscut(folder);
        command.args(["record", "-o", run, "--"]).arg(program);
        if self.is_told {
            command.arg(workers.to_string());
        }
        let output = with_threads(&mut command, workers).output().unwrap();
        assert!(output.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&output.stderr));
    }

    fn findings(&self, compiler: &str, workers: usize) -> Found {
        let folder = tempfile::tempdir().unwrap();
        self.record(compiler, workers, folder.path(), "run.crosscut");
        let mut report = crosscut(folder.path());
        report.args(["report", "--json", "run.crosscut"]);
        if self.cause == "work-inflation" {
            self.record(compiler, 1, folder.path(), "one.crosscut");
            report.args(["--baseline", "one.crosscut"]);
        }
        let output = report.output().unwrap();
        let mut json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let account = |key: &str| json["account"][key].as_f64().expect("one process, recorded here");
        let could_have = account("capacity_ns") * processors().min(workers) as f64 / workers as f64;
        let others = account("others_ns");
        let findings = json["findings"].take().as_array().cloned().unwrap();
        Found { findings, others, share: others / could_have }
    }

    /// What is wrong with what was found, if anything is.
    fn fault(&self, Found { findings, others, .. }: &Found) -> Option<String> {
        let told = || findings.iter().map(|f| format!("\n  {f}")).collect::<String>();
        if self.cause == "healthy" {
            let is_explained = |finding: &Value| finding["cost_ns"].as_f64().unwrap() <= *others;
            let bad = findings.iter().find(|finding| finding["severity"] != "low" && !is_explained(finding));
            return bad.map(|_| format!("{} is healthy:{}", self.name, told()));
        }
        let Some(first) = findings.first() else { return Some(format!("{}: no finding", self.name)) };
        if first["id"] != self.cause.as_str() {
            return Some(format!("{}: not {} first:{}", self.name, self.cause, told()));
        }
        let (from, to) = self.lines?;
        let place = first["where"].as_str().unwrap_or_default();
        let file = Path::new(&self.file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let line = place.rsplit_once(':').and_then(|(_, line)| line.parse().ok());
        let is_there = place.contains(file) && line.is_some_and(|line| (from..=to).contains(&line));
        (!is_there).then(|| format!("{}: at {place}, not {file}:{from} to {to}", self.name))
    }

    fn check(&self, compiler: &str, workers: usize) -> Option<String> {
        let mut faults = Vec::new();
        let (mut right, mut wrong) = (0, 0);
        for _ in 0..MOST {
            let found = self.findings(compiler, workers);
            match self.fault(&found) {
                None => right += 1,
                Some(fault) => {
                    faults.push(format!("others took {:.1} %: {fault}", 100.0 * found.share));
                    // The program that takes processors from its own workers is busy by itself.
                    wrong += usize::from(found.share < BUSY || self.cause == "preempted");
                }
            }
            if right == MAJORITY {
                return None;
            }
            if wrong == MAJORITY {
                break;
            }
        }
        let counted = format!("{right} recordings show it, {wrong} quiet ones do not");
        Some(format!("{compiler}, {workers} workers, {counted}: {}", faults.join("\n")))
    }
}

/// How many the tests, and so the programs, may use.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn check_all(compiler: &str, workers: usize) {
    let all = planted();
    let is_rust = |planted: &Planted| planted.file.ends_with(".rs");
    let own = all.iter().filter(|planted| is_rust(planted) == (compiler == "rust"));
    let own = own.filter(|planted| planted.only.as_ref().is_none_or(|only| only == compiler));
    let faults: Vec<String> = own.filter_map(|planted| planted.check(compiler, workers)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
#[ignore = "needs a machine with nothing else to do: cargo xtask planted"]
fn causes_are_found_in_programs_of_clang_on_two_workers() {
    check_all("clang", 2);
}

#[test]
#[ignore = "needs a machine with nothing else to do: cargo xtask planted"]
fn causes_are_found_in_programs_of_clang_on_eight_workers() {
    check_all("clang", 8);
}

#[test]
#[ignore = "needs a machine with nothing else to do: cargo xtask planted"]
fn causes_are_found_in_programs_of_gcc_on_two_workers() {
    check_all("gcc", 2);
}

#[test]
#[ignore = "needs a machine with nothing else to do: cargo xtask planted"]
fn causes_are_found_in_programs_of_gcc_on_eight_workers() {
    check_all("gcc", 8);
}

#[test]
#[ignore = "needs a machine with nothing else to do: cargo xtask planted"]
fn causes_are_found_in_programs_of_rust() {
    check_all("rust", 2);
    check_all("rust", 8);
}

/// Whatever the machine does meanwhile: the program ends as it would, the account adds up, findings have ids from the list
/// and say something.
fn record_all(compiler: &str) {
    let all = planted();
    let is_rust = |planted: &Planted| planted.file.ends_with(".rs");
    let own = all.iter().filter(|planted| is_rust(planted) == (compiler == "rust"));
    for planted in own.filter(|planted| planted.only.as_ref().is_none_or(|only| only == compiler)) {
        let folder = tempfile::tempdir().unwrap();
        planted.record(compiler, 2, folder.path(), "run.crosscut");
        let output = crosscut(folder.path()).args(["report", "--json", "run.crosscut"]).output().unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let name = format!("{compiler}: {}", planted.name);
        let part = |key: &str| json["account"][key].as_i64().unwrap();
        let parts = ["work_ns", "lost_ns", "shared_ns", "not_explained_ns"].map(part);
        assert_eq!(parts.iter().sum::<i64>(), part("capacity_ns"), "{name}");
        assert!(parts.iter().all(|&part| part >= 0), "{name}: {parts:?}");
        for finding in json["findings"].as_array().unwrap() {
            assert!(CAUSES.contains(&finding["id"].as_str().unwrap()), "{name}: {finding}");
            for words in ["what", "evidence", "do"] {
                assert!(!finding[words].as_str().unwrap().is_empty(), "{name}: {finding}");
            }
        }
    }
}

/// The ids that scripts rely on.
const CAUSES: [&str; 13] = [
    "small-tasks",
    "serial-spawn",
    "imbalance",
    "dependence-chain",
    "wait-in-loop",
    "serial-part",
    "late-task",
    "lock",
    "work-inflation",
    "preempted",
    "fine-chunks",
    "barrier-wait",
    "runtime-delay",
];

#[test]
fn programs_of_clang_are_recorded_and_accounted_for() {
    record_all("clang");
}

#[test]
fn programs_of_gcc_are_recorded_and_accounted_for() {
    record_all("gcc");
}

#[test]
fn programs_of_rust_are_recorded_and_accounted_for() {
    record_all("rust");
}

/// Each program has one cause, marked where it is planted; at least 14 have one, at least 4 have none.
#[test]
fn the_table_of_causes_is_that_of_the_sources() {
    let all = planted();
    assert!(all.iter().filter(|planted| planted.cause == "healthy").count() >= 4);
    assert!(all.iter().filter(|planted| planted.cause != "healthy").count() >= 14);
    for planted in &all {
        let text = source(&format!("planted/{}", planted.file));
        let marks: Vec<(usize, &str)> = (1..)
            .zip(text.lines())
            .filter_map(|(number, line)| Some((number, line.split_once("// planted: ")?.1.trim())))
            .collect();
        match (planted.cause.as_str(), &marks[..]) {
            ("healthy", []) => {}
            (cause, [(line, mark)]) => {
                assert_eq!(cause, *mark, "{}", planted.name);
                let inside = |(from, to): (u64, u64)| (from..=to).contains(&(*line as u64));
                assert!(planted.lines.is_none_or(inside), "{}: line {line}", planted.name);
            }
            (_, marks) => panic!("{}: {marks:?}", planted.name),
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/planted");
    let programs = |folder: &Path| {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp" || e == "rs")).count()
    };
    assert_eq!(programs(&folder) + programs(&folder.join("rayon/src/bin")), all.len());
}
