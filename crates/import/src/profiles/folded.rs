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
        let Shape { two_columns, fractions: has_fractions } = Shape::of(input)?;
        let (unit, one) = if has_fractions { (Unit::Micro, 1e6) } else { (Unit::Count, 1.0) };
        let metric = builder.metric("samples", unit, Given::Own);
        // Files that compare two runs have a column for each: the run before, then the one after.
        let before = two_columns.then(|| builder.metric("samples before", unit, Given::Own));
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
            fractions += u64::from((weight * one).fract() != 0.0);
            let node = path_node(&mut builder, path.split(';').map(frame))?;
            builder.add(metric, place, node, unit.whole(weight, one));
            if let Some((metric, (_, weight))) = earlier {
                builder.add(metric, place, node, unit.whole(weight, one));
            }
        }
        if stacks == 0 {
            return Err(input.broken(0, "no line is a call path with a number at its end"));
        }
        if without > 0 {
            builder.note(format!("{without} lines without a number were passed over"));
        }
        if fractions > 0 {
            let least = if has_fractions { "millionths" } else { "whole numbers" };
            builder.note(format!("{fractions} weights were rounded to {least}"));
        }
        Ok(builder.finish(run)?)
    }
}

/// What the first lines are like.
struct Shape {
    /// All end in two numbers.
    two_columns: bool,
    /// Some end in a number that is not whole.
    fractions: bool,
}

impl Shape {
    fn of(input: &Input<'_>) -> Result<Self, ImportError> {
        let (mut lines, mut seen) = (Lines::open(input)?, 0);
        let mut shape = Shape { two_columns: true, fractions: false };
        while let Some(line) = lines.next()? {
            let text = line.text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let last = split(text);
            let before = last.and_then(|(path, _)| split(path));
            shape.two_columns &= before.is_some();
            let weights = [last, before].into_iter().flatten().map(|(_, weight)| weight);
            shape.fractions |= weights.take(1 + usize::from(shape.two_columns)).any(|of| of.fract() != 0.0);
            seen += 1;
            if seen == MANY {
                break;
            }
        }
        shape.two_columns &= seen > 0;
        Ok(shape)
    }
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
