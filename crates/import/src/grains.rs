//! Grain graphs: what their formats have in common. A reader makes a list of grains with their costs; here it becomes a
//! task tree whose intervals have exactly these costs.
//!
//! - work of a grain = Σ of the lengths of its own intervals,
//! - creation cost of a grain = from the end of the create before it to the start of the next interval of its parent,
//! - sync cost of a section = from the end of its wait, or of its last task, to the next interval of its task.
//!
//! Chunks of a loop are put into lanes, one for each worker that ran some (`lanes`). Then the tree is written in
//! pre-order (`tree`), and everything is given its time (`time`, `shares`).

mod families;
mod lanes;
mod records;
mod shares;
mod spots;
mod time;
mod tree;

use crosscut_run::RunWriter;
use crosscut_tasks::schema::{Chunk, Depend, TaskWriter};

use crate::error::ImportError;
use crate::input::Input;
use crate::task_tree::TaskTree;

pub use families::Families;
pub use records::Records;
pub use spots::Spots;

/// No grain.
pub const NONE: u32 = u32::MAX;
/// A time that the file does not have.
pub const UNKNOWN: i64 = i64::MIN;
/// Steps between two looks at whether to stop.
const CHECK: usize = 1 << 16;

/// What a grain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrainKind {
    /// A task that the program created; the root.
    Task,
    /// A member of a team.
    Lane,
    /// Some iterations of a loop, in a section of its parent: it will be put into a lane.
    Chunk,
    /// The same, on the spine of its parent.
    LaneChunk,
    /// No grain: what its parent does between creating the tasks of a section and waiting for them. It comes last there.
    Inner,
}

/// A grain, as a file has it.
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    pub kind: GrainKind,
    /// Its number in the list; [`NONE`] for the root, which is the first.
    pub parent: u32,
    /// Which section of its parent it belongs to: any numbers, ascending.
    pub section: u32,
    /// Its position among those of its section.
    pub order: u32,
    /// Where it ran: a number of [`Spots`].
    pub spot: u32,
    /// A site of the run.
    pub site: u32,
    pub work: i64,
    pub creation: i64,
    /// Its share of the sync cost of its section.
    pub sync: i64,
    /// About when it started, on any clock; or [`UNKNOWN`].
    pub start: i64,
    /// How long its parent had been running when it was created; or [`UNKNOWN`].
    pub created: i64,
    /// How long it ran, with all overhead, where it is known when its children were created; or [`UNKNOWN`].
    pub exec: i64,
    /// The row or node of the file that says all this; or [`NONE`].
    pub record: u32,
}

impl Grain {
    /// A root of which nothing is known.
    pub fn root() -> Self {
        Grain {
            kind: GrainKind::Task,
            parent: NONE,
            section: 0,
            order: 0,
            spot: 0,
            site: crosscut_run::NO_SITE,
            work: 0,
            creation: 0,
            sync: 0,
            start: UNKNOWN,
            created: UNKNOWN,
            exec: UNKNOWN,
            record: NONE,
        }
    }
}

/// All grains of a file.
#[derive(Debug, Default)]
pub struct Grains {
    pub list: Vec<Grain>,
    /// Iterations of chunks: grain, first, count; ascending.
    pub ranges: Vec<(u32, i64, i64)>,
    /// Where the waits of each grain begin in `waits`; may end early.
    pub waits_first: Vec<usize>,
    /// How long a grain had been running when it passed its waits, in their order.
    pub waits: Vec<i64>,
    /// What was counted in each grain, by name; may end early.
    pub counters: Vec<(String, Vec<i64>)>,
    pub spots: Spots,
    /// Tasks that wait for the end of others of the same parent: the task, the one that it waits for; ascending.
    pub depends: Vec<(u32, u32)>,
}

impl Grains {
    /// What a task depends on, as pairs of it and another.
    pub fn depends_of(&self, grain: u32) -> &[(u32, u32)] {
        let first = self.depends.partition_point(|&(to, _)| to < grain);
        let count = self.depends[first..].partition_point(|&(to, _)| to == grain);
        &self.depends[first..first + count]
    }

    /// The waits of a grain.
    pub fn waits_of(&self, grain: u32) -> &[i64] {
        let grain = grain as usize;
        let first = self.waits_first.get(grain).copied().unwrap_or(self.waits.len());
        let end = self.waits_first.get(grain + 1).copied().unwrap_or(self.waits.len());
        self.waits.get(first..end).unwrap_or_default()
    }
}

/// Makes the task tree, and says of which records its nodes were made. The parents of the grains must form a tree.
/// `broken` makes an error at a record.
pub fn build(
    input: &Input<'_>,
    mut grains: Grains,
    run: &mut RunWriter,
    broken: &dyn Fn(u32, String) -> ImportError,
) -> Result<(TaskTree, Records), ImportError> {
    lanes::put_chunks_into_lanes(&mut grains);
    let mut families = Families::new(&grains.list);
    let (places, spots) = grains.spots.places(input)?;
    let mut writer = TaskWriter::new(run, tree::node_count(input, &grains.list, &families)?)?;
    let nodes = tree::write(input, &grains.list, &families, &spots, &mut writer)?;
    for (name, values) in &grains.counters {
        writer.add_counter(run, name)?;
        let Some((_, column)) = writer.counters.last_mut() else { continue };
        for (grain, &value) in values.iter().enumerate() {
            if let Some(slot) = nodes.get(grain).and_then(|nodes| column.get_mut(nodes.first as usize)) {
                *slot = value;
            }
        }
    }
    let ranges = grains.ranges.iter().filter_map(|&(grain, first, count)| {
        Some(Chunk { node: nodes.get(grain as usize)?.last, first, count })
    });
    writer.chunks = ranges.collect();
    writer.chunks.sort_unstable_by_key(|chunk| chunk.node);
    let depends = grains.depends.iter().map(|&(to, from)| {
        let node = |grain: u32| nodes[grain as usize].node;
        Depend { to: node(to), from: node(from) }
    });
    writer.depends = depends.collect();
    writer.depends.sort_unstable();
    if let Some(grain) = time::fill(input, &mut grains, &mut families, &nodes, &spots, &mut writer)? {
        let record = grains.list.get(grain).map_or(NONE, |grain| grain.record);
        return Err(broken(
            record,
            "up to here times are too large: their sum does not fit into 63 bits".into(),
        ));
    }
    run.manifest().facts.insert("workers".to_owned(), places.worker_count().into());
    Ok((TaskTree { writer, places }, Records::new(&grains.list, &nodes)))
}
