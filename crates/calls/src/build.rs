//! Call paths and values in any order become a tree.

use crosscut_run::{RunWriter, SourcesBuilder, texts};
use foldhash::{HashMap, HashMapExt};

use crate::error::CallsError;
use crate::finish;
use crate::schema::{Frame, Kind, Measured, NONE, Unit};

/// Values that are kept before equal ones are added up.
const LOOSE: usize = 1 << 20;

/// How a file gives the values of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// What was spent in the node itself.
    Own,
    /// With all that it called: what was spent in the node itself is what is left.
    Inclusive,
}

/// One value of a node at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub metric: u32,
    pub place: u32,
    pub node: u32,
    pub value: i64,
}

/// One sample: what was spent in a node at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub place: u32,
    pub time: i64,
    pub node: u32,
    /// Of the first metrics; the others have none.
    pub values: [i64; 2],
}

/// A profile in the making. Node 0 is the root: the program.
#[derive(Debug)]
pub struct Builder {
    pub(crate) frames: Vec<Frame>,
    frame_numbers: HashMap<Frame, u32>,
    /// Makes a compiler's name of a function readable.
    names: Option<fn(&str) -> String>,
    /// Parents come before their children.
    pub(crate) parent: Vec<u32>,
    pub(crate) frame: Vec<u32>,
    children: HashMap<(u32, u32), u32>,
    /// Rank and thread of each place.
    pub(crate) places: Vec<(i64, i64)>,
    place_numbers: HashMap<(i64, i64), u32>,
    /// What the file calls places, where it does.
    pub(crate) place_names: HashMap<u32, String>,
    pub(crate) metrics: Vec<(Measured, Given)>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) samples: Vec<Sample>,
    /// How many cells there may be before they are added up.
    limit: usize,
    pub(crate) format: String,
    pub(crate) notes: Vec<String>,
}

impl Builder {
    /// Nothing but the root. The name of the format is for people.
    pub fn new(format: &str) -> Self {
        Builder {
            frames: Vec::new(),
            frame_numbers: HashMap::new(),
            names: None,
            parent: vec![0],
            frame: vec![NONE],
            children: HashMap::new(),
            places: Vec::new(),
            place_numbers: HashMap::new(),
            place_names: HashMap::new(),
            metrics: Vec::new(),
            cells: Vec::new(),
            samples: Vec::new(),
            limit: LOOSE,
            format: format.to_owned(),
            notes: Vec::new(),
        }
    }

    /// Names of functions go through this: what a compiler made of them becomes what people write.
    pub fn with_names(mut self, readable: fn(&str) -> String) -> Self {
        self.names = Some(readable);
        self
    }

    /// The number of a frame.
    pub fn frame(&mut self, mut frame: Frame) -> u32 {
        [&mut frame.name, &mut frame.module, &mut frame.file].into_iter().for_each(texts::kept);
        if let Some(&number) = self.frame_numbers.get(&frame) {
            return number;
        }
        let mut name = match (self.names, frame.kind) {
            (Some(readable), Kind::Function | Kind::Line | Kind::Instruction) => readable(&frame.name),
            _ => frame.name.clone(),
        };
        texts::kept(&mut name);
        if name == frame.name {
            return self.new_frame(frame);
        }
        let readable = Frame { name, ..frame.clone() };
        let number = match self.frame_numbers.get(&readable) {
            Some(&number) => number,
            None => self.new_frame(readable),
        };
        // So that the same name is not made readable again.
        self.frame_numbers.insert(frame, number);
        number
    }

    fn new_frame(&mut self, frame: Frame) -> u32 {
        let number = self.frames.len() as u32;
        self.frames.push(frame.clone());
        self.frame_numbers.insert(frame, number);
        number
    }

    /// All frames so far.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter()
    }

    /// The node of a frame below another node: each call path has one.
    pub fn node(&mut self, parent: u32, frame: u32) -> Result<u32, CallsError> {
        if let Some(&node) = self.children.get(&(parent, frame)) {
            return Ok(node);
        }
        let node = self.new_node(parent, frame)?;
        self.children.insert((parent, frame), node);
        Ok(node)
    }

    /// A node of its own, though there may be another with the same call path: of formats that say so.
    pub fn new_node(&mut self, parent: u32, frame: u32) -> Result<u32, CallsError> {
        let node = self.parent.len() as u32;
        if parent >= node || frame as usize >= self.frames.len() {
            return Err(CallsError::Broken(format!("node {parent} or frame {frame} is not there yet")));
        }
        if node == NONE - 1 {
            return Err(CallsError::Broken(format!("more than {node} nodes")));
        }
        self.parent.push(parent);
        self.frame.push(frame);
        Ok(node)
    }

    /// The place of a thread of a rank.
    pub fn place(&mut self, rank: i64, thread: i64) -> u32 {
        let places = &mut self.places;
        *self.place_numbers.entry((rank, thread)).or_insert_with(|| {
            places.push((rank, thread));
            places.len() as u32 - 1
        })
    }

    /// What the file calls a place; nothing is said by an empty name.
    pub fn name_place(&mut self, place: u32, name: &str) {
        let name = name.trim();
        if !name.is_empty() {
            self.place_names.insert(place, name.to_owned());
        }
    }

    /// A metric; the one to look at first comes first.
    pub fn metric(&mut self, name: &str, unit: Unit, given: Given) -> u32 {
        self.metrics.push((Measured { name: name.to_owned(), unit, negative: 0 }, given));
        self.metrics.len() as u32 - 1
    }

    /// Metrics of time come before the others, in the same order otherwise: of profiles that are not kept sample by sample.
    pub fn time_first(&mut self) {
        let mut order: Vec<usize> = (0..self.metrics.len()).collect();
        order.sort_by_key(|&at| self.metrics[at].0.unit != Unit::Ns);
        let mut number = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            number[old] = new as u32;
        }
        self.metrics = order.iter().map(|&at| self.metrics[at].clone()).collect();
        for cell in &mut self.cells {
            cell.metric = number[cell.metric as usize];
        }
    }

    /// Adds to the value of a node at a place.
    pub fn add(&mut self, metric: u32, place: u32, node: u32, value: i64) {
        if value == 0 && self.metrics.get(metric as usize).is_some_and(|(_, given)| *given == Given::Own) {
            return;
        }
        self.cells.push(Cell { metric, place, node, value });
        if self.cells.len() >= self.limit {
            self.add_up();
            self.limit = (2 * self.cells.len()).max(LOOSE);
        }
    }

    /// Adds a sample to the values of a node at a place, and keeps it: one value for each of the first two metrics.
    pub fn sample(&mut self, place: u32, time: i64, node: u32, values: [i64; 2]) {
        for (metric, value) in values.into_iter().enumerate() {
            self.add(metric as u32, place, node, value);
        }
        self.samples.push(Sample { place, time, node, values });
    }

    /// Something that is to be known of the profile.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// One cell for each metric, place and node, in this order.
    pub(crate) fn add_up(&mut self) {
        self.cells.sort_unstable();
        self.cells.dedup_by(|next, kept| {
            let same = (next.metric, next.place, next.node) == (kept.metric, kept.place, kept.node);
            if same {
                kept.value = kept.value.saturating_add(next.value);
            }
            same
        });
    }

    /// An error when nodes, places and metrics so far are more than files of their size may become: for readers that go through
    /// all of them, before they do. It is asked at the end in any case.
    pub fn check_room(&self, run: &RunWriter) -> Result<(), CallsError> {
        finish::check_room(run, self)
    }

    /// Puts it into a run beside what else there is: the places are the workers of the run, all of them and in their order,
    /// which are put there by others as the sources are.
    pub fn finish_beside(self, run: &mut RunWriter, sources: &mut SourcesBuilder) -> Result<(), CallsError> {
        finish::finish_beside(self, run, sources, None).map(|_| ())
    }

    /// Puts it into the run, with its places and sources.
    pub fn finish(self, run: &mut RunWriter) -> Result<(), CallsError> {
        finish::finish(self, run, None)
    }

    /// The same with values that are made place by place: `fill` gets metric, place and the values of all nodes in the order in
    /// which they were made, to be filled with what was spent in each itself. What was added before is left out. Places are to
    /// be made in their order.
    pub fn finish_filled(self, run: &mut RunWriter, fill: &mut Fill<'_>) -> Result<(), CallsError> {
        finish::finish(self, run, Some(fill))
    }
}

/// Fills the values of a metric at a place.
pub type Fill<'a> = dyn FnMut(usize, u32, &mut [i64]) + 'a;
