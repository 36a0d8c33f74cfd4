//! Collapsed stacks: a call path with its weight in each line, outermost first, as flame graph scripts and many samplers
//! write them.

use crosscut_calls::{Frame, Given, Unit};
use crosscut_run::RunWriter;

use super::{builder, lines::Lines, path_node, plain};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};

/// So many lines say what all lines are like.
const MANY: usize = 1000;

/// The reader.
pub struct Folded;

impl Reader for Folded {
    fn name(&self) -> &'static str {
        "folded"
    }

    fn title(&self) -> &'static str {
        "collapsed stacks"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let mut builder = builder(self.title());
        let place = builder.place(0, 0);
        let metric = builder.metric("samples", Unit::Count, Given::Own);
        // Files that compare two runs have a column for each: the run before, then the one after.
        let before =
            has_two_columns(input)?.then(|| builder.metric("samples before", Unit::Count, Given::Own));
        let (mut without, mut fractions, mut stacks) = (0u64, 0u64, 0u64);
        let mut lines = Lines::open(input)?;
        while let Some(line) = lines.next()? {
            let text = line.text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let Some((mut path, weight)) = split(text) else {
                without += 1;
                continue;
            };
            let earlier = before.and_then(|metric| Some((metric, split(path)?)));
            if let Some((_, (shorter, _))) = earlier {
                path = shorter;
            }
            stacks += 1;
            fractions += u64::from(weight.fract() != 0.0);
            let node = path_node(&mut builder, path.split(';').map(frame))?;
            builder.add(metric, place, node, Unit::Count.whole(weight, 1.0));
            if let Some((metric, (_, weight))) = earlier {
                builder.add(metric, place, node, Unit::Count.whole(weight, 1.0));
            }
        }
        if stacks == 0 {
            return Err(input.broken(0, "no line is a call path with a number at its end"));
        }
        if without > 0 {
            builder.note(format!("{without} lines without a number were passed over"));
        }
        if fractions > 0 {
            builder.note(format!("{fractions} weights are no whole numbers and were rounded"));
        }
        Ok(builder.finish(run)?)
    }
}

/// Whether all of the first lines end in two numbers.
fn has_two_columns(input: &Input<'_>) -> Result<bool, ImportError> {
    let (mut lines, mut seen) = (Lines::open(input)?, 0);
    while let Some(line) = lines.next()? {
        let text = line.text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if split(text).and_then(|(path, _)| split(path)).is_none() {
            return Ok(false);
        }
        seen += 1;
        if seen == MANY {
            break;
        }
    }
    Ok(seen > 0)
}

/// Call path and weight.
fn split(text: &str) -> Option<(&str, f64)> {
    let (path, weight) = text.rsplit_once([' ', '\t'])?;
    let weight: f64 = weight.parse().ok().filter(|weight: &f64| weight.is_finite())?;
    let path = path.trim_end();
    (!path.is_empty()).then_some((path, weight))
}

/// A frame, with the place in the source where py-spy names it: `name (file:line)`.
fn frame(text: &str) -> Frame {
    let text = text.trim();
    let place = text.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    if let Some((name, place)) = place
        && let Some((file, line)) = place.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        return Frame { file: file.to_owned(), line, ..Frame::function(name) };
    }
    let kernel = text.strip_suffix("_[k]");
    Frame {
        module: if kernel.is_some() { "[kernel]".to_owned() } else { String::new() },
        ..Frame::function(kernel.unwrap_or(text))
    }
}

/// The last resort: every whole line of the first bytes is a call path with a number.
fn detect(head: &Head<'_>) -> Confidence {
    let text = String::from_utf8_lossy(head.bytes);
    let whole = if head.bytes.len() as u64 == head.size { text.len() } else { text.rfind('\n').unwrap_or(0) };
    let lines = text.get(..whole).unwrap_or_default().lines().map(str::trim);
    let (mut all, mut paths) = (0, 0);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match split(line) {
            Some((path, _)) => (all, paths) = (all + 1, paths + usize::from(path.contains(';'))),
            None => return Confidence::NONE,
        }
    }
    if all > 0 && paths * 2 >= all { Confidence::percent(40) } else { Confidence::NONE }
}
