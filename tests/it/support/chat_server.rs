//! A chat/completions server for tests: real HTTP on a port of its own, answers
//! from a script or a function, and a record of what it was asked.
//!
//! It runs on a thread of its own, so that tests with and without an async
//! runtime, and child processes, can talk to it. Dropping it ends it.
// Any test may take what it needs of this.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{Request as HttpRequest, Response};
use axum::serve::Listener;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// How long a test waits for a request before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// One answer of the server.
#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
    ends: Ends,
    delay: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Ends {
    Properly,
    /// After so many bytes the connection breaks.
    Cut(usize),
    /// The answer never comes.
    Never,
}

impl Reply {
    /// Status 200 and this JSON.
    pub fn json(body: Value) -> Reply {
        Reply::raw(body.to_string()).header("content-type", "application/json")
    }

    /// Status 200 and this body.
    pub fn raw(body: impl Into<String>) -> Reply {
        Reply {
            status: 200,
            headers: Vec::new(),
            body: body.into(),
            ends: Ends::Properly,
            delay: Duration::ZERO,
        }
    }

    /// An assistant's message with this text.
    pub fn text(text: &str) -> Reply {
        Reply::message(json!({ "role": "assistant", "content": text }), "stop")
    }

    /// An assistant's message that calls one tool.
    pub fn call(name: &str, arguments: Value) -> Reply {
        Reply::calls(&[(name, arguments)])
    }

    /// An assistant's message that calls tools, with the ids `call_0`, `call_1`, ….
    pub fn calls(calls: &[(&str, Value)]) -> Reply {
        let calls: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(n, (name, arguments))| {
                let function = json!({ "name": name, "arguments": arguments.to_string() });
                json!({ "id": format!("call_{n}"), "type": "function", "function": function })
            })
            .collect();
        let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
        Reply::message(message, "tool_calls")
    }

    /// A whole completion around this message.
    pub fn message(message: Value, finish_reason: &str) -> Reply {
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason });
        Reply::json(json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000,
            "model": "test", "choices": [choice],
            "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 },
        }))
    }

    /// An error with this status, worded as OpenAI does.
    pub fn error(status: u16, message: &str) -> Reply {
        let error = json!({ "message": message, "type": "invalid_request_error", "code": null });
        Reply::json(json!({ "error": error })).status(status)
    }

    /// With another status.
    pub fn status(self, status: u16) -> Reply {
        Reply { status, ..self }
    }

    /// With one more header.
    pub fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The connection breaks after `bytes` of the body.
    pub fn cut_after(self, bytes: usize) -> Reply {
        Reply { ends: Ends::Cut(bytes), ..self }
    }

    /// Not before this time has passed. For what has no condition to wait on.
    pub fn delayed(self, delay: Duration) -> Reply {
        Reply { delay, ..self }
    }

    /// No answer at all, until the client gives up.
    pub fn never() -> Reply {
        Reply { ends: Ends::Never, ..Reply::raw("") }
    }
}

/// What the server was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// `POST`.
    pub method: String,
    /// As the request line has it: a path, or a whole URL at a proxy.
    pub uri: String,
    /// Lower-case names, in the order received.
    pub headers: Vec<(String, String)>,
    /// The body; a string where it is no JSON.
    pub body: Value,
}

impl Request {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The text of the last message.
    pub fn last_message(&self) -> &str {
        let messages = self.body["messages"].as_array();
        messages.and_then(|m| m.last()).and_then(|m| m["content"].as_str()).unwrap_or_default()
    }
}

type Answerer = Box<dyn FnMut(&Request) -> Reply + Send>;

struct Shared {
    requests: Mutex<Vec<Request>>,
    arrived: Condvar,
    answer: Mutex<Answerer>,
    /// How many requests were given up by their client.
    given_up: watch::Sender<usize>,
}

/// The server.
pub struct ChatServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    scheme: &'static str,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl ChatServer {
    /// Gives these answers in their order, and status 500 when there are no more.
    pub fn scripted(replies: impl IntoIterator<Item = Reply>) -> ChatServer {
        let mut replies: VecDeque<Reply> = replies.into_iter().collect();
        ChatServer::answering(move |_| {
            replies.pop_front().unwrap_or_else(|| Reply::error(500, "the script has ended"))
        })
    }

    /// Gives what the function says, one request at a time.
    pub fn answering(answer: impl FnMut(&Request) -> Reply + Send + 'static) -> ChatServer {
        ChatServer::start(Box::new(answer), None)
    }

    /// The same over TLS.
    pub fn scripted_over_tls(
        tls: tokio_rustls::rustls::ServerConfig,
        replies: impl IntoIterator<Item = Reply>,
    ) -> ChatServer {
        let mut replies: VecDeque<Reply> = replies.into_iter().collect();
        let answer = move |_: &Request| {
            replies.pop_front().unwrap_or_else(|| Reply::error(500, "the script has ended"))
        };
        ChatServer::start(Box::new(answer), Some(TlsAcceptor::from(Arc::new(tls))))
    }

    fn start(answer: Answerer, tls: Option<TlsAcceptor>) -> ChatServer {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a socket can be non-blocking");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            requests: Mutex::default(),
            arrived: Condvar::new(),
            answer: Mutex::new(answer),
            given_up: watch::Sender::new(0),
        });
        let router = Router::new().fallback(handle).with_state(shared.clone());
        let (stop, stopped) = oneshot::channel::<()>();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let tcp = TcpListener::from_std(listener).expect("a listener");
                let serve = async {
                    match tls {
                        None => axum::serve(tcp, router).await,
                        Some(acceptor) => axum::serve(TlsListener { tcp, acceptor }, router).await,
                    }
                };
                // Not a graceful end: answers that never come would hold it up.
                tokio::select! { _ = serve => {}, _ = stopped => {} }
            });
        });
        ChatServer { shared, address, scheme, stop: Some(stop), thread: Some(thread) }
    }

    /// `http://127.0.0.1:PORT`, or `https://localhost:PORT`.
    pub fn url(&self) -> String {
        let host = if self.scheme == "https" { "localhost" } else { "127.0.0.1" };
        format!("{}://{host}:{}", self.scheme, self.address.port())
    }

    /// A base URL: the URL and `/v1`.
    pub fn base_url(&self) -> String {
        self.url() + "/v1"
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    /// Blocks until it was asked `count` times; gives all requests.
    pub fn wait_for_requests(&self, count: usize) -> Vec<Request> {
        let deadline = Instant::now() + PATIENCE;
        let mut requests = lock(&self.shared.requests);
        while requests.len() < count {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{} of {count} requests came", requests.len());
            let waited = self.shared.arrived.wait_timeout(requests, left);
            requests = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        requests.clone()
    }

    /// Waits until clients have given up `count` requests that had no answer yet.
    pub async fn until_given_up(&self, count: usize) {
        let mut given_up = self.shared.given_up.subscribe();
        let wait = given_up.wait_for(|n| *n >= count);
        tokio::time::timeout(PATIENCE, wait).await.expect("a client gives up").expect("it runs");
    }
}

impl Drop for ChatServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts a request as given up when its handler is dropped before it ended.
struct GivenUp<'a>(Option<&'a watch::Sender<usize>>);

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if let Some(count) = self.0 {
            count.send_modify(|n| *n += 1);
        }
    }
}

async fn handle(State(shared): State<Arc<Shared>>, request: HttpRequest<Body>) -> Response<Body> {
    let mut given_up = GivenUp(Some(&shared.given_up));
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let request = recorded(&parts, &body);
    lock(&shared.requests).push(request.clone());
    shared.arrived.notify_all();
    let reply = (lock(&shared.answer))(&request);
    if !reply.delay.is_zero() {
        tokio::time::sleep(reply.delay).await;
    }
    if reply.ends == Ends::Never {
        pending::<()>().await;
    }
    given_up.0 = None;
    response(reply)
}

fn recorded(parts: &Parts, body: &Bytes) -> Request {
    let text = String::from_utf8_lossy(body);
    Request {
        method: parts.method.to_string(),
        uri: parts.uri.to_string(),
        headers: parts
            .headers
            .iter()
            .map(|(name, value)| {
                (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            })
            .collect(),
        body: serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.as_ref())),
    }
}

fn response(reply: Reply) -> Response<Body> {
    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    let bytes = Bytes::from(reply.body);
    let body = match reply.ends {
        Ends::Cut(after) => {
            response = response.header("content-length", bytes.len());
            let first = Ok::<_, std::io::Error>(bytes.slice(..after));
            let first = futures::stream::once(std::future::ready(first));
            // A turn later, so that the first part is on its way when it breaks.
            let broken = futures::stream::once(async {
                tokio::task::yield_now().await;
                Err(std::io::Error::other("cut"))
            });
            Body::from_stream(first.chain(broken))
        }
        Ends::Properly | Ends::Never => Body::from(bytes),
    };
    response.body(body).expect("the script's headers are valid")
}

struct TlsListener {
    tcp: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    /// A handshake that fails is the client's business and the test's.
    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            if let Ok((stream, address)) = self.tcp.accept().await
                && let Ok(stream) = self.acceptor.accept(stream).await
            {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}
