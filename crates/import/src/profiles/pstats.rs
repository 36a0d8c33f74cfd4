//! Profiles of Python's cProfile, as `pstats` loads them: for each function its calls, its seconds, and the same for each of
//! its callers.

mod marshal;

use crosscut_calls::{Frame, Given, Unit};
use crosscut_run::RunWriter;

use super::graph::{Graph, Roots};
use super::{builder, plain};
use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::limits::Budget;
use crate::reader::{Confidence, Head, Options, Reader};
use marshal::{Marshal, Value};

/// The reader.
pub struct PStats;

impl Reader for PStats {
    fn name(&self) -> &'static str {
        "pstats"
    }

    fn title(&self) -> &'static str {
        "Python's cProfile"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let mut marshal = Marshal::open(input)?;
        // A nanosecond for each number that was rounded.
        let mut graph = Graph::new(1, Roots::Rest { rounded: 1 });
        let (mut all, mut without) = (0i64, 0u64);
        let mut budget = Budget::of(input.size());
        marshal.begin_dictionary()?;
        while let Some((at, key)) = marshal.key()? {
            let value = marshal.value()?;
            let wrong = |what: &str| input.broken(at, format!("{what}: not a profile of cProfile"));
            let frame = frame_of(&key).ok_or_else(|| wrong("a key is not (file, line, function)"))?;
            let entry = Entry::read(&value)
                .ok_or_else(|| wrong("an entry is not (calls, calls, time, time, callers)"))?;
            let number = graph.function(&frame);
            graph.spent(number, 0, entry.own);
            graph.called(number, entry.calls);
            all = all.saturating_add(entry.own);
            budget.take(entry.callers.len(), 256, "calls").map_err(|what| input.broken(at, what))?;
            for (caller, of) in entry.callers {
                let caller =
                    frame_of(caller).ok_or_else(|| wrong("a caller is not (file, line, function)"))?;
                let edge =
                    Edge::read(of).ok_or_else(|| wrong("the numbers of a caller are not four, nor one"))?;
                without += u64::from(edge.cost.is_none());
                let caller = graph.function(&caller);
                graph.call(caller, number, edge.calls, &[edge.cost.unwrap_or(0)]);
            }
        }
        marshal.end()?;
        if all == 0 {
            return Err(input.broken(0, "no function took any time"));
        }
        let mut builder = builder(self.title());
        let place = builder.place(0, 0);
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let calls = builder.metric("calls", Unit::Count, Given::Own);
        if without > 0 {
            graph.callers_bring_all();
            builder.note("the file has no times of callers: they were shared by numbers of calls");
        }
        let told = graph.put(&mut builder, place, &[metric], calls)?;
        told.note(&mut builder, all);
        Ok(builder.finish(run)?)
    }
}

/// What is known of a function: (primitive calls, calls, own seconds, seconds with callees, callers).
struct Entry<'v> {
    calls: i64,
    own: i64,
    callers: &'v [(Value, Value)],
}

impl<'v> Entry<'v> {
    fn read(value: &'v Value) -> Option<Self> {
        let [Value::Whole(some), Value::Whole(all), own, _, Value::Dictionary(callers)] = value.items()?
        else {
            return None;
        };
        // Yappi writes both numbers of calls the other way round; those that are not recursive are never more than all.
        Some(Entry { calls: (*all).max(*some).max(0), own: nanoseconds(own)?, callers })
    }
}

/// Calls by one caller: (calls, primitive calls, own seconds, seconds with callees), or just how many.
struct Edge {
    calls: i64,
    cost: Option<i64>,
}

impl Edge {
    fn read(value: &Value) -> Option<Self> {
        if let Value::Whole(calls) = value {
            return Some(Edge { calls: (*calls).max(0), cost: None });
        }
        let [Value::Whole(calls), _, _, cost] = value.items()? else { return None };
        Some(Edge { calls: (*calls).max(0), cost: Some(nanoseconds(cost)?) })
    }
}

/// Times that are a little below zero come from the clock.
fn nanoseconds(value: &Value) -> Option<i64> {
    let seconds = match value {
        Value::Real(seconds) => *seconds,
        Value::Whole(seconds) => *seconds as f64,
        _ => return None,
    };
    (seconds.is_finite() && seconds > -1e-3 && seconds < 9e9).then(|| Unit::Ns.whole(seconds.max(0.0), 1e9))
}

/// (file, line, function). What is built in has no file.
fn frame_of(key: &Value) -> Option<Frame> {
    let [Value::Text(file), Value::Whole(line), Value::Text(name)] = key.items()? else { return None };
    let is_builtin = &**file == "~";
    let file = if is_builtin { String::new() } else { file.to_string() };
    Some(Frame { file, line: (*line).clamp(0, i64::from(u32::MAX)), ..Frame::function(&**name) })
}

fn detect(head: &Head<'_>) -> Confidence {
    match head.bytes {
        [0x7b | 0xfb, 0x28 | 0x29 | 0xa8 | 0xa9, ..] => Confidence::percent(90),
        _ => Confidence::NONE,
    }
}
