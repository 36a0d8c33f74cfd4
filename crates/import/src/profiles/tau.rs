//! TAU profiles: a file `profile.NODE.CONTEXT.THREAD` for each thread, with a row for each function and, where call paths
//! were recorded, one for each call path; both tell the same time.

use crosscut_calls::{Frame, Given, Unit};
use crosscut_run::RunWriter;
use foldhash::{HashMap, HashMapExt, HashSet};

use super::{MOST_RANKS, builder, lines::Lines, path_node};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::{FoundFile, Inputs};
use crate::reader::{Confidence, Options, Reader};

/// Between the functions of a call path.
const ARROW: &str = " => ";
/// Above call paths that do not begin at the root: only so many functions of each were recorded.
const CUT: &str = "(…)";

/// The reader.
pub struct Tau;

impl Reader for Tau {
    fn name(&self) -> &'static str {
        "tau"
    }

    fn title(&self) -> &'static str {
        "TAU, the files of all threads"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        let Some(file) = inputs.files().iter().find(|file| place(file).is_some()) else {
            return Ok(Confidence::NONE);
        };
        let head = inputs.open(file)?.head()?;
        let head = String::from_utf8_lossy(&head);
        let (first, second) = head.split_once('\n').unwrap_or((&head, ""));
        let is_tau = first.contains("templated_functions") && second.starts_with("# Name Calls");
        Ok(if is_tau { Confidence::CERTAIN } else { Confidence::NONE })
    }

    fn gathers(&self, inputs: &Inputs<'_>) -> bool {
        !inputs.files().is_empty() && inputs.files().iter().all(|file| place(file).is_some())
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let mut builder = builder("TAU");
        let mut metrics: HashMap<String, u32> = HashMap::new();
        let mut calls: Option<(String, u32)> = None;
        let mut flat = 0u64;
        // Of several metrics each has a folder: time is the first.
        let mut files: Vec<&FoundFile> = inputs.files().iter().collect();
        files.sort_by_key(|file| !file.path.to_string_lossy().contains("MULTI__TIME"));
        for file in files {
            let Some((rank, thread)) = place(file) else { continue };
            let input = inputs.open(file)?;
            let rows = Rows::read(&input)?;
            let metric = *metrics.entry(rows.metric.clone()).or_insert_with_key(|name| {
                let unit = if name.contains("TIME") { Unit::Ns } else { Unit::Count };
                builder.metric(name, unit, Given::Own)
            });
            // The files of all metrics tell the same calls.
            let (of, calls) = &*calls.get_or_insert_with(|| {
                (rows.metric.clone(), builder.metric("calls", Unit::Count, Given::Own))
            });
            let counts = *of == rows.metric;
            let one = if rows.metric.contains("TIME") { 1e3 } else { 1.0 };
            let place = builder.place(rank, thread);
            flat += u64::from(!rows.has_paths);
            for row in rows.used() {
                let node = path_node(&mut builder, row.path)?;
                builder.add(metric, place, node, Unit::Ns.whole(row.own, one));
                if counts {
                    builder.add(*calls, place, node, Unit::Count.whole(row.calls, 1.0));
                }
            }
        }
        if flat > 0 {
            builder.note(format!("{flat} threads without call paths: their functions stand side by side"));
        }
        Ok(builder.finish(run)?)
    }
}

/// Rank and thread of a file, by its name.
fn place(file: &FoundFile) -> Option<(i64, i64)> {
    let name = file.path.file_name()?.to_str()?.strip_prefix("profile.")?;
    let mut numbers = name.split('.').map(|number| number.parse::<i64>().ok());
    let (rank, _context, thread) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let fits = [rank, thread].iter().all(|number| (0..MOST_RANKS).contains(number));
    (numbers.next().is_none() && fits).then_some((rank, thread))
}

/// A row of a file, as it stands there.
struct Row {
    name: String,
    calls: f64,
    own: f64,
    inclusive: f64,
    is_path: bool,
    repeats: bool,
}

/// A row with its call path.
struct Used {
    path: Vec<Frame>,
    calls: f64,
    own: f64,
}

struct Rows {
    metric: String,
    list: Vec<Row>,
    has_paths: bool,
}

impl Rows {
    fn read(input: &Input<'_>) -> Result<Self, ImportError> {
        let mut lines = Lines::open(input)?;
        let first = lines.next()?.map(|line| line.text.into_owned()).unwrap_or_default();
        let mut words = first.split_whitespace();
        let count: Option<usize> = words.next().and_then(|count| count.parse().ok());
        let title = words.next().filter(|title| title.starts_with("templated_functions"));
        let (Some(count), Some(title)) = (count, title) else {
            return Err(input.broken(0, "expected the number of rows and `templated_functions`"));
        };
        let metric = title.strip_prefix("templated_functions_MULTI_").unwrap_or("TIME").to_owned();
        lines.next()?;
        let mut list = Vec::new();
        for number in 0..count {
            let Some(line) = lines.next()? else {
                let what = format!("the file ends after {number} of {count} rows");
                return Err(input.broken(input.size(), what));
            };
            let row = Row::read(&line.text);
            list.push(row.ok_or_else(|| {
                input.broken(line.offset, "a row that is none: expected a quoted name and five numbers")
            })?);
        }
        let has_paths = list.iter().any(|row| row.is_path);
        Ok(Rows { metric, list, has_paths })
    }

    /// The rows that count: call paths and their roots, or all functions where there are no paths. What was sampled within a
    /// timer is part of that timer's own time, and is taken out of it.
    fn used(&self) -> impl Iterator<Item = Used> {
        let paths = || self.list.iter().filter(|row| row.is_path);
        let inside: HashSet<&str> = paths().filter_map(|row| row.path().last()).collect();
        let roots: HashSet<&str> = match self.has_paths {
            true => {
                let flat = self.list.iter().filter(|row| !row.is_path && !row.repeats);
                flat.map(|row| row.name.trim()).filter(|name| !inside.contains(name)).collect()
            }
            false => HashSet::default(),
        };
        let mut sampled: HashMap<Vec<&str>, f64> = HashMap::new();
        for row in paths() {
            let mut path: Vec<&str> = row.path().collect();
            if path.pop().is_some_and(|last| last.starts_with(CONTEXT)) {
                *sampled.entry(path).or_default() += row.inclusive;
            }
        }
        self.list.iter().filter(|row| !row.repeats).filter_map(move |row| {
            let mut path: Vec<&str> = if row.is_path { row.path().collect() } else { vec![row.name.trim()] };
            if path.last().is_some_and(|last| last.starts_with(CONTEXT)) {
                return None;
            }
            let own = row.own - sampled.get(&path).copied().unwrap_or(0.0);
            let first = path.first().copied().unwrap_or_default();
            match (row.is_path, roots.contains(first)) {
                (false, false) if self.has_paths => return None,
                (true, false) => path.insert(0, CUT),
                _ => {}
            }
            // A sampled function was seen so often, not called so often.
            let calls = if path.iter().any(|name| is_sampled(name)) { 0.0 } else { row.calls };
            let path = path.into_iter().filter(|name| !name.starts_with(CONTEXT)).map(frame);
            Some(Used { path: path.collect(), calls, own })
        })
    }
}

/// Above what was sampled in a timer: the timer again.
const CONTEXT: &str = "[CONTEXT]";
/// Before functions that were sampled, and those that they were called from.
const SAMPLED: [&str; 2] = ["[SAMPLE]", "[UNWIND]"];

fn is_sampled(name: &str) -> bool {
    SAMPLED.iter().any(|begin| name.starts_with(begin))
}

/// A function by its name. Samples say `function [{file} {line}]`: its lines are together the function.
fn frame(name: &str) -> Frame {
    let Some(name) = SAMPLED.iter().find_map(|begin| name.strip_prefix(begin)) else {
        return Frame::function(name);
    };
    match name.trim().split_once(" [{").map(|(name, place)| (name, place.split_once('}'))) {
        Some((name, Some((file, _)))) => Frame { file: file.to_owned(), ..Frame::function(name) },
        _ => Frame::function(name.trim()),
    }
}

impl Row {
    /// `"name" calls subrs excl incl profilecalls GROUP="a|b"`.
    fn read(text: &str) -> Option<Self> {
        let (before, groups) = text.rsplit_once("GROUP=").unwrap_or((text, ""));
        let (name, numbers) = before.trim_start().strip_prefix('"')?.rsplit_once('"')?;
        let mut numbers = numbers.split_whitespace().map(|number| number.parse::<f64>().ok());
        let (calls, _subs, own) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let inclusive = numbers.next()??;
        let group = |word: &str| groups.trim().trim_matches('"').split('|').any(|group| group.trim() == word);
        let is_finite = [calls, own, inclusive].iter().all(|number| number.is_finite());
        let is_path = group("TAU_CALLPATH") && name.contains(ARROW);
        let repeats = group("TAU_PARAM") || name.starts_with(CONTEXT) || name.starts_with("[SUMMARY]");
        is_finite.then_some(Row { name: name.to_owned(), calls, own, inclusive, is_path, repeats })
    }

    /// The functions of its call path.
    fn path(&self) -> impl Iterator<Item = &str> {
        self.name.split(ARROW).map(str::trim)
    }
}
