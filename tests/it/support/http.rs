//! A server of the API, and real HTTP to it.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Client, Method, RequestBuilder, Response};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::env::TestEnv;

/// `uncaged-workflow serve`, at a port of its own. Dropping it ends it.
pub struct Serving {
    child: Child,
    out: BufReader<ChildStdout>,
    /// `http://127.0.0.1:PORT`
    pub url: String,
    client: Client,
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub async fn of(response: Response) -> Answer {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Answer { status, headers, body: response.text().await.unwrap() }
    }

    /// The body of an answer with this status.
    #[track_caller]
    pub fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_str(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

impl Serving {
    #[track_caller]
    pub fn start(env: &TestEnv) -> Serving {
        Serving::start_with(env.command().args(["serve", "--port", "0"]))
    }

    #[track_caller]
    pub fn start_with(command: &mut Command) -> Serving {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("listening on ").expect("a ready server").to_owned();
        Serving { child, out, url, client: client() }
    }

    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// `127.0.0.1:PORT`
    pub fn authority(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path).send().await.unwrap()).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::DELETE, path).send().await.unwrap()).await
    }

    /// A POST without a body.
    pub async fn tell(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::POST, path).send().await.unwrap()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::of(self.request(Method::POST, path).json(body).send().await.unwrap()).await
    }

    /// A stream of a thread's records, after an event where one is named.
    pub async fn live(&self, thread: &str, after: Option<&str>) -> Events {
        let mut request = self.request(Method::GET, &format!("/api/threads/{thread}/live"));
        if let Some(id) = after {
            request = request.header("last-event-id", id);
        }
        Events::of(request.send().await.unwrap())
    }

    /// Sends a signal and waits for the end; gives its exit code and the rest
    /// of its output.
    pub fn stop(&mut self, signal: Signal) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.out, &mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Serving {
    /// The same with SIGTERM, for a server whose standard error is a pipe; gives
    /// what it said there.
    pub fn stop_and_read_errors(&mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        let mut pipe = self.child.stderr.take().unwrap();
        let (code, _) = self.stop(Signal::TERM);
        std::io::Read::read_to_string(&mut pipe, &mut said).unwrap();
        (code, said)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client that goes nowhere but where it is sent, and keeps no connection.
pub fn client() -> Client {
    Client::builder()
        .no_proxy()
        .pool_max_idle_per_host(0)
        .timeout(Duration::from_secs(60))
        .build()
        .unwrap()
}

/// Server-sent events as they come.
pub struct Events {
    pub response: Response,
    text: String,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Record {
        id: String,
        data: Value,
    },
    Comment,
    /// The server ended the stream.
    End,
}

impl Events {
    pub fn of(response: Response) -> Events {
        Events { response, text: String::new() }
    }

    pub async fn next(&mut self) -> Event {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                return parse(&event);
            }
            // A connection that breaks is an error and no end.
            match self.response.chunk().await.unwrap() {
                Some(chunk) => self.text.push_str(std::str::from_utf8(&chunk).unwrap()),
                None => {
                    assert_eq!(self.text, "");
                    return Event::End;
                }
            }
        }
    }

    /// The next record.
    pub async fn record(&mut self) -> (String, Value) {
        loop {
            match self.next().await {
                Event::Record { id, data } => return (id, data),
                Event::Comment => {}
                Event::End => panic!("the stream ended"),
            }
        }
    }

    /// All records up to the end.
    pub async fn rest(mut self) -> Vec<(String, Value)> {
        let mut records = Vec::new();
        loop {
            match self.next().await {
                Event::Record { id, data } => records.push((id, data)),
                Event::Comment => {}
                Event::End => return records,
            }
        }
    }
}

fn parse(text: &str) -> Event {
    if text.lines().all(|line| line.starts_with(':')) {
        return Event::Comment;
    }
    let field = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
        let value = lines.next().unwrap_or_else(|| panic!("{name} in {text:?}")).to_owned();
        assert_eq!(lines.next(), None, "{text:?}");
        value
    };
    Event::Record { id: field("id: "), data: serde_json::from_str(&field("data: ")).unwrap() }
}
