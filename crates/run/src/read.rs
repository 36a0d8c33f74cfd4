//! Opening a run. Opening reads the manifest and nothing else; columns are mapped when they are asked for. Sizes are
//! always checked; checksums of tables when they are read, those of columns on request, since that reads every byte.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::blocks::Hashes;
use crate::by_place::{self, ByPlace, Summed};
use crate::column::{Column, Value};
use crate::error::RunError;
use crate::file;
use crate::ids::Ids;
use crate::manifest::{Manifest, Part, PartKind};
use crate::places::Places;
use crate::plain;
use crate::rows::{self, TableReader};
use crate::sources::Sources;
use crate::table::read_table;
use crate::upgrade;

/// What says what a run holds.
pub(crate) const MANIFEST: &str = "manifest.json";

/// No manifest is longer: it has a few hundred bytes for each part.
const MANIFEST_BYTES: u64 = 16 << 20;

pub(crate) const CHANGED: &str = "its checksum does not match: the content changed";

/// Runs up to this size are small.
const SMALL: u64 = 32 << 20;

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
        let file = path.join(MANIFEST);
        if file.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Err(not_a_run(format!("it has no {MANIFEST}")));
        }
        let text = plain::read_open(file::open(path, MANIFEST, "manifest")?, MANIFEST_BYTES)
            .map_err(RunError::io(&file))?;
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
        let (part, _) = self.part(name)?;
        Column::open(&self.path, name, part)
    }

    /// Maps a column of ids, such as places.
    pub fn ids(&self, name: &str) -> Result<Ids, RunError> {
        let (part, _) = self.part(name)?;
        match part.value.as_deref() {
            Some("u16") => Column::open(&self.path, name, part).map(Ids::Narrow),
            _ => Column::open(&self.path, name, part).map(Ids::Wide),
        }
    }

    /// Maps a column by node and place.
    pub fn by_place<T: Summed>(&self, name: &str) -> Result<ByPlace<T>, RunError> {
        let (part, path) = self.part(name)?;
        let places =
            part.places.ok_or_else(|| RunError::damaged(&path, name, "expected a column by place"))?;
        let values = Column::open(&self.path, name, part)?;
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
        TableReader::open(&self.path, path, name, part, &pieces)
    }

    /// Reads a whole table, which must be small.
    pub fn table(&self, name: &str) -> Result<RecordBatch, RunError> {
        let (part, path) = self.part(name)?;
        if part.kind != PartKind::Table {
            return Err(RunError::damaged(&path, name, "expected a table"));
        }
        let bytes = file::read(&self.path, &part.file(name), name, part.bytes)?;
        // It is read whole anyway, and what decodes Parquet expects a sound file.
        if format!("{:016x}", xxh3_64(&bytes)) != part.hash {
            return Err(RunError::damaged(&path, name, CHANGED));
        }
        let table = read_table(bytes.into(), &path, name)?;
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

    /// Whether it is checked whole when it is opened, which takes some milliseconds; larger ones are checked while they are
    /// shown ([`crate::BlockCheck`]).
    pub fn is_small(&self) -> bool {
        self.bytes() <= SMALL
    }

    /// Size of all parts.
    pub fn bytes(&self) -> u64 {
        self.manifest.all_parts().fold(0, |sum, (_, part)| sum.saturating_add(part.bytes))
    }

    /// Reads every byte and says which parts are not as they were written.
    pub fn check(&self) -> Vec<Damage> {
        let parts: Vec<(String, &Part)> = self.manifest.all_parts().collect();
        let mut damages: Vec<Damage> =
            parts.into_par_iter().filter_map(|(name, part)| self.damage_of(&name, part)).collect();
        damages.sort_by(|a, b| a.part.cmp(&b.part));
        damages
    }

    /// Opens the file of a part if it has its size; else says what is wrong.
    pub(crate) fn open_sized(&self, name: &str, part: &Part) -> Result<File, String> {
        let opened = file::open(&self.path, &part.file(name), name).map_err(|error| match error {
            RunError::Damaged { why, .. } => why,
            error => error.to_string(),
        })?;
        let found = opened.metadata().map_err(|error| error.to_string())?.len();
        match found == part.bytes {
            true => Ok(opened),
            false => Err(format!("{found} bytes, but the manifest says {}", part.bytes)),
        }
    }

    /// What is wrong with the bytes of a part.
    pub(crate) fn damage_of(&self, name: &str, part: &Part) -> Option<Damage> {
        let file = part.file(name);
        let hash = |opened| hash_file(opened, &self.path.join(&file)).map_err(|error| error.to_string());
        let why = match self.open_sized(name, part).and_then(hash) {
            Err(why) => why,
            Ok((hash, _)) if hash != part.hash => CHANGED.into(),
            Ok(_) => return None,
        };
        Some(Damage { part: name.to_owned(), file, why })
    }
}

/// XXH3-64 of a file, in hexadecimal, and those of its blocks.
pub(crate) fn hash_file(mut file: File, path: &Path) -> Result<(String, Option<String>), RunError> {
    let mut hash = Hashes::new();
    // Most columns of most runs are small.
    let length = file.metadata().map_or(u64::MAX, |known| known.len());
    let mut buffer = vec![0; length.clamp(1 << 10, 1 << 20) as usize];
    loop {
        match file.read(&mut buffer).map_err(RunError::io(path))? {
            0 => return Ok(hash.finish()),
            n => hash.update(&buffer[..n]),
        }
    }
}
