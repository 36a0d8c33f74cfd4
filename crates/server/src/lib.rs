//! The server of the workbench: the embedded page, and questions over HTTP and WebSocket, on loopback only.
//!
//! Comes in: a workbench over open runs. Goes out: the page and answers as `docs/api.md` describes. The server knows no
//! domain and keeps nothing per client: every question carries the whole look.

mod access;
mod encode;
mod page;
mod picture;
mod socket;

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use crosscut_workbench::Workbench;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tower_http::compression::CompressionLayer;

use access::Access;
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
    /// The server stopped.
    #[error("the server stopped: {0}")]
    Stopped(#[from] std::io::Error),
}

/// What all connections share.
pub(crate) struct App {
    bench: Workbench,
    access: Access,
    /// One slow answer at a time.
    slow: Arc<Semaphore>,
    /// Threads of slow answers; those of quick ones if the system gave none.
    slow_threads: Option<rayon::ThreadPool>,
    /// Turns true when the server is to stop.
    stop: watch::Receiver<bool>,
}

/// Time that open connections have to end.
const PATIENCE: Duration = Duration::from_secs(1);

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
        let listener = TcpListener::bind(wish).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let (stop, stopped) = watch::channel(false);
        let access = Access::new(address.port())?;
        let slow_threads = rayon::ThreadPoolBuilder::new()
            .num_threads((rayon::current_num_threads() / 2).max(1))
            .thread_name(|i| format!("slow {i}"))
            .build();
        let app = Arc::new(App {
            bench,
            access,
            slow: Arc::new(Semaphore::new(1)),
            slow_threads: slow_threads.ok(),
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

/// Makes the trees of all runs beside everything else; who asks for one earlier waits for it.
fn prepare(app: Arc<App>) {
    let work = move || {
        for run in 0..app.bench.runs.len() {
            if *app.stop.borrow() {
                return;
            }
            app.bench.prepare(run);
        }
    };
    // Without a thread for it, the first question makes them.
    let _ = std::thread::Builder::new().name("prepare".to_owned()).spawn(work);
}

/// Serves a workbench until `shutdown` is ready; `ready` gets the link that lets a browser in.
pub async fn serve(
    bench: Workbench,
    options: Options,
    ready: impl FnOnce(&str),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServerError> {
    let server = Server::bind(bench, options).await?;
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
