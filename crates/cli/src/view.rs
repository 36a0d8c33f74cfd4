//! `crosscut view`: the workbench in a browser.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use crosscut_run::Run;
use crosscut_server::{Options, Server};
use crosscut_workbench::Workbench;
use tempfile::TempDir;

use crate::import::{How, import};
use crate::settings::{self, Limits};
use crate::{interrupt, output, runs};

/// Open runs in the browser.
#[derive(clap::Args)]
pub struct Args {
    /// The runs; a foreign file is imported for as long as it is looked at.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Port on this machine; 0 takes a free one.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    port: u16,
    /// Print the link and open no browser.
    #[arg(long)]
    no_open: bool,
    /// A run of the same program with one worker: tells how much longer each grain of the runs works [default: what
    /// `crosscut baseline` set]
    #[arg(long, value_name = "RUN")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    how: How,
}

/// Serves until Ctrl-C. Standard output gets the link and nothing else.
pub fn run(args: Args) -> Result<()> {
    let mut imported = Vec::new(); // kept until the end: dropping a folder removes it
    let mut opened = Vec::new();
    for path in &args.runs {
        let run = if path.is_file() {
            let (run, folder) = import_for_now(path, &args.how)?;
            imported.push(folder);
            run
        } else {
            runs::open(path)?
        };
        opened.push(settings::opened(run, args.baseline.as_deref(), &args.limits)?);
    }
    let bench = Workbench::new(opened, crosscut_server::build());
    let runtime = tokio::runtime::Runtime::new().context("threads of the server")?;
    runtime.block_on(async {
        let stop = interrupt::signal(); // listens from now on, before the link is out
        let server = Server::bind(bench, Options { port: args.port }).await?;
        let link = server.link();
        output::line(&link)?;
        if !args.no_open && std::io::stdout().is_terminal() {
            open_browser(&link);
        }
        Ok(server.run(stop).await?)
    })
}

fn import_for_now(file: &Path, how: &How) -> Result<(Run, TempDir)> {
    let folder =
        tempfile::Builder::new().prefix("crosscut-").tempdir().context("a folder for the imported run")?;
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(".crosscut");
    let run = import(file, &folder.path().join(name), Some(folder.path()), how)?;
    output::say(&format!(
        "{}: imported to {} until crosscut ends; `crosscut import` keeps it",
        file.display(),
        run.path().display()
    ));
    Ok((run, folder))
}

/// The link is on the screen: when no browser can be started, it can still be opened by hand.
fn open_browser(link: &str) {
    let quiet = Stdio::null;
    let started = Command::new("xdg-open").arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    if started.is_err() {
        output::say("no browser could be started (xdg-open is missing); open the link yourself");
    }
}
