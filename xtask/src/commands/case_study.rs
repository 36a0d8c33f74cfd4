//! `cargo xtask case-study`: builds `examples/front`, records its calls under 16 ranks, says what the report finds, and takes the pictures
//! of `docs/case-study-calls.md`. `--dev` uses a binary without optimisation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::ui;
use crate::needs::{self, CHROMIUM, FONTS, GCC, OPEN_MPI, OPEN_MPI_RUN};
use crate::process;
use crate::workspace::{self, Profile};

const RANKS: &str = "16";
/// Steps of the program.
const STEPS: &str = "150";

pub fn run(args: &[String]) -> Result<()> {
    let profile = match args {
        [] => Profile::Release,
        [dev] if dev == "--dev" => Profile::Dev,
        [other, ..] => bail!("unknown option \"{other}\""),
    };
    needs::install(&[&GCC, &OPEN_MPI, &OPEN_MPI_RUN, &CHROMIUM, &FONTS])?;
    ui::build()?;
    let crosscut = workspace::build_binary(profile)?;
    let run = record(&crosscut, &build()?)?;
    process::run(Command::new(&crosscut).arg("report").arg(&run))?;
    let pictures = workspace::root().join("docs/pictures");
    fs::create_dir_all(&pictures)?;
    let mut node = needs::node("node");
    node.arg("e2e/case-study.mjs")
        .args([&pictures, &run])
        .current_dir(workspace::ui())
        .env("CROSSCUT", crosscut)
        .env("CHROMIUM", needs::chromium());
    process::run(&mut node)
}

/// The program and its library.
fn build() -> Result<PathBuf> {
    let sources = workspace::root().join("examples/front");
    let folder = workspace::out("examples/front")?;
    let compile = |words: &[&str], source: &str, to: &Path| {
        let mut compile = Command::new("mpicc.openmpi");
        compile.args(["-O1", "-g", "-fno-omit-frame-pointer"]).arg(sources.join(source)).arg("-o").arg(to);
        process::run(compile.args(words))
    };
    compile(&["-shared", "-fPIC", "-lm"], "material.c", &folder.join("libmaterial.so"))?;
    let library = format!("-L{}", folder.display());
    let program = folder.join("front");
    compile(&[&library, "-lmaterial", "-Wl,-rpath,$ORIGIN"], "front.c", &program)?;
    Ok(program)
}

/// One run of all ranks.
fn record(crosscut: &Path, program: &Path) -> Result<PathBuf> {
    let run = workspace::out("runs")?.join("front.crosscut");
    if run.exists() {
        fs::remove_dir_all(&run).with_context(|| format!("could not remove {}", run.display()))?;
    }
    let mut record = Command::new(crosscut);
    record.args(["record", "--calls", "-o"]).arg(&run).args(["--", "mpirun", "--oversubscribe", "-n", RANKS]);
    record.arg(program).arg(STEPS);
    // In a container everybody is root.
    record.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    process::run(&mut record)?;
    Ok(run)
}
