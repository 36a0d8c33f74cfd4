//! The call profile of an open run. Columns are mapped and read like slices.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type, UInt32Type};
use crosscut_run::{Column, Run, Sources};
use crosscut_tree::{NodeId, Tree, Wide, WideBuf};
use foldhash::{HashMap, HashMapExt};

use crate::error::CallsError;
use crate::own::{Own, Sums};
use crate::samples::{Samples, Stretch};
use crate::schema::{Frame, Kind, NONE, Summary};

/// Frames at places, of which there may be so many whatever the number of nodes: 1 GiB of values.
const BY_FRAME: usize = 1 << 27;

/// The calls of a run.
#[derive(Debug)]
pub struct Calls {
    run: Arc<Run>,
    summary: Summary,
    frames: Vec<Frame>,
    sources: Vec<u32>,
    source_count: usize,
    len: Column<u32>,
    parent: Column<u32>,
    /// Found when it is opened: call trees are not so large that it would be worth a column.
    wide: WideBuf,
    frame: Column<u32>,
    own: Vec<Own>,
    sums: Vec<Sums>,
    /// One by one, where they are known.
    samples: Option<Arc<Samples>>,
    titles: Vec<String>,
    /// By place: the number of its process.
    ranks: Vec<u32>,
}

fn broken(what: &str) -> CallsError {
    CallsError::Broken(what.to_owned())
}

impl Calls {
    /// Whether a run has calls.
    pub fn is_in(run: &Run) -> bool {
        run.has("calls/frame")
    }

    /// Opens the calls of a run. What does not fit together is refused.
    pub fn open(run: Arc<Run>) -> Result<Self, CallsError> {
        let facts = run.manifest().facts.get("calls").cloned().unwrap_or_default();
        let summary: Summary = serde_json::from_value(facts)
            .map_err(|error| CallsError::Broken(format!("its totals are not readable: {error}")))?;
        let positions = run.sources()?;
        let (frames, sources) = read_frames(&run, &positions)?;
        let metrics = 0..summary.metrics.len();
        let own = metrics.clone().map(|number| run.by_place(&format!("calls/own-{number}")).map(Own::Mapped));
        let sums = metrics.map(|number| run.column(&format!("calls/sum-{number}")).map(Sums::Mapped));
        let places = run.places()?;
        let (len, parent) = (run.column("calls/len")?, run.column("calls/parent")?);
        if len.is_empty() || len.len() != parent.len() {
            return Err(broken("its columns have different lengths"));
        }
        Tree::new(&len, &parent, Wide::default()).check()?;
        let samples = Samples::open(&run, summary.metrics.len(), places.worker_count(), len.len())?;
        let calls = Calls {
            samples: samples.map(Arc::new),
            titles: named_titles(&run, &places, place_titles(&places))?,
            ranks: place_ranks(&places),
            own: own.collect::<Result<_, _>>()?,
            sums: sums.collect::<Result<_, _>>()?,
            wide: WideBuf::build(&len, &parent),
            len,
            parent,
            frame: run.column("calls/frame")?,
            frames,
            sources,
            source_count: positions.source_count(),
            summary,
            run,
        };
        calls.check()?;
        Ok(calls)
    }

    /// Refuses columns that do not fit together, or name frames that are not there.
    fn check(&self) -> Result<(), CallsError> {
        let n = self.len.len();
        if self.frame.len() != n {
            return Err(broken("its columns have different lengths"));
        }
        if self.own.is_empty() || self.own.iter().any(|own| own.node_count() != n) {
            return Err(broken("it has values for other nodes than there are"));
        }
        if self.sums.iter().any(|sums| sums.len() != n + 1) {
            return Err(broken("it has sums for other nodes than there are"));
        }
        let places = self.titles.len();
        if self.own.iter().any(|own| own.place_count() != places) {
            return Err(broken("it has values at other places than there are"));
        }
        // Values by frame and place are made of those by node and place, which are on disk.
        let by_frame = self.frames.len().saturating_mul(places);
        if by_frame > BY_FRAME.max(n.saturating_mul(places).saturating_mul(4)) {
            return Err(broken("it has far more frames than nodes"));
        }
        let known = self.frames.len() as u32;
        let wrong = self.frame.iter().skip(1).any(|&frame| frame >= known);
        if wrong || self.frame[0] != NONE {
            return Err(broken("a node has a frame that is not in the list"));
        }
        Ok(())
    }

    /// Whether sums and values agree: looks at every value.
    pub fn sound(&self) -> Result<(), CallsError> {
        for (own, sums) in self.own.iter().zip(&self.sums) {
            for node in 0..self.len.len() {
                let all = (0..own.place_count() as u32).map(|place| own.place(place)[node]);
                let total = all.fold(0i64, i64::saturating_add);
                if sums[node].saturating_add(total) != sums[node + 1] {
                    return Err(broken(&format!("the sums at node {node} are not those of its places")));
                }
            }
        }
        Ok(())
    }

    /// Samples one by one, where they are known.
    pub fn samples(&self) -> Option<&Samples> {
        self.samples.as_deref()
    }

    /// The same tree with what was spent in some stretches alone; none where nobody knows when something was spent.
    pub fn within(&self, stretches: &[Stretch]) -> Result<Option<Calls>, CallsError> {
        let Some(samples) = &self.samples else { return Ok(None) };
        let (nodes, places) = (self.node_count(), self.place_count());
        let mut own = Vec::new();
        let mut sums = Vec::new();
        for metric in 0..self.own.len() {
            let made = Own::Made(samples.own(metric, stretches, nodes, places));
            let mut running = vec![0i64; nodes + 1];
            for (node, &value) in (0..places as u32).flat_map(|place| made.place(place).iter().enumerate()) {
                running[node + 1] = running[node + 1].saturating_add(value);
            }
            for node in 0..nodes {
                running[node + 1] = running[node + 1].saturating_add(running[node]);
            }
            own.push(made);
            sums.push(Sums::Made(running));
        }
        Ok(Some(Calls {
            run: self.run.clone(),
            summary: self.summary.clone(),
            frames: self.frames.clone(),
            sources: self.sources.clone(),
            source_count: self.source_count,
            len: self.run.column("calls/len")?,
            parent: self.run.column("calls/parent")?,
            wide: self.wide.clone(),
            frame: self.run.column("calls/frame")?,
            own,
            sums,
            samples: None,
            titles: self.titles.clone(),
            ranks: self.ranks.clone(),
        }))
    }

    /// The run that they are part of.
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// Totals.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The calling context tree.
    pub fn tree(&self) -> Tree<'_> {
        Tree::new(&self.len, &self.parent, self.wide.view())
    }

    /// Number of nodes, the root counted.
    pub fn node_count(&self) -> usize {
        self.len.len()
    }

    /// What a node is; the root is nothing.
    pub fn frame(&self, node: NodeId) -> Option<&Frame> {
        self.frames.get(self.frame_number(node) as usize)
    }

    /// The number of its frame: nodes of one number are the same function, or whatever they are.
    pub fn frame_number(&self, node: NodeId) -> u32 {
        self.frame.get(node.index()).copied().unwrap_or(NONE)
    }

    /// By node: the number of its frame.
    pub fn frame_numbers(&self) -> &[u32] {
        &self.frame
    }

    /// All frames.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The source position of a node, by its number in the run.
    pub fn source(&self, node: NodeId) -> Option<u32> {
        self.frame_source(self.frame_number(node))
    }

    /// The source position of a frame, by its number in the run.
    pub fn frame_source(&self, frame: u32) -> Option<u32> {
        self.sources.get(frame as usize).copied().filter(|&source| source != NONE)
    }

    /// Number of source positions in the run.
    pub fn source_count(&self) -> usize {
        self.source_count
    }

    /// The nodes of a subtree.
    pub fn subtree(&self, node: NodeId) -> Range<usize> {
        let at = node.index();
        at..at + self.len.get(at).copied().unwrap_or(0) as usize
    }

    /// What was spent in a node itself, at all places.
    pub fn own(&self, metric: usize, node: NodeId) -> i64 {
        self.sum(metric, node.index()..node.index() + 1)
    }

    /// What was spent in a node and all that it called, at all places.
    pub fn inclusive(&self, metric: usize, node: NodeId) -> i64 {
        self.sum(metric, self.subtree(node))
    }

    /// What was spent in some nodes, at all places.
    pub fn sum(&self, metric: usize, nodes: Range<usize>) -> i64 {
        let Some(sums) = self.sums.get(metric) else { return 0 };
        match (sums.get(nodes.start), sums.get(nodes.end)) {
            (Some(&from), Some(&to)) => to.saturating_sub(from),
            _ => 0,
        }
    }

    /// The values of a metric by node and place.
    pub fn by_place(&self, metric: usize) -> Option<&Own> {
        self.own.get(metric)
    }

    /// What was spent in some nodes at each place.
    pub fn at_places(&self, metric: usize, nodes: Range<usize>) -> Vec<i64> {
        let Some(own) = self.by_place(metric) else { return Vec::new() };
        let places = own.place_count();
        let mut out = vec![0; places];
        own.sums(nodes, 0..places as u32, &mut out);
        out
    }

    /// Number of places.
    pub fn place_count(&self) -> usize {
        self.titles.len()
    }

    /// The rank that a place is part of.
    pub fn rank(&self, place: usize) -> u32 {
        self.ranks.get(place).copied().unwrap_or(0)
    }

    /// What a place is called.
    pub fn place_title(&self, place: usize) -> &str {
        self.titles.get(place).map_or("", String::as_str)
    }
}

fn place_ranks(places: &crosscut_run::Places) -> Vec<u32> {
    let rank = |worker| places.get(worker).map_or(0, |place| u32::try_from(place.process).unwrap_or(0));
    (0..places.worker_count() as u32).map(rank).collect()
}

fn place_titles(places: &crosscut_run::Places) -> Vec<String> {
    let (mut before, mut thread) = (None, 0);
    let title = |worker: u32| {
        let rank = places.get(worker).map_or(0, |place| place.process);
        thread = if before == Some(rank) { thread + 1 } else { 0 };
        before = Some(rank);
        match thread {
            0 => format!("rank {rank}"),
            thread => format!("rank {rank}, thread {thread}"),
        }
    };
    (0..places.worker_count() as u32).map(title).collect()
}

/// The titles of places with the numbers and names of their threads, where the run has these.
fn named_titles(
    run: &Run,
    places: &crosscut_run::Places,
    mut titles: Vec<String>,
) -> Result<Vec<String>, CallsError> {
    if !run.has("calls/places") {
        return Ok(titles);
    }
    let table = run.table("calls/places")?;
    let threads = table.column_by_name("thread").and_then(|column| column.as_primitive_opt::<Int64Type>());
    let names = table.column_by_name("name").and_then(|column| column.as_string_opt::<i32>());
    let (Some(threads), Some(names)) = (threads, names) else {
        return Err(broken("its table of places has not the columns that it should"));
    };
    if table.num_rows() != titles.len() {
        return Err(broken("its table of places has other places than there are"));
    }
    let ranks = place_ranks(places);
    let mut count: HashMap<(u32, &str), usize> = HashMap::new();
    let name = |place: usize| if names.is_null(place) { "" } else { names.value(place) };
    for (place, &rank) in ranks.iter().enumerate() {
        *count.entry((rank, name(place))).or_default() += 1;
    }
    for (place, title) in titles.iter_mut().enumerate() {
        let (rank, name, thread) = (ranks[place], name(place), threads.value(place));
        let is_alone = count.get(&(rank, name)) == Some(&1);
        *title = match (name, is_alone) {
            ("", true) => format!("rank {rank}"),
            ("", false) => format!("rank {rank}, thread {thread}"),
            (name, true) => format!("rank {rank}, {name}"),
            (name, false) => format!("rank {rank}, {name} ({thread})"),
        };
    }
    Ok(titles)
}

/// The frames, and the numbers of their sources.
fn read_frames(run: &Run, sources: &Sources) -> Result<(Vec<Frame>, Vec<u32>), CallsError> {
    let table = run.table("calls/frames")?;
    let wrong = || broken("its table of frames has not the columns that it should");
    let text = |name: &str| {
        table.column_by_name(name).and_then(|column| column.as_string_opt::<i32>()).ok_or_else(wrong)
    };
    let (names, modules) = (text("name")?, text("module")?);
    let kinds = table.column_by_name("kind").and_then(|column| column.as_primitive_opt::<UInt8Type>());
    let source = table.column_by_name("source").and_then(|column| column.as_primitive_opt::<UInt32Type>());
    let (kinds, numbers) = (kinds.ok_or_else(wrong)?.values(), source.ok_or_else(wrong)?.values());
    let frame = |row: usize| {
        let source = sources.get(numbers[row]);
        Frame {
            kind: Kind::from_number(kinds[row]),
            name: names.value(row).to_owned(),
            module: modules.value(row).to_owned(),
            file: source.map(|source| source.file.clone()).unwrap_or_default(),
            line: source.map_or(0, |source| source.line),
        }
    };
    Ok(((0..table.num_rows()).map(frame).collect(), numbers.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_threads_of_a_rank_have_titles() {
        const MANY: usize = 200_000;
        let places = crosscut_run::Places::of_processes(&[&vec![3; MANY][..], &[4, 4]].concat()).unwrap();
        let titles = place_titles(&places);
        let at = |place: usize| titles[place].as_str();
        assert_eq!([at(0), at(1), at(MANY)], ["rank 3", "rank 3, thread 1", "rank 4"]);
        assert_eq!(titles[MANY - 1], format!("rank 3, thread {}", MANY - 1));
    }
}
