//! Serves a domain that nobody but this file registers, for the browser tests: the page must list, draw, open, table and
//! search it without a line for it.

#[path = "../../workbench/tests/timber/mod.rs"]
mod timber;

use crosscut_run::Run;
use crosscut_server::{Options, Server, build};
use crosscut_workbench::{OpenRun, Settings, Workbench};

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |(name, trunks): (&str, u32)| {
        let path = folder.path().join(name);
        timber::write(&path, trunks);
        let run = Run::open(&path).expect("the run");
        OpenRun::open(run, &[timber::ENTRY], &Settings::new()).expect("the domain")
    };
    let runs = [("oak.crosscut", 6), ("ash.crosscut", 9)].into_iter().map(open).collect();
    let server = Server::bind(Workbench::new(runs, build()), Options { port: 0 }).await.expect("a port");
    println!("{}", server.link());
    let mut told =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).expect("a signal");
    server
        .run(async move {
            told.recv().await;
        })
        .await;
}
