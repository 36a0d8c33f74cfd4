//! What Hatchet says of a frame, and rows of numbers.

use crosscut_calls::{Frame, Kind};

use super::super::json::Json;
use super::Row;
use crate::error::ImportError;

/// The fields of a frame that are used.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    is_there: bool,
    name: String,
    kind: String,
    file: String,
    module: String,
    line: i64,
}

impl Fields {
    /// Only a name is known.
    pub fn named(name: String) -> Self {
        Fields { is_there: true, name, ..Fields::default() }
    }

    pub fn read(json: &mut Json<'_, '_>) -> Result<Self, ImportError> {
        let (mut fields, mut key) = (Fields::default(), String::new());
        if !json.object()? {
            return Ok(fields);
        }
        fields.is_there = true;
        while json.key(&mut key)? {
            match key.as_str() {
                "name" => fields.name = json.text()?.unwrap_or_default(),
                "type" => fields.kind = json.text()?.unwrap_or_default(),
                "file" => fields.file = json.text()?.unwrap_or_default(),
                "module" => fields.module = json.text()?.unwrap_or_default(),
                "line" => fields.line = json.whole()?.unwrap_or(0),
                _ => json.skip()?,
            }
        }
        Ok(fields)
    }
}

/// A frame; none when the file has none. What has no name is named after its place.
pub fn frame(fields: Fields) -> Option<Frame> {
    if !fields.is_there {
        return None;
    }
    let Fields { name, kind, file, module, line, .. } = fields;
    let kind = match kind.as_str() {
        "loop" => Kind::Loop,
        "statement" | "line" => Kind::Line,
        "region" => Kind::Region,
        _ => Kind::Function,
    };
    let name = match name.is_empty() {
        true => format!("{file}:{line}"),
        false => name,
    };
    Some(Frame { kind, name, module, file, line })
}

/// The fields of an object that are numbers.
pub fn number_fields(json: &mut Json<'_, '_>) -> Result<Row, ImportError> {
    let (mut row, mut key) = (Row { offset: json.offset(), ..Row::default() }, String::new());
    if json.object()? {
        while json.key(&mut key)? {
            match json.kind()? {
                // Words stand for no number, or NumPy wraps one: `np.float64(1.5)`.
                super::Kind::Number | super::Kind::Word => {
                    row.values.extend(json.number()?.map(|value| (key.clone(), value)))
                }
                _ => json.skip()?,
            }
        }
    }
    Ok(row)
}
