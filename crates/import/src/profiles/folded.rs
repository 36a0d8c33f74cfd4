//! Collapsed stacks: a call path with its weight in each line, outermost first, as flame graph scripts and many samplers
//! write them.

use crosscut_calls::{Frame, Given, Unit};
use crosscut_run::RunWriter;

use super::{builder, lines::Lines, path_node, plain};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::partial;
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
        let shape = Shape::of(input)?;
        let columns = shape.columns(input)?;
        let mut metric = |column: &Column| builder.metric(column.name, column.unit, Given::Own);
        let metrics: Vec<u32> = match columns.as_slice() {
            // The run after is what to look at first.
            [before, after] => {
                let after = metric(after);
                vec![metric(before), after]
            }
            columns => columns.iter().map(metric).collect(),
        };
        let (mut fractions, mut stacks, mut cut) = (0u64, 0u64, None);
        let mut lines = Lines::open(input)?;
        while let Some(line) = lines.next()? {
            let text = line.text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let Some((path, weights)) = split_many(text, columns.len()) else {
                let what = match columns.len() {
                    1 => "a line without a number at its end".to_owned(),
                    count => {
                        format!("a line without {count} numbers at its end, which all lines before have")
                    }
                };
                if !line.is_whole && stacks > 0 {
                    cut = Some(format!("byte {}: the file ends within a line", line.offset));
                    continue;
                }
                let (offset, text) = (line.offset, text.to_owned());
                return Err(lines.broken(offset, format!("{what}: {text:.80}")));
            };
            stacks += 1;
            let node = path_node(&mut builder, path.split(';').map(frame))?;
            for ((column, &metric), weight) in columns.iter().zip(&metrics).zip(weights) {
                let Some(value) = column.value(weight) else {
                    let (offset, weight) = (line.offset, weight.to_owned());
                    return Err(lines.broken(offset, format!("a number of more than 64 bits: {weight:.40}")));
                };
                fractions += u64::from(column.is_rounded(weight));
                builder.add(metric, place, node, value);
            }
        }
        if stacks == 0 {
            return Err(input.broken(0, "no line is a call path with a number at its end"));
        }
        if fractions > 0 {
            let least = if shape.fractions { "millionths" } else { "whole numbers" };
            builder.note(format!("{fractions} weights were rounded to {least}"));
        }
        run.manifest().partial = partial::label(cut.as_slice(), inputs);
        Ok(builder.finish(run)?)
    }
}

/// More numbers than any writer puts into a line.
const MOST_COLUMNS: usize = 4;

/// What the first lines are like.
struct Shape {
    /// All end in so many numbers.
    columns: usize,
    /// Some end in a number that is not whole.
    fractions: bool,
    /// Numbers in each of three columns have the signs of what `austin -f` writes.
    of_austin: bool,
}

impl Shape {
    fn of(input: &Input<'_>) -> Result<Self, ImportError> {
        let (mut lines, mut seen) = (Lines::open(input)?, 0);
        let mut shape = Shape { columns: MOST_COLUMNS, fractions: false, of_austin: true };
        while let Some(line) = lines.next()? {
            let text = line.text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let found = (1..=shape.columns).rev().find_map(|count| split_many(text, count));
            // What has no number is another matter.
            let Some((_, weights)) = found else { continue };
            shape.columns = weights.len();
            let numbers: Vec<f64> = weights.iter().filter_map(|weight| weight.parse().ok()).collect();
            // Of one column, what stands before it is part of the path.
            shape.fractions |= numbers.iter().any(|number| number.fract() != 0.0);
            shape.of_austin &=
                matches!(numbers[..], [time, more, less] if time >= 0.0 && more >= 0.0 && less <= 0.0);
            seen += 1;
            if seen == MANY {
                break;
            }
        }
        if seen == 0 {
            shape.columns = 1;
        }
        Ok(shape)
    }

    /// What the numbers of a line are, in their order.
    fn columns(&self, input: &Input<'_>) -> Result<Vec<Column>, ImportError> {
        let (unit, one) = if self.fractions { (Unit::Micro, 1e6) } else { (Unit::Count, 1.0) };
        let column = |name| Column { name, unit, one };
        match self.columns {
            1 => Ok(vec![column("samples")]),
            // Files that compare two runs have a column for each: the run before, then the one after.
            2 => Ok(vec![column("samples before"), column("samples")]),
            // `austin -f`: microseconds, memory that was gained, memory that was given back, below zero.
            3 if self.of_austin => Ok(vec![
                Column { name: "time", unit: Unit::Ns, one: 1e3 },
                column("memory gained"),
                column("memory given back"),
            ]),
            count => {
                let what = format!("{count} numbers at the end of each line: what they are is not known");
                Err(input.broken(0, what))
            }
        }
    }
}

/// What a number in a line is.
struct Column {
    name: &'static str,
    unit: Unit,
    /// What a one in the file is in the unit.
    one: f64,
}

impl Column {
    /// A number as it is kept; none when it has more than 64 bits.
    fn value(&self, weight: &str) -> Option<i64> {
        // Whole numbers are kept to the last digit.
        if let Ok(whole) = weight.parse::<i64>() {
            return whole.checked_mul(self.one as i64);
        }
        let weight = weight.parse::<f64>().ok()?;
        let is_held = (weight * self.one).abs() < i64::MAX as f64;
        is_held.then(|| self.unit.whole(weight, self.one))
    }

    fn is_rounded(&self, weight: &str) -> bool {
        weight.parse::<f64>().is_ok_and(|weight| (weight * self.one).fract() != 0.0)
    }
}

/// Call path and so many weights, in their order.
fn split_many(text: &str, count: usize) -> Option<(&str, Vec<&str>)> {
    let (mut path, mut weights) = (text, Vec::with_capacity(count));
    for _ in 0..count {
        let (before, weight) = split(path)?;
        path = before;
        weights.push(weight);
    }
    weights.reverse();
    Some((path, weights))
}

/// Call path and weight.
fn split(text: &str) -> Option<(&str, &str)> {
    let (path, weight) = text.rsplit_once([' ', '\t'])?;
    weight.parse().ok().filter(|weight: &f64| weight.is_finite())?;
    let path = path.trim_end();
    (!path.is_empty()).then_some((path, weight))
}

/// A frame, with the place in the source where py-spy names it: `name (file:line)`.
fn frame(text: &str) -> Frame {
    let text = text.trim();
    if text.is_empty() {
        return Frame::function("(unknown)");
    }
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

/// The last resort: the whole lines of the first bytes are call paths with a number. Some may not be, if as many are: they are
/// errors then, each with its place.
fn detect(head: &Head<'_>) -> Confidence {
    let text = String::from_utf8_lossy(head.bytes);
    let whole = if head.bytes.len() as u64 == head.size { text.len() } else { text.rfind('\n').unwrap_or(0) };
    let lines = text.get(..whole).unwrap_or_default().lines().map(str::trim);
    let (mut all, mut paths, mut wrong) = (0, 0, 0);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        all += 1;
        match split(line) {
            Some((path, _)) => paths += usize::from(path.contains(';')),
            None => wrong += 1,
        }
    }
    match all > 0 && paths * 2 >= all {
        true if wrong == 0 => Confidence::percent(40),
        true => Confidence::percent(20),
        false => Confidence::NONE,
    }
}
