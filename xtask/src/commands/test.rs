//! `cargo xtask test`: every check and every test, in stages that all run even when one fails.
//!
//! `cargo xtask test rust browser` runs only the named stages. The last line is `N passed, N failed`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{demo, examples, lint, ui};
use crate::needs::{
    self, C_COMPILER, CHROMIUM, FONTS, GCC, GPERFTOOLS, GPROF, NEXTEST, OPEN_MPI, OPEN_MPI_RUN, PERF, State,
    TBB, VALGRIND,
};
use crate::process;
use crate::python;
use crate::stages::{Stage, Stages};
use crate::tally::Tally;
use crate::workspace::{self, Profile, cargo, npm};

/// The page comes first: others embed it.
const PAGE: &[Stage] = &[("page-build", page_build), ("page-tests", page_tests)];

/// What comes after the page and the checks of `cargo xtask lint`.
const REST: &[Stage] = &[
    ("rust", rust),
    ("doc-tests", doc_tests),
    ("peers", peers),
    ("python", python_package),
    ("demo", demo_in_dev),
    ("browser", browser),
    ("notebook", notebook),
];

pub fn run(args: &[String]) -> Result<()> {
    let all: Vec<Stage> = [PAGE, lint::CHECKS, REST].concat();
    let mut stages = Stages::default();
    stages.run_named(&all, &[], args)?;
    stages.finish()
}

fn page_build() -> Result<Tally> {
    ui::build()?;
    Ok(Tally::PASSED)
}

fn page_tests() -> Result<Tally> {
    ui::install_packages()?;
    tests_of(&mut npm(&["test"]))
}

/// Unit, property and snapshot tests of every crate; some of them record the examples.
fn rust() -> Result<Tally> {
    // The PNG writer's tests draw text.
    needs::install(&[&C_COMPILER, &FONTS, &TBB, &VALGRIND])?;
    // Profilers whose files are read.
    needs::install(&[&GCC, &PERF, &GPROF, &GPERFTOOLS])?;
    // Nothing builds without a page. An old one is good enough: what is tested here writes the types of the next.
    if !ui::is_built() {
        ui::build()?;
    }
    let examples = examples::build()?;
    let crosscut = workspace::build_binary(Profile::Dev)?;
    let types = ui::protocol_hash()?;
    let mut tests = if matches!(NEXTEST.look(), State::Found(_)) {
        cargo(&["nextest", "run", "--workspace", "--no-fail-fast"])
    } else {
        println!("cargo-nextest is not here: using `cargo test` (the same tests, a little slower)");
        cargo(&["test", "--workspace", "--all-targets", "--no-fail-fast"])
    };
    tests
        .env("CROSSCUT_EXAMPLES", examples)
        .env("CROSSCUT_RECORDER", workspace::recorder(&crosscut))
        .env("CROSSCUT_BIN", crosscut);
    if let Some(why) = perf_is_refused() {
        println!("perf is not permitted here, so the test of its profiles tests nothing: {why}");
        tests.env("CROSSCUT_WITHOUT_PERF", "1");
    }
    let mut tally = tests_of(&mut tests)?;
    // The tests write the page's types from the Rust ones.
    if ui::protocol_hash()? != types {
        eprintln!("the types in ui/src/protocol were out of date; they are new now, commit them");
        tally.failed += 1;
    }
    Ok(tally)
}

/// What perf says when it may not sample, as in most containers.
fn perf_is_refused() -> Option<String> {
    let mut record = Command::new("perf");
    record.args(["record", "-e", "cpu-clock", "-o", "/dev/null", "--", "true"]);
    match record.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Some(said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given").to_owned())
        }
        Err(error) => Some(error.to_string()),
    }
}

/// The examples in doc comments, which nextest does not run. A workspace without any is fine.
fn doc_tests() -> Result<Tally> {
    let (success, output) = process::run_and_keep(&mut cargo(&["test", "--workspace", "--doc"]))?;
    let tally = Tally::read(&output);
    if !success && tally.failed == 0 {
        bail!("the doc tests did not build");
    }
    Ok(tally)
}

/// Other tools on the same input: scipy and igraph.
fn peers() -> Result<Tally> {
    let folder = workspace::root().join("crates/messages/tests/peers");
    let python = python::with(&folder.join("requirements.txt"))?;
    workspace::build(&[], Profile::Dev)?;
    let example = workspace::built(Profile::Dev)?.join("examples/clusters");
    tests_of(Command::new(python).arg(folder.join("clusters.py")).arg(example))
}

/// The Python package: its tests, and the examples in its doc strings.
fn python_package() -> Result<Tally> {
    // The tutorials compile what they record.
    needs::install(&[&GCC, &OPEN_MPI, &OPEN_MPI_RUN])?;
    ui::build()?;
    let package = python::package(Profile::Dev)?;
    let tests = workspace::root().join("python/tests");
    let python = python::with(&tests.join("requirements.txt"))?;
    let mut pytest = Command::new(&python);
    // Not from the folder of the package: Python would find its files there, without what is built.
    pytest
        .current_dir(&tests)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "../pyproject.toml"])
        .args(["--doctest-modules", "--pyargs", "crosscut", "."])
        .env("PYTHONPATH", package);
    let mut tally = tests_of(&mut pytest)?;
    tally += tests_of(&mut installed(&python)?)?;
    Ok(tally)
}

/// What somebody has who installs the package: a test that knows of nothing else.
fn installed(python: &Path) -> Result<Command> {
    let mut test = Command::new(python::wheel(python)?);
    test.arg(workspace::root().join("python/tests/installed.py"))
        .env_remove("PYTHONPATH")
        .env_remove("CROSSCUT");
    Ok(test)
}

/// The front door: what `cargo xtask demo` does, without optimisation and without a browser.
fn demo_in_dev() -> Result<Tally> {
    demo::run(&["--no-view".into(), "--dev".into()])?;
    Ok(Tally::PASSED)
}

/// The page in a real browser, against a real server.
fn browser() -> Result<Tally> {
    needs::install(&[&CHROMIUM, &FONTS])?;
    ui::build()?;
    let crosscut = workspace::build_binary(Profile::Dev)?;
    let mut node = needs::node("node");
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(browser_tests("e2e/tests")?)
        .current_dir(workspace::ui())
        // A domain that only its test knows, served as any other.
        .env("TIMBER", crosscut.with_file_name("examples").join("timber"))
        .env("CROSSCUT", crosscut)
        .env("CHROMIUM", needs::chromium());
    tests_of(&mut node)
}

/// Views in real JupyterLab, in a real browser.
fn notebook() -> Result<Tally> {
    needs::install(&[&CHROMIUM, &FONTS])?;
    ui::build()?;
    let package = python::package(Profile::Dev)?;
    let python = python::with(&workspace::root().join("python/tests/requirements.txt"))?;
    let mut node = needs::node("node");
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(browser_tests("e2e/notebook")?)
        .current_dir(workspace::ui())
        .env("PYTHON", python)
        .env("PYTHONPATH", package)
        .env("CHROMIUM", needs::chromium());
    tests_of(&mut node)
}

/// The tests in a folder of `ui/`, by name: what `node --test` makes of a folder depends on its version.
fn browser_tests(folder: &str) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(workspace::ui().join(folder)).with_context(|| format!("could not list ui/{folder}"))?;
    let mut files =
        entries.map(|entry| Ok(Path::new(folder).join(entry?.file_name()))).collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// Runs a test runner. One that found no test, or broke before it could count, is an error.
fn tests_of(runner: &mut Command) -> Result<Tally> {
    let (success, output) = process::run_and_keep(runner)?;
    let tally = Tally::read(&output);
    if tally.failed == 0 && !success {
        bail!("`{}` failed before it could count its tests", process::describe(runner));
    }
    if tally.passed + tally.failed == 0 {
        bail!("`{}` ran no test", process::describe(runner));
    }
    Ok(tally)
}
