//! `crosscut view`: the workbench in a browser.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use crosscut_run::Run;
use crosscut_server::{Options, Server};
use crosscut_workbench::{OpenRun, Workbench};

use crate::import::{How, import};
use crate::settings::{self, Limits};
use crate::temporary::{self, Temporary};
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
    /// Show source text from below this folder, too; may be given several times [default: from below the folder that the
    /// run lies in]
    #[arg(long, value_name = "DIR")]
    source: Vec<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    how: How,
}

/// Serves until Ctrl-C. Standard output gets the link and nothing else.
pub fn run(args: Args) -> Result<()> {
    temporary::sweep();
    let imports = args.runs.iter().any(|path| path.is_file());
    let temporary = imports.then(Temporary::new).transpose()?; // dropping it removes it
    let folder = temporary.as_ref().map(|folder| folder.path().to_owned());
    let runtime = tokio::runtime::Runtime::new().context("threads of the server")?;
    let done = runtime.block_on(async {
        let mut stop = std::pin::pin!(interrupt::signal()); // listens from now on, before anything is there to remove
        let (port, may_open) = (args.port, !args.no_open && std::io::stdout().is_terminal());
        let into = folder.clone();
        let opening = tokio::task::spawn_blocking(move || open_all(&args, into.as_deref()));
        let opened = tokio::select! {
            opened = opening => opened.context("stopped by a fault in crosscut itself; please report it")??,
            () = &mut stop => interrupt::end(|| folder.iter().filter(|folder| folder.exists()).cloned().collect()),
        };
        let server = Server::bind(Workbench::new(opened, crosscut_server::build()), Options { port }).await?;
        output::line(&server.link())?;
        if may_open {
            open_browser(&server);
        }
        server.run(stop).await;
        Ok(())
    });
    // An answer that is under way is not waited for.
    runtime.shutdown_background();
    done
}

fn open_all(args: &Args, folder: Option<&Path>) -> Result<Vec<OpenRun>> {
    let open = |(number, path): (usize, &PathBuf)| {
        let run = match folder.filter(|_| path.is_file()) {
            Some(folder) => import_for_now(path, &folder.join(number.to_string()), &args.how)?,
            None => runs::open(path)?,
        };
        // What was imported lies elsewhere for now; its sources lie beside the file.
        let beside = path.is_file().then(|| path.canonicalize().ok()?.parent().map(Path::to_owned)).flatten();
        let mut limits = args.limits.clone();
        limits.sources = args.source.iter().cloned().chain(beside).collect();
        let open = settings::opened(run, args.baseline.as_deref(), &limits)?;
        open.check_beside();
        Ok(open)
    };
    args.runs.iter().enumerate().map(open).collect()
}

fn import_for_now(file: &Path, folder: &Path, how: &How) -> Result<Run> {
    std::fs::create_dir(folder).with_context(|| folder.display().to_string())?;
    let mut name = output::file_name(file.file_stem().unwrap_or_default());
    name.push(".crosscut");
    let run = import(file, &folder.join(name), how)?;
    output::say(&format!(
        "{}: imported to {} until crosscut ends; `crosscut import` keeps it",
        file.display(),
        run.path().display()
    ));
    Ok(run)
}

/// Every user of this machine sees how programs were started: the browser gets a link that works once, and for this user.
/// The lasting link is on the screen: when no browser can be started, it can still be opened by hand.
fn open_browser(server: &Server) {
    let Some(link) = server.link_once() else {
        return output::say(
            "no browser was started (this system cannot identify who connects); open the link yourself",
        );
    };
    let quiet = Stdio::null;
    let started = Command::new("xdg-open").arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    if started.is_err() {
        output::say("no browser could be started (xdg-open is missing); open the link yourself");
    }
}
