//! Grain graphs as GraphML: nodes are grains, forks, joins, a start and an end; edges say what follows what. Nested graphs
//! of group nodes are read as if they were not nested; edges from and to groups become those of what stands in them
//! (`groups`).
//!
//! The file is read as a stream of XML events (`xml`), of which the data of nodes are kept (`node`). A walk along the edges
//! finds which tasks a fork starts and where they join (`walk`). `grains` makes the tree.

mod groups;
mod node;
mod walk;
mod xml;

use crosscut_run::{Clock, RunWriter};

use crate::error::ImportError;
use crate::grains;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};
use crate::ticks::Ticks;

/// The reader.
pub struct GraphMl;

impl Reader for GraphMl {
    fn name(&self) -> &'static str {
        "graphml"
    }

    fn title(&self) -> &'static str {
        "grain graph, GraphML"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        inputs.detect_one(detect)
    }

    fn read(&self, inputs: &Inputs<'_>, options: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let mut graph = xml::read(input, Ticks::new(options.clock_hz))?;
        if graph.is_ns && options.clock_hz.is_some() {
            return Err(input.broken(0, "its times are nanoseconds: leave out the ticks per second"));
        }
        let found = walk::walk(input, &graph)?;
        run.put_sources(&std::mem::take(&mut graph.sources).finish())?;
        let broken = |node: u32, what: String| graph.broken(input, node, what);
        let (tasks, records) = grains::build(input, found.grains, run, &broken)?;
        let manifest = run.manifest();
        manifest.clock = if graph.is_ns || options.clock_hz.is_some() { Clock::Ns } else { Clock::Ticks };
        manifest.facts.insert("merged_grains".to_owned(), found.merged.into());
        if found.made_up_root {
            manifest.facts.insert("made_up_root".to_owned(), true.into());
        }
        if let Some(hz) = options.clock_hz {
            manifest.facts.insert("clock_hz".to_owned(), hz.into());
        }
        tasks.finish(input, run, |node, what| broken(records.of(node), what))
    }
}

/// How sure it is of a file, from how that begins.
fn detect(head: &Head<'_>) -> Confidence {
    let has = |word: &[u8]| head.bytes.windows(word.len()).any(|bytes| bytes == word);
    match has(b"<graphml") {
        true if has(b"v_kind") || has(b"v_type") || has(b"e_type") => Confidence::CERTAIN,
        // Perhaps another kind of graph: reading it will say so.
        true => Confidence::percent(60),
        false => Confidence::NONE,
    }
}
