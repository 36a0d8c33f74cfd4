//! Profiles of Score-P and Scalasca (`.cubex`): an archive with `anchor.xml`, which says what there is, and for each metric a
//! list of the call paths that have values (`.index`) and the values (`.data`), a row of one value for each thread.

mod anchor;
mod data;
mod tar;

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::HashMap;

use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::profiles::bytes::whole;
use crate::profiles::free::Free;
use crate::reader::{Confidence, Options, Reader};

use anchor::{Anchor, Metric};
use data::{Rows, Type, Unpacked};
use tar::Member;

/// The reader.
pub struct Cube;

impl Reader for Cube {
    fn name(&self) -> &'static str {
        "cube"
    }

    fn title(&self) -> &'static str {
        "Score-P profile (.cubex)"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        let [file] = inputs.files() else { return Ok(Confidence::NONE) };
        let input = inputs.open(file)?;
        let is_cube = tar::begins(&input.head()?)
            && tar::members(&input).is_ok_and(|members| members.contains_key("anchor.xml"));
        Ok(if is_cube { Confidence::CERTAIN } else { Confidence::NONE })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let members = tar::members(input)?;
        let Some(anchor) = members.get("anchor.xml") else {
            return Err(input.broken(0, "an archive without a file anchor.xml: not a profile of Score-P"));
        };
        let anchor = anchor::read(input, *anchor)?;
        if anchor.nodes.is_empty() || anchor.locations.is_empty() {
            return Err(input.broken(0, "anchor.xml has no call paths, or no threads"));
        }
        let mut profile = Profile::new(self.title(), &anchor)?;
        // Time is what to look at first.
        let (time, others): (Vec<&Metric>, Vec<&Metric>) =
            anchor.metrics.iter().partition(|metric| metric.name == "time");
        for metric in time.into_iter().chain(others) {
            profile.metric(input, &members, metric, run)?;
        }
        profile.finish(run)
    }
}

/// A profile in the making.
struct Profile<'a> {
    anchor: &'a Anchor,
    builder: Builder,
    /// The node of each call path, in the order of the document.
    nodes: Vec<u32>,
    /// The same in the order in which inclusive metrics number them.
    wide: Vec<u32>,
    /// Places of the threads, in the order of their numbers.
    places: Vec<u32>,
    /// What came out of packed rows so far.
    unpacked: Unpacked,
    empty: u64,
    left_out: Vec<String>,
}

impl<'a> Profile<'a> {
    fn new(title: &str, anchor: &'a Anchor) -> Result<Self, ImportError> {
        let mut builder = crate::profiles::builder(title);
        let mut nodes: Vec<u32> = Vec::new();
        for path in &anchor.nodes {
            let region = anchor.regions.get(&path.region);
            let frame = region.map_or_else(|| Frame::function("(unknown)"), |region| region.frame.clone());
            let frame = builder.frame(frame);
            let parent = path.parent.and_then(|parent| nodes.get(parent)).copied().unwrap_or(0);
            nodes.push(builder.new_node(parent, frame)?);
        }
        let wide = anchor.wide_order().into_iter().filter_map(|at| nodes.get(at).copied()).collect();
        let places = places(anchor, &mut builder);
        Ok(Profile {
            anchor,
            builder,
            nodes,
            wide,
            places,
            unpacked: Unpacked::default(),
            empty: 0,
            left_out: Vec::new(),
        })
    }

    fn metric(
        &mut self,
        input: &Input<'_>,
        members: &HashMap<String, Member>,
        metric: &Metric,
        run: &RunWriter,
    ) -> Result<(), ImportError> {
        let given = match &*metric.kind {
            "INCLUSIVE" => Given::Inclusive,
            "EXCLUSIVE" => Given::Own,
            _ => {
                self.left_out.push(format!("{} (computed by a formula)", metric.name));
                return Ok(());
            }
        };
        let member = |ending: &str| members.get(&format!("{}.{ending}", metric.id)).copied();
        let (Some(index), Some(data)) = (member("index"), member("data")) else {
            // Without files, all of its values are zero.
            self.empty += 1;
            return Ok(());
        };
        let Some(kind) = Type::named(&metric.dtype) else {
            self.left_out.push(format!("{} ({} does not add up)", metric.name, metric.dtype));
            return Ok(());
        };
        let (unit, one) = unit_of(metric, kind);
        let number = self.builder.metric(&metric.name, unit, given);
        // An archive may have as many threads as call paths, and rows that take no byte of it.
        self.builder.check_room(run)?;
        let order = if given == Given::Inclusive { &self.wide } else { &self.nodes };
        let mut rows = Rows::open(input, index, data, kind, self.places.len(), &mut self.unpacked)?;
        while let Some(row) = rows.next()? {
            let Some(&node) = order.get(row as usize) else {
                let what = format!("a row of call path {row}, but there are {}", self.anchor.nodes.len());
                return Err(input.broken(index.at, what));
            };
            // Nothing is added to nothing: of a path with all values zero, none is above zero below it.
            if rows.is_nothing() {
                continue;
            }
            for (at, &place) in self.places.iter().enumerate() {
                let (value, offset) = rows.value(at)?;
                let value = whole(value, one).map_err(|what| input.broken(offset, what))?;
                self.builder.add(number, place, node, value);
            }
        }
        Ok(())
    }

    fn finish(mut self, run: &mut RunWriter) -> Result<(), ImportError> {
        if self.empty > 0 {
            self.builder.note(format!("{} metrics have no values", self.empty));
        }
        if !self.left_out.is_empty() {
            self.builder.note(format!("metrics that were left out: {}", self.left_out.join(", ")));
        }
        Ok(self.builder.finish(run)?)
    }
}

/// The places of all threads. Two of one process with the same number are two places.
fn places(anchor: &Anchor, builder: &mut Builder) -> Vec<u32> {
    let mut free = Free::default();
    anchor.locations.iter().map(|at| builder.place(at.rank, free.next(at.rank, at.thread))).collect()
}

fn unit_of(metric: &Metric, kind: Type) -> (Unit, f64) {
    match (&*metric.unit, kind.is_float()) {
        ("sec" | "s", _) => (Unit::Ns, 1e9),
        ("msec" | "ms", _) => (Unit::Ns, 1e6),
        ("usec" | "us", _) => (Unit::Ns, 1e3),
        ("nsec" | "ns", _) => (Unit::Ns, 1.0),
        ("bytes" | "byte" | "B", _) => (Unit::Bytes, 1.0),
        (_, true) if metric.unit != "occ" => (Unit::Micro, 1e6),
        _ => (Unit::Count, 1.0),
    }
}
