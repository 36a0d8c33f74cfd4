//! `cargo xtask examples`: builds the programs in `examples/`, one source file each, to `out/examples`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::needs::{self, C_COMPILER};
use crate::process;
use crate::workspace;

/// How a source file becomes a program: extension, compiler, flags.
const RULES: &[(&str, &str, &[&str])] = &[
    ("c", "cc", &["-O2", "-g", "-pthread"]),
    ("cc", "c++", &["-O2", "-g", "-pthread"]),
    ("cpp", "c++", &["-O2", "-g", "-pthread"]),
];

pub fn run(args: &[String]) -> Result<()> {
    super::no_options(args)?;
    let folder = workspace::root().join("examples");
    let mut built = 0;
    let mut files = match fs::read_dir(&folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).context(format!("could not list {}", folder.display())),
    };
    files.sort();
    for file in files {
        built += usize::from(build(&file)?);
    }
    match built {
        0 => println!("there are no programs in examples/ yet"),
        n => println!("{n} built in out/examples"),
    }
    Ok(())
}

/// Builds one program; a file that no rule matches is left alone.
fn build(source: &Path) -> Result<bool> {
    let extension = source.extension().and_then(|extension| extension.to_str());
    let Some((_, compiler, flags)) = RULES.iter().find(|rule| Some(rule.0) == extension) else {
        return Ok(false);
    };
    needs::install(&[&C_COMPILER])?;
    let name = source.file_stem().context("a source file without a name")?;
    let program = workspace::out("examples")?.join(name);
    process::run(Command::new(compiler).args(*flags).arg(source).arg("-o").arg(&program))?;
    Ok(true)
}
