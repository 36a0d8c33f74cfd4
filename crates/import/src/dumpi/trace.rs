//! Which files make a trace: those of all ranks, found from a folder, from their description, from all of them or from one.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crosscut_run::plain;

use super::MOST_RANKS;
use super::decode::Version;
use super::file::MAGIC;
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::{FoundFile, Inputs, failed};

/// The most bytes of a description.
const META: u64 = 1 << 16;
/// Files that are looked into before a folder is taken for something else.
const LOOKED: usize = 16;

/// The file of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankFile {
    /// Which rank.
    pub rank: u32,
    /// Where it is.
    pub path: PathBuf,
}

impl RankFile {
    /// Opens it.
    pub fn open<'a>(&'a self, inputs: &'a Inputs<'a>) -> Result<Input<'a>, ImportError> {
        Input::open(&self.path, inputs)
    }
}

/// The files of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// By rank.
    pub files: Vec<RankFile>,
    /// The number of ranks, where the description tells.
    pub ranks: Option<u32>,
    /// The version of the writer, where the description tells.
    pub version: Option<Version>,
    /// What is to be known of how they were found.
    pub notes: Vec<String>,
}

impl Trace {
    /// Whether there is one among these files.
    pub fn is_in(inputs: &Inputs<'_>) -> Result<bool, ImportError> {
        let mut looked = 0;
        for file in inputs.files() {
            if is_meta(&file.path) && read_meta(&file.path)?.is_some() {
                return Ok(true);
            }
            if looked < LOOKED && name_of(&file.path).is_some() {
                looked += 1;
                if inputs.open(file)?.head()?.starts_with(&MAGIC) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether these are names of files of one trace, without any folder.
    pub fn is_one(paths: &[&Path]) -> bool {
        let prefix = |path: &&Path| match is_meta(path) {
            true => Some(path.with_extension("")),
            false => name_of(path).map(|(prefix, _)| prefix),
        };
        let first = paths.first().and_then(prefix);
        first.is_some() && paths.iter().all(|path| path.is_file() && prefix(path) == first)
    }

    /// Finds all files of the trace that these files belong to.
    pub fn find(inputs: &Inputs<'_>) -> Result<Self, ImportError> {
        let mut traces: BTreeMap<PathBuf, Vec<RankFile>> = BTreeMap::new();
        let mut metas: Vec<&FoundFile> = Vec::new();
        for file in inputs.files() {
            if let Some((prefix, rank)) = name_of(&file.path) {
                traces.entry(prefix).or_default().push(RankFile { rank, path: file.path.clone() });
            } else if is_meta(&file.path) {
                metas.push(file);
            }
        }
        let mut notes = Vec::new();
        if traces.is_empty() {
            for meta in &metas {
                let prefix = meta.path.with_extension("");
                traces.insert(prefix.clone(), siblings(&prefix)?);
            }
        } else if let ([(prefix, files)], None) = (&traces.iter().collect::<Vec<_>>()[..], inputs.folder())
            && files.len() == 1
        {
            // One rank is named: the trace is meant.
            let (prefix, all) = ((*prefix).clone(), siblings(prefix)?);
            if all.len() > 1 {
                notes.push(format!("the files of the {} other ranks beside it were read too", all.len() - 1));
            }
            traces.insert(prefix, all);
        }
        let names: Vec<String> = traces.keys().map(|prefix| prefix.display().to_string()).collect();
        let (prefix, mut files) = match traces.len() {
            1 => traces.pop_first().unwrap_or_default(),
            0 => return Err(ImportError::Option("no files of ranks: they are named PREFIX-0000.bin".into())),
            _ => {
                let what = format!("several traces: {}. Name the .meta file of one", names.join(", "));
                return Err(ImportError::Option(what));
            }
        };
        if files.is_empty() {
            let what = "there are no files of ranks beside it: they are named PREFIX-0000.bin".to_owned();
            return Err(ImportError::Broken {
                path: inputs.path().to_owned(),
                offset: 0,
                record: None,
                what,
            });
        }
        files.sort_by_key(|file| file.rank);
        if let Some(pair) = files.windows(2).find(|pair| pair[0].rank == pair[1].rank) {
            let what = format!("rank {} has two files, this and {}", pair[0].rank, pair[0].path.display());
            return Err(ImportError::Broken { path: pair[1].path.clone(), offset: 0, record: None, what });
        }
        let mut meta = prefix.into_os_string();
        meta.push(".meta");
        let meta = PathBuf::from(meta);
        let about = if meta.is_file() { read_meta(&meta)? } else { None };
        let (ranks, version) = about.map_or((None, None), |about| (about.ranks, about.version));
        Ok(Trace { files, ranks, version, notes })
    }
}

fn is_meta(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "meta")
}

/// The beginning of a file's name, with its folder, and its rank: `PREFIX-0000.bin`.
fn name_of(path: &Path) -> Option<(PathBuf, u32)> {
    let name = path.file_name()?.to_str()?.strip_suffix(".bin")?;
    let (prefix, digits) = name.rsplit_once('-')?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let rank = digits.parse().ok().filter(|&rank| rank < MOST_RANKS)?;
    Some((path.with_file_name(prefix), rank))
}

/// The files of all ranks with this beginning.
fn siblings(prefix: &Path) -> Result<Vec<RankFile>, ImportError> {
    let folder = prefix.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = prefix.file_name().unwrap_or_default();
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        match name_of(&path) {
            Some((other, rank)) if other.file_name() == Some(name) => files.push(RankFile { rank, path }),
            _ => {}
        }
    }
    Ok(files)
}

/// What a description says.
struct Meta {
    ranks: Option<u32>,
    version: Option<Version>,
}

/// Reads a description; none when it is not one.
fn read_meta(path: &Path) -> Result<Option<Meta>, ImportError> {
    let text = match plain::read(path, META) {
        Ok(text) => text,
        // What is longer, or no plain file, is something else.
        Err(error) if error.kind() == ErrorKind::InvalidInput => return Ok(None),
        Err(error) => return Err(failed(path)(error)),
    };
    let text = String::from_utf8_lossy(&text);
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
        line.map(str::trim)
    };
    if value("numprocs").is_none() && value("fileprefix").is_none() {
        return Ok(None);
    }
    let ranks = match value("numprocs").map(str::parse::<u32>) {
        Some(Ok(ranks @ 1..MOST_RANKS)) => Some(ranks),
        Some(_) => {
            let what = "numprocs is not a number of ranks".to_owned();
            return Err(ImportError::Broken { path: path.to_owned(), offset: 0, record: None, what });
        }
        None => None,
    };
    let number = |name: &str| value(name)?.parse::<u8>().ok();
    let version = number("version").zip(number("subversion")).zip(number("subsubversion"));
    Ok(Some(Meta { ranks, version: version.map(|((a, b), c)| [a, b, c]) }))
}
