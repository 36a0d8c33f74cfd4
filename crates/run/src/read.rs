//! Opening a run. Opening reads the manifest and nothing else; columns are mapped when they are asked for. Sizes are
//! always checked; checksums of tables when they are read, those of columns on request, since that reads every byte.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use crate::by_place::{self, ByPlace, Summed};
use crate::column::{Column, Value};
use crate::error::RunError;
use crate::ids::Ids;
use crate::manifest::{Manifest, Part, PartKind};
use crate::places::Places;
use crate::rows::{self, TableReader};
use crate::sources::Sources;
use crate::table::read_table;
use crate::upgrade;

const CHANGED: &str = "its checksum does not match: the content changed";

/// An open run.
#[derive(Debug)]
pub struct Run {
    path: PathBuf,
    manifest: Manifest,
}

/// A part that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Name of the part.
    pub part: String,
    /// Its file, relative to the run.
    pub file: String,
    /// What is wrong.
    pub why: String,
}

impl Run {
    /// Opens the run in this directory.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let not_a_run = |why: String| RunError::NotARun { path: path.to_owned(), why };
        if !path.is_dir() {
            let why = if path.exists() {
                "it is a file; `crosscut import` reads foreign files".to_owned()
            } else {
                "no such directory".to_owned()
            };
            return Err(not_a_run(why));
        }
        let file = path.join("manifest.json");
        let text = fs::read(&file).map_err(|e| not_a_run(format!("manifest.json: {e}")))?;
        let manifest = upgrade::read_manifest(path, &text)?;
        Ok(Run { path: path.to_owned(), manifest })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name without its ending.
    pub fn name(&self) -> String {
        self.path.file_stem().map_or_else(|| "run".into(), |stem| stem.to_string_lossy().into_owned())
    }

    /// What the manifest says.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether the run has this part.
    pub fn has(&self, name: &str) -> bool {
        self.manifest.part(name).is_some()
    }

    fn part(&self, name: &str) -> Result<(&Part, PathBuf), RunError> {
        let part = self
            .manifest
            .part(name)
            .ok_or_else(|| RunError::NoPart { path: self.path.clone(), part: name.to_owned() })?;
        Ok((part, self.path.join(part.file(name))))
    }

    /// Maps a column.
    pub fn column<T: Value>(&self, name: &str) -> Result<Column<T>, RunError> {
        let (part, path) = self.part(name)?;
        Column::open(&path, name, part)
    }

    /// Maps a column of ids, such as places.
    pub fn ids(&self, name: &str) -> Result<Ids, RunError> {
        let (part, path) = self.part(name)?;
        match part.value.as_deref() {
            Some("u16") => Column::open(&path, name, part).map(Ids::Narrow),
            _ => Column::open(&path, name, part).map(Ids::Wide),
        }
    }

    /// Maps a column by node and place.
    pub fn by_place<T: Summed>(&self, name: &str) -> Result<ByPlace<T>, RunError> {
        let (part, path) = self.part(name)?;
        let places =
            part.places.ok_or_else(|| RunError::damaged(&path, name, "expected a column by place"))?;
        let values = Column::open(&path, name, part)?;
        let sums = self.column(&format!("{name}{}", by_place::SUMS))?;
        ByPlace::new(values, sums, places).ok_or_else(|| {
            RunError::damaged(
                &path,
                name,
                format!("its values, its sums and {places} places do not fit together"),
            )
        })
    }

    /// Opens a table of row groups.
    pub fn rows(&self, name: &str) -> Result<TableReader, RunError> {
        let (part, path) = self.part(name)?;
        let pieces = self.table(&format!("{name}{}", rows::GROUPS))?;
        TableReader::open(path, name, part, &pieces)
    }

    /// Reads a whole table, which must be small.
    pub fn table(&self, name: &str) -> Result<RecordBatch, RunError> {
        let (part, path) = self.part(name)?;
        if part.kind != PartKind::Table {
            return Err(RunError::damaged(&path, name, "expected a table"));
        }
        let found = fs::metadata(&path).map_err(|e| RunError::unreadable(&path, name, e))?.len();
        if found != part.bytes {
            let why = format!("{found} bytes, but the manifest says {}", part.bytes);
            return Err(RunError::damaged(&path, name, why));
        }
        // It is read whole anyway, and what decodes Parquet expects a sound file.
        if hash_file(&path)? != part.hash {
            return Err(RunError::damaged(&path, name, CHANGED));
        }
        let table = read_table(&path, name)?;
        if table.num_rows() as u64 != part.rows {
            let why = format!("{} rows, but the manifest says {}", table.num_rows(), part.rows);
            return Err(RunError::damaged(&path, name, why));
        }
        Ok(table)
    }

    /// The places.
    pub fn places(&self) -> Result<Places, RunError> {
        let table = self.table("places")?;
        Places::from_table(&table).ok_or_else(|| {
            RunError::damaged(&self.path.join("places.parquet"), "places", "not a table of places")
        })
    }

    /// The source positions; none when the run has none.
    pub fn sources(&self) -> Result<Sources, RunError> {
        if !self.has("sources") {
            return Ok(Sources::default());
        }
        let (sources, sites) = (self.table("sources")?, self.table("sites")?);
        Sources::from_tables(&sources, &sites).ok_or_else(|| {
            RunError::damaged(&self.path.join("sources.parquet"), "sources", "not a table of sources")
        })
    }

    /// Size of all parts.
    pub fn bytes(&self) -> u64 {
        self.manifest.all_parts().fold(0, |sum, (_, part)| sum.saturating_add(part.bytes))
    }

    /// Reads every byte and says which parts are not as they were written.
    pub fn check(&self) -> Vec<Damage> {
        let parts: Vec<(String, &Part)> = self.manifest.all_parts().collect();
        let mut damages: Vec<Damage> = parts
            .into_par_iter()
            .filter_map(|(name, part)| {
                let file = part.file(&name);
                let path = self.path.join(&file);
                let why = match fs::metadata(&path) {
                    Err(error) if error.kind() == ErrorKind::NotFound => "its file is missing".into(),
                    Err(error) => error.to_string(),
                    Ok(found) if found.len() != part.bytes => {
                        format!("{} bytes, but the manifest says {}", found.len(), part.bytes)
                    }
                    Ok(_) => match hash_file(&path) {
                        Err(error) => error.to_string(),
                        Ok(hash) if hash != part.hash => CHANGED.into(),
                        Ok(_) => return None,
                    },
                };
                Some(Damage { part: name, file, why })
            })
            .collect();
        damages.sort_by(|a, b| a.part.cmp(&b.part));
        damages
    }
}

/// XXH3-64 of a file, in hexadecimal.
pub(crate) fn hash_file(path: &Path) -> Result<String, RunError> {
    let mut file = File::open(path).map_err(RunError::io(path))?;
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(RunError::io(path))? {
            0 => return Ok(format!("{:016x}", hash.digest())),
            n => hash.update(&buffer[..n]),
        }
    }
}
