//! From rows to grains. A grain's parent is still the number that the file gave it.

use std::hash::Hash;

use crosscut_run::{NO_SITE, Source, SourcesBuilder};
use foldhash::{HashMap, HashMapExt};

use crate::chunk_range::range;
use crate::error::ImportError;
use crate::grains::{Grain, GrainKind, Grains, NONE, UNKNOWN};
use crate::input::Input;
use crate::limits::MAX_VALUE;
use crate::number::{Number, number};
use crate::ticks::Ticks;

use super::columns::Columns;
use super::csv::{Csv, line_broken};

/// More tasks than a tree can hold.
const MAX_ROWS: usize = u32::MAX as usize / 8;

/// A row, beside its grain. The root's is the first, whether it is in the file or not.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub task: u64,
    pub parent: u64,
    pub overhead: i64,
    pub offset: u64,
    pub line: u64,
}

/// All rows.
pub struct Table {
    pub grains: Grains,
    /// By grain.
    pub rows: Vec<Row>,
    /// Grains by the numbers of their tasks.
    pub numbers: HashMap<u64, u32>,
    pub sources: SourcesBuilder,
    /// Rows without a parent.
    pub background: u64,
}

/// Reads the file.
pub fn read(input: &Input<'_>, ticks: Ticks) -> Result<Table, ImportError> {
    let mut csv = Csv::new(input);
    if !csv.advance()? {
        return Err(input.broken(input.size(), "no header row; the first line names the columns"));
    }
    let columns = Columns::find(&csv)?;
    let mut rows = Rows::new(ticks, &columns);
    while csv.advance()? {
        rows.row(&csv, &columns)?;
    }
    let table = rows.finish(&columns);
    if table.rows.len() == 1 && table.rows[0].line == 0 {
        let what = match table.background {
            0 => "no tasks: the file ends after its header row".to_owned(),
            count => format!("no tasks: all {count} rows are background, their parent is NA"),
        };
        return Err(line_broken(input, csv.offset(), csv.line(), what));
    }
    Ok(table)
}

/// The rows so far.
struct Rows {
    ticks: Ticks,
    table: Table,
    sites: Named<[Vec<u8>; 3]>,
    /// For each column that may be a counter its values, as long as they are whole numbers.
    counters: Vec<Option<Counter>>,
}

#[derive(Default)]
struct Counter {
    values: Vec<i64>,
    sum: i128,
}

impl Rows {
    fn new(ticks: Ticks, columns: &Columns) -> Self {
        let root = Row { task: 0, parent: 0, overhead: 0, offset: 0, line: 0 };
        let mut table = Table {
            grains: Grains::default(),
            rows: vec![root],
            numbers: HashMap::new(),
            sources: SourcesBuilder::new(),
            background: 0,
        };
        table.grains.list.push(Grain::root());
        table.grains.waits_first.push(0);
        table.numbers.insert(0, 0);
        let counters = columns.others.iter().map(|_| Some(Counter { values: vec![0], sum: 0 })).collect();
        Rows { ticks, table, sites: Named(HashMap::new()), counters }
    }

    fn row(&mut self, csv: &Csv<'_, '_>, columns: &Columns) -> Result<(), ImportError> {
        if csv.len() != columns.count {
            let what = format!("{} fields, but the header row has {}", csv.len(), columns.count);
            return Err(csv.broken(what));
        }
        if number(csv.field(columns.parent)) == Number::Missing {
            self.table.background += 1;
            return Ok(());
        }
        let task = need(csv, columns.task, "task")?;
        let row = Row {
            task,
            parent: need(csv, columns.parent, "parent")?,
            overhead: self.time(csv, columns.overhead_cycles, "overhead_cycles")?.unwrap_or(0),
            offset: csv.offset(),
            line: csv.line(),
        };
        let grain = self.grain(csv, columns, &row)?;
        let number = self.add(csv, row, grain)?;
        if let Some((first, count)) = columns.metadata.and_then(|at| range(csv.field(at)))
            && number > 0
        {
            self.table.grains.ranges.push((number, first, count));
        }
        self.take_counters(csv, columns, number);
        Ok(())
    }

    /// Gives the grain its number; the root has one already.
    fn add(&mut self, csv: &Csv<'_, '_>, row: Row, grain: Grain) -> Result<u32, ImportError> {
        let Table { grains, rows, numbers, .. } = &mut self.table;
        if row.task == 0 {
            if row.parent != 0 {
                return Err(csv.broken(format!("task 0 is the root, but its parent is {}", row.parent)));
            }
            if rows[0].line != 0 {
                return Err(csv.broken(format!("task 0 again; it is already in line {}", rows[0].line)));
            }
            rows[0] = row;
            grains.list[0] = Grain {
                kind: GrainKind::Task,
                parent: NONE,
                creation: 0,
                created: UNKNOWN,
                record: 0,
                ..grain
            };
            return Ok(0);
        }
        if rows.len() >= MAX_ROWS {
            return Err(csv.broken(format!("more than {MAX_ROWS} tasks; a run cannot hold so many")));
        }
        let number = rows.len() as u32;
        if let Some(before) = numbers.insert(row.task, number) {
            let line = rows[before as usize].line;
            return Err(csv.broken(format!("task {} again; it is already in line {line}", row.task)));
        }
        rows.push(row);
        grains.list.push(Grain { record: number, ..grain });
        Ok(number)
    }

    fn grain(&mut self, csv: &Csv<'_, '_>, columns: &Columns, row: &Row) -> Result<Grain, ImportError> {
        let exec = self.time(csv, Some(columns.exec_cycles), "exec_cycles")?.unwrap_or(0);
        let end = self.time(csv, columns.exec_end_instant, "exec_end_instant")?;
        let created = self.time(csv, columns.create_instant, "create_instant")?;
        let chunk = columns.metadata.is_some_and(|at| range(csv.field(at)).is_some());
        let cpu = match columns.cpu_id {
            Some(at) => whole(csv, at, "cpu_id")?.map_or(-1, |cpu| cpu as i64),
            None => -1,
        };
        let order = match columns.child_number {
            Some(at) => whole(csv, at, "child_number")?.unwrap_or(0),
            None => 0,
        };
        let joins_at = need(csv, columns.joins_at, "joins_at")?;
        let Ok(section) = u32::try_from(joins_at) else {
            return Err(csv.broken(format!("joins_at is {joins_at}; no task waits so often")));
        };
        self.take_waits(csv, columns, row.task)?;
        Ok(Grain {
            kind: if chunk { GrainKind::Chunk } else { GrainKind::Task },
            parent: 0,
            section,
            order: u32::try_from(order).unwrap_or(u32::MAX),
            spot: self.table.grains.spots.number(cpu, cpu),
            site: self.site(csv, columns),
            work: (exec - row.overhead).max(0),
            creation: self.time(csv, columns.creation_cycles, "creation_cycles")?.unwrap_or(0),
            sync: 0,
            // A file without moments has zeros.
            start: end.filter(|&end| end > 0).map_or(UNKNOWN, |end| end - exec),
            created: created.unwrap_or(UNKNOWN),
            exec: columns.create_instant.map_or(UNKNOWN, |_| exec),
            record: NONE,
        })
    }

    /// `[0;t1;…]`. The root's are not kept: it stands before all others.
    fn take_waits(&mut self, csv: &Csv<'_, '_>, columns: &Columns, task: u64) -> Result<(), ImportError> {
        let Some(at) = columns.wait_instants.filter(|_| task != 0) else { return Ok(()) };
        let grains = &mut self.table.grains;
        grains.waits_first.push(grains.waits.len());
        let list = csv.field(at).trim_ascii();
        let list = list.strip_prefix(b"[").unwrap_or(list);
        let list = list.strip_suffix(b"]").unwrap_or(list);
        for moment in list.split(|&byte| byte == b';') {
            match number(moment).rounded() {
                Some(moment) if moment >= 0 => match self.ticks.time(moment as u64) {
                    Some(moment) => grains.waits.push(moment),
                    None => return Err(csv.broken(format!("wait_instants: a time of {moment} is too large"))),
                },
                None if number(moment) == Number::Missing => {}
                _ => {
                    let text = String::from_utf8_lossy(moment);
                    return Err(csv.broken(format!("wait_instants: `{text}`; expected [0;t1;…]")));
                }
            }
        }
        Ok(())
    }

    fn take_counters(&mut self, csv: &Csv<'_, '_>, columns: &Columns, grain: u32) {
        for (slot, &(_, at)) in self.counters.iter_mut().zip(&columns.others) {
            let Some(counter) = slot else { continue };
            let value = match number(csv.field(at)) {
                Number::Missing => 0,
                Number::Whole(value) => value,
                _ => {
                    *slot = None;
                    continue;
                }
            };
            counter.sum += i128::from(value).abs();
            if counter.sum > i128::from(MAX_VALUE) {
                *slot = None;
            } else if grain == 0 {
                counter.values[0] = value;
            } else {
                counter.values.push(value);
            }
        }
    }

    fn time(&self, csv: &Csv<'_, '_>, column: Option<usize>, name: &str) -> Result<Option<i64>, ImportError> {
        let Some(at) = column else { return Ok(None) };
        let Some(ticks) = whole(csv, at, name)? else { return Ok(None) };
        match self.ticks.time(ticks) {
            Some(time) => Ok(Some(time)),
            None => Err(csv.broken(format!("{name}: a time of {ticks} ticks is too large"))),
        }
    }

    fn site(&mut self, csv: &Csv<'_, '_>, columns: &Columns) -> u32 {
        let text = |column: Option<usize>| column.map_or(&[][..], |at| csv.field(at).trim_ascii()).to_vec();
        let key = [text(columns.source_line), text(columns.outline_function), text(columns.tag)];
        let sources = &mut self.table.sources;
        self.sites.number(key, |[line, function, tag]| {
            let Some(source) = source(line, function, tag) else { return NO_SITE };
            let source = sources.source(source);
            sources.site(source, source)
        })
    }

    fn finish(self, columns: &Columns) -> Table {
        let Rows { mut table, counters, .. } = self;
        let named = columns.others.iter().zip(counters);
        // A column of nothing but zeros, or of nothing, counts nothing.
        let counted = named.filter_map(|((name, _), counter)| {
            counter.filter(|counter| counter.sum > 0).map(|counter| (name.clone(), counter.values))
        });
        table.grains.counters = counted.collect();
        table
    }
}

/// Where a task is in the source. Functions are often addresses; a tag that is a name then says more.
fn source(line: &[u8], function: &[u8], tag: &[u8]) -> Option<Source> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let is_name = |bytes: &&[u8]| {
        bytes.first().is_some_and(|first| !first.is_ascii_digit()) && number(bytes) != Number::Missing
    };
    let function =
        [function, tag].into_iter().find(is_name).map(text).unwrap_or_else(|| match number(function) {
            Number::Whole(address) if address > 0 => format!("{address:#x}"),
            _ => String::new(),
        });
    let line = text(line);
    let (file, line) = match line.rsplit_once(':') {
        Some((file, number)) if !file.is_empty() => (file.to_owned(), number.parse().unwrap_or(0)),
        _ => (String::new(), 0),
    };
    (!file.is_empty() || !function.is_empty()).then_some(Source { file, line, function })
}

/// Numbers that are looked up by a key.
struct Named<K>(HashMap<K, u32>);

impl<K: Eq + Hash> Named<K> {
    fn number(&mut self, key: K, make: impl FnOnce(&K) -> u32) -> u32 {
        if let Some(&number) = self.0.get(&key) {
            return number;
        }
        let number = make(&key);
        self.0.insert(key, number);
        number
    }
}

/// A whole number that is not negative, or nothing.
fn whole(csv: &Csv<'_, '_>, column: usize, name: &str) -> Result<Option<u64>, ImportError> {
    match number(csv.field(column)) {
        Number::Missing => Ok(None),
        Number::Whole(value) if value >= 0 => Ok(Some(value as u64)),
        _ => {
            let text = String::from_utf8_lossy(csv.field(column));
            let text: String = text.chars().take(40).collect();
            Err(csv.broken(format!("{name} is `{text}`; expected a whole number from 0 on")))
        }
    }
}

fn need(csv: &Csv<'_, '_>, column: usize, name: &str) -> Result<u64, ImportError> {
    whole(csv, column, name)?.ok_or_else(|| csv.broken(format!("{name} is missing; expected a whole number")))
}
