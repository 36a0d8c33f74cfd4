//! Profiles of pyinstrument as JSON: a tree of frames with their inclusive seconds.

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use serde_json::Value;

use super::json::{begins, number, read};
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
        inputs.detect_one(|head| match begins(head.bytes, "root_frame") {
            true => Confidence::CERTAIN,
            false => Confidence::NONE,
        })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let whole = read(input)?;
        let root = whole.get("root_frame").filter(|root| root.is_object());
        let root = root.ok_or_else(|| input.broken(0, "it has no frames: `root_frame` is empty"))?;
        let mut builder = Builder::new(self.title());
        let place = builder.place(0, 0);
        let metric = builder.metric("time", Unit::Ns, Given::Inclusive);
        let mut open = vec![(0, root)];
        while let Some((parent, frame)) = open.pop() {
            let name = frame.get("function").and_then(Value::as_str).unwrap_or_default();
            let time = frame.get("time").and_then(number);
            let time = time.ok_or_else(|| input.broken(0, format!("frame `{name}` has no `time`")))?;
            // What a frame did itself: newer versions say so as a child.
            if name == "[self]" {
                continue;
            }
            let text = |key: &str| frame.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let line = frame.get("line_no").and_then(Value::as_i64).unwrap_or(0);
            let number = builder.frame(Frame { file: text("file_path"), line, ..Frame::function(name) });
            let node = builder.node(parent, number)?;
            builder.add(metric, place, node, Unit::Ns.whole(time, 1e9));
            let children = frame.get("children").and_then(Value::as_array);
            open.extend(children.into_iter().flatten().rev().map(|child| (node, child)));
        }
        Ok(builder.finish(run)?)
    }
}
