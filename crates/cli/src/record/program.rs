//! The program to record: where it is, and whether a library can be loaded into it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use object::elf::{FileHeader64, PT_INTERP};
use object::read::ReadCache;
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};

/// The file of GCC's OpenMP runtime, without its version.
const LIBGOMP: &str = "libgomp.so";

/// Programs that start the ranks of another, without what may follow behind a dot.
const LAUNCHERS: &[&str] = &[
    "mpirun",
    "mpiexec",
    "orterun",
    "prterun",
    "prun",
    "srun",
    "aprun",
    "jsrun",
    "ibrun",
    "mpirun_rsh",
    "palsrun",
];

/// How the names of libraries of MPI begin.
const MPI_LIBRARIES: &[&str] = &["libmpi.so", "libmpich.so", "libmpi_", "libmpich", "libmpifort"];

/// Words of a command that may name the program that is started in the end (`env`, `numactl`, …).
const WORDS: usize = 64;

/// Whether a word of a command is a program that uses MPI.
fn names_mpi(word: &OsStr) -> bool {
    let path = Path::new(word);
    let is_program = fs::metadata(path).is_ok_and(|about| about.is_file() && is_executable(&about));
    is_program && inspect(path).is_ok_and(|kind| Program { path: path.to_owned(), kind }.needs_mpi())
}

/// An executable file.
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    kind: Kind,
}

enum Kind {
    /// Text that another program reads; or something that only the kernel knows how to start.
    Script,
    /// A 32-bit program.
    Narrow,
    /// Needs no loader, so there is nobody to load a library.
    Static,
    /// What the loader needs to start it.
    Dynamic { loader: PathBuf, needed: Vec<String> },
}

/// The OpenMP runtime that a program asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// GCC's.
    Gcc,
    /// LLVM's or Intel's.
    Llvm,
    /// None when it is started; it may load or start something that does.
    Unknown,
}

impl Program {
    /// Finds a program as the shell does.
    pub fn find(name: &OsStr) -> Result<Self> {
        let path = if name.as_bytes().contains(&b'/') {
            let path = PathBuf::from(name);
            let about = fs::metadata(&path).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => anyhow!("{}: no such program", path.display()),
                _ => anyhow!("{}: {error}", path.display()),
            })?;
            if about.is_dir() {
                bail!("{}: a directory, not a program", path.display());
            }
            if !is_executable(&about) {
                bail!("{}: not executable; `chmod +x` makes it so", path.display());
            }
            path
        } else {
            in_path(name).ok_or_else(|| {
                anyhow!(
                    "{}: no such program in PATH; for one in the current directory write ./{}",
                    name.display(),
                    name.display()
                )
            })?
        };
        let kind = inspect(&path).with_context(|| path.display().to_string())?;
        Ok(Program { path, kind })
    }

    /// Says why a library cannot be loaded into it, if that is so.
    pub fn check(&self) -> Result<()> {
        let path = self.path.display();
        if gains_rights(&self.path)? {
            bail!(
                "{path}: runs with rights that are not yours (setuid, setgid or capabilities), so the system loads no \
                 recorder into it; record a copy without them"
            );
        }
        match self.kind {
            Kind::Narrow => bail!("{path}: a 32-bit program; only 64-bit programs can be recorded"),
            Kind::Static => bail!(
                "{path}: statically linked, so the recorder cannot be loaded into it; link it without -static"
            ),
            Kind::Script | Kind::Dynamic { .. } => Ok(()),
        }
    }

    /// Whether it uses MPI, or starts programs that do.
    pub fn is_mpi(&self, words: &[OsString]) -> bool {
        self.is_launcher() || self.needs_mpi() || words.iter().skip(1).take(WORDS).any(|word| names_mpi(word))
    }

    /// Whether it is known to start the ranks of a program.
    pub fn is_launcher(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // `mpirun.openmpi`, `mpiexec.hydra`
        LAUNCHERS.contains(&name.split('.').next().unwrap_or_default())
    }

    /// Whether a library of MPI is loaded when it starts.
    pub fn needs_mpi(&self) -> bool {
        let Kind::Dynamic { loader, needed } = &self.kind else { return false };
        let is_mpi = |name: &str| MPI_LIBRARIES.iter().any(|library| name.starts_with(library));
        needed.iter().any(|name| is_mpi(name))
            || loaded(loader, &self.path).is_some_and(|all| all.iter().any(|(name, _)| is_mpi(name)))
    }

    /// The OpenMP runtime that is loaded when it starts.
    pub fn runtime(&self) -> Runtime {
        let Kind::Dynamic { loader, needed } = &self.kind else { return Runtime::Unknown };
        let libraries = match loaded(loader, &self.path) {
            Some(libraries) => libraries.into_iter().map(|(name, _)| name).collect(),
            None => needed.clone(),
        };
        let any =
            |names: &[&str]| libraries.iter().any(|library| names.iter().any(|n| library.starts_with(n)));
        match () {
            () if any(&["libomp.so", "libomp-", "libomp5.so", "libiomp5.so"]) => Runtime::Llvm,
            () if any(&[LIBGOMP]) => Runtime::Gcc,
            () => Runtime::Unknown,
        }
    }

    /// The program itself and the libraries that are loaded when it starts, but for GCC's OpenMP runtime.
    pub fn files(&self) -> Vec<PathBuf> {
        let libraries = match &self.kind {
            Kind::Dynamic { loader, .. } => loaded(loader, &self.path).unwrap_or_default(),
            _ => Vec::new(),
        };
        let others = libraries.into_iter().filter(|(name, _)| !name.starts_with(LIBGOMP));
        [self.path.clone()].into_iter().chain(others.filter_map(|(_, path)| path)).collect()
    }

    /// Whether GCC's OpenMP runtime is a part of the program itself, as far as its symbols tell.
    pub fn has_own_libgomp(&self) -> bool {
        self.has_symbol(|name, is_defined| is_defined && name == b"GOMP_parallel")
    }

    /// Whether it is built with a sanitizer: these want to be the first library that is loaded, as the recorder does.
    pub fn has_sanitizer(&self) -> bool {
        const INIT: [&[u8]; 4] = [b"__asan_init", b"__tsan_init", b"__msan_init", b"__hwasan_init"];
        self.has_symbol(|name, _| INIT.contains(&name))
    }

    /// Whether Rayon is in it.
    pub fn has_rayon(&self) -> bool {
        self.has_symbol(|name, _| name.windows(10).any(|part| part == b"rayon_core"))
    }

    /// Whether a symbol is as wanted: its name, and whether it is defined here.
    fn has_symbol(&self, is_wanted: impl Fn(&[u8], bool) -> bool) -> bool {
        let Kind::Dynamic { .. } = self.kind else { return false };
        let Ok(file) = File::open(&self.path) else { return false };
        let file = &ReadCache::new(file);
        let Ok(elf) = ElfFile64::<Endianness, _>::parse(file) else { return false };
        let mut symbols = elf.symbols().chain(elf.dynamic_symbols());
        symbols.any(|symbol| symbol.name_bytes().is_ok_and(|name| is_wanted(name, symbol.is_definition())))
    }
}

fn in_path(name: &OsStr) -> Option<PathBuf> {
    // What the system looks through when there is no PATH.
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/bin:/usr/bin"));
    let mut files = std::env::split_paths(&path).map(|folder| {
        if folder.as_os_str().is_empty() { Path::new(".").join(name) } else { folder.join(name) }
    });
    files.find(|file| fs::metadata(file).is_ok_and(|about| about.is_file() && is_executable(&about)))
}

fn is_executable(about: &Metadata) -> bool {
    about.permissions().mode() & 0o111 != 0
}

/// Whether the kernel gives it other rights than ours: then the loader obeys no wish of the environment.
fn gains_rights(path: &Path) -> Result<bool> {
    let about = fs::metadata(path).with_context(|| path.display().to_string())?;
    let mode = about.permissions().mode();
    // SAFETY: these ask the kernel for numbers, and cannot fail.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let name = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: both names end in zero; with no buffer the size of the attribute is asked for.
    let size =
        unsafe { libc::getxattr(name.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) };
    let capabilities = size > 0 && user != 0;
    let set_user = mode & libc::S_ISUID != 0 && about.uid() != user;
    let set_group = mode & libc::S_ISGID != 0 && mode & libc::S_IXGRP != 0 && about.gid() != group;
    Ok(capabilities || set_user || set_group)
}

fn inspect(path: &Path) -> Result<Kind> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        // It may be started without being readable.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Ok(Kind::Script),
        Err(error) => return Err(error.into()),
    };
    let mut head = Vec::new();
    file.by_ref().take(5).read_to_end(&mut head)?;
    match head.as_slice() {
        [0x7f, b'E', b'L', b'F', 1] => Ok(Kind::Narrow),
        [0x7f, b'E', b'L', b'F', _] => inspect_elf(file).context("a damaged program"),
        _ => Ok(Kind::Script),
    }
}

fn inspect_elf(file: File) -> Result<Kind> {
    let file = &ReadCache::new(file);
    let elf = ElfFile64::<Endianness, _>::parse(file)?;
    let endian = elf.endian();
    let header: &FileHeader64<Endianness> = elf.elf_header();
    let interpreter = header.program_headers(endian, file)?.iter().find(|h| h.p_type(endian) == PT_INTERP);
    let Some(interpreter) = interpreter else { return Ok(Kind::Static) };
    let loader = interpreter.data(endian, file).map_err(|()| anyhow!("its loader has no name"))?;
    let loader = loader.split(|&byte| byte == 0).next().unwrap_or_default();
    let needed = elf.import_libraries().map(|libraries| {
        libraries.flatten().map(|library| String::from_utf8_lossy(library.name()).into_owned()).collect()
    });
    Ok(Kind::Dynamic { loader: OsStr::from_bytes(loader).into(), needed: needed.unwrap_or_default() })
}

/// The names of all libraries that the loader would load and where they are, as `ldd` asks it; the program itself is not
/// started.
fn loaded(loader: &Path, program: &Path) -> Option<Vec<(String, Option<PathBuf>)>> {
    let output =
        Command::new(loader).arg("--list").arg(program).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = output.ok().filter(|output| output.status.success())?.stdout;
    let text = String::from_utf8_lossy(&text);
    // `libgomp.so.1 => /lib/x86_64-linux-gnu/libgomp.so.1 (0x00007f…)`
    let library = |line: &str| {
        let name = line.split_whitespace().next()?.rsplit('/').next()?.to_owned();
        let path =
            line.split_once("=> ").and_then(|(_, path)| path.rsplit_once(" (")).map(|(path, _)| path.into());
        Some((name, path))
    };
    Some(text.lines().filter_map(library).collect())
}
