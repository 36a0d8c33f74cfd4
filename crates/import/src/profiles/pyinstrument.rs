//! Profiles of pyinstrument as JSON: a tree of frames with their inclusive seconds.

use crosscut_calls::{Frame, Given, Unit};
use crosscut_run::RunWriter;

use super::json::{Json, Style, begins};
use super::nested::{Nested, nested};
use super::{builder, plain};
use crate::error::ImportError;
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
        plain::detect(inputs, |head| match begins(head.bytes, "root_frame") {
            true => Confidence::CERTAIN,
            false => Confidence::NONE,
        })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
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
