//! Source positions. A *source* is a file, a line and perhaps a function; a *site* is the pair of sources between which
//! an interval ran. Both are few, so every node carries just the number of its site.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema};
use foldhash::{HashMap, HashMapExt};

use crate::error::RunError;
use crate::texts;

/// No site is known.
pub const NO_SITE: u32 = u32::MAX;

/// A position in the program's source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// File name as the recorder gave it.
    pub file: String,
    /// Line, 0 when not known.
    pub line: i64,
    /// Function, "" when not known.
    pub function: String,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = match (self.file.as_str(), self.line) {
            ("", _) => String::new(),
            (file, 0) => file.to_owned(),
            (file, line) => format!("{file}:{line}"),
        };
        let space = if self.function.is_empty() || place.is_empty() { "" } else { " " };
        write!(f, "{}{space}{place}", self.function)
    }
}

impl Source {
    /// In little room: "sort.c:120", or the function or the file where the line is not known.
    pub fn short(&self) -> String {
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file);
        match (file, self.line, self.function.as_str()) {
            ("", _, function) | (_, 0, function) if !function.is_empty() => function.to_owned(),
            (file, 0, _) => file.to_owned(),
            (file, line, _) => format!("{file}:{line}"),
        }
    }
}

/// From where to where an interval ran, as numbers of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// Where it began.
    pub from: u32,
    /// Where it ended.
    pub to: u32,
}

/// All sources and sites of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    sources: Vec<Source>,
    sites: Vec<Site>,
}

impl Sources {
    /// The position at which an interval with this site began.
    pub fn from(&self, site: u32) -> Option<&Source> {
        self.sources.get(self.sites.get(site as usize)?.from as usize)
    }

    /// The position at which an interval with this site ended.
    pub fn to(&self, site: u32) -> Option<&Source> {
        self.sources.get(self.sites.get(site as usize)?.to as usize)
    }

    /// The source with this number.
    pub fn get(&self, source: u32) -> Option<&Source> {
        self.sources.get(source as usize)
    }

    /// From where to where an interval with this site ran.
    pub fn site(&self, site: u32) -> Option<Site> {
        self.sites.get(site as usize).copied()
    }

    /// Number of sources.
    pub fn source_count(&self) -> usize {
        self.sources.len()
    }

    /// Number of sites.
    pub fn site_count(&self) -> usize {
        self.sites.len()
    }

    /// The sources as a table.
    pub fn sources_table(&self) -> Result<RecordBatch, RunError> {
        let text = |value: fn(&Source) -> &str| texts::column(self.sources.iter().map(value));
        let line = Arc::new(Int64Array::from_iter_values(self.sources.iter().map(|s| s.line))) as ArrayRef;
        Ok(table(vec![("file", text(|s| &s.file)?), ("line", line), ("function", text(|s| &s.function)?)]))
    }

    /// The sites as a table.
    pub fn sites_table(&self) -> RecordBatch {
        let column = |value: fn(&Site) -> u32| {
            Arc::new(Int64Array::from_iter_values(self.sites.iter().map(|s| i64::from(value(s))))) as ArrayRef
        };
        table(vec![("from", column(|s| s.from)), ("to", column(|s| s.to))])
    }

    /// From their tables; `None` when they are not such tables.
    pub fn from_tables(sources: &RecordBatch, sites: &RecordBatch) -> Option<Self> {
        let files = sources.column_by_name("file")?.as_string_opt::<i32>()?;
        let functions = sources.column_by_name("function")?.as_string_opt::<i32>()?;
        let lines = sources.column_by_name("line")?.as_primitive_opt::<Int64Type>()?;
        let sources = (0..sources.num_rows())
            .map(|i| Source {
                file: files.value(i).to_owned(),
                line: lines.value(i),
                function: functions.value(i).to_owned(),
            })
            .collect();
        let from = sites.column_by_name("from")?.as_primitive_opt::<Int64Type>()?;
        let to = sites.column_by_name("to")?.as_primitive_opt::<Int64Type>()?;
        let sites = (0..sites.num_rows())
            .map(|i| Site { from: clamp(from.value(i)), to: clamp(to.value(i)) })
            .collect();
        Some(Sources { sources, sites })
    }
}

fn clamp(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), false)).collect();
    let schema = Arc::new(Schema::new(fields));
    RecordBatch::try_new(schema.clone(), columns.into_iter().map(|(_, column)| column).collect())
        .unwrap_or_else(|_| RecordBatch::new_empty(schema))
}

/// Collects sources and sites, each once.
#[derive(Clone, Debug, Default)]
pub struct SourcesBuilder {
    made: Sources,
    source_ids: HashMap<Source, u32>,
    site_ids: HashMap<Site, u32>,
}

impl SourcesBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        SourcesBuilder { made: Sources::default(), source_ids: HashMap::new(), site_ids: HashMap::new() }
    }

    /// The number of a source, added when it is new.
    pub fn source(&mut self, mut source: Source) -> u32 {
        texts::kept(&mut source.file);
        texts::kept(&mut source.function);
        if let Some(&id) = self.source_ids.get(&source) {
            return id;
        }
        let id = self.made.sources.len() as u32;
        self.made.sources.push(source.clone());
        self.source_ids.insert(source, id);
        id
    }

    /// The number of a site, added when it is new.
    pub fn site(&mut self, from: u32, to: u32) -> u32 {
        let site = Site { from, to };
        *self.site_ids.entry(site).or_insert_with(|| {
            self.made.sites.push(site);
            self.made.sites.len() as u32 - 1
        })
    }

    /// All of them.
    pub fn finish(self) -> Sources {
        self.made
    }
}
