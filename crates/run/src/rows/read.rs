//! Reading a large table, group by group. What is decoded was checked against its checksum before: what decodes Parquet
//! expects a sound file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::SchemaRef;
use bytes::{Buf, Bytes};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::reader::{ChunkReader, Length};
use xxhash_rust::xxh3::xxh3_64;

use super::{Group, Keys, Pick, Piece, from_table};
use crate::error::RunError;
use crate::file;
use crate::manifest::Part;
use crate::pages::{self, allowance};
use crate::table::{BATCH, decode, gather, readable};

/// A large table of an existing run.
#[derive(Debug)]
pub struct TableReader {
    name: String,
    path: PathBuf,
    file: File,
    keys: Keys,
    metadata: ArrowReaderMetadata,
    groups: Vec<Group>,
}

impl TableReader {
    /// Opens a table whose pieces are listed in `pieces`; reads the last one and nothing else.
    pub(crate) fn open(
        run: &Path,
        path: PathBuf,
        name: &str,
        part: &Part,
        pieces: &RecordBatch,
    ) -> Result<Self, RunError> {
        let damaged = |why: String| RunError::damaged(&path, name, why);
        let keys = part.keys.clone().ok_or_else(|| damaged("expected a table of row groups".into()))?;
        let file = file::open(run, &part.file(name), name)?;
        let found = file.metadata().map_err(RunError::io(&path))?.len();
        if found != part.bytes {
            return Err(damaged(format!("{found} bytes, but the manifest says {}", part.bytes)));
        }
        let (groups, tail) = from_table(pieces).ok_or_else(|| damaged("not a list of row groups".into()))?;
        let ends = |piece: &Piece| piece.offset.checked_add(piece.bytes);
        let is_outside = |group: &Group| ends(&group.piece).is_none_or(|end| end > found);
        if groups.iter().any(is_outside) || ends(&tail) != Some(found) {
            return Err(damaged("its row groups do not fit into the file".into()));
        }
        if groups.iter().map(|group| group.rows).try_fold(0u64, u64::checked_add) != Some(part.rows) {
            return Err(damaged(format!("its row groups do not add up to {} rows", part.rows)));
        }
        let tail = read_piece(&file, &tail).map_err(|e| unreadable(&path, name, e))?;
        let metadata = decode(|| {
            pages::check_footer(&tail.bytes)?;
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&tail).map_err(|e| e.to_string())?;
            readable(metadata)
        });
        let metadata = metadata.map_err(damaged)?;
        let found = metadata.metadata().num_row_groups();
        if found != groups.len() {
            return Err(damaged(format!("{found} row groups, but {} are listed", groups.len())));
        }
        Ok(TableReader { name: name.to_owned(), path, file, keys, metadata, groups })
    }

    /// Its columns.
    pub fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Its row groups, in the order in which they were written.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The numbers of the groups that may hold rows that are asked for.
    pub fn matching(&self, pick: &Pick) -> Vec<usize> {
        let may_hold = |group: &Group| pick.may_hold(group.places, group.time);
        (0..self.groups.len()).filter(|&number| may_hold(&self.groups[number])).collect()
    }

    /// Reads a whole row group. Several threads may do so at once.
    pub fn group(&self, number: usize) -> Result<RecordBatch, RunError> {
        let damaged =
            |why: String| RunError::damaged(&self.path, &self.name, format!("row group {number}: {why}"));
        let Some(group) = self.groups.get(number) else {
            return Err(damaged(format!("there are {}", self.groups.len())));
        };
        let piece =
            read_piece(&self.file, &group.piece).map_err(|e| unreadable(&self.path, &self.name, e))?;
        let rows = decode(|| {
            let pages =
                pages::check_group(self.metadata.metadata().row_group(number), &piece.bytes, piece.offset)?;
            let allowed = allowance(piece.bytes.len() as u64);
            let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(piece, self.metadata.clone())
                .with_row_groups(vec![number])
                .with_batch_size(pages.batch(allowed, BATCH))
                .build()
                .map_err(|e| e.to_string())?;
            gather(reader, self.schema(), allowed)
        });
        let rows = rows.map_err(damaged)?;
        if rows.num_rows() as u64 != group.rows {
            return Err(damaged(format!("{} rows instead of {}", rows.num_rows(), group.rows)));
        }
        Ok(rows)
    }

    /// The rows of a group that are asked for.
    pub fn rows(&self, number: usize, pick: &Pick) -> Result<RecordBatch, RunError> {
        let rows = self.group(number)?;
        let damaged = |why: &str| RunError::damaged(&self.path, &self.name, why);
        let places = rows.column_by_name(&self.keys.place).and_then(|c| c.as_primitive_opt::<UInt32Type>());
        let time = |name: &str| rows.column_by_name(name).and_then(|c| c.as_primitive_opt::<Int64Type>());
        let starts = time(&self.keys.start);
        let ends = self.keys.end.as_deref().map_or(starts, time);
        let (Some(places), Some(starts), Some(ends)) = (places, starts, ends) else {
            return Err(damaged("places are columns of u32, times of i64"));
        };
        let keys = places.values().iter().zip(starts.values().iter().zip(ends.values()));
        let picked: BooleanArray = keys
            .map(|(&place, (&start, &end))| pick.may_hold((place, place), (start, end.max(start))))
            .collect::<Vec<bool>>()
            .into();
        arrow_select::filter::filter_record_batch(&rows, &picked).map_err(|e| damaged(&e.to_string()))
    }

    /// All rows that are asked for, group by group; groups that hold none of them are not read.
    pub fn read(&self, pick: Pick) -> impl Iterator<Item = Result<RecordBatch, RunError>> + '_ {
        self.matching(&pick).into_iter().map(move |number| self.rows(number, &pick))
    }
}

/// The system's reasons, or damage.
fn unreadable(path: &Path, name: &str, error: io::Error) -> RunError {
    match error.kind() {
        io::ErrorKind::InvalidData => RunError::damaged(path, name, error.to_string()),
        _ => RunError::Io { path: path.to_owned(), source: error },
    }
}

/// Reads a piece of the file and checks it.
fn read_piece(file: &File, piece: &Piece) -> io::Result<Loaded> {
    let mut bytes = vec![0; usize::try_from(piece.bytes).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, piece.offset)?;
    if format!("{:016x}", xxh3_64(&bytes)) != piece.hash {
        let why = format!("the checksum of {} bytes at {} does not match", piece.bytes, piece.offset);
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(Loaded { offset: piece.offset, bytes: bytes.into() })
}

/// A piece of a file, for a reader of Parquet that believes to have the whole.
struct Loaded {
    offset: u64,
    bytes: Bytes,
}

impl Length for Loaded {
    fn len(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

impl Loaded {
    fn from(&self, start: u64) -> Result<Bytes, ParquetError> {
        let at = start.checked_sub(self.offset).and_then(|at| usize::try_from(at).ok());
        match at.filter(|&at| at <= self.bytes.len()) {
            Some(at) => Ok(self.bytes.slice(at..)),
            None => Err(ParquetError::EOF(format!("byte {start} is not in this row group"))),
        }
    }
}

impl ChunkReader for Loaded {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(self.from(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let rest = self.from(start)?;
        match length <= rest.len() {
            true => Ok(rest.slice(..length)),
            false => Err(ParquetError::EOF(format!("{length} bytes from {start} are not in this row group"))),
        }
    }
}
