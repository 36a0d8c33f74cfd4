//! Call profiles: one module for each format. What they have in common: texts that may be packed, lines and JSON with a
//! place for what is wrong, names as people write them, paths of frames that become nodes.

mod bytes;
mod caliper;
mod caliper_json;
mod caliper_metrics;
mod callgrind;
mod chrome;
mod code;
mod cube;
mod firefox;
mod folded;
mod free;
mod gmon;
mod gperftools;
mod gprof;
mod graph;
mod hatchet;
mod hpctoolkit;
mod json;
mod lines;
mod nested;
mod perf_data;
mod perf_script;
mod plain;
mod pprof;
mod pstats;
mod pyinstrument;
mod speedscope;
mod tau;
mod timemory;
mod whose;
mod wire;

use crosscut_calls::{Builder, CallsError, Frame};
use crosscut_close::symbols::demangled;

pub(crate) use plain::head as unpacked_head;

pub use caliper::Cali;
pub use caliper_json::CaliperJson;
pub use callgrind::Callgrind;
pub use chrome::Chrome;
pub use cube::Cube;
pub use firefox::Firefox;
pub use folded::Folded;
pub use gmon::Gmon;
pub use gperftools::Gperftools;
pub use gprof::Gprof;
pub use hatchet::Hatchet;
pub use hpctoolkit::Hpctoolkit;
pub use perf_data::PerfData;
pub use perf_script::PerfScript;
pub use pprof::Pprof;
pub use pstats::PStats;
pub use pyinstrument::PyInstrument;
pub use speedscope::Speedscope;
pub use tau::Tau;
pub use timemory::TimeMemory;

/// Ranks and threads above this are no such numbers.
const MOST_RANKS: i64 = 1 << 32;

/// A profile in the making whose names of functions become readable. The name of the format is for people.
pub(crate) fn builder(format: &str) -> Builder {
    Builder::new(format).with_names(demangled)
}

/// The node of a call path, outermost first. An empty one is what was spent outside any frame.
fn path_node(builder: &mut Builder, path: impl IntoIterator<Item = Frame>) -> Result<u32, CallsError> {
    let mut node = 0;
    for frame in path {
        let frame = builder.frame(frame);
        node = builder.node(node, frame)?;
    }
    if node == 0 {
        let outside = builder.frame(Frame::outside());
        node = builder.node(0, outside)?;
    }
    Ok(node)
}

/// Whether some first bytes hold a word.
fn holds(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len().max(1)).any(|window| window == word)
}
