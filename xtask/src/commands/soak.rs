//! `cargo xtask soak`: 64 viewers on 10 million nodes for two minutes, four of whom ask for predictions all the time and 25 of
//! whom never read. Prints how long a scene took and how much memory the server had. It measures time, so it is no part of
//! `cargo xtask test`: it wants a machine that has nothing else to do.

use anyhow::{Context, Result, bail};

use super::ui;
use crate::process;
use crate::workspace::{self, Profile, cargo};

pub fn run(args: &[String]) -> Result<()> {
    let (mut seconds, mut nodes, mut profile) = (120, 10_000_000, Profile::Release);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let number = |value: Option<&String>| -> Result<u64> {
            let value = value.with_context(|| format!("{arg} needs a number"))?;
            value.parse().with_context(|| format!("{arg}: \"{value}\" is no number"))
        };
        match arg.as_str() {
            "--seconds" => seconds = number(args.next())?,
            "--nodes" => nodes = number(args.next())?,
            "--dev" => profile = Profile::Dev,
            other => bail!("unknown option \"{other}\""),
        }
    }
    if !ui::is_built() {
        ui::build()?;
    }
    workspace::build_binary(profile)?;
    let mut bench = cargo(&["run", "--quiet", "--package", "crosscut-bench"]);
    if profile == Profile::Release {
        bench.arg("--release");
    }
    bench.args(["--", "--only-soak", &seconds.to_string(), "--nodes", &nodes.to_string()]);
    process::run(&mut bench)
}
