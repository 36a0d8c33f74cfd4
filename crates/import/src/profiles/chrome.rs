//! Chrome's trace events, as browsers and many other programs write them: spans that begin and end, or have a length, for each
//! process and thread; and samples of stacks, where the file has them.

mod nest;
mod samples;

use crosscut_calls::{Builder, Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::HashMap;

use super::json::{Json, Kind, Style, begins};
use super::whose::Whose;
use super::{builder, plain};
use crate::error::ImportError;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Head, Options, Reader};
use nest::{Begun, Spans};
use samples::Samples;

/// The reader.
pub struct Chrome;

impl Reader for Chrome {
    fn name(&self) -> &'static str {
        "chrome"
    }

    fn title(&self) -> &'static str {
        "Chrome trace events"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        plain::detect(inputs, detect)
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let json = &mut Json::open(input, Style::OpenEnded)?;
        // What stands for spans without a name comes first.
        let mut trace = Trace { frames: vec!["(no name)".to_owned()], ..Trace::default() };
        let mut key = String::new();
        match json.kind()? {
            Kind::Array => trace.events(json)?,
            _ => {
                json.object()?;
                while json.key(&mut key)? {
                    match (key.as_str(), json.kind()?) {
                        ("traceEvents", Kind::Array) => trace.events(json)?,
                        ("stackFrames", Kind::Object) => trace.samples.frames(json)?,
                        ("beginningOfTime", _) => {
                            trace.is_of_clang = true;
                            json.skip()?;
                        }
                        ("samples", Kind::Array) => trace.samples.list(json)?,
                        _ => json.skip()?,
                    }
                }
            }
        }
        json.end()?;
        let is_cut = json.is_cut();
        let mut builder = builder(self.title());
        if is_cut {
            builder.note("the file ends without its last bracket: the program may have been stopped");
        }
        if !trace.put(&mut builder)? {
            let others: Vec<String> = trace.others();
            let what = format!(
                "no span has a beginning and a length, and there is no sample; events: {}",
                others.join(", ")
            );
            return Err(input.broken(0, what));
        }
        Ok(builder.finish(run)?)
    }
}

/// Times, in microseconds, are below this: thirty years and more, and their differences fit into 64 bits as nanoseconds.
const MOST: f64 = 1e15;

/// Who did something: texts as they stand in the file.
type Who = (String, String);

/// All events of a file.
#[derive(Default)]
struct Trace {
    names: HashMap<String, u32>,
    frames: Vec<String>,
    /// Of each process and thread, in the order in which they occur.
    numbers: HashMap<Who, usize>,
    threads: Vec<(Who, Spans)>,
    samples: Samples,
    /// What threads are called.
    called: HashMap<Who, String>,
    /// Events of other kinds: counters, flows, marks.
    other: HashMap<String, u64>,
    order: u32,
    /// Whether any span has a length.
    has_lengths: bool,
    /// Events without a time.
    timeless: u64,
    /// Written by `clang -ftime-trace`.
    is_of_clang: bool,
    /// Spans from the beginning on whose names begin as those of clang's sums do, each with its process and thread.
    totals: Vec<(Who, Total)>,
}

/// What may be a sum over all spans of a name, and no span.
struct Total {
    end: i64,
    name: u32,
    order: u32,
}

/// How clang calls its sums.
const TOTAL: &str = "Total ";
/// The span around all others in what clang writes.
const OF_CLANG: &str = "ExecuteCompiler";

/// The fields of an event that are used.
#[derive(Default)]
struct Event {
    phase: String,
    name: Option<String>,
    pid: String,
    tid: String,
    ts: Option<f64>,
    dur: Option<f64>,
    tdur: Option<f64>,
    /// Of its arguments: what a thread or process is called.
    called: Option<String>,
}

impl Trace {
    fn events(&mut self, json: &mut Json<'_, '_>) -> Result<(), ImportError> {
        json.array()?;
        while json.item()? {
            let at = json.offset();
            if json.kind()? != Kind::Object {
                return Err(json.broken_at(at, "an event is not an object"));
            }
            let event = Event::read(json)?;
            self.event(json, at, event)?;
        }
        Ok(())
    }

    fn event(&mut self, json: &Json<'_, '_>, at: u64, event: Event) -> Result<(), ImportError> {
        if let ("M", Some("thread_name"), Some(called)) =
            (event.phase.as_str(), event.name.as_deref(), &event.called)
        {
            self.called.insert((event.pid.clone(), event.tid.clone()), called.clone());
        }
        if !matches!(event.phase.as_str(), "B" | "E" | "X") {
            *self.other.entry(event.phase).or_insert(0) += 1;
            return Ok(());
        }
        let Some(ts) = event.ts else {
            self.timeless += 1;
            return Ok(());
        };
        let nanoseconds = |micro: f64| -> Result<i64, ImportError> {
            match micro.abs() < MOST {
                true => Ok(Unit::Ns.whole(micro, 1e3)),
                false => Err(json.broken_at(at, format!("a time of {micro} microseconds"))),
            }
        };
        let begin = nanoseconds(ts)?;
        let length = nanoseconds(event.dur.or(event.tdur).unwrap_or(0.0))?;
        if length < 0 {
            return Err(json.broken_at(at, "a span that lasts less than nothing"));
        }
        let is_total = begin == 0 && event.name.as_deref().is_some_and(|name| name.starts_with(TOTAL));
        self.is_of_clang |= event.name.as_deref() == Some(OF_CLANG);
        let name = event.name.map(|name| self.name(name));
        self.has_lengths |= length > 0 || event.phase != "X";
        self.order = self.order.saturating_add(1);
        let order = self.order;
        if let ("X", true, Some(name)) = (event.phase.as_str(), is_total, name) {
            self.totals.push(((event.pid, event.tid), Total { end: length, name, order }));
            return Ok(());
        }
        let spans = self.thread((event.pid, event.tid));
        spans.seen(begin.saturating_add(length));
        match event.phase.as_str() {
            "X" => spans.whole(begin, begin.saturating_add(length), name.unwrap_or(0), order),
            "B" => spans.mark(Begun { at: begin, name, is_begin: true, order }),
            _ => spans.mark(Begun { at: begin, name, is_begin: false, order }),
        }
        Ok(())
    }

    fn name(&mut self, name: String) -> u32 {
        if let Some(&number) = self.names.get(&name) {
            return number;
        }
        let number = self.frames.len() as u32;
        self.frames.push(name.clone());
        self.names.insert(name, number);
        number
    }

    fn thread(&mut self, who: Who) -> &mut Spans {
        let next = self.threads.len();
        let number = *self.numbers.entry(who.clone()).or_insert(next);
        if number == next {
            self.threads.push((who, Spans::default()));
        }
        &mut self.threads[number].1
    }

    /// Puts what is called like a sum where it belongs: clang writes a thread for each of its sums, which would count all time
    /// again; those of other programs are spans. Says how many are left out.
    fn take_totals(&mut self) -> usize {
        let totals = std::mem::take(&mut self.totals);
        if self.is_of_clang {
            return totals.len();
        }
        for (who, Total { end, name, order }) in totals {
            let spans = self.thread(who);
            spans.seen(end);
            spans.whole(0, end, name, order);
        }
        0
    }

    fn others(&self) -> Vec<String> {
        let mut others: Vec<String> =
            self.other.iter().map(|(phase, count)| format!("{count} of `{phase:.8}`")).collect();
        others.sort_unstable();
        others
    }

    /// Puts all of it into the profile. Says whether there was anything.
    fn put(&mut self, builder: &mut Builder) -> Result<bool, ImportError> {
        let mut whose = Whose::default();
        // Programs that write samples mark their threads by spans without a length: then samples are what to look at first.
        let samples_first = !self.has_lengths;
        let totals = self.take_totals();
        if totals > 0 {
            builder
                .note(format!("{totals} sums that clang adds (`Total …`) are no spans, and were left out"));
        }
        let samples = std::mem::take(&mut self.samples);
        let threads = std::mem::take(&mut self.threads);
        let has_any = !samples.is_empty() || !threads.is_empty();
        if samples_first {
            samples.put(builder, &mut whose)?;
            self.put_spans(builder, &mut whose, threads)?;
        } else {
            self.put_spans(builder, &mut whose, threads)?;
            samples.put(builder, &mut whose)?;
        }
        for ((pid, tid), name) in &self.called {
            if let Some(place) = whose.known(pid, tid) {
                builder.name_place(place, name);
            }
        }
        Ok(has_any)
    }

    fn put_spans(
        &self,
        builder: &mut Builder,
        whose: &mut Whose,
        threads: Vec<(Who, Spans)>,
    ) -> Result<(), ImportError> {
        if threads.is_empty() {
            return Ok(());
        }
        let time = builder.metric("time", Unit::Ns, Given::Own);
        let calls = builder.metric("calls", Unit::Count, Given::Own);
        let mut frames: Vec<Option<u32>> = vec![None; self.frames.len()];
        let (mut clipped, mut unclosed, mut unmatched) = (0, 0, 0);
        for (who, spans) in threads {
            let place = whose.place(builder, &who.0, &who.1);
            let nested = spans.nest();
            (clipped, unclosed) = (clipped + nested.clipped, unclosed + nested.unclosed);
            unmatched += nested.unmatched;
            let mut nodes: Vec<u32> = Vec::with_capacity(nested.spans.len());
            for span in &nested.spans {
                let at = span.name as usize;
                let known = frames.get(at).copied().flatten();
                let frame = known.unwrap_or_else(|| {
                    let name = self.frames.get(at).cloned().unwrap_or_default();
                    builder.frame(Frame::function(name))
                });
                if let Some(known) = frames.get_mut(at) {
                    *known = Some(frame);
                }
                let parent = span.parent.and_then(|parent| nodes.get(parent)).copied().unwrap_or(0);
                let node = builder.node(parent, frame)?;
                nodes.push(node);
                builder.add(time, place, node, span.own);
                builder.add(calls, place, node, 1);
            }
        }
        let mut note = |count: u64, what: &str| {
            if count > 0 {
                builder.note(format!("{count} {what}"));
            }
        };
        note(clipped, "spans reach beyond the one around them, and were cut off there");
        note(unclosed, "spans never end, and were ended with their thread's last event");
        note(
            unmatched,
            "ends have another name than what is open, or nothing is open: nearest of that name, or passed over",
        );
        note(self.timeless, "events have no time, and were passed over");
        note(
            self.other.get("P").copied().unwrap_or(0),
            "events hold samples of V8's own profiler, which are not read: only spans are",
        );
        Ok(())
    }
}

impl Event {
    fn read(json: &mut Json<'_, '_>) -> Result<Self, ImportError> {
        let (mut event, mut key) = (Event::default(), String::new());
        json.object()?;
        while json.key(&mut key)? {
            match key.as_str() {
                "ph" => event.phase = json.text()?.unwrap_or_default(),
                "name" => event.name = json.text()?,
                "pid" => event.pid = json.text()?.unwrap_or_default(),
                "tid" => event.tid = json.text()?.unwrap_or_default(),
                "ts" => event.ts = json.number()?,
                "dur" => event.dur = json.number()?,
                "tdur" => event.tdur = json.number()?,
                "args" if event.phase == "M" || event.phase.is_empty() => event.called = called(json)?,
                _ => json.skip()?,
            }
        }
        Ok(event)
    }
}

/// The `name` of arguments.
fn called(json: &mut Json<'_, '_>) -> Result<Option<String>, ImportError> {
    let (mut called, mut key) = (None, String::new());
    if json.object()? {
        while json.key(&mut key)? {
            match (key.as_str(), json.kind()?) {
                ("name", Kind::Text) => called = json.text()?,
                _ => json.skip()?,
            }
        }
    }
    Ok(called)
}

fn detect(head: &Head<'_>) -> Confidence {
    let has = |key: &str| begins(head.bytes, key);
    let is_array = head.bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    match has("traceEvents") || (is_array && has("ph") && (has("ts") || has("pid"))) {
        true => Confidence::percent(95),
        false => Confidence::NONE,
    }
}
