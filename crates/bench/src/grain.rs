//! Rows about grain graphs: aggregation with all metrics on one core at growing sizes, its memory, and a walk through the
//! grain view of a large run in the real server.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use crosscut_chance::Chance;
use crosscut_run::Run;
use crosscut_synth::{Options, ShapeName};
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Grains, Thresholds};

use crate::client::Client;
use crate::{Add, at, si};

/// Sizes up to `most` grains, each ten times the one before; nodes of the task tree for each grain of fib.
const NODES: u64 = 4;

/// Measures aggregation at 10⁵ grains and on.
pub fn aggregate(most: u64, dir: &Path, add: Add<'_>) -> Result<()> {
    keep_memory();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut first = None;
    let mut grains = 100_000;
    while grains <= most {
        let run = synth(dir, ShapeName::Fib, grains)?;
        let made = pool.install(|| measure(run.path()))?;
        let per_grain = made.seconds / made.grains;
        let flat = per_grain / *first.get_or_insert(per_grain);
        add(
            &format!("grain graph of {} grains, all metrics, one core", si(made.grains)),
            format!("{} grains/s, {:.0} bytes a grain", si(1.0 / per_grain), made.memory / made.grains),
            format!(
                "{flat:.2}× the time a grain of 10⁵; {:.1}× the first time, in memory fresh from the system; problems \
                 and θ {:.2} s more",
                made.fresh / made.seconds,
                made.problems
            ),
        );
        std::fs::remove_dir_all(run.path())?;
        grains *= 10;
    }
    for shape in [ShapeName::Wide, ShapeName::Sort, ShapeName::Random] {
        let run = synth(dir, shape, most.min(1_000_000))?;
        let made = pool.install(|| measure(run.path()))?;
        add(
            &format!("the same of {shape}, {} grains", si(made.grains)),
            format!(
                "{} grains/s, {:.0} bytes a grain",
                si(made.grains / made.seconds),
                made.memory / made.grains
            ),
            "one core".into(),
        );
        std::fs::remove_dir_all(run.path())?;
    }
    Ok(())
}

/// Opens, closes and switches problem views in the real server; `steps` of them.
pub fn walk(grains: u64, steps: usize, dir: &Path, add: Add<'_>) -> Result<()> {
    const PROBLEMS: [Option<&str>; 5] = [
        None,
        Some("low-parallel-benefit"),
        Some("low-parallelism"),
        Some("sibling-imbalance"),
        Some("sibling-scatter"),
    ];
    let run = synth(dir, ShapeName::Fib, grains)?;
    let crosscut = std::env::current_exe()?.with_file_name("crosscut");
    let mut client = Client::start(&crosscut, run.path())?;
    let below = Some(("below", 0, vec![500.0]));
    let mut picture = client.grains("", below.clone(), None)?;
    let first = client.since_start();
    let mut chance = Chance::new(42);
    let (mut times, mut biggest, mut problem) = (Vec::new(), 0, None);
    while times.len() < steps {
        if picture.boxes < 100 {
            // Something large was closed: begin again, that step does not count.
            picture = client.grains("", below.clone(), problem)?;
        }
        let action = match chance.index(3) {
            0 => {
                problem = PROBLEMS[chance.index(PROBLEMS.len())];
                None
            }
            1 if picture.open.len() > 1 => {
                Some(("close", picture.open[1 + chance.index(picture.open.len() - 1)], Vec::new()))
            }
            _ if picture.boxes < 6000 && !picture.closed.is_empty() => {
                Some(("open", picture.closed[chance.index(picture.closed.len())], Vec::new()))
            }
            _ => Some(("depth", 0, vec![4.0])),
        };
        picture = client.grains(&picture.cut.clone(), action, problem)?;
        times.push(picture.ms);
        biggest = biggest.max(picture.boxes);
    }
    times.sort_by(f64::total_cmp);
    add(
        &format!(
            "open, close or switch problem views of {} grains, server time, {steps} steps",
            si(grains as f64)
        ),
        format!(
            "p50 {:.1} ms, p99 {:.1} ms, worst {:.1} ms",
            at(&times, 0.5),
            at(&times, 0.99),
            at(&times, 1.0)
        ),
        format!("{biggest} boxes at most; {:.1} s from start to the first picture of grains", first / 1e3),
    );
    drop(client);
    std::fs::remove_dir_all(run.path())?;
    Ok(())
}

/// A run with about so many grains, exactly so many of fib.
fn synth(dir: &Path, shape: ShapeName, grains: u64) -> Result<Run> {
    let options = Options { shape, nodes: grains * NODES, workers: 8, ..Options::default() };
    Ok(crosscut_synth::tasks(&dir.join("grains.crosscut"), &options, &|_, _| {})?)
}

/// From the second round on, memory is that of the round before, whatever its size: what a system takes to hand out fresh
/// pages, a virtual one above all, is no time of ours.
fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: settings of the allocator, which it guards itself.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, -1);
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Gives memory that nobody uses back to the system.
fn give_back_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: what is in use stays as it is.
    unsafe {
        libc::malloc_trim(0)
    };
}

struct Made {
    grains: f64,
    /// Of the best round.
    seconds: f64,
    /// Of the first one, in memory that nobody used before.
    fresh: f64,
    /// Most memory beyond mapped files while it was made.
    memory: f64,
    problems: f64,
}

/// The best of some rounds: enough of them for small runs.
fn measure(run: &Path) -> Result<Made> {
    let tasks = Tasks::open(Run::open(run)?)?;
    give_back_memory();
    let rounds = if tasks.summary().nodes < 10_000_000 { 7 } else { 3 };
    let mut made =
        Made { grains: 0.0, seconds: f64::INFINITY, fresh: 0.0, memory: 0.0, problems: f64::INFINITY };
    for round in 0..rounds {
        let before = private_memory()?;
        let begin = cpu();
        let (grains, most) = watched(|| Grains::new(&tasks))?;
        let seconds = cpu() - begin;
        made.seconds = made.seconds.min(seconds);
        if round == 0 {
            made.fresh = seconds;
            made.memory = most.saturating_sub(before) as f64;
        }
        made.grains = grains.grain_count() as f64;
        let begin = cpu();
        let problems = grains.problems(&tasks, &Thresholds::default(), None);
        std::hint::black_box((problems, grains.theta(None)));
        made.problems = made.problems.min(cpu() - begin);
    }
    Ok(made)
}

/// Runs something, and says how much private memory the process had at most meanwhile.
fn watched<T>(run: impl FnOnce() -> T) -> Result<(T, u64)> {
    let (done, most) = (AtomicBool::new(false), AtomicU64::new(0));
    let value = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                most.fetch_max(private_memory().unwrap_or(0), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let value = run();
        done.store(true, Ordering::Relaxed);
        value
    });
    Ok((value, most.into_inner().max(private_memory()?)))
}

/// Bytes that belong to the process alone: what it mapped of files is the system's to take back.
fn private_memory() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).context("no RssAnon")?;
    let kib: u64 = line.trim().trim_end_matches(" kB").trim().parse()?;
    Ok(kib << 10)
}

/// Processor time of this thread in seconds.
fn cpu() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec to where the pointer leads.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
