//! Profiles of the Firefox Profiler, as it saves them and as samply writes them: threads, each with samples, and tables of
//! stacks, frames, functions and texts, of the thread or of all. Raw profiles of the browser are the same in rows.

mod tables;
mod thread;

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::HashMap;

use super::json::{Json, Kind, Style, begins};
use super::whose::Whose;
use super::{builder, holds, plain};
use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};
use tables::Tables;
use thread::Thread;

/// Processes inside processes: a raw profile has one level of them.
const DEEPEST: usize = 4;

/// The reader.
pub struct Firefox;

impl Reader for Firefox {
    fn name(&self) -> &'static str {
        "firefox"
    }

    fn title(&self) -> &'static str {
        "Firefox Profiler and samply"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let json = &mut Json::open(input, Style::Json)?;
        let mut profile = Profile::default();
        profile.read(json, 0)?;
        json.end()?;
        if profile.threads.is_empty() {
            return Err(input.broken(0, "it has no threads"));
        }
        let mut builder = builder(self.title());
        profile.put(json, &mut builder)?;
        Ok(builder.finish(run)?)
    }
}

/// A whole file.
#[derive(Default)]
struct Profile {
    threads: Vec<Thread>,
    shared: Tables,
    /// Milliseconds between two samples.
    interval: Option<f64>,
}

impl Profile {
    /// An object with threads, and perhaps other processes with theirs.
    fn read(&mut self, json: &mut Json<'_, '_>, depth: usize) -> Result<(), ImportError> {
        if depth > DEEPEST {
            return json.skip();
        }
        let mut key = String::new();
        if !json.object()? {
            return Ok(());
        }
        while json.key(&mut key)? {
            match (key.as_str(), json.kind()?) {
                ("meta", Kind::Object) => self.meta(json)?,
                ("shared", Kind::Object) => {
                    json.object()?;
                    while json.key(&mut key)? {
                        if !self.shared.read(json, &key)? {
                            json.skip()?;
                        }
                    }
                }
                ("threads", Kind::Array) => {
                    json.array()?;
                    while json.item()? {
                        self.threads.push(Thread::read(json)?);
                    }
                }
                ("processes", Kind::Array) => {
                    json.array()?;
                    while json.item()? {
                        self.read(json, depth + 1)?;
                    }
                }
                // As the developer tools export it.
                ("profile", Kind::Object) => self.read(json, depth + 1)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }

    fn meta(&mut self, json: &mut Json<'_, '_>) -> Result<(), ImportError> {
        let mut key = String::new();
        json.object()?;
        while json.key(&mut key)? {
            match key.as_str() {
                "interval" => self.interval = json.number()?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }

    fn put(self, json: &Json<'_, '_>, builder: &mut Builder) -> Result<(), ImportError> {
        let mut metrics: HashMap<&'static str, u32> = HashMap::default();
        let mut whose = Whose::default();
        let mut counts = false;
        let is_traced = self.threads.iter().any(|thread| thread.weight_type == "tracing-ms");
        for (number, thread) in self.threads.into_iter().enumerate() {
            let tid = if thread.tid.is_empty() { format!("thread {number}") } else { thread.tid };
            let place = whose.place(builder, &thread.pid, &tid);
            builder.name_place(place, &thread.name);
            let (name, unit, one) = match thread.weight_type.as_str() {
                "tracing-ms" => ("time", Unit::Ns, 1e6),
                "bytes" => ("bytes", Unit::Bytes, 1.0),
                _ => ("samples", Unit::Count, 1.0),
            };
            let metric = *metrics.entry(name).or_insert_with(|| builder.metric(name, unit, Given::Own));
            // A sample stands for the time until the next one.
            let each = self.interval.filter(|interval| name == "samples" && *interval > 0.0);
            let time = each.map(|each| {
                let time = if is_traced { "time of samples" } else { "time" };
                (*metrics.entry(time).or_insert_with(|| builder.metric(time, Unit::Ns, Given::Own)), each)
            });
            counts |= time.is_some();
            let nodes = thread.tables.or(&self.shared).nodes(builder, &thread.weights);
            let nodes = nodes.map_err(|what| {
                json.broken_at(thread.offset, format!("thread {:.60}: {what}", thread.name))
            })?;
            for (node, weight) in nodes {
                builder.add(metric, place, node, unit.whole(weight, one));
                if let Some((time, each)) = time {
                    builder.add(time, place, node, Unit::Ns.whole(weight * each, 1e6));
                }
            }
        }
        if let Some(interval) = self.interval.filter(|_| counts) {
            builder.note(format!("samples were taken every {interval} ms: a sample is about that long"));
        }
        let (unnamed, all) = builder.frames().fold((0u64, 0u64), |(unnamed, all), frame| {
            (unnamed + u64::from(is_address(&frame.name)), all + 1)
        });
        if unnamed > 0 {
            builder.note(format!(
                "{unnamed} of {all} functions have no names in this file, only addresses: open it in the Firefox Profiler, which \
                 looks them up, and save it from there"
            ));
        }
        Ok(())
    }
}

/// The nodes of stacks that have a weight, with it.
type Weighted = Vec<(u32, f64)>;

impl tables::Chosen<'_> {
    fn nodes(&self, builder: &mut Builder, weights: &[(Option<u32>, f64)]) -> Result<Weighted, String> {
        let mut known: HashMap<u32, u32> = HashMap::default();
        let mut nodes = Vec::with_capacity(weights.len());
        for &(stack, weight) in weights {
            let Some(stack) = stack else {
                let outside = super::path_node(builder, []).map_err(|error| error.to_string())?;
                nodes.push((outside, weight));
                continue;
            };
            // Up to one that is known, then down again.
            let (mut path, mut next, mut node) = (Vec::new(), Some(stack), 0);
            while let Some(at) = next {
                if let Some(&found) = known.get(&at) {
                    node = found;
                    break;
                }
                path.push(at);
                next = self.parent(at)?;
            }
            for &at in path.iter().rev() {
                let frame: Frame = self.frame(at)?;
                // The browser's own root of every stack says nothing.
                if frame.name != "(root)" || node != 0 {
                    let frame = builder.frame(frame);
                    node = builder.node(node, frame).map_err(|error| error.to_string())?;
                }
                known.insert(at, node);
            }
            if node == 0 {
                node = super::path_node(builder, []).map_err(|error| error.to_string())?;
            }
            nodes.push((node, weight));
        }
        Ok(nodes)
    }
}

/// Whether a function is called by its address.
fn is_address(name: &str) -> bool {
    let digits = name.strip_prefix("0x").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn detect(head: &Head<'_>) -> Confidence {
    let has = |key: &str| begins(head.bytes, key);
    if has("preprocessedProfileVersion") {
        return Confidence::CERTAIN;
    }
    // Raw profiles begin with a long list of libraries.
    if has("libs") && has("breakpadId") {
        return Confidence::percent(80);
    }
    let has_tables = has("stackTable") || has("frameTable") || has("funcTable");
    match has("threads") && has_tables || has("meta") && (has_tables || holds(head.bytes, b"\"processType\""))
    {
        true => Confidence::percent(85),
        false => Confidence::NONE,
    }
}
