//! `cargo xtask python`: what a wheel holds beside Python's files. `pip install ./python` calls it.

use anyhow::{Result, bail};

use super::ui;
use crate::python;
use crate::workspace::Profile;

pub fn run(args: &[String]) -> Result<()> {
    let profile = match args {
        [] => Profile::Release,
        [only] if only == "--dev" => Profile::Dev,
        [other, ..] => bail!("unknown option \"{other}\""),
    };
    ui::build()?;
    python::fill(profile)
}
