//! What is loaded into the program before its own libraries: the recorder, and LLVM's OpenMP runtime in place of GCC's
//! where that was asked for.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use crosscut_events::{FOLDER_VARIABLE, OPTIONS_VARIABLE};
use tempfile::TempDir;

use super::Wanted;
use super::program::{Program, Runtime};
use super::swap;

/// The file of the recorder.
const RECORDER: &str = "libcrosscut_record.so";
/// The file of the library that stands before MPI.
const BEFORE_MPI: &str = "libcrosscut_mpi.so";
/// The file of LLVM's OpenMP runtime.
const LIBOMP: &str = "libomp.so.5";
/// The variables that name these files where they are somewhere else.
const RECORDER_VARIABLE: &str = "CROSSCUT_RECORDER";
const LIBOMP_VARIABLE: &str = "CROSSCUT_LIBOMP";

/// The libraries to load.
pub struct Preload {
    recorder: PathBuf,
    before_mpi: Option<PathBuf>,
    libomp: Option<PathBuf>,
    runtime: Runtime,
    /// Where a library is called by a name that the loader understands.
    _names: Option<TempDir>,
}

impl Preload {
    /// Finds what the program needs, which may use MPI.
    pub fn find(program: &Program, wanted: Wanted, is_mpi: bool) -> Result<Self> {
        let recorder = recorder()?;
        let before_mpi = if is_mpi { Some(before_mpi(&recorder)?) } else { None };
        let runtime = program.runtime();
        let libomp = match (wanted, runtime) {
            (Wanted::Own, _) | (Wanted::Llvm, Runtime::Llvm) => None,
            (Wanted::Llvm, _) => match libomp()? {
                None => bail!(
                    "LLVM's OpenMP runtime was not found; install it (Debian: apt install libomp-19-dev or libomp5-19), let \
                     {LIBOMP_VARIABLE} name the file {LIBOMP}, or leave out `--runtime llvm`"
                ),
                Some(libomp) => {
                    let files = program.files();
                    swap::check(&libomp, files.iter().map(PathBuf::as_path))?;
                    Some(libomp)
                }
            },
        };
        let mut preload = Preload { recorder, before_mpi, libomp, runtime, _names: None };
        preload.name_for_loader()?;
        Ok(preload)
    }

    /// The variables of the environment that make the program a recorded one.
    pub fn variables(&self, events: &Path, options: &str) -> Vec<(&'static str, Option<OsString>)> {
        let libraries = [Some(&self.recorder), self.before_mpi.as_ref(), self.libomp.as_ref()];
        let mut preload = std::env::var_os("LD_PRELOAD").unwrap_or_default();
        for library in libraries.into_iter().flatten() {
            if !preload.is_empty() {
                preload.push(":");
            }
            preload.push(library);
        }
        let mut variables = vec![
            ("LD_PRELOAD", Some(preload)),
            (FOLDER_VARIABLE, Some(events.into())),
            (OPTIONS_VARIABLE, Some(options.into()).filter(|options: &OsString| !options.is_empty())),
            ("OMP_TOOL", Some("enabled".into())),
        ];
        // The recorder is there already; another tool of the user's is left to the runtime.
        let tools = std::env::var_os("OMP_TOOL_LIBRARIES").unwrap_or_default();
        if Path::new(&tools).file_name() == Some(OsStr::new(RECORDER)) {
            variables.push(("OMP_TOOL_LIBRARIES", None));
        }
        variables
    }

    /// Spaces and colons end a name in LD_PRELOAD, and there is no way to write them: such a library gets another name.
    fn name_for_loader(&mut self) -> Result<()> {
        let ends = |path: &Path| path.as_os_str().as_bytes().iter().any(|byte| b" :\t\n".contains(byte));
        let libraries = [Some(&mut self.recorder), self.before_mpi.as_mut(), self.libomp.as_mut()];
        for library in libraries.into_iter().flatten() {
            if !ends(library) {
                continue;
            }
            let folder = match self._names.take() {
                Some(folder) => folder,
                None => {
                    tempfile::Builder::new().prefix("crosscut-").tempdir().context("a folder for names")?
                }
            };
            let name = folder.path().join(library.file_name().unwrap_or_default());
            std::os::unix::fs::symlink(&*library, &name).with_context(|| name.display().to_string())?;
            *library = name;
            self._names = Some(folder);
        }
        Ok(())
    }
}

/// With which OpenMP runtime.
impl fmt::Display for Preload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.before_mpi.is_some() {
            write!(f, "and its calls of MPI ")?;
        }
        match (self.runtime, &self.libomp) {
            (_, Some(libomp)) => write!(f, "with {} in place of libgomp", libomp.display()),
            (Runtime::Unknown, None) => write!(f, "with its own OpenMP runtime, if it has any"),
            (Runtime::Gcc | Runtime::Llvm, None) => write!(f, "with its own OpenMP runtime"),
        }
    }
}

fn recorder() -> Result<PathBuf> {
    if let Some(named) = named(RECORDER_VARIABLE)? {
        return Ok(named);
    }
    let own = std::env::current_exe().context("the path of crosscut itself")?;
    let folder = own.parent().unwrap_or(Path::new("/"));
    let places = [folder.to_owned(), folder.join("../lib/crosscut"), folder.join("../lib")];
    match places.iter().map(|place| place.join(RECORDER)).find(|file| file.is_file()) {
        Some(file) => Ok(std::path::absolute(file)?),
        None => bail!(
            "the recorder {RECORDER} is not beside {} and not in ../lib/crosscut or ../lib; build it with `cargo build \
             --release -p crosscut-record`, or let {RECORDER_VARIABLE} name the file",
            own.display()
        ),
    }
}

/// The library that stands before MPI comes with the recorder.
fn before_mpi(recorder: &Path) -> Result<PathBuf> {
    let file = recorder.with_file_name(BEFORE_MPI);
    if !file.is_file() {
        bail!(
            "{BEFORE_MPI} is not beside the recorder {}; it records calls of MPI: build it with `cargo build --release -p \
             crosscut-mpi`",
            recorder.display()
        );
    }
    Ok(file)
}

/// The file that a variable names; it has to be there.
fn named(variable: &str) -> Result<Option<PathBuf>> {
    let Some(file) = std::env::var_os(variable).filter(|file| !file.is_empty()) else { return Ok(None) };
    let file = std::path::absolute(file)?;
    if !file.is_file() {
        bail!("{variable} names {}, where no file is", file.display());
    }
    Ok(Some(file))
}

fn libomp() -> Result<Option<PathBuf>> {
    if let Some(named) = named(LIBOMP_VARIABLE)? {
        return Ok(Some(named));
    }
    let of_llvm = llvm_folders().into_iter().map(|folder| folder.join("lib").join(LIBOMP));
    let found = of_llvm.chain(loader_cache()).chain([Path::new("/usr/local/lib").join(LIBOMP)]);
    Ok(found.into_iter().find(|file| file.is_file()))
}

/// `/usr/lib/llvm-*`, newest first.
fn llvm_folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.strip_prefix("llvm-")?.parse().ok()?, entry.path()))
        })
        .collect();
    versions.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    versions.into_iter().map(|(_, folder)| folder).collect()
}

/// The file in the cache of the system's loader. `ldconfig` is often not in the PATH of a user.
fn loader_cache() -> Option<PathBuf> {
    let ask = |program| Command::new(program).arg("-p").output().ok();
    let output = ["ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"].into_iter().find_map(ask)?;
    let text = String::from_utf8_lossy(&output.stdout);
    // `libomp.so.5 (libc6,x86-64) => /lib/x86_64-linux-gnu/libomp.so.5`; 32-bit ones name no machine.
    let line = text.lines().find(|line| line.trim_start().starts_with(LIBOMP) && line.contains("64"))?;
    Some(line.rsplit_once("=> ")?.1.into())
}
