//! Writing a large table. Rows come in any order; they are held by place and time until there are enough of them for a row
//! group, or until too many are held. Memory is bounded, whatever the size of the table.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch, UInt32Array};
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use xxhash_rust::xxh3::Xxh3;

use super::{Group, Layout, Piece, to_table};
use crate::blocks::Hashes;
use crate::error::RunError;
use crate::manifest::{Part, PartKind};
use crate::table::properties;

/// Rows of a row group, at most.
const GROUP: usize = 1 << 16;

/// Bytes of rows that are held back, about.
const HELD: usize = 64 << 20;

/// A large table in the making; [`crate::RunWriter::put_rows`] takes it into the run.
#[derive(Debug)]
pub struct TableWriter {
    name: String,
    path: PathBuf,
    layout: Layout,
    columns: Columns,
    writer: ArrowWriter<Sink>,
    /// Rows that are held back, by number of their places and of their time.
    held: BTreeMap<(u32, i64), Held>,
    held_bytes: usize,
    groups: Vec<Group>,
    rows: u64,
}

/// Where the keys stand.
#[derive(Clone, Copy, Debug)]
struct Columns {
    place: usize,
    start: usize,
    end: usize,
}

/// Rows of one group that is not written yet.
#[derive(Debug, Default)]
struct Held {
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl TableWriter {
    pub(crate) fn create(
        path: PathBuf,
        name: &str,
        schema: SchemaRef,
        layout: Layout,
    ) -> Result<Self, RunError> {
        let refused = |why: &str| RunError::damaged(&path, name, why);
        if layout.places == 0 || layout.span <= 0 {
            return Err(refused("its groups would hold no place or no time"));
        }
        let find = |column: &str| schema.index_of(column).map_err(|e| refused(&e.to_string()));
        let columns = Columns {
            place: find(&layout.keys.place)?,
            start: find(&layout.keys.start)?,
            end: find(layout.keys.end.as_ref().unwrap_or(&layout.keys.start))?,
        };
        let file = File::create_new(&path).map_err(RunError::io(&path))?;
        let sink = Sink { file, at: 0, piece_at: 0, piece: Xxh3::new(), whole: Hashes::new() };
        let writer = ArrowWriter::try_new(sink, schema, Some(properties()))
            .map_err(|e| RunError::Io { path: path.clone(), source: io::Error::other(e) })?;
        Ok(TableWriter {
            name: name.to_owned(),
            path,
            layout,
            columns,
            writer,
            held: BTreeMap::new(),
            held_bytes: 0,
            groups: Vec::new(),
            rows: 0,
        })
    }

    /// Adds rows, in any order; thousands at a time cost least.
    pub fn push(&mut self, rows: &RecordBatch) -> Result<(), RunError> {
        let (path, name) = (self.path.clone(), self.name.clone());
        let refused = |why: &str| RunError::damaged(&path, &name, why);
        let places = rows.columns().get(self.columns.place).and_then(|c| c.as_primitive_opt::<UInt32Type>());
        let starts = rows.columns().get(self.columns.start).and_then(|c| c.as_primitive_opt::<Int64Type>());
        let ends = rows.columns().get(self.columns.end).and_then(|c| c.as_primitive_opt::<Int64Type>());
        let (Some(places), Some(starts), Some(ends)) = (places, starts, ends) else {
            return Err(refused("places are columns of u32, times of i64"));
        };
        if places.null_count() + starts.null_count() + ends.null_count() > 0 {
            return Err(refused("a row without a place or a time"));
        }
        let mut parts: BTreeMap<(u32, i64), Vec<u32>> = BTreeMap::new();
        for (row, (place, start)) in places.values().iter().zip(starts.values()).enumerate() {
            let part = (place / self.layout.places, start.div_euclid(self.layout.span));
            parts.entry(part).or_default().push(row as u32);
        }
        for (part, of_part) in parts {
            let taken = match of_part.len() == rows.num_rows() {
                true => rows.clone(),
                false => arrow_select::take::take_record_batch(rows, &UInt32Array::from(of_part))
                    .map_err(|e| refused(&e.to_string()))?,
            };
            self.hold(part, taken)?;
        }
        while self.held_bytes > HELD
            && let Some((&largest, _)) = self.held.iter().max_by_key(|(_, held)| held.bytes)
        {
            self.write(largest)?;
        }
        Ok(())
    }

    /// Bytes of rows that are held back now.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// Holds rows back until there are enough of them.
    fn hold(&mut self, part: (u32, i64), rows: RecordBatch) -> Result<(), RunError> {
        let bytes = rows.get_array_memory_size();
        let held = self.held.entry(part).or_default();
        held.rows += rows.num_rows();
        held.bytes += bytes;
        held.batches.push(rows);
        self.held_bytes += bytes;
        if held.rows >= GROUP { self.write(part) } else { Ok(()) }
    }

    /// Writes what is held of a part.
    fn write(&mut self, part: (u32, i64)) -> Result<(), RunError> {
        let Some(held) = self.held.remove(&part) else { return Ok(()) };
        self.held_bytes -= held.bytes;
        let schema = held.batches[0].schema();
        let rows = arrow_select::concat::concat_batches(&schema, &held.batches)
            .map_err(|e| RunError::damaged(&self.path, &self.name, e.to_string()))?;
        drop(held);
        for from in (0..rows.num_rows()).step_by(GROUP) {
            self.write_group(&rows.slice(from, GROUP.min(rows.num_rows() - from)))?;
        }
        Ok(())
    }

    fn write_group(&mut self, rows: &RecordBatch) -> Result<(), RunError> {
        let places = rows.column(self.columns.place).as_primitive::<UInt32Type>().values();
        let starts = rows.column(self.columns.start).as_primitive::<Int64Type>().values();
        let ends = rows.column(self.columns.end).as_primitive::<Int64Type>().values();
        let range = |values: &[u32]| Some((*values.iter().min()?, *values.iter().max()?));
        let first = starts.iter().min().copied();
        let last = ends.iter().chain(starts).max().copied();
        let (Some(places), Some(first), Some(last)) = (range(places), first, last) else { return Ok(()) };
        let failed =
            |source: ParquetError| RunError::Io { path: self.path.clone(), source: io::Error::other(source) };
        self.writer.write(rows).map_err(failed)?;
        self.writer.flush().map_err(failed)?;
        self.writer.sync().map_err(RunError::io(&self.path))?;
        let piece = self.writer.inner_mut().cut();
        let count = rows.num_rows() as u64;
        self.groups.push(Group { rows: count, places, time: (first, last), piece });
        self.rows += count;
        Ok(())
    }

    /// Writes what is left; the table and its pieces, for the manifest.
    pub(crate) fn finish(mut self) -> Result<(String, Part, RecordBatch), RunError> {
        while let Some((&part, _)) = self.held.first_key_value() {
            self.write(part)?;
        }
        let failed =
            |source: ParquetError| RunError::Io { path: self.path.clone(), source: io::Error::other(source) };
        self.writer.finish().map_err(failed)?;
        self.writer.sync().map_err(RunError::io(&self.path))?;
        let sink = self.writer.inner_mut();
        let tail = sink.cut();
        let (hash, blocks) = std::mem::replace(&mut sink.whole, Hashes::new()).finish();
        let part = Part {
            kind: PartKind::Table,
            rows: self.rows,
            value: None,
            places: None,
            keys: Some(self.layout.keys),
            bytes: sink.at,
            hash,
            blocks,
        };
        let pieces = to_table(&self.groups, &tail)
            .map_err(|e| RunError::damaged(&self.path, &self.name, e.to_string()))?;
        Ok((self.name, part, pieces))
    }
}

/// A file that knows the checksum of the whole and of the piece since the last cut.
struct Sink {
    file: File,
    at: u64,
    piece_at: u64,
    piece: Xxh3,
    whole: Hashes,
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sink").field("file", &self.file).field("at", &self.at).finish_non_exhaustive()
    }
}

impl Sink {
    /// Ends a piece.
    fn cut(&mut self) -> Piece {
        let hash = format!("{:016x}", self.piece.digest());
        let piece = Piece { offset: self.piece_at, bytes: self.at - self.piece_at, hash };
        self.piece.reset();
        self.piece_at = self.at;
        piece
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.piece.update(&bytes[..count]);
        self.whole.update(&bytes[..count]);
        self.at += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
