//! `cargo xtask examples`: builds the programs in `examples/` to `out/examples`.
//!
//! Each C and C++ file is built twice: `clang/NAME` runs on LLVM's OpenMP, `gcc/NAME` on GNU's. Rust packages go to
//! `rust/NAME`. Those of `examples/planted` go to `planted` in the same folders; there, C++ is for oneTBB. Those of
//! `examples/mpi` go to `openmpi` and `mpich`, built by the compilers of these two. Only what has changed is built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::needs::{
    self, CLANG, FORTRAN, GCC, LLVM_OPENMP, MPICH, MPICH_RUN, Need, OPEN_MPI, OPEN_MPI_RUN, TBB,
};
use crate::process;
use crate::workspace::{self, Profile, cargo};

/// A pair of compilers, and the folder in `out/examples` for what they build.
struct Toolchain {
    folder: &'static str,
    c: &'static str,
    cpp: &'static str,
    fortran: Option<&'static str>,
    needs: &'static [&'static Need],
}

const LLVM: Toolchain = Toolchain {
    folder: "clang",
    c: "clang-19",
    cpp: "clang++-19",
    fortran: None,
    needs: &[&CLANG, &LLVM_OPENMP],
};

const GNU: Toolchain = Toolchain { folder: "gcc", c: "gcc", cpp: "g++", fortran: None, needs: &[&GCC] };

const WITH_OPEN_MPI: Toolchain = Toolchain {
    folder: "openmpi",
    c: "mpicc.openmpi",
    cpp: "mpicxx.openmpi",
    fortran: Some("mpif90.openmpi"),
    needs: &[&GCC, &FORTRAN, &OPEN_MPI, &OPEN_MPI_RUN],
};

const WITH_MPICH: Toolchain = Toolchain {
    folder: "mpich",
    c: "mpicc.mpich",
    cpp: "mpicxx.mpich",
    fortran: Some("mpif90.mpich"),
    needs: &[&GCC, &FORTRAN, &MPICH, &MPICH_RUN],
};

const FLAGS: &[&str] = &["-O2", "-g", "-Wall", "-Wextra"];
const OPENMP: &[&str] = &["-fopenmp", "-lm"];
const ONE_TBB: &[&str] = &["-std=c++17", "-DCROSSCUT_TBB", "-ltbb"];

/// The folder of programs with one planted cause each, in `examples` and below what is built.
const PLANTED: &str = "planted";
/// Their package in Rust, and its programs.
const PLANTED_RUST: (&str, &[&str]) =
    ("crosscut-example-planted", &["rayon_healthy", "rayon_serial", "rayon_small"]);

/// Folders in `examples/` that are Rust packages: `quicksort` is the package `crosscut-example-quicksort` with the
/// program `quicksort`.
const RUST_PACKAGES: &[&str] = &["quicksort"];

pub fn run(args: &[String]) -> Result<()> {
    super::no_options(args)?;
    build()?;
    Ok(())
}

/// Builds every program and says in which folder they are.
pub fn build() -> Result<PathBuf> {
    let sources = files_in(&workspace::root().join("examples"))?;
    let planted = files_in(&workspace::root().join("examples").join(PLANTED))?;
    needs::install(&[&TBB])?;
    let mut built = 0;
    for toolchain in [&LLVM, &GNU] {
        needs::install(toolchain.needs)?;
        for source in &sources {
            built += usize::from(toolchain.build(source, OPENMP, "")?);
        }
        for source in &planted {
            let is_tbb = source.extension().is_some_and(|extension| extension == "cpp");
            built += usize::from(toolchain.build(source, if is_tbb { ONE_TBB } else { OPENMP }, PLANTED)?);
        }
    }
    let messages = files_in(&workspace::root().join("examples/mpi"))?;
    for toolchain in [&WITH_OPEN_MPI, &WITH_MPICH] {
        needs::install(toolchain.needs)?;
        for source in &messages {
            built += usize::from(toolchain.build(source, OPENMP, "")?);
        }
    }
    build_programs(PLANTED_RUST.0, PLANTED_RUST.1, &format!("rust/{PLANTED}"))?;
    for name in RUST_PACKAGES {
        build_package(name)?;
    }
    match built {
        0 => println!("the examples are up to date"),
        n => println!("{n} programs built in out/examples"),
    }
    workspace::out("examples")
}

/// Builds the one example that the demo records: the OpenMP sort or, where clang cannot be had, Rayon's quicksort, for
/// which Rust is enough.
pub fn build_one() -> Result<PathBuf> {
    if let Err(error) = needs::install(LLVM.needs) {
        println!("{error:#}; recording a Rust program instead");
        return build_package("quicksort");
    }
    let source = workspace::root().join("examples/sort.c");
    LLVM.build(&source, OPENMP, "")?;
    LLVM.program(&source, "")
}

impl Toolchain {
    /// Builds one program into a folder below its own; false when it is up to date, or the file is not a program.
    fn build(&self, source: &Path, flags: &[&str], below: &str) -> Result<bool> {
        let compiler = match source.extension().and_then(|extension| extension.to_str()) {
            Some("c") => self.c,
            Some("cpp") => self.cpp,
            Some("f90") if self.fortran.is_some() => self.fortran.unwrap_or_default(),
            _ => return Ok(false),
        };
        let program = self.program(source, below)?;
        let headers = workspace::root().join("crates/record/include");
        // The rules are inputs too, and xtask holds them; a build may have replaced it while it runs.
        let mut inputs = vec![source.to_owned()];
        inputs.extend(std::env::current_exe().into_iter().filter(|program| program.is_file()));
        inputs.extend(files_in(&headers)?);
        let beside = ["work.h", "count.h"].map(|name| source.with_file_name(name));
        inputs.extend(beside.into_iter().filter(|header| header.is_file()));
        if is_newer(&program, &inputs)? {
            return Ok(false);
        }
        let mut compile = Command::new(compiler);
        compile.args(FLAGS).arg("-I").arg(headers).arg(source).arg("-o").arg(&program).args(flags);
        process::run(&mut compile)?;
        Ok(true)
    }

    /// Where a source file's program goes.
    fn program(&self, source: &Path, below: &str) -> Result<PathBuf> {
        let name = source.file_stem().context("a source file without a name")?;
        Ok(made(&format!("{}/{below}", self.folder))?.join(name))
    }
}

/// Builds a Rust package; cargo knows what has changed.
fn build_package(name: &str) -> Result<PathBuf> {
    let package = format!("crosscut-example-{name}");
    build_programs(&package, &[name], "rust")?;
    Ok(made("rust")?.join(name))
}

/// Builds the programs of a Rust package and copies them to a folder.
fn build_programs(package: &str, names: &[&str], folder: &str) -> Result<()> {
    process::run(&mut cargo(&["build", "--release", "--package", package]))?;
    for name in names {
        let from = workspace::built(Profile::Release)?.join(name);
        let to = made(folder)?.join(name);
        fs::copy(&from, &to)
            .with_context(|| format!("could not copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

/// A folder in `out/examples`.
fn made(folder: &str) -> Result<PathBuf> {
    workspace::out(&format!("examples/{folder}"))
}

/// The files in a folder, not those in folders below, in a fixed order; none when there is no such folder.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if folder.exists() {
        for entry in fs::read_dir(folder).with_context(|| format!("could not list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a program is there and newer than everything it is made from.
fn is_newer(program: &Path, inputs: &[PathBuf]) -> Result<bool> {
    let Ok(built) = modified(program) else { return Ok(false) };
    for input in inputs {
        if modified(input).with_context(|| format!("could not look at {}", input.display()))? >= built {
            return Ok(false);
        }
    }
    Ok(true)
}

fn modified(path: &Path) -> std::io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}
