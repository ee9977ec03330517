//! `dev --inspect`: a debugger in the bundle, over the inspector protocol.

use std::collections::VecDeque;
use std::time::Duration;

use fastwebsockets::{Frame, OpCode, Role, WebSocket};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::env::{TestEnv, wait_until};
use crate::support::trial::{assert_nothing_left, signal, start};

/// How long the inspector may be silent before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Imports of all kinds come first: none of them is where the debugger stops.
const BUNDLE: &str = r#"import { readFileSync } from "node:fs";
import { ok } from "@uncaged/workflow-util";
const greeting = "Hello";
export const descriptor = {
  description: typeof readFileSync, roles: { r: { description: typeof ok, schema: {} } },
};
export async function* run(thread, { cas }) {
  let text = `${greeting}, ${thread.start.content}!`;
  yield { role: "r", contentHash: await cas.put(text), meta: {}, refs: [] };
  return { returnCode: 0, summary: text };
}
"#;

/// A debugger.
struct Debugger {
    socket: WebSocket<TcpStream>,
    sent: u64,
    events: VecDeque<Value>,
}

impl Debugger {
    async fn connect(url: &str) -> Debugger {
        let (host, path) = url.strip_prefix("ws://").unwrap().split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!(
            "GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        assert!(head.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&head));
        let socket = WebSocket::after_handshake(stream, Role::Client);
        Debugger { socket, sent: 0, events: VecDeque::new() }
    }

    async fn read(&mut self) -> Value {
        let frame = tokio::time::timeout(PATIENCE, self.socket.read_frame()).await;
        let frame = frame.expect("the inspector says something").unwrap();
        assert_eq!(frame.opcode, OpCode::Text);
        serde_json::from_slice(&frame.payload).unwrap()
    }

    /// Sends a command and gives its result.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let text = json!({ "id": self.sent, "method": method, "params": params }).to_string();
        self.socket.write_frame(Frame::text(text.into_bytes().into())).await.unwrap();
        loop {
            let message = self.read().await;
            if message["id"] == self.sent {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].clone();
            }
            self.events.push_back(message);
        }
    }

    /// The id of the script with this URL, among those that were told of so far.
    fn script(&self, url: &str) -> Value {
        let scripts = self.events.iter().filter(|e| e["method"] == "Debugger.scriptParsed");
        let ours: Vec<_> = scripts.filter(|e| e["params"]["url"] == url).collect();
        assert_eq!(ours.len(), 1, "{:?}", self.events);
        ours[0]["params"]["scriptId"].clone()
    }

    /// The next event of a kind.
    async fn event(&mut self, method: &str) -> Value {
        loop {
            let event = match self.events.pop_front() {
                Some(event) => event,
                None => self.read().await,
            };
            if event["method"] == method {
                return event["params"].clone();
            }
        }
    }
}

/// Script and line (from 0) of a pause.
fn place(paused: &Value) -> (Value, Value) {
    let location = &paused["callFrames"][0]["location"];
    (location["scriptId"].clone(), location["lineNumber"].clone())
}

/// Where a debugger can connect, as `dev` says it.
fn announced(env: &TestEnv) -> String {
    wait_until("a debugger is waited for", || {
        let said = env.read("work/err");
        let (_, rest) = said.split_once("waiting for a debugger at ")?;
        Some(rest.split_once('\n')?.0.to_owned())
    })
}

#[tokio::test]
async fn a_debugger_stops_in_the_bundle_looks_and_changes_and_goes_on() {
    let env = TestEnv::new();
    let file = env.write("hello.esm.js", BUNDLE);
    let url = format!("file://{}", file.display());
    let mut child = start(&env, "dev hello.esm.js --prompt you --inspect=127.0.0.1:0");
    let mut debugger = Debugger::connect(&announced(&env)).await;
    debugger.ask("Runtime.enable", json!({})).await;
    debugger.ask("Debugger.enable", json!({})).await;
    let at = json!({ "url": url, "lineNumber": 8 });
    let set = debugger.ask("Debugger.setBreakpointByUrl", at).await;
    // Nothing of the bundle has run, but its script is there under its own name.
    assert_eq!(set["locations"][0]["lineNumber"], 8);
    assert_eq!(env.read("work/out"), "");
    debugger.ask("Runtime.runIfWaitingForDebugger", json!({})).await;

    let script = debugger.script(&url);
    let paused = debugger.event("Debugger.paused").await;
    assert_eq!(place(&paused), (script.clone(), json!(2)));
    debugger.ask("Debugger.resume", json!({})).await;

    let paused = debugger.event("Debugger.paused").await;
    let frame = &paused["callFrames"][0];
    assert_eq!(place(&paused), (script, json!(8)));
    assert_eq!(paused["hitBreakpoints"], json!([set["breakpointId"]]));
    let look =
        |expression: &str| json!({ "callFrameId": frame["callFrameId"], "expression": expression });
    let seen = debugger.ask("Debugger.evaluateOnCallFrame", look("text")).await;
    assert_eq!(seen["result"], json!({ "type": "string", "value": "Hello, you!" }));
    debugger.ask("Debugger.evaluateOnCallFrame", look("text = 'changed'")).await;
    debugger.ask("Debugger.resume", json!({})).await;

    assert_eq!(child.wait().unwrap().code(), Some(0));
    let said = env.read("work/out");
    assert_eq!(&said[8..], " r\n  changed\ncompleted: returnCode=0 \u{2014} changed\n");
    assert_nothing_left(&env);
}

#[tokio::test]
async fn a_signal_ends_a_run_that_waits_for_a_debugger_or_is_stopped_by_one() {
    for connects in [false, true] {
        let env = TestEnv::new();
        env.write("hello.esm.js", BUNDLE);
        let mut child = start(&env, "dev hello.esm.js --inspect=127.0.0.1:0");
        let url = announced(&env);
        let mut debugger = Debugger::connect(&url).await;
        if connects {
            debugger.ask("Debugger.enable", json!({})).await;
            debugger.ask("Runtime.runIfWaitingForDebugger", json!({})).await;
            debugger.event("Debugger.paused").await;
        }
        signal(&child, rustix::process::Signal::INT);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(env.read("work/out"), "completed: returnCode=130 \u{2014} thread aborted\n");
        assert_nothing_left(&env);
    }
}

#[test]
fn an_address_in_use_is_said_so() {
    let env = TestEnv::new();
    env.write("hello.esm.js", BUNDLE);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let output = crate::support::trial::run(&env, &format!("dev hello.esm.js --inspect={address}"));
    let summary = format!(
        "failed: no debugger can connect to {address}: Address already in use (os error 98)"
    );
    assert_eq!(output.stdout, format!("completed: returnCode=1 \u{2014} {summary}\n"));
    assert_eq!(output.code, Some(1));
    assert_nothing_left(&env);
}
