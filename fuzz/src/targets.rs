//! The targets. A new one is a function in a file here and a line in [`TARGETS`]; a new reader is just a line.

mod events;
mod queries;
mod questions;
mod readers;
mod runs;

use std::path::{Path, PathBuf};

use crate::stranger;

/// Inputs to begin with, and what is done with one.
pub type Started = (Vec<Vec<u8>>, Box<dyn FnMut(&[u8])>);

/// Something that reads what others wrote.
pub struct Target {
    pub name: &'static str,
    pub start: fn() -> Started,
}

pub const TARGETS: &[Target] = &[
    Target { name: "dag", start: || readers::file("dag-recorder", "dag", "dag") },
    Target { name: "graphml", start: || readers::file("graphml", "grains", "graphml") },
    Target { name: "mir", start: || readers::file("mir", "grains", "csv") },
    Target { name: "dumpi", start: || readers::trace("dumpi", "messages/dumpi/bswap8.tar.gz") },
    Target { name: "otf2", start: || readers::trace("otf2", "messages/otf2/coll16.tar.gz") },
    Target { name: "hpctoolkit3", start: || readers::folder("hpctoolkit", "profiles/hpctoolkit3") },
    Target { name: "hpctoolkit4", start: || readers::folder("hpctoolkit", "profiles/hpctoolkit4") },
    Target { name: "cube", start: || readers::file("cube", "profiles", "cubex") },
    Target { name: "perf-data", start: || readers::file("perf-data", "profiles", "data") },
    Target { name: "pprof", start: || readers::file("pprof", "profiles", "pprof") },
    Target { name: "gmon", start: || readers::file("gmon", "profiles", "out") },
    Target { name: "gperftools", start: || readers::file("gperftools", "profiles", "prof") },
    Target { name: "cali", start: || readers::file("cali", "profiles", "cali") },
    Target { name: "caliper-json", start: || readers::file("caliper-json", "profiles", "json") },
    Target { name: "perf-script", start: || readers::file("perf-script", "profiles", "script") },
    Target { name: "pyinstrument", start: || readers::file("pyinstrument", "profiles", "json") },
    Target { name: "timemory", start: || readers::file("timemory", "profiles", "json") },
    Target { name: "callgrind", start: || readers::file("callgrind", "profiles", "out") },
    Target { name: "gprof", start: || readers::file("gprof", "profiles", "txt") },
    Target { name: "pstats", start: || readers::file("pstats", "profiles", "pstats") },
    Target { name: "speedscope", start: || readers::file("speedscope", "profiles", "json") },
    Target { name: "chrome", start: || readers::file("chrome", "profiles", "json") },
    Target { name: "firefox", start: || readers::file("firefox", "profiles", "json") },
    Target { name: "hatchet", start: || readers::file("hatchet", "profiles", "literal") },
    Target { name: "hatchet-json", start: || readers::file("hatchet", "profiles", "json") },
    Target { name: "tau", start: || readers::folder("tau", "profiles/tau") },
    Target { name: "folded", start: || readers::file("folded", "profiles", "folded") },
    Target { name: "queries", start: queries::start },
    Target { name: "events", start: events::tasks },
    Target { name: "samples", start: events::samples },
    Target { name: "mpi-events", start: events::messages },
    Target { name: "run-columns", start: || runs::columns(stranger::whole) },
    Target { name: "run-messages", start: || runs::columns(stranger::messages) },
    Target { name: "run-calls", start: || runs::columns(stranger::calls) },
    Target { name: "run-tables", start: runs::tables },
    Target { name: "run-manifest", start: runs::manifest },
    Target { name: "questions", start: questions::start },
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// All files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}
