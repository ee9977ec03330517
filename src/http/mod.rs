//! The HTTP API and the dashboard, for `uncaged-workflow serve`.
//!
//! # Routes
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /` | the dashboard |
//! | `GET /healthz` | `{ "status": "ok" }` |
//! | `GET /api/workflows` | `[{ name, hash, timestamp, permissions? }]` |
//! | `GET /api/workflows/:name` | `{ name, hash, timestamp, history: [{ hash, timestamp }], permissions?, descriptor }` |
//! | `GET /api/workflows/:name/history` | `[{ hash, timestamp, current }]`, the current version first |
//! | `GET /api/threads[?workflow=name][&last=n]` | `[{ threadId, hash, name, state, head, start, parentState, returnCode }]` by id; the newest n only |
//! | `POST /api/threads` `{ workflow, prompt, maxRounds? }` | 201 `{ threadId }`; the thread runs in the server's environment |
//! | `GET /api/threads/running` | the same rows as `/api/threads`, of threads without an end |
//! | `GET /api/threads/:id[?last=n]` | `{ threadId, bundleHash, head, start, source, steps }`; the newest n steps only |
//! | `POST /api/threads/:id/kill`, `/pause`, `/resume` | `{ threadId, outcome }`: `sent`, or `already` where it had taken effect before |
//! | `GET /api/threads/:id/live` | the thread's records as server-sent events |
//! | `GET /api/cas` | `[hash]` |
//! | `POST /api/cas` `{ content }` | 201 `{ hash }` |
//! | `GET /api/cas/:hash` | `{ hash, content }` |
//! | `DELETE /api/cas/:hash[?force=true]` | `{ hash }`; 409 where a thread needs it, unless forced |
//! | `POST /api/cas/gc` | `{ scannedThreads, activeRefs, deletedEntries, deletedHashes }` |
//!
//! Threads and blobs go by their id or hash in any case, or by a unique
//! beginning of it. `state` is `running`, `paused`, `interrupted` or
//! `completed`. The bodies are those of [`bodies`], which `--json` prints too.
//! `permissions` is there where a workflow is limited. What of the thread index
//! cannot be read is left out of the lists of threads, and told in `Warning`
//! headers. The config is never served.
//!
//! # Live
//!
//! Each event is one [`bodies::Record`] as JSON (`thread-start`, `role`,
//! `workflow-result`) with the hash of its state as the event's id. A client
//! that reconnects sends `Last-Event-ID` and gets what came after that. The
//! stream ends after `workflow-result`; who asks for what comes after that gets
//! 204, at which an `EventSource` stops. A comment every 15 seconds keeps
//! connections open that carry nothing.
//!
//! # Errors
//!
//! `{ "error": text, "hint"?: text }` with 400 for an id, parameter or body that
//! makes no sense, 403 for a stranger's page, 404 for what is not there, 405
//! (with `Allow`), 409 for what a thread in its state cannot do, 413 for a body
//! of more than 16 MiB, 415 for a body that is not sent as JSON, and 500.
//!
//! # Who may ask
//!
//! Whoever reaches the port can run workflows, which is why that is this
//! machine alone unless `--host` says otherwise. Web pages cannot: a name in
//! `Host` must be `localhost` or the one of `--host` (no DNS rebinding), and the
//! API refuses requests that another origin's page sent (`Origin`,
//! `Sec-Fetch-Site`) and bodies that are not JSON. There is no CORS.

pub mod bodies;
mod dashboard;
mod error;
mod guard;
mod live;
mod request;
mod routes;

pub use error::ApiError;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::store::Store;
use crate::worker::Client;
use guard::Hosts;

/// How often a stream that carries nothing says that it lives.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long requests under way may take once the server is told to stop.
const LEAVE_PATIENCE: Duration = Duration::from_secs(2);

/// What is served.
#[derive(Debug, Clone)]
pub struct Server {
    /// The store.
    pub store: Store,
    /// What reaches its workers. Threads start in its environment.
    pub workers: Client,
    /// The name that was asked to be listened on, which clients may use.
    pub host: String,
    /// See [`KEEP_ALIVE`].
    pub keep_alive: Duration,
}

/// What all requests share.
#[derive(Debug, Clone)]
struct App {
    server: Arc<Server>,
    /// Cancelled when streams shall end.
    stopping: CancellationToken,
}

/// Serves until `shutdown` comes. Open streams end then; what is being answered
/// has two seconds, after which the caller should let its runtime go.
pub async fn run(
    listener: TcpListener,
    server: Server,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let hosts = Arc::new(Hosts::new(&server.host, listener.local_addr()?));
    let stopping = CancellationToken::new();
    let app = App { server: Arc::new(server), stopping: stopping.clone() };
    // Steps are small and wanted at once.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let serving = axum::serve(listener, routes::router(app, hosts))
        .with_graceful_shutdown(stopping.clone().cancelled_owned());
    let mut serving = std::pin::pin!(serving.into_future());
    tokio::select! {
        ended = &mut serving => return ended,
        () = shutdown => stopping.cancel(),
    }
    timeout(LEAVE_PATIENCE, serving).await.unwrap_or(Ok(()))
}
