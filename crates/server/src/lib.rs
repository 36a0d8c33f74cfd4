//! The server of the workbench: the embedded page, and questions over HTTP and WebSocket, on loopback only.
//!
//! Comes in: a workbench over open runs. Goes out: the page and answers as `docs/api.md` describes. The server knows no
//! domain and keeps nothing per client: every question carries the whole look.

mod access;
mod desk;
mod doors;
mod encode;
mod owner;
mod page;
mod picture;
mod socket;

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use crosscut_workbench::{Lane, Workbench, slow_threads};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_http::compression::CompressionLayer;

use access::Access;
use desk::Desk;
pub use page::build;

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
}

/// What all connections share.
pub(crate) struct App {
    bench: Workbench,
    access: Access,
    /// Whose question is next.
    desk: Arc<Desk>,
    /// Threads of slow answers; those of quick ones if the system gave none.
    slow_threads: Option<rayon::ThreadPool>,
    /// A socket has ended, and its memory can go.
    left: AtomicBool,
    /// Turns true when the server is to stop.
    stop: watch::Receiver<bool>,
}

impl App {
    /// Does the work of a lane: slow work on threads of its own.
    fn on_lane<T: Send>(&self, lane: Lane, work: impl FnOnce() -> T + Send) -> T {
        match (lane, &self.slow_threads) {
            (Lane::Slow, Some(threads)) => threads.install(work),
            _ => work(),
        }
    }
}

/// Time between two looks at whether memory can be given back.
const MEMORY_TIME: Duration = Duration::from_secs(2);

/// A server that has its port but does not answer yet.
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    stop: watch::Sender<bool>,
    address: SocketAddr,
}

impl Server {
    /// Takes a port on loopback.
    pub async fn bind(bench: Workbench, options: Options) -> Result<Server, ServerError> {
        let wish = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listen = |source| ServerError::Listen { port: options.port, source };
        let listener = doors::listen(wish).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let (stop, stopped) = watch::channel(false);
        let access = Access::new(address.port())?;
        let app = Arc::new(App {
            bench,
            access,
            desk: Desk::new(rayon::current_num_threads()),
            slow_threads: slow_threads("slow", rayon::current_num_threads() / 2),
            left: AtomicBool::new(false),
            stop: stopped,
        });
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

    /// A link for the command line of a browser, where all users of this machine can read it: it works once, within a
    /// minute, and for the user who runs the server. None where nobody can tell who holds a connection.
    pub fn link_once(&self) -> Option<String> {
        let code = owner::owners_are_known().then(|| self.app.access.code().ok())??;
        Some(format!("http://{}/?once={code}", self.address))
    }

    /// Answers until `shutdown` is ready. What is under way then is given up: nothing is waited for.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        tokio::select! {
            () = give_memory_back(self.app.clone()) => {}
            () = doors::serve(self.listener, self.address, router(self.app)) => {}
            () = shutdown => {}
        }
        let _ = self.stop.send(true);
    }
}

/// Gives memory back to the system when somebody has left: what many threads have freed stays with the process otherwise.
async fn give_memory_back(app: Arc<App>) {
    loop {
        tokio::time::sleep(MEMORY_TIME).await;
        if app.left.swap(false, Ordering::Relaxed) {
            if app.desk.is_empty() {
                app.bench.forget();
            }
            #[cfg(target_env = "gnu")]
            let _ = tokio::task::spawn_blocking(|| {
                // SAFETY: takes a number, and nothing of ours.
                unsafe { libc::malloc_trim(0) }
            })
            .await;
        }
    }
}

/// Makes the trees of all runs beside everything else; who asks for one earlier waits for it. Then, behind everything else,
/// what later questions may ask for.
fn prepare(app: Arc<App>) {
    let work = move || {
        let each = |work: &dyn Fn(usize)| {
            (0..app.bench.runs.len()).take_while(|_| !*app.stop.borrow()).for_each(work);
        };
        each(&|run| app.bench.prepare(run));
        if let Some(threads) = slow_threads("later", 1) {
            threads.install(|| each(&|run| app.bench.prepare_more(run)));
        }
    };
    // Without a thread for it, the first question makes them.
    let _ = std::thread::Builder::new().name("prepare".to_owned()).spawn(work);
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
