//! Random inputs for everything that reads what others wrote. `crosscut-fuzz [--seconds N] [--seed N] [TARGET]` runs each
//! target for so long and prints how many inputs it tried and what it found; exit code 1 when something was found.
//!
//! An input is a seed from the fixtures, changed a few times. Built with LLVM's coverage counters (`cargo xtask fuzz` does),
//! inputs that reach new code are kept and changed further; without them, only seeds are changed.

mod change;
mod coverage;
mod memory;
mod stranger;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crosscut_chance::Chance;
use targets::{TARGETS, Target};

/// An input that takes longer than this is a finding.
const SLOW: Duration = Duration::from_secs(20);
/// And so is one that takes more memory at a time, in bytes.
const LARGE: usize = 1 << 30;
/// Inputs that reached something new are kept up to this many.
const KEPT: usize = 4096;

/// Where it panicked last.
static PANICKED: Mutex<String> = Mutex::new(String::new());

struct Finding {
    what: String,
    file: PathBuf,
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (mut seconds, mut seed, mut only) = (10, 1, Vec::new());
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|text| text.parse().ok());
        match arg.as_str() {
            "--seconds" => seconds = number().unwrap_or(seconds),
            "--seed" => seed = number().unwrap_or(seed),
            _ => only.push(arg),
        }
    }
    if let Some(unknown) = only.iter().find(|name| TARGETS.iter().all(|target| target.name != name.as_str()))
    {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("there is no target {unknown}; there are {}", names.join(", "));
        return ExitCode::from(2);
    }
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut place) = PANICKED.lock() {
            *place = info.to_string();
        }
    }));
    let mut all = 0;
    let instrumented = if coverage::is_there() { "with coverage" } else { "without coverage" };
    println!(
        "{:<16} {:>10} {:>8} {:>9}  findings ({instrumented}, seed {seed})",
        "target", "executions", "kept", "per s"
    );
    for target in
        TARGETS.iter().filter(|target| only.is_empty() || only.iter().any(|name| name == target.name))
    {
        all += fuzz(target, Duration::from_secs(seconds), seed);
    }
    if all > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs one target; says what it found, and how many that were.
fn fuzz(target: &Target, time: Duration, seed: u64) -> usize {
    let (seeds, mut run) = (target.start)();
    assert!(!seeds.is_empty(), "{} has no seeds", target.name);
    let mut kept = seeds;
    let mut chance = Chance::new(seed);
    let mut findings: Vec<Finding> = Vec::new();
    let (begun, mut tried) = (Instant::now(), 0u64);
    while begun.elapsed() < time {
        let input = match kept.get(tried as usize) {
            Some(seed) if tried < kept.len() as u64 && begun.elapsed() < time / 4 => seed.clone(),
            _ => change::changed(&kept, &mut chance),
        };
        tried += 1;
        coverage::clear();
        let before = memory::begin();
        let one = Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(|| run(&input)));
        let mut took = one.elapsed();
        let taken = memory::most().saturating_sub(before);
        if ended.is_ok() && took > SLOW {
            // Others may have had the processors: what is slow is slow again.
            let again = Instant::now();
            let _ = catch_unwind(AssertUnwindSafe(|| run(&input)));
            took = took.min(again.elapsed());
        }
        let what = match ended {
            Err(_) => Some(PANICKED.lock().map(|place| place.clone()).unwrap_or_default()),
            Ok(()) if taken > LARGE => Some(format!("took {} MiB", taken >> 20)),
            Ok(()) => (took > SLOW).then(|| format!("took {} s", took.as_secs())),
        };
        if let Some(what) = what.filter(|what| findings.iter().all(|other| other.what != *what)) {
            let file = std::env::temp_dir().join(format!("crosscut-fuzz-{}-{}", target.name, findings.len()));
            let _ = std::fs::write(&file, &input);
            findings.push(Finding { what, file });
        }
        if coverage::has_new() && kept.len() < KEPT {
            kept.push(input);
        }
    }
    let per_second = tried as f64 / begun.elapsed().as_secs_f64();
    println!("{:<16} {tried:>10} {:>8} {per_second:>9.0}  {}", target.name, kept.len(), findings.len());
    for finding in &findings {
        println!("    {}\n    input: {}", finding.what.replace('\n', " "), finding.file.display());
    }
    findings.len()
}
