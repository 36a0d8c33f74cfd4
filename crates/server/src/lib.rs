//! The workbench's server: the embedded page, and runs over HTTP and WebSocket, on loopback only.
//!
//! Comes in: open runs. Goes out: the page and answers as `docs/api.md` describes. The server keeps nothing per client:
//! every request carries the whole view state.

mod access;
mod answer;
mod encode;
mod grains;
mod ops;
mod page;
mod picture;
pub mod protocol;
mod socket;
mod whatif;

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::Thresholds;
use crosscut_tree::Cut;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_http::compression::CompressionLayer;

use access::Access;

/// How to serve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Port on loopback; 0 takes a free one.
    pub port: u16,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The port cannot be had.
    #[error(
        "could not listen on 127.0.0.1:{port}: {source}; try another port with --port, or 0 for any free one"
    )]
    Listen {
        /// The port.
        port: u16,
        /// Why.
        source: std::io::Error,
    },
    /// No random bytes for the token.
    #[error("the system gave no random bytes for the access token: {0}")]
    Random(String),
    /// The server stopped.
    #[error("the server stopped: {0}")]
    Stopped(#[from] std::io::Error),
}

/// A run to serve.
#[derive(Debug)]
pub struct Served {
    /// The run.
    pub tasks: Tasks,
    /// A run of the same program, as a rule with one worker, that gives the work deviation.
    pub baseline: Option<Tasks>,
    /// Where problems of grains begin.
    pub thresholds: Thresholds,
}

impl From<Tasks> for Served {
    fn from(tasks: Tasks) -> Self {
        Served { tasks, baseline: None, thresholds: Thresholds::default() }
    }
}

/// An open run with the cut that it opens with.
#[derive(Debug)]
pub(crate) struct OpenRun {
    tasks: Tasks,
    first_cut: Cut,
    baseline: Option<Tasks>,
    thresholds: Thresholds,
    grains: OnceLock<grains::GrainRun>,
    predictions: whatif::Predictions,
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct App {
    runs: Vec<OpenRun>,
    access: Access,
    /// Turns true when the server is to stop.
    stop: watch::Receiver<bool>,
}

/// Items that the first picture of a run shows at most.
const FIRST_ITEMS: usize = 60;
/// Time that open connections have to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// A server that has its port but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    stop: watch::Sender<bool>,
    address: SocketAddr,
}

impl Server {
    /// Takes a port on loopback.
    pub async fn bind<R: Into<Served>>(runs: Vec<R>, options: Options) -> Result<Server, ServerError> {
        let wish = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listen = |source| ServerError::Listen { port: options.port, source };
        let listener = TcpListener::bind(wish).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let (stop, stopped) = watch::channel(false);
        let runs = runs
            .into_iter()
            .map(|run| {
                let Served { tasks, baseline, thresholds } = run.into();
                let first_cut = Cut::fitting(tasks.tree(), FIRST_ITEMS);
                OpenRun {
                    tasks,
                    first_cut,
                    baseline,
                    thresholds,
                    grains: OnceLock::new(),
                    predictions: whatif::Predictions::default(),
                }
            })
            .collect();
        let access = Access::new(address.port())?;
        let app = Arc::new(App { runs, access, stop: stopped });
        prepare(app.clone());
        Ok(Server { listener, app, stop, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The link that lets a browser in.
    pub fn link(&self) -> String {
        format!("http://{}/?token={}", self.address, self.app.access.token())
    }

    /// Answers until `shutdown` is ready.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        let router = router(self.app);
        let mut stopped = self.stop.subscribe();
        let serve = axum::serve(self.listener, router).with_graceful_shutdown(async move {
            let _ = stopped.wait_for(|&stop| stop).await;
        });
        let mut serve = std::pin::pin!(serve.into_future());
        tokio::select! {
            done = &mut serve => return Ok(done?),
            () = shutdown => {}
        }
        let _ = self.stop.send(true);
        match tokio::time::timeout(PATIENCE, serve).await {
            Ok(done) => Ok(done?),
            Err(_) => Ok(()), // a connection that does not end is dropped with the process
        }
    }
}

/// Makes the grain graphs of all runs beside everything else; who asks for one earlier waits for it.
fn prepare(app: Arc<App>) {
    let work = move || {
        for run in &app.runs {
            if *app.stop.borrow() {
                return;
            }
            run.grain_run().prepare(&run.tasks);
        }
    };
    // Without a thread for it, the first request makes them.
    let _ = std::thread::Builder::new().name("grains".to_owned()).spawn(work);
}

/// Serves `runs` until `shutdown` is ready; `ready` gets the link that lets a browser in.
pub async fn serve<R: Into<Served>>(
    runs: Vec<R>,
    options: Options,
    ready: impl FnOnce(&str),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServerError> {
    let server = Server::bind(runs, options).await?;
    ready(&server.link());
    server.run(shutdown).await
}

fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/api/socket", get(socket::open))
        .route("/api/picture", get(picture::picture))
        .fallback(get(page::file))
        .layer(CompressionLayer::new().gzip(true))
        .layer(axum::middleware::from_fn_with_state(app.clone(), access::check))
        .with_state(app)
}
