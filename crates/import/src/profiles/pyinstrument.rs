//! Profiles of pyinstrument as JSON: a tree of frames with their inclusive seconds, or a session with the stack and the seconds
//! of each sample.

use crosscut_calls::{Frame, Given, Unit};
use crosscut_run::RunWriter;

use super::json::{Json, Kind, Style, begins};
use super::nested::{Nested, nested};
use super::{builder, holds, path_node, plain};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Options, Reader};

/// The reader.
pub struct PyInstrument;

impl Reader for PyInstrument {
    fn name(&self) -> &'static str {
        "pyinstrument"
    }

    fn title(&self) -> &'static str {
        "pyinstrument"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, |head| {
            let is_session = begins(head.bytes, SAMPLES) && holds(head.bytes, br"\u0000");
            match begins(head.bytes, "root_frame") || is_session {
                true => Confidence::CERTAIN,
                false => Confidence::NONE,
            }
        })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let (head, _) = plain::head(input)?;
        if begins(&head, SAMPLES) && !begins(&head, "root_frame") {
            return session(self.title(), input, run);
        }
        let frames = frames(&mut Json::open(input, Style::Json)?)?;
        let mut builder = builder(self.title());
        let place = builder.place(0, 0);
        let metric = builder.metric("time", Unit::Ns, Given::Inclusive);
        let mut nodes: Vec<u32> = Vec::with_capacity(frames.len());
        for frame in frames {
            let parent = frame.parent.and_then(|parent| nodes.get(parent)).copied().unwrap_or(0);
            let Read { function, file, line, time } = frame.value;
            // What a frame did itself: newer versions say so as a child.
            if function == "[self]" {
                nodes.push(parent);
                continue;
            }
            let no_time = || input.broken(frame.offset, format!("frame `{function}` has no `time`"));
            let time = time.ok_or_else(no_time)?;
            let number = builder.frame(Frame { file, line, ..Frame::function(function) });
            let node = builder.node(parent, number)?;
            builder.add(metric, place, node, Unit::Ns.whole(time, 1e9));
            nodes.push(node);
        }
        Ok(builder.finish(run)?)
    }
}

/// The key of the samples of a session.
const SAMPLES: &str = "frame_records";

/// A session: a stack and its seconds for each sample.
fn session(title: &str, input: &Input<'_>, run: &mut RunWriter) -> Result<(), ImportError> {
    let json = &mut Json::open(input, Style::Json)?;
    let mut builder = builder(title);
    let place = builder.place(0, 0);
    let metric = builder.metric("time", Unit::Ns, Given::Own);
    let (mut key, mut samples) = (String::new(), 0u64);
    // Newer versions have the session as one of two parts of the file.
    let mut inside = 0;
    json.object()?;
    loop {
        match json.key(&mut key)? {
            false if inside == 0 => break,
            false => inside -= 1,
            true if key == "session" && json.kind()? == Kind::Object => {
                json.object()?;
                inside += 1;
            }
            true if key == SAMPLES && json.array()? => {
                while json.item()? {
                    let at = json.offset();
                    let (stack, time) = sample(json)?;
                    let time = time.ok_or_else(|| json.broken_at(at, "a sample without its seconds"))?;
                    let node = path_node(&mut builder, stack.iter().map(|frame| identified(frame)))?;
                    builder.add(metric, place, node, Unit::Ns.whole(time, 1e9));
                    samples += 1;
                }
            }
            true if key == SAMPLES => {}
            true => json.skip()?,
        }
    }
    json.end()?;
    match samples {
        0 => Err(input.broken(0, "the session has no samples")),
        _ => Ok(builder.finish(run)?),
    }
}

/// `[[frame, …], seconds]`, outermost first.
fn sample(json: &mut Json<'_, '_>) -> Result<(Vec<String>, Option<f64>), ImportError> {
    let (mut stack, mut time) = (Vec::new(), None);
    let at = json.offset();
    if !json.array()? {
        return Err(json.broken_at(at, "a sample is not a list"));
    }
    while json.item()? {
        match json.kind()? {
            Kind::Array => {
                json.array()?;
                while json.item()? {
                    stack.push(json.text()?.unwrap_or_default());
                }
            }
            Kind::Number => time = json.number()?,
            _ => json.skip()?,
        }
    }
    Ok((stack, time))
}

/// `function NUL file NUL line`, and what else is known of it behind another sign.
fn identified(text: &str) -> Frame {
    let text = text.split('\u{1}').next().unwrap_or_default();
    let mut parts = text.split('\0');
    let function = parts.next().unwrap_or_default();
    let (file, line) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    Frame { file: file.to_owned(), line: line.parse().unwrap_or(0), ..Frame::function(function) }
}

/// A frame of the file.
#[derive(Default)]
struct Read {
    function: String,
    file: String,
    line: i64,
    time: Option<f64>,
}

/// All frames: those below `root_frame`.
fn frames(json: &mut Json<'_, '_>) -> Result<Vec<Nested<Read>>, ImportError> {
    let (mut frames, mut key) = (Vec::new(), String::new());
    if json.object()? {
        while json.key(&mut key)? {
            match key.as_str() {
                "root_frame" => frames = nested(json, "children", field)?,
                _ => json.skip()?,
            }
        }
    }
    json.end()?;
    match frames.is_empty() {
        true => Err(json.broken_at(0, "it has no frames: `root_frame` is empty")),
        false => Ok(frames),
    }
}

fn field(json: &mut Json<'_, '_>, key: &str, frame: &mut Read) -> Result<(), ImportError> {
    match key {
        "function" => frame.function = json.text()?.unwrap_or_default(),
        "file_path" => frame.file = json.text()?.unwrap_or_default(),
        "line_no" => frame.line = json.whole()?.unwrap_or(0),
        "time" => frame.time = json.number()?,
        _ => json.skip()?,
    }
    Ok(())
}
