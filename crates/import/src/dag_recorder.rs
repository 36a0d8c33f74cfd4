//! DAG Recorder `.dag` files, version 1.24: a header, a table of nodes, a table of edges, a table of strings.
//!
//! The node table is read once, in pieces and in parallel, into what is needed of each node (`decode`). The pieces agree
//! on places and sites (`names`). A walk from the root finds the pre-order and checks that the nodes really are a tree
//! (`order`). Then the columns of the run are filled in that order, again in parallel (`fill`). The edges follow from the
//! tree, so their table is not read.

mod decode;
mod fill;
mod format;
mod names;
mod order;
mod strings;

use crosscut_run::{Clock, RunWriter};
use crosscut_tasks::schema::TaskWriter;

use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};
use crate::task_tree::TaskTree;
use crate::ticks::Ticks;
use format::{Fault, Header, MAGIC, PREFIX, VERSION, field};

/// The reader.
pub struct DagRecorder;

impl Reader for DagRecorder {
    fn name(&self) -> &'static str {
        "dag-recorder"
    }

    fn title(&self) -> &'static str {
        "DAG Recorder .dag, version 1.24"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        inputs.detect_one(detect)
    }

    fn read(&self, inputs: &Inputs<'_>, options: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let header = Header::read(input)?;
        let strings = strings::read(input, &header)?;
        let ticks = Ticks::new(options.clock_hz);
        let mut table = decode::read(input, &header, strings.len(), ticks)?;
        let (names, places, sources) = names::agree(input, &header, &mut table, &strings)?;
        let mut writer = TaskWriter::new(run, header.nodes)?;
        let order = order::walk(input, &mut table, &mut writer)?;
        fill::fill(input, &table, &names, &order, &mut writer)?;
        run.put_sources(&sources)?;

        let manifest = run.manifest();
        manifest.clock = if options.clock_hz.is_some() { Clock::Ns } else { Clock::Ticks };
        manifest.facts.insert("workers".to_owned(), header.workers.into());
        if let Some(hz) = options.clock_hz {
            manifest.facts.insert("clock_hz".to_owned(), hz.into());
        }
        manifest.origin.tools.insert("DAG Recorder".to_owned(), VERSION.to_owned());
        TaskTree { writer, places }.finish(input, run, |node, what| {
            let node = order.get(node as usize).map_or(0, |&node| node as usize);
            Fault::new(node, field::START, what).at(input)
        })
    }
}

/// How sure it is of a file, from how that begins.
fn detect(head: &Head<'_>) -> Confidence {
    if head.bytes.starts_with(MAGIC) {
        Confidence::CERTAIN
    } else if head.bytes.starts_with(PREFIX) {
        // Another version: reading it will say so.
        Confidence::percent(90)
    } else if MAGIC.starts_with(head.bytes) && head.bytes.len() >= 4 {
        // Cut off within its first line.
        Confidence::percent(50)
    } else {
        Confidence::NONE
    }
}
