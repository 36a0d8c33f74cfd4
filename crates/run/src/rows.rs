//! Large tables: rows that each belong to a place and a time, written and read as a stream of row groups.
//!
//! A row group holds the rows of a few places in a stretch of time ([`Layout`]). Beside the Parquet file lies a small
//! table of its pieces, with the checksum, the places and the times of each. So a reader opens a table of any size by
//! reading its last piece, checks and decodes the groups that somebody asks for ([`Pick`]), and leaves out the rest.

mod read;
mod write;

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use serde::{Deserialize, Serialize};

pub use read::TableReader;
pub use write::TableWriter;

/// The ending of the part that lists the pieces of a table.
pub(crate) const GROUPS: &str = "-groups";

/// Which columns of a table say where and when a row belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// The place, a column of `u32`.
    pub place: String,
    /// When it began, a column of `i64`.
    pub start: String,
    /// When it ended, a column of `i64`; none when a row is a moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// How the rows of a table are parted into row groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The columns by which it is parted.
    pub keys: Keys,
    /// Places per group.
    pub places: u32,
    /// Time per group: rows that start within one such stretch stand together.
    pub span: i64,
}

/// Which rows are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pick {
    /// At these places; at all when not given.
    pub places: Option<Range<u32>>,
    /// That begin before the end of this window and do not end before it begins; at all times when not given.
    pub time: Option<Range<i64>>,
}

impl Pick {
    /// Whether rows with these places and times, all borders included, may be among those asked for.
    fn may_hold(&self, places: (u32, u32), (start, end): (i64, i64)) -> bool {
        let here = self.places.as_ref().is_none_or(|p| places.0 < p.end && places.1 >= p.start);
        let then = self.time.as_ref().is_none_or(|t| start < t.end && end >= t.start);
        here && then
    }
}

/// A row group of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its rows.
    pub rows: u64,
    /// The first and the last place among them.
    pub places: (u32, u32),
    /// The first start and the last end.
    pub time: (i64, i64),
    piece: Piece,
}

/// A stretch of the file, with its checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    offset: u64,
    bytes: u64,
    hash: String,
}

/// The pieces as a table: the groups, then what stands behind them, which has no rows.
fn to_table(groups: &[Group], tail: &Piece) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let none = Group { rows: 0, places: (0, 0), time: (0, 0), piece: tail.clone() };
    let all: Vec<&Group> = groups.iter().chain([&none]).collect();
    let column = |value: fn(&Group) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(all.iter().map(|group| value(group))))
    };
    let hash: ArrayRef = Arc::new(StringArray::from_iter_values(all.iter().map(|group| &group.piece.hash)));
    RecordBatch::try_from_iter([
        ("offset", column(|g| g.piece.offset as i64)),
        ("bytes", column(|g| g.piece.bytes as i64)),
        ("hash", hash),
        ("rows", column(|g| g.rows as i64)),
        ("place_first", column(|g| g.places.0.into())),
        ("place_last", column(|g| g.places.1.into())),
        ("start", column(|g| g.time.0)),
        ("end", column(|g| g.time.1)),
    ])
}

/// The groups and the last piece from their table; `None` when it is not such a table.
fn from_table(table: &RecordBatch) -> Option<(Vec<Group>, Piece)> {
    let column = |name: &str| Some(table.column_by_name(name)?.as_primitive_opt::<Int64Type>()?.values());
    let (offset, bytes, rows) = (column("offset")?, column("bytes")?, column("rows")?);
    let (place_first, place_last) = (column("place_first")?, column("place_last")?);
    let (start, end) = (column("start")?, column("end")?);
    let hash = table.column_by_name("hash")?.as_string_opt::<i32>()?;
    let group = |i: usize| {
        let number = |value: i64| u64::try_from(value).ok();
        let piece =
            Piece { offset: number(offset[i])?, bytes: number(bytes[i])?, hash: hash.value(i).to_owned() };
        Some(Group {
            rows: number(rows[i])?,
            places: (u32::try_from(place_first[i]).ok()?, u32::try_from(place_last[i]).ok()?),
            time: (start[i], end[i]),
            piece,
        })
    };
    let mut groups: Vec<Group> = (0..table.num_rows()).map(group).collect::<Option<_>>()?;
    let tail = groups.pop()?.piece;
    Some((groups, tail))
}
