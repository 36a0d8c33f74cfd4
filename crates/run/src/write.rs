//! Making a run: everything goes into a directory beside the final name, which is renamed when it is whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use rayon::prelude::*;

use crate::by_place::{ByPlaceMut, Summed};
use crate::column::{ColumnMut, SealedColumn, Value};
use crate::error::RunError;
use crate::manifest::{Clock, FORMAT, Manifest, Origin, Part, PartKind};
use crate::places::Places;
use crate::read::{MANIFEST, Run, hash_file};
use crate::rows::{self, Layout, TableWriter};
use crate::sources::Sources;
use crate::table::write_table;
use crate::upgrade;

/// A run may always take so much disk, and so many bytes for each that was read.
const ROOM: u64 = 1 << 30;
const ROOM_TIMES: u64 = 1024;

/// A run in the making. Dropped before [`RunWriter::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct RunWriter {
    target: PathBuf,
    work: PathBuf,
    manifest: Manifest,
    /// Bytes of what it is made of.
    made_of: Option<Arc<AtomicU64>>,
    finished: bool,
}

impl RunWriter {
    /// Begins a run that will have this name. Fails when something has that name already.
    pub fn create(target: &Path) -> Result<Self, RunError> {
        if target.exists() {
            return Err(RunError::Exists { path: target.to_owned() });
        }
        let Some(name) = target.file_name() else {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a name for a run");
            return Err(RunError::Io { path: target.to_owned(), source });
        };
        if let Some(parent) = target.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(RunError::io(parent))?;
        }
        let work = new_directory(|attempt| {
            let mut name = name.to_owned();
            name.push(format!(".tmp-{}-{attempt}", std::process::id()));
            target.with_file_name(name)
        })?;
        let manifest = Manifest {
            checksum: None,
            format: FORMAT,
            crosscut: env!("CARGO_PKG_VERSION").to_owned(),
            origin: Origin::here(),
            partial: None,
            clock: Clock::Ns,
            time: None,
            parts: BTreeMap::new(),
            domains: BTreeMap::new(),
            facts: BTreeMap::new(),
        };
        Ok(RunWriter { target: target.to_owned(), work, manifest, made_of: None, finished: false })
    }

    /// It is made of foreign files with so many bytes, of which more may be found while it is made.
    pub fn set_made_of(&mut self, bytes: Arc<AtomicU64>) {
        self.made_of = Some(bytes);
    }

    /// How much disk it may take for columns that are larger than what was read: what is shared in a file is spelled out in a run.
    /// None where nothing foreign is read.
    pub fn room(&self) -> Option<u64> {
        let bytes = self.made_of.as_ref()?.load(Ordering::Relaxed);
        Some(ROOM.max(ROOM_TIMES.saturating_mul(bytes)))
    }

    /// The manifest as it stands, to fill in origin, clock, facts and what is missing.
    pub fn manifest(&mut self) -> &mut Manifest {
        &mut self.manifest
    }

    fn path_for(&self, name: &str, ending: &str) -> Result<PathBuf, RunError> {
        let file = format!("{name}.{ending}");
        let path = self.work.join(file);
        if !upgrade::is_plain(name) {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a name for a part");
            return Err(RunError::Io { path, source });
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(RunError::io(parent))?;
        }
        Ok(path)
    }

    /// A new column of `rows` zeros, to be filled and then given to [`RunWriter::put`].
    pub fn column<T: Value>(&self, name: &str, rows: usize) -> Result<ColumnMut<T>, RunError> {
        ColumnMut::create(self.path_for(name, "arrow")?, name, rows)
    }

    /// Takes a filled column into the run.
    pub fn put<T: Value>(&mut self, column: ColumnMut<T>) -> Result<(), RunError> {
        self.put_sealed(column.seal()?);
        Ok(())
    }

    /// Takes a sealed column into the run.
    pub fn put_sealed(&mut self, column: SealedColumn) {
        self.manifest.insert(column.name, column.part);
    }

    /// Writes a column from memory.
    pub fn put_slice<T: Value>(&mut self, name: &str, values: &[T]) -> Result<(), RunError> {
        let mut column = self.column(name, values.len())?;
        column.copy_from_slice(values);
        self.put(column)
    }

    /// Takes a column of ids into the run, such as places: in 16 bits if all fit.
    pub fn put_ids(&mut self, column: ColumnMut<u32>) -> Result<(), RunError> {
        self.put_sealed(column.seal_ids()?);
        Ok(())
    }

    /// A new column of zeros by node and place, to be filled and then given to [`RunWriter::put_by_place`].
    pub fn by_place<T: Summed>(
        &self,
        name: &str,
        nodes: usize,
        places: usize,
    ) -> Result<ByPlaceMut<T>, RunError> {
        ByPlaceMut::new(nodes, places, |ending, rows| self.column(&format!("{name}{ending}"), rows))
    }

    /// Takes a filled column by node and place into the run, with its sums.
    pub fn put_by_place<T: Summed>(&mut self, mut column: ByPlaceMut<T>) -> Result<(), RunError> {
        column.fill_sums();
        let mut values = column.values.seal()?;
        values.part.places = Some(column.places as u64);
        self.put_sealed(values);
        self.put(column.sums)
    }

    /// A new table of row groups, to be given its rows and then to [`RunWriter::put_rows`].
    pub fn rows(&self, name: &str, schema: SchemaRef, layout: Layout) -> Result<TableWriter, RunError> {
        TableWriter::create(self.path_for(name, "parquet")?, name, schema, layout)
    }

    /// Takes a table of row groups into the run.
    pub fn put_rows(&mut self, table: TableWriter) -> Result<(), RunError> {
        let (name, part, pieces) = table.finish()?;
        self.put_table(&format!("{name}{}", rows::GROUPS), &pieces)?;
        self.manifest.insert(name, part);
        Ok(())
    }

    /// Writes a small table.
    pub fn put_table(&mut self, name: &str, table: &RecordBatch) -> Result<(), RunError> {
        let path = self.path_for(name, "parquet")?;
        write_table(&path, table)?;
        let bytes = fs::metadata(&path).map_err(RunError::io(&path))?.len();
        let file = File::open(&path).map_err(RunError::io(&path))?;
        let (hash, blocks) = hash_file(file, &path)?;
        let rows = table.num_rows() as u64;
        let kind = PartKind::Table;
        let part = Part { kind, rows, value: None, places: None, keys: None, bytes, hash, blocks };
        self.manifest.insert(name.to_owned(), part);
        Ok(())
    }

    /// Writes the places.
    pub fn put_places(&mut self, places: &Places) -> Result<(), RunError> {
        self.put_table("places", &places.to_table())
    }

    /// Writes the sources and sites.
    pub fn put_sources(&mut self, sources: &Sources) -> Result<(), RunError> {
        self.put_table("sources", &sources.sources_table()?)?;
        self.put_table("sites", &sources.sites_table())
    }

    /// Writes the manifest, makes everything durable, gives the run its name and opens it.
    pub fn finish(mut self) -> Result<Run, RunError> {
        let path = self.work.join(MANIFEST);
        let text =
            self.manifest.to_text().map_err(|e| RunError::Io { path: path.clone(), source: e.into() })?;
        fs::write(&path, text).map_err(RunError::io(&path))?;
        // The name must not appear on the disk before what it stands for.
        let parts = self.manifest.all_parts().map(|(name, part)| self.work.join(part.file(&name)));
        let mut files: BTreeSet<PathBuf> = parts.chain([path]).collect();
        let folders: Vec<PathBuf> =
            files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
        files.extend(folders);
        files.par_iter().try_for_each(|path| sync(path))?;
        match fs::rename(&self.work, &self.target) {
            Ok(()) => self.finished = true,
            Err(_) if self.target.exists() => return Err(RunError::Exists { path: self.target.clone() }),
            Err(source) => return Err(RunError::Io { path: self.target.clone(), source }),
        }
        match self.target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => sync(parent)?,
            _ => sync(Path::new("."))?,
        }
        Run::open(&self.target)
    }
}

/// Waits until a file or directory is on the disk.
fn sync(path: &Path) -> Result<(), RunError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(RunError::io(path))
}

/// Makes the first directory of this sequence of names that is not there yet. Others may be at work beside us, in this
/// process or (under the same process id) in another container, so nothing that exists is touched.
fn new_directory(name: impl Fn(u32) -> PathBuf) -> Result<PathBuf, RunError> {
    let mut attempt = 0;
    loop {
        let path = name(attempt);
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && attempt < 10_000 => {
                attempt += 1;
            }
            Err(source) => return Err(RunError::Io { path, source }),
        }
    }
}

impl Drop for RunWriter {
    fn drop(&mut self) {
        if !self.finished {
            let _ = fs::remove_dir_all(&self.work);
        }
    }
}
