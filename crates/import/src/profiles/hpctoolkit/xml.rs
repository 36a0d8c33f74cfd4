//! `experiment.xml` of version 3: the call path profile as elements, one inside the other.

use std::borrow::Cow;

use crosscut_calls::{Builder, Frame, Kind};
use foldhash::{HashMap, HashMapExt};
use quick_xml::events::{BytesStart, Event};

use crate::error::ImportError;
use crate::input::Input;
use crate::stream::Stream;
use crate::xml::{attribute, walk};

/// A metric that the file defines.
#[derive(Debug, Default)]
pub struct Metric {
    /// The number that values are given with, or its column in the files of values.
    pub id: u64,
    pub name: String,
    /// With all that was called.
    pub is_inclusive: bool,
}

/// An element with values of its own in the files of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// Its number: the first row is number 1.
    pub number: u64,
    pub node: u32,
    /// Directly below the program.
    pub is_root: bool,
    /// Where it stands.
    pub offset: u64,
}

/// What the file says beside the tree.
#[derive(Debug, Default)]
pub struct Experiment {
    /// Metrics of the values in this file.
    pub metrics: Vec<Metric>,
    /// Metrics of the files of values.
    pub columns: Vec<Metric>,
    /// By number of the element. The program is row 1 and node 0.
    pub rows: Vec<Row>,
    /// Values in this file: metric, node, value and where.
    pub values: Vec<(u64, u32, f64, u64)>,
    /// Flat profiles in the file, which repeat the same time.
    pub flat: u64,
}

/// Reads the tree into the builder.
pub fn read(input: &Input<'_>, builder: &mut Builder) -> Result<Experiment, ImportError> {
    let mut parser = Parser {
        input,
        builder,
        found: Experiment::default(),
        modules: HashMap::new(),
        files: HashMap::new(),
        procedures: HashMap::new(),
        open: Vec::new(),
        in_flat: 0,
        in_calls: false,
        at: 0,
    };
    walk(input, 0, Stream::new(input), |at, event| {
        parser.at = at;
        parser.event(event)
    })?;
    if !parser.open.is_empty() {
        return Err(input.broken(input.size(), "the file ends within its elements"));
    }
    let mut found = parser.found;
    found.rows.sort_unstable();
    if let Some(twice) = found.rows.windows(2).find(|pair| pair[0].number == pair[1].number) {
        let what = format!("a second element with the number {}", twice[1].number);
        return Err(input.broken(twice[1].offset, what));
    }
    Ok(found)
}

/// An element that is open: the node that it is or is in, and what lines inside it inherit.
#[derive(Clone, Debug, Default)]
struct Open {
    node: u32,
    function: String,
    module: String,
    file: String,
    /// A call site: its values are those of what it calls.
    is_site: bool,
    /// Ends the flat profile, or the calls.
    is_flat: bool,
    is_calls: bool,
}

struct Parser<'a, 'b, 'c> {
    input: &'a Input<'b>,
    builder: &'c mut Builder,
    found: Experiment,
    modules: HashMap<String, String>,
    files: HashMap<String, String>,
    procedures: HashMap<String, String>,
    open: Vec<Open>,
    in_flat: u64,
    in_calls: bool,
    at: u64,
}

impl Parser<'_, '_, '_> {
    fn broken(&self, what: impl Into<String>) -> ImportError {
        self.input.broken(self.at, what)
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), ImportError> {
        match event {
            Event::Start(start) => {
                let open = self.begin(&start)?;
                self.open.push(open);
            }
            Event::Empty(start) => {
                let open = self.begin(&start)?;
                self.end(&open);
            }
            Event::End(_) => {
                if let Some(open) = self.open.pop() {
                    self.end(&open);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, open: &Open) {
        self.in_flat -= u64::from(open.is_flat);
        self.in_calls &= !open.is_calls;
    }

    fn begin(&mut self, start: &BytesStart<'_>) -> Result<Open, ImportError> {
        let mut open = self.open.last().map_or_else(Open::default, |above| Open {
            is_site: false,
            is_flat: false,
            is_calls: false,
            ..above.clone()
        });
        match start.local_name().as_ref() {
            b"SecFlatProfile" => {
                self.in_flat += 1;
                self.found.flat += 1;
                open.is_flat = true;
            }
            _ if self.in_flat > 0 => {}
            b"SecCallPathProfileData" => {
                self.in_calls = true;
                open.is_calls = true;
                self.found.rows.push(Row { number: 1, node: 0, is_root: false, offset: self.at });
            }
            b"LoadModule" => self.name(start, |parser| &mut parser.modules)?,
            b"File" => self.name(start, |parser| &mut parser.files)?,
            b"Procedure" => self.name(start, |parser| &mut parser.procedures)?,
            b"Metric" => {
                let metric = self.metric(start, "i")?;
                self.found.metrics.extend(metric);
            }
            b"MetricDB" => {
                let metric = self.metric(start, "db-id")?;
                self.found.columns.extend(metric);
            }
            // Values of a call site are those of what it calls.
            b"M" if self.in_site() => {}
            b"M" if self.in_calls => self.value(start, open.node)?,
            b"C" => open.is_site = true,
            name @ (b"PF" | b"Pr" | b"L" | b"S") if self.in_calls => self.scope(name, start, &mut open)?,
            _ => {}
        }
        Ok(open)
    }

    fn in_site(&self) -> bool {
        self.open.last().is_some_and(|above| above.is_site)
    }

    fn attribute<'s>(
        &self,
        start: &'s BytesStart<'_>,
        name: &str,
    ) -> Result<Option<Cow<'s, str>>, ImportError> {
        attribute(start, name).map_err(|what| self.broken(what))
    }

    fn number(&self, start: &BytesStart<'_>, name: &str) -> Result<u64, ImportError> {
        let text = self.attribute(start, name)?.unwrap_or_default();
        text.trim().parse().map_err(|_| self.broken(format!("attribute `{name}`: expected a number")))
    }

    /// A line of one of the tables of names.
    fn name(
        &mut self,
        start: &BytesStart<'_>,
        table: fn(&mut Self) -> &mut HashMap<String, String>,
    ) -> Result<(), ImportError> {
        let (id, name) = (self.attribute(start, "i")?, self.attribute(start, "n")?);
        if let (Some(id), Some(name)) = (id, name) {
            let (id, name) = (id.into_owned(), name.into_owned());
            table(self).insert(id, name);
        }
        Ok(())
    }

    fn metric(&self, start: &BytesStart<'_>, id: &str) -> Result<Option<Metric>, ImportError> {
        let kind = self.attribute(start, "t")?.unwrap_or_default();
        let name = self.attribute(start, "n")?.unwrap_or_default();
        let (name, said) = match (name.strip_suffix("(I)"), name.strip_suffix("(E)")) {
            (Some(name), _) => (name, "inclusive"),
            (_, Some(name)) => (name, "exclusive"),
            _ => (&*name, &*kind),
        };
        let is_inclusive = kind == "inclusive" || (kind != "exclusive" && said == "inclusive");
        let id = self.number(start, id)?;
        Ok(Some(Metric { id, name: name.trim().to_owned(), is_inclusive }))
    }

    fn value(&mut self, start: &BytesStart<'_>, node: u32) -> Result<(), ImportError> {
        let metric = self.number(start, "n")?;
        let text = self.attribute(start, "v")?.unwrap_or_default();
        let value: Option<f64> = text.trim().parse().ok();
        let value = value.ok_or_else(|| self.broken("attribute `v`: expected a number"))?;
        self.found.values.push((metric, node, value, self.at));
        Ok(())
    }

    /// A node of the tree. Call sites are none; what they call is below the caller.
    fn scope(&mut self, name: &[u8], start: &BytesStart<'_>, open: &mut Open) -> Result<(), ImportError> {
        let line = self.attribute(start, "l")?.unwrap_or_default();
        let line = line.split('-').next().unwrap_or_default().trim().parse().unwrap_or(0);
        for (key, table, place) in [
            ("n", &self.procedures, &mut open.function),
            ("lm", &self.modules, &mut open.module),
            ("f", &self.files, &mut open.file),
        ] {
            if let Some(id) = self.attribute(start, key)? {
                *place = table.get(&*id).cloned().unwrap_or_else(|| id.into_owned());
            }
        }
        let named = self.attribute(start, "n")?.is_some_and(|name| !name.is_empty());
        if name == b"Pr" && !named {
            return Ok(());
        }
        let (kind, title) = match name {
            b"L" => (Kind::Loop, loop_name(&open.file, line)),
            b"S" => (Kind::Line, open.function.clone()),
            _ => (Kind::Function, open.function.clone()),
        };
        let frame = self.builder.frame(Frame {
            kind,
            name: title,
            module: open.module.clone(),
            file: open.file.clone(),
            line,
        });
        // Call sites part what one function calls: an element is a node, also where another looks the same.
        let is_root = open.node == 0;
        open.node = self.builder.new_node(open.node, frame)?;
        if self.attribute(start, "i")?.is_some() {
            let number = self.number(start, "i")?;
            self.found.rows.push(Row { number, node: open.node, is_root, offset: self.at });
        }
        Ok(())
    }
}

/// What a loop is called.
pub fn loop_name(file: &str, line: i64) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    match (name.is_empty(), line) {
        (true, _) => "loop".to_owned(),
        (false, ..=0) => format!("loop in {name}"),
        (false, line) => format!("loop at {name}:{line}"),
    }
}
