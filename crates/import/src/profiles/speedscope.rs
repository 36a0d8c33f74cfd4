//! speedscope's own format: frames in one table, and profiles that are either samples with weights or calls that open and
//! close. Each profile is a place.

mod evented;

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::HashMap;

use super::json::{Json, Kind, Style, begins};
use super::{builder, holds, plain};
use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};
use evented::{Event, Evented};

/// The reader.
pub struct Speedscope;

impl Reader for Speedscope {
    fn name(&self) -> &'static str {
        "speedscope"
    }

    fn title(&self) -> &'static str {
        "speedscope"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let json = &mut Json::open(input, Style::Json)?;
        let (mut frames, mut paths, mut profiles) = (Vec::new(), Paths::default(), Vec::new());
        let mut key = String::new();
        if json.object()? {
            while json.key(&mut key)? {
                match key.as_str() {
                    "shared" => frames = read_frames(json)?,
                    "profiles" if json.kind()? == Kind::Array => {
                        json.array()?;
                        while json.item()? {
                            profiles.push(Profile::read(json, &mut paths)?);
                        }
                    }
                    _ => json.skip()?,
                }
            }
        }
        json.end()?;
        if let Some((frame, at)) = paths.highest.filter(|&(frame, _)| frame as usize >= frames.len()) {
            return Err(
                json.broken_at(at, format!("frame {frame} is not in the table of {} frames", frames.len()))
            );
        }
        if profiles.is_empty() {
            return Err(input.broken(0, "it has no profiles"));
        }
        let mut builder = builder(self.title());
        let nodes = paths.nodes(&mut builder, &frames)?;
        let mut metrics = HashMap::default();
        for (number, profile) in profiles.into_iter().enumerate() {
            profile.add_to(&mut builder, number, &nodes, &mut metrics)?;
        }
        Ok(builder.finish(run)?)
    }
}

/// Call paths as numbers of frames, which may be named later in the file. Number 0 is the empty path.
#[derive(Default)]
struct Paths {
    /// Parent and frame of each but the first.
    list: Vec<(u32, u32)>,
    numbers: HashMap<(u32, u32), u32>,
    /// The highest frame, and where it was used first.
    highest: Option<(u32, u64)>,
}

impl Paths {
    /// The path of a frame below another path.
    fn below(&mut self, parent: u32, frame: u32, at: u64) -> u32 {
        if let Some(&number) = self.numbers.get(&(parent, frame)) {
            return number;
        }
        if self.highest.is_none_or(|(highest, _)| frame > highest) {
            self.highest = Some((frame, at));
        }
        self.list.push((parent, frame));
        let number = self.list.len() as u32;
        self.numbers.insert((parent, frame), number);
        number
    }

    /// The nodes of all paths; the empty one is what was spent outside any frame, when it is used.
    fn nodes(&self, builder: &mut Builder, frames: &[Frame]) -> Result<Vec<u32>, ImportError> {
        let mut nodes = vec![0];
        for &(parent, frame) in &self.list {
            let frame = frames.get(frame as usize).cloned().unwrap_or_default();
            let frame = builder.frame(frame);
            let parent = nodes.get(parent as usize).copied().unwrap_or(0);
            nodes.push(builder.node(parent, frame)?);
        }
        Ok(nodes)
    }
}

/// What a profile counts, and how many of ours one is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    unit: Unit,
    one: f64,
}

impl Scale {
    fn named(name: &str) -> Option<Self> {
        let (unit, one) = match name {
            "seconds" => (Unit::Ns, 1e9),
            "milliseconds" => (Unit::Ns, 1e6),
            "microseconds" => (Unit::Ns, 1e3),
            "nanoseconds" => (Unit::Ns, 1.0),
            "bytes" => (Unit::Bytes, 1.0),
            "none" => (Unit::Count, 1.0),
            _ => return None,
        };
        Some(Scale { unit, one })
    }

    fn metric(self) -> &'static str {
        match self.unit {
            Unit::Ns => "time",
            Unit::Bytes => "bytes",
            Unit::Count | Unit::Micro => "weight",
        }
    }
}

/// One profile: what was spent in each path.
#[derive(Default)]
struct Profile {
    name: String,
    scale: Option<Scale>,
    own: HashMap<u32, i64>,
    fractions: u64,
    /// Calls that were still open at the end.
    unclosed: usize,
}

impl Profile {
    fn read(json: &mut Json<'_, '_>, paths: &mut Paths) -> Result<Self, ImportError> {
        let begin = json.offset();
        let (mut profile, mut end) = (Profile::default(), None);
        let (mut samples, mut weights): (Option<Vec<u32>>, Option<Vec<f64>>) = (None, None);
        // Events that came before it was said what they count.
        let (mut evented, mut early): (Option<Evented>, Vec<Event>) = (None, Vec::new());
        if !json.object()? {
            return Err(json.broken_at(begin, "a profile is not an object"));
        }
        let mut key = String::new();
        while json.key(&mut key)? {
            match key.as_str() {
                "name" => profile.name = json.text()?.unwrap_or_default(),
                "unit" => {
                    let name = json.text()?.unwrap_or_default();
                    let unknown = || json.broken(format!("a unit that speedscope has not: {name:.40}"));
                    profile.scale = Some(Scale::named(&name).ok_or_else(unknown)?);
                }
                "endValue" => end = json.number()?,
                "samples" => samples = Some(read_samples(json, paths)?),
                "weights" => weights = Some(read_weights(json)?),
                "events" => {
                    let mut reading = profile.scale.map(Evented::new);
                    if json.array()? {
                        while json.item()? {
                            let event = Event::read(json)?;
                            match &mut reading {
                                Some(evented) => evented.event(json, event, paths, &mut profile.own)?,
                                None => early.push(event),
                            }
                        }
                    }
                    evented = reading;
                }
                _ => json.skip()?,
            }
        }
        let scale = profile.scale.ok_or_else(|| json.broken_at(begin, "a profile without a unit"))?;
        if !early.is_empty() {
            let mut reading = Evented::new(scale);
            for event in early {
                reading.event(json, event, paths, &mut profile.own)?;
            }
            evented = Some(reading);
        }
        if let Some(evented) = evented {
            profile.unclosed = evented.end(json, begin, end, &mut profile.own)?;
        } else {
            profile.weigh(json, begin, scale, samples, weights)?;
        }
        Ok(profile)
    }

    fn weigh(
        &mut self,
        json: &Json<'_, '_>,
        begin: u64,
        scale: Scale,
        samples: Option<Vec<u32>>,
        weights: Option<Vec<f64>>,
    ) -> Result<(), ImportError> {
        let samples =
            samples.ok_or_else(|| json.broken_at(begin, "a profile with neither samples nor events"))?;
        let weights =
            weights.ok_or_else(|| json.broken_at(begin, "a profile with samples and no weights"))?;
        if samples.len() != weights.len() {
            let what = format!("a profile with {} samples and {} weights", samples.len(), weights.len());
            return Err(json.broken_at(begin, what));
        }
        for (path, weight) in samples.into_iter().zip(weights) {
            let whole = scale.unit.whole(weight, scale.one);
            self.fractions += u64::from(scale.unit == Unit::Count && weight.fract() != 0.0);
            let own = self.own.entry(path).or_insert(0);
            *own = own.saturating_add(whole);
        }
        Ok(())
    }

    fn add_to(
        self,
        builder: &mut Builder,
        number: usize,
        nodes: &[u32],
        metrics: &mut HashMap<&'static str, u32>,
    ) -> Result<(), ImportError> {
        let Some(scale) = self.scale else { return Ok(()) };
        let place = builder.place(0, number as i64);
        builder.name_place(place, &self.name);
        let name = scale.metric();
        let metric = *metrics.entry(name).or_insert_with(|| builder.metric(name, scale.unit, Given::Own));
        let mut own: Vec<(u32, i64)> = self.own.into_iter().collect();
        own.sort_unstable();
        for (path, value) in own {
            let node = match nodes.get(path as usize).copied().unwrap_or(0) {
                0 => super::path_node(builder, [])?,
                node => node,
            };
            builder.add(metric, place, node, value);
        }
        let whose = format!("profile {number} ({:.60})", self.name);
        if self.unclosed > 0 {
            builder.note(format!("{whose}: {} calls never close, and were closed at its end", self.unclosed));
        }
        if self.fractions > 0 {
            builder
                .note(format!("{whose}: {} weights are no whole numbers and were rounded", self.fractions));
        }
        Ok(())
    }
}

/// The table of frames.
fn read_frames(json: &mut Json<'_, '_>) -> Result<Vec<Frame>, ImportError> {
    let (mut frames, mut key) = (Vec::new(), String::new());
    if !json.object()? {
        return Ok(frames);
    }
    while json.key(&mut key)? {
        if key != "frames" || json.kind()? != Kind::Array {
            json.skip()?;
            continue;
        }
        json.array()?;
        while json.item()? {
            let mut frame = Frame::default();
            if json.object()? {
                while json.key(&mut key)? {
                    match key.as_str() {
                        "name" => frame.name = json.text()?.unwrap_or_default(),
                        "file" => frame.file = json.text()?.unwrap_or_default(),
                        "line" => frame.line = json.whole()?.unwrap_or(0),
                        _ => json.skip()?,
                    }
                }
            }
            frames.push(frame);
        }
    }
    Ok(frames)
}

/// The path of each sample, outermost frame first.
fn read_samples(json: &mut Json<'_, '_>, paths: &mut Paths) -> Result<Vec<u32>, ImportError> {
    let mut samples = Vec::new();
    if !json.array()? {
        return Ok(samples);
    }
    while json.item()? {
        let (at, mut path) = (json.offset(), 0);
        if !json.array()? {
            return Err(json.broken_at(at, "a sample is not a list of frames"));
        }
        while json.item()? {
            let frame = json.whole()?.and_then(|frame| u32::try_from(frame).ok());
            let frame = frame.ok_or_else(|| json.broken_at(at, "a frame of a sample is no number"))?;
            path = paths.below(path, frame, at);
        }
        samples.push(path);
    }
    Ok(samples)
}

fn read_weights(json: &mut Json<'_, '_>) -> Result<Vec<f64>, ImportError> {
    let mut weights = Vec::new();
    if json.array()? {
        while json.item()? {
            let at = json.offset();
            weights.push(json.number()?.ok_or_else(|| json.broken_at(at, "a weight is no number"))?);
        }
    }
    Ok(weights)
}

fn detect(head: &Head<'_>) -> Confidence {
    let has = |key: &str| begins(head.bytes, key);
    if has("$schema") && holds(head.bytes, b"speedscope") {
        return Confidence::CERTAIN;
    }
    let is_like = has("profiles") && has("shared") && has("frames");
    if is_like { Confidence::percent(85) } else { Confidence::NONE }
}
