//! Call profiles: one module for each format. What they have in common: lines with their offsets, JSON with a place for what
//! is wrong, paths of frames that become nodes.

mod caliper;
mod caliper_json;
mod folded;
mod json;
mod lines;
mod perf_script;
mod pyinstrument;
mod tau;
mod timemory;

use crosscut_calls::{Builder, CallsError, Frame};

pub use caliper::Cali;
pub use caliper_json::CaliperJson;
pub use folded::Folded;
pub use perf_script::PerfScript;
pub use pyinstrument::PyInstrument;
pub use tau::Tau;
pub use timemory::TimeMemory;

/// Ranks and threads above this are no such numbers.
const MOST_RANKS: i64 = 1 << 32;

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
