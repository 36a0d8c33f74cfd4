//! `cargo xtask bench`: builds and runs `crates/bench`, shows its table, and keeps it in `docs/benchmarks.md`.
//!
//! `--only-frames` measures how tables reach Python, beside Hatchet. Other arguments go to `crosscut-bench` as they are; with any,
//! nothing is written, because it was not the whole set. With `--only-messages` the section about messages is written.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{examples, ui};
use crate::needs::{self, C_COMPILER};
use crate::process;
use crate::python;
use crate::workspace::{self, Profile, cargo};

const HEADING: &str = "\
# Benchmarks

Written by `cargo xtask bench`, on a machine with CORES cores. The last column says what to compare with: the same
machine's memory and disk, or the size of the work.
";

const MESSAGES: &str = "
## Messages

Written by `cargo xtask bench --only-messages --igraph PYTHON --otf2 ANCHOR --otf2-python PYTHON`, on a machine with CORES cores. What runs on
one core, here and in the other tools, is measured by processor time; the best of five turns, one after the other.

";

pub fn run(args: &[String]) -> Result<()> {
    needs::install(&[&C_COMPILER])?;
    ui::build()?;
    if args == ["--only-frames"] {
        return frames();
    }
    workspace::build_binary(Profile::Release)?;
    let examples = examples::build()?;
    let mut bench = cargo(&["run", "--release", "--quiet", "--package", "crosscut-bench", "--"]);
    bench.arg("--examples").arg(examples);
    // Call profiles are measured beside Hatchet.
    if args.is_empty() || args.iter().any(|arg| arg == "--only-calls") {
        let wanted = workspace::root().join("crates/bench/peers/requirements.txt");
        bench.arg("--hatchet").arg(python::with(&wanted)?);
    }
    let only_messages = args.iter().any(|arg| arg == "--only-messages");
    if !args.is_empty() && !only_messages {
        return process::run(bench.args(args));
    }
    let output = bench.args(args).stderr(std::process::Stdio::inherit()).output()?;
    let table = String::from_utf8(output.stdout).context("crosscut-bench printed bytes that are not text")?;
    print!("{table}");
    if !output.status.success() {
        bail!("crosscut-bench ended with {}", output.status);
    }
    let file = workspace::root().join("docs/benchmarks.md");
    let cores = std::thread::available_parallelism()?.to_string();
    let old = fs::read_to_string(&file).unwrap_or_default();
    let new = match only_messages {
        true => with_section(&old, "## Messages", &format!("{}{table}", MESSAGES.replace("CORES", &cores))),
        false => {
            // What people wrote about it stands behind the table, under headings of its own.
            let notes = old.find("\n## ").map_or("", |at| &old[at..]);
            format!("{}\n{table}{notes}", HEADING.replace("CORES", &cores))
        }
    };
    fs::write(&file, new).with_context(|| format!("could not write {}", file.display()))?;
    println!("written to docs/benchmarks.md");
    Ok(())
}

/// Tables in Python, beside Hatchet.
fn frames() -> Result<()> {
    let package = python::package(Profile::Release)?;
    let folder = workspace::root().join("python");
    let python = python::with(&folder.join("tests/requirements.txt"))?;
    process::run(Command::new(python).arg(folder.join("bench/frames.py")).env("PYTHONPATH", package))
}

/// A text with one of its sections replaced: from its heading to its first lower heading or to the next one. A section that it has not is put
/// at its end.
fn with_section(text: &str, heading: &str, section: &str) -> String {
    let Some(begin) = text.find(&format!("\n{heading}\n")) else { return format!("{text}{section}") };
    let inside = begin + 1 + heading.len();
    let end = text[inside..].find("\n##").map_or(text.len(), |at| inside + at);
    format!("{}{section}{}", &text[..begin], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::with_section;

    #[test]
    fn one_section_is_replaced_and_notes_below_it_stay() {
        let text = "# All\n\ntable\n\n## Two\n\nold\n\n### Note\n\nstays\n\n## Three\n\nend\n";
        let new = with_section(text, "## Two", "\n## Two\n\nnew\n");
        assert_eq!(new, text.replace("old\n", "new\n"));
        let last = with_section("# All\n\n## Two\n\nold\n", "## Two", "\n## Two\n\nnew\n");
        assert_eq!(last, "# All\n\n## Two\n\nnew\n");
        assert_eq!(with_section("# All\n", "## Two", "\n## Two\n"), "# All\n\n## Two\n");
    }
}
