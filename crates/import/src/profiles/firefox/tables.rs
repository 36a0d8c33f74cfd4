//! Tables of a Firefox profile. Columns are lists of numbers; raw profiles have rows instead, with the columns named in a
//! schema.

use crosscut_calls::Frame;

use super::super::json::{Json, Kind};
use crate::error::ImportError;

/// A column: −1 where there is nothing.
type Column = Vec<i64>;

/// The tables of a thread, or those that all threads share. What is not there is empty.
#[derive(Default)]
pub struct Tables {
    strings: Vec<String>,
    stacks: Stacks,
    frames: Frames,
    functions: Functions,
    resources: Vec<i64>,
    /// Names of source files: newer profiles name these by their number.
    sources: Vec<i64>,
}

#[derive(Default)]
struct Stacks {
    is_there: bool,
    prefix: Column,
    /// How far above its parent is; 0 for none.
    offset: Column,
    frame: Column,
}

#[derive(Default)]
struct Frames {
    is_there: bool,
    function: Column,
    /// Raw profiles: a text instead of a function.
    location: Column,
}

#[derive(Default)]
struct Functions {
    is_there: bool,
    name: Column,
    resource: Column,
    file: Column,
    source: Column,
    line: Column,
}

impl Tables {
    /// Reads a table, if it is one that is used.
    pub fn read(&mut self, json: &mut Json<'_, '_>, key: &str) -> Result<bool, ImportError> {
        match (key, json.kind()?) {
            ("stringArray" | "stringTable", Kind::Array) => {
                json.array()?;
                self.strings.clear();
                while json.item()? {
                    self.strings.push(json.text()?.unwrap_or_default());
                }
            }
            ("stackTable", Kind::Object) => {
                let [prefix, offset, frame] = columns(json, ["prefix", "prefixOffset", "frame"])?;
                self.stacks = Stacks { is_there: true, prefix, offset, frame };
            }
            ("frameTable", Kind::Object) => {
                let [function, location] = columns(json, ["func", "location"])?;
                self.frames = Frames { is_there: true, function, location };
            }
            ("funcTable", Kind::Object) => {
                let [name, resource, file, source, line] =
                    columns(json, ["name", "resource", "fileName", "source", "lineNumber"])?;
                self.functions = Functions { is_there: true, name, resource, file, source, line };
            }
            ("resourceTable", Kind::Object) => {
                let [name] = columns(json, ["name"])?;
                self.resources = name;
            }
            ("sources", Kind::Object) => {
                let [name] = columns(json, ["filename"])?;
                self.sources = name;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Each table of the thread, or else the one that all share.
    pub fn or<'t>(&'t self, shared: &'t Tables) -> Chosen<'t> {
        let pick = |is_there: bool| if is_there { self } else { shared };
        Chosen {
            strings: if self.strings.is_empty() { &shared.strings } else { &self.strings },
            stacks: &pick(self.stacks.is_there).stacks,
            frames: &pick(self.frames.is_there).frames,
            functions: &pick(self.functions.is_there).functions,
            resources: if self.resources.is_empty() { &shared.resources } else { &self.resources },
            sources: if self.sources.is_empty() { &shared.sources } else { &self.sources },
        }
    }
}

/// Some columns of a table; those that it has not are empty.
pub fn columns<const N: usize>(
    json: &mut Json<'_, '_>,
    names: [&str; N],
) -> Result<[Column; N], ImportError> {
    let mut found = [const { Vec::new() }; N];
    // Where each column stands in a row.
    let mut at: Option<[Option<usize>; N]> = None;
    let mut key = String::new();
    json.object()?;
    while json.key(&mut key)? {
        match (key.as_str(), json.kind()?) {
            ("schema", Kind::Object) => {
                let mut places = [None; N];
                json.object()?;
                while json.key(&mut key)? {
                    let place = json.whole()?.and_then(|place| usize::try_from(place).ok());
                    if let Some(slot) =
                        names.iter().position(|name| *name == key).and_then(|at| places.get_mut(at))
                    {
                        *slot = place;
                    }
                }
                at = Some(places);
            }
            ("data", Kind::Array) => {
                let places =
                    at.ok_or_else(|| json.broken("rows before the schema that names their columns"))?;
                rows(json, &places, &mut found)?;
            }
            (name, Kind::Array) => {
                match names.iter().position(|other| *other == name).and_then(|at| found.get_mut(at)) {
                    Some(column) => {
                        json.array()?;
                        while json.item()? {
                            column.push(json.whole()?.unwrap_or(-1));
                        }
                    }
                    None => json.skip()?,
                }
            }
            _ => json.skip()?,
        }
    }
    Ok(found)
}

fn rows<const N: usize>(
    json: &mut Json<'_, '_>,
    places: &[Option<usize>; N],
    found: &mut [Column; N],
) -> Result<(), ImportError> {
    json.array()?;
    while json.item()? {
        for (column, _) in found.iter_mut().zip(places).filter(|(_, place)| place.is_some()) {
            column.push(-1);
        }
        if !json.array()? {
            continue;
        }
        let mut cell = 0;
        while json.item()? {
            match places.iter().position(|place| *place == Some(cell)).and_then(|at| found.get_mut(at)) {
                Some(column) => {
                    let value = json.whole()?.unwrap_or(-1);
                    if let Some(last) = column.last_mut() {
                        *last = value;
                    }
                }
                None => json.skip()?,
            }
            cell += 1;
        }
    }
    Ok(())
}

/// The tables that a thread uses.
pub struct Chosen<'t> {
    strings: &'t [String],
    stacks: &'t Stacks,
    frames: &'t Frames,
    functions: &'t Functions,
    resources: &'t [i64],
    sources: &'t [i64],
}

impl Chosen<'_> {
    /// The stack that a stack is below: one that comes before it.
    pub fn parent(&self, stack: u32) -> Result<Option<u32>, String> {
        let at = stack as usize;
        let above = match self.stacks.offset.is_empty() {
            true => cell(&self.stacks.prefix, at).filter(|&prefix| prefix >= 0),
            false => cell(&self.stacks.offset, at).filter(|&up| up != 0).map(|up| i64::from(stack) - up),
        };
        match above {
            None if at < self.stacks.frame.len() => Ok(None),
            None => Err(format!("stack {stack} is not in the table")),
            Some(above) => match u32::try_from(above).ok().filter(|&above| above < stack) {
                Some(above) => Ok(Some(above)),
                None => Err(format!("stack {stack} is below stack {above}, which does not come before it")),
            },
        }
    }

    /// The function that a stack ends in.
    pub fn frame(&self, stack: u32) -> Result<Frame, String> {
        let missing = |what: &str| format!("stack {stack}: its {what} is not in the table");
        let frame = cell(&self.stacks.frame, stack as usize).ok_or_else(|| missing("stack"))?;
        let at = usize::try_from(frame).map_err(|_| missing("frame"))?;
        if let Some(location) = cell(&self.frames.location, at) {
            let name = self.string(location).ok_or_else(|| missing("location"))?;
            return Ok(located(name));
        }
        let function = cell(&self.frames.function, at).ok_or_else(|| missing("frame"))?;
        let at = usize::try_from(function).map_err(|_| missing("function"))?;
        let name = cell(&self.functions.name, at).ok_or_else(|| missing("function"))?;
        let name = self.string(name).ok_or_else(|| missing("name"))?;
        let source =
            cell(&self.functions.source, at).and_then(|at| cell(self.sources, usize::try_from(at).ok()?));
        let file = source.or(cell(&self.functions.file, at)).and_then(|text| self.string(text));
        let resource = cell(&self.functions.resource, at).and_then(|at| usize::try_from(at).ok());
        let module = resource.and_then(|at| self.string(cell(self.resources, at)?)).unwrap_or_default();
        Ok(Frame {
            module: module.to_owned(),
            file: file.unwrap_or_default().to_owned(),
            line: cell(&self.functions.line, at).unwrap_or(0).max(0),
            ..Frame::function(name)
        })
    }

    fn string(&self, number: i64) -> Option<&str> {
        self.strings.get(usize::try_from(number).ok()?).map(String::as_str)
    }
}

fn cell(column: &[i64], at: usize) -> Option<i64> {
    column.get(at).copied()
}

/// `name (file:line)`, as raw profiles have it, also with a column; or `name (in library)`.
fn located(text: &str) -> Frame {
    let Some((name, place)) = text.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) else {
        return Frame::function(text);
    };
    if let Some(module) = place.strip_prefix("in ") {
        return Frame { module: module.to_owned(), ..Frame::function(name) };
    }
    let mut file = place;
    let mut line = 0;
    while let Some((before, number)) =
        file.rsplit_once(':').and_then(|(before, digits)| Some((before, digits.parse().ok()?)))
    {
        (file, line) = (before, number);
    }
    Frame { file: file.to_owned(), line, ..Frame::function(name) }
}
