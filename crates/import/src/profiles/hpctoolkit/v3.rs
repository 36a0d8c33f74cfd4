//! Version 3: the tree and its names in `experiment.xml`; values of each thread in a file `…-RANK-THREAD-HOST-PID-N.metric-db`,
//! a row of numbers for each element.

use std::path::PathBuf;

use crosscut_calls::{Builder, Frame, Given};

use super::xml::{self, Experiment, Metric};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::{FoundFile, Inputs};
use crate::profiles::MOST_RANKS;
use crate::profiles::bytes::{Bytes, unit_of, whole};

/// How files of values begin.
const MAGIC: &[u8] = b"HPCPROF-metricdb__";
/// Where their values begin: behind the name, the version, the byte order, and the numbers of rows and columns.
const VALUES: u64 = 32;
/// So many bytes of values are in memory at a time.
const PIECE: u64 = 1 << 20;

/// Reads a database.
pub fn read(inputs: &Inputs<'_>, file: &FoundFile, builder: &mut Builder) -> Result<(), ImportError> {
    let input = inputs.open(file)?;
    let experiment = xml::read(&input, builder)?;
    if experiment.rows.is_empty() {
        return Err(input.broken(0, "there is no call path profile in it"));
    }
    if experiment.flat > 0 {
        builder.note(format!("{} flat profiles repeat the same values and were left out", experiment.flat));
    }
    let files = files_of_values(inputs, file)?;
    match files.is_empty() {
        true => values_of_all(&input, &experiment, builder),
        false => values_by_place(inputs, &files, &experiment, builder),
    }
}

/// The files of values: those that were named, or those that lie beside the file that was.
fn files_of_values(inputs: &Inputs<'_>, file: &FoundFile) -> Result<Vec<PathBuf>, ImportError> {
    let is_one = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "metric-db");
    if inputs.files().len() > 1 {
        return Ok(inputs.files().iter().map(|file| file.path.clone()).filter(is_one).collect());
    }
    let Some(folder) = file.path.parent() else { return Ok(Vec::new()) };
    let folder = if folder.as_os_str().is_empty() { std::path::Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).map_err(crate::inputs::failed(folder))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_one).collect();
    found.sort();
    Ok(found)
}

/// The metrics that are read: the builder's number, where its values are, and how many of ours one of them is.
fn metrics(list: &[Metric], builder: &mut Builder) -> Vec<(u32, u64, f64)> {
    let mut read = Vec::new();
    let (statistics, list): (Vec<&Metric>, Vec<&Metric>) =
        list.iter().partition(|metric| is_statistic(&metric.name));
    if !statistics.is_empty() {
        let mut names: Vec<&str> = statistics.iter().map(|metric| metric.name.as_str()).collect();
        names.dedup();
        builder.note(format!("left out, since they do not add up: {}", names.join(", ")));
    }
    for metric in list.iter().filter(|metric| metric.is_inclusive) {
        let (unit, one) = unit_of(&metric.name);
        read.push((builder.metric(&metric.name, unit, Given::Inclusive), metric.id, one));
    }
    for metric in list.iter().filter(|metric| !metric.is_inclusive) {
        if !list.iter().any(|other| other.is_inclusive && other.name == metric.name) {
            builder.note(format!(
                "{}: has exclusive values only, which stand on several levels at once, and was left out",
                metric.name
            ));
        }
    }
    read
}

/// Whether a metric is a statistic over all places, such as `CPUTIME (usec):Mean`: of those only sums add up.
fn is_statistic(name: &str) -> bool {
    let statistic = name.rsplit_once(':').map(|(_, statistic)| statistic.trim());
    statistic.is_some_and(|word| matches!(word, "Mean" | "StdDev" | "CfVar" | "Min" | "Max"))
}

/// Values in the file itself: for all places together, with six digits.
fn values_of_all(
    input: &Input<'_>,
    experiment: &Experiment,
    builder: &mut Builder,
) -> Result<(), ImportError> {
    let metrics = metrics(&experiment.metrics, builder);
    let place = builder.place(0, 0);
    for &(metric, node, value, offset) in &experiment.values {
        let Some(&(metric, _, one)) = metrics.iter().find(|(_, id, _)| *id == metric) else { continue };
        let value = whole(value, one).map_err(|what| input.broken(offset, what))?;
        if node > 0 {
            builder.add(metric, place, node, value);
        }
    }
    builder.note("there are no files of values beside experiment.xml: its own, which are of all ranks and threads together and have six digits, were taken");
    Ok(())
}

fn values_by_place(
    inputs: &Inputs<'_>,
    files: &[PathBuf],
    experiment: &Experiment,
    builder: &mut Builder,
) -> Result<(), ImportError> {
    let metrics = metrics(&experiment.columns, builder);
    for path in files {
        let input = Input::open(path, inputs)?;
        let Some((rank, thread)) = place(&input) else {
            let what =
                "a name without a rank and a thread: expected PROGRAM-RANK-THREAD-HOST-PID-N.metric-db";
            return Err(input.broken(0, what));
        };
        let place = builder.place(rank, thread);
        let mut file = Values::open(&input)?;
        for (metric, column, one) in &metrics {
            if *column >= file.columns {
                let what =
                    format!("it has {} columns, but experiment.xml says that one is {column}", file.columns);
                return Err(input.broken(28, what));
            }
            let (mut left, mut roots) = (0i64, 0);
            for row in &experiment.rows {
                let value = file.value(row.number, *column, *one)?;
                match row.node {
                    0 => left = value,
                    node => {
                        if row.is_root {
                            left = left.saturating_sub(value);
                            roots += 1;
                        }
                        builder.add(*metric, place, node, value);
                    }
                }
            }
            if left.saturating_abs() > roots {
                let frame = builder.frame(Frame::outside());
                let node = builder.node(0, frame)?;
                builder.add(*metric, place, node, left);
            }
        }
        input.advance(input.size());
    }
    Ok(())
}

/// Rank and thread of a file, by its name from the right: the program may have any name.
fn place(input: &Input<'_>) -> Option<(i64, i64)> {
    let mut parts = input.name().strip_suffix(".metric-db")?.rsplit('-').skip(3);
    let (thread, rank): (i64, i64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    [rank, thread].iter().all(|number| (0..MOST_RANKS).contains(number)).then_some((rank, thread))
}

/// A file of values, a piece at a time.
struct Values<'a> {
    input: &'a Input<'a>,
    big: bool,
    rows: u64,
    columns: u64,
    piece: Bytes<'a>,
    from: u64,
    to: u64,
}

impl<'a> Values<'a> {
    fn open(input: &'a Input<'a>) -> Result<Self, ImportError> {
        let head = Bytes::part(input, 0, VALUES)?;
        if head.slice(0, MAGIC.len() as u64)? != MAGIC {
            return Err(input.broken(0, "not a file of values of HPCToolkit: it begins otherwise"));
        }
        let big = match head.u8(23)? {
            b'b' => true,
            b'l' => false,
            other => return Err(input.broken(23, format!("an unknown byte order, {other}"))),
        };
        let head = head.big_endian(big);
        let (rows, columns) = (u64::from(head.u32(24)?), u64::from(head.u32(28)?));
        let size = rows.saturating_mul(columns).saturating_mul(8).saturating_add(VALUES);
        if size != input.size() {
            let what = format!(
                "{rows} rows of {columns} values make {size} bytes, but the file has {}",
                input.size()
            );
            return Err(input.broken(24, what));
        }
        Ok(Values { input, big, rows, columns, piece: head, from: 0, to: 0 })
    }

    /// A value; rows are asked for in order, so that each piece is read once for each column.
    fn value(&mut self, row: u64, column: u64, one: f64) -> Result<i64, ImportError> {
        if row == 0 || row > self.rows {
            let what = format!("it has {} rows, but experiment.xml has an element {row}", self.rows);
            return Err(self.input.broken(24, what));
        }
        let at = VALUES + ((row - 1) * self.columns + column) * 8;
        if at < self.from || at + 8 > self.to {
            let len = PIECE.min(self.input.size() - at);
            self.piece = Bytes::part(self.input, at, len)?.big_endian(self.big);
            (self.from, self.to) = (at, at + len);
        }
        whole(self.piece.f64(at)?, one).map_err(|what| self.input.broken(at, what))
    }
}
