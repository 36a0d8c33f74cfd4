//! A profile with a known imbalance: `eos` takes thrice as long on ranks 4 to 6, all others wait for them in `libpsm2`.

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::{Run, RunWriter};

pub const RANKS: i64 = 16;
pub const LATE: std::ops::RangeInclusive<i64> = 4..=6;

/// Call paths with what each rank spends in them: from the outermost to the innermost, as (function, module).
fn paths(rank: i64) -> Vec<(Vec<(&'static str, &'static str)>, i64)> {
    let main = ("main", "miranda");
    let step = ("step", "miranda");
    let physics = ("advance", "physics.so");
    let eos = ("evaluate", "eos.so");
    let wait = [("MPI_Waitall", "libmpi.so"), ("psm2_wait", "libpsm2.so")];
    let work = 1_000_000;
    let late = if LATE.contains(&rank) { 3 } else { 1 };
    vec![
        (vec![main], 50_000),
        (vec![main, step], 20_000),
        (vec![main, step, physics], 4 * work / 10),
        (vec![main, step, physics, eos], late * work),
        (vec![main, step, physics, eos, ("pow", "libm.so")], 100_000 + 1000 * rank),
        (vec![main, step, ("exchange", "comm.so"), wait[0]], 30_000),
        (vec![main, step, ("exchange", "comm.so"), wait[0], wait[1]], (3 - late) * work + 10_000),
        (vec![main, ("dump", "io.so"), ("write", "libc.so.6")], 90_000),
        (vec![main, ("dump", "io.so"), wait[0], wait[1]], 60_000),
    ]
}

/// Writes the profile as a run, with other values.
#[allow(dead_code)] // each test file uses a part
pub fn write(folder: &std::path::Path, name: &str, change: impl Fn(&str, i64) -> i64) -> Run {
    written(folder, name, change, |module| module, 0)
}

/// The same with some threads of each rank that never do anything, and two ranks more that have nothing else.
#[allow(dead_code)] // each test file uses a part
pub fn write_with_helpers(folder: &std::path::Path, name: &str, helpers: i64) -> Run {
    written(folder, name, |_, value| value, |module| module, helpers)
}

/// The same with other modules.
#[allow(dead_code)] // each test file uses a part
pub fn write_as(folder: &std::path::Path, name: &str, module: impl Fn(&'static str) -> &'static str) -> Run {
    written(folder, name, |_, value| value, module, 0)
}

fn written(
    folder: &std::path::Path,
    name: &str,
    change: impl Fn(&str, i64) -> i64,
    called: impl Fn(&'static str) -> &'static str,
    helpers: i64,
) -> Run {
    let mut builder = Builder::new("made");
    let metric = builder.metric("time", Unit::Ns, Given::Own);
    let idle = if helpers > 0 { 2 } else { 0 };
    for rank in 0..RANKS + idle {
        let place = builder.place(rank, 0);
        for thread in 1..=helpers {
            builder.place(rank, thread);
        }
        if rank >= RANKS {
            continue;
        }
        for (path, value) in paths(rank) {
            let mut node = 0;
            for &(function, module) in &path {
                let frame = Frame { module: called(module).to_owned(), ..Frame::function(function) };
                let frame = builder.frame(frame);
                node = builder.node(node, frame).unwrap();
            }
            let last = path.last().unwrap().0;
            builder.add(metric, place, node, change(last, value));
        }
    }
    let target = folder.join(format!("{name}.crosscut"));
    let mut run = RunWriter::create(&target).unwrap();
    builder.finish(&mut run).unwrap();
    run.finish().unwrap()
}
