//! A thread's records as server-sent events: complete, continued, ended.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use futures::future::join_all;
use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use uncaged_workflow::http::{self, Server};
use uncaged_workflow::store::lock::FileLock;
use uncaged_workflow::worker::Client;

use crate::http_routes::GATED;
use crate::support::env::{TestEnv, wait_until};
use crate::support::http::{Answer, Event, Events, Serving, client};

/// One step with as many characters as the prompt says, then the end.
const LARGE: &str = r#"
import { putContentMerkleNode } from "@uncaged/workflow-cas";
export const descriptor = { description: "", roles: { writer: { description: "", schema: {} } } };
export async function* run(thread, { cas }) {
  const contentHash = await putContentMerkleNode(cas, "x".repeat(Number(thread.start.content)));
  yield { role: "writer", contentHash, meta: {}, refs: [] };
  return { returnCode: 0, summary: "written" };
}
"#;

#[tokio::test]
async fn records_come_as_the_steps_do_and_end_with_the_result() {
    let env = TestEnv::new();
    let bundle = env.add("gated", GATED);
    let server = Serving::start(&env);
    let started = server.post("/api/threads", &json!({ "workflow": "gated", "prompt": "p" })).await;
    let id = started.json(201)["threadId"].as_str().unwrap().to_owned();
    let mut live = server.live(&id[..22].to_lowercase(), None).await;
    assert_eq!(live.response.headers()["content-type"], "text/event-stream");
    let start = json!({ "type": "thread-start", "threadId": id, "hash": bundle });
    let (start_id, record) = live.record().await;
    assert_eq!(record, start);
    env.write("first", "");
    let (first_id, first) = live.record().await;
    env.write("second", "");
    let (second_id, second) = live.record().await;
    let (end_id, end) = live.record().await;
    assert_eq!(live.next().await, Event::End);

    let shown = server.get(&format!("/api/threads/{id}")).await.json(200);
    let role = |number: usize| {
        let step = &shown["steps"][number];
        json!({
            "type": "role", "hash": step["hash"], "role": step["role"],
            "contentHash": step["contentHash"], "content": step["content"],
            "meta": step["meta"], "refs": step["refs"], "childThread": null,
            "timestamp": step["timestamp"],
        })
    };
    assert_eq!(first.to_string(), role(0).to_string());
    assert_eq!(second.to_string(), role(1).to_string());
    assert_eq!(first["content"], "first: p");
    let result = json!({
        "type": "workflow-result", "threadId": id, "returnCode": 4, "summary": "plain",
    });
    assert_eq!(end, result);
    // Each event goes by the hash of its state.
    assert_eq!(start_id, shown["start"]["hash"].as_str().unwrap());
    for (number, event) in [&first_id, &second_id, &end_id].into_iter().enumerate() {
        assert_eq!(event, shown["steps"][number]["hash"].as_str().unwrap());
    }

    // A client that comes again gets what it has not seen.
    let rest = async |after: &str| server.live(&id, Some(after)).await.rest().await;
    let all = [(start_id, start), (first_id, role(0)), (second_id, role(1)), (end_id, result)];
    for seen in 0..3 {
        assert_eq!(rest(&all[seen].0).await, all[seen + 1..]);
    }
    assert_eq!(rest("0000000000000").await, all);
    assert_eq!(server.live(&id, None).await.rest().await, all);
    // After the end there is nothing, and an EventSource stops at this answer.
    let answer = Answer::of(server.live(&id, Some(&all[3].0)).await.response).await;
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    let answer = Answer::of(server.live(&id, Some("what")).await.response).await;
    assert_eq!(
        answer.json(400),
        json!({
            "error": "`Last-Event-ID` is not the hash of a state",
            "hint": "leave it out to get all records",
        })
    );
}

#[tokio::test]
async fn a_stream_goes_on_through_interruption_and_resumption() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let server = Serving::start(&env);
    let thread = env.start("gated", &[]);
    let mut live = server.live(thread.as_str(), None).await;
    live.record().await;
    env.write("first", "");
    assert_eq!(live.record().await.1["role"], "first");
    for process in env.processes() {
        crate::support::env::kill(process);
    }
    wait_until("nobody runs it", || env.processes().is_empty().then_some(()));
    env.write("second", "");
    assert_eq!(server.tell(&format!("/api/threads/{thread}/resume")).await.status, 200);
    assert_eq!(live.record().await.1["role"], "second");
    assert_eq!(live.record().await.1["type"], "workflow-result");
    assert_eq!(live.next().await, Event::End);
}

#[tokio::test]
async fn a_removed_threads_stream_ends_and_cannot_be_had_again() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let server = Serving::start(&env);
    let thread = env.start("gated", &[]);
    let mut live = server.live(thread.as_str(), None).await;
    let (start, _) = live.record().await;
    for process in env.processes() {
        crate::support::env::kill(process);
    }
    wait_until("nobody runs it", || env.processes().is_empty().then_some(()));
    env.run(["thread", "rm", thread.as_str()]).ok();
    assert_eq!(live.rest().await, []);
    let again = Answer::of(server.live(thread.as_str(), Some(&start)).await.response).await;
    assert_eq!(again.status, 404);
}

#[tokio::test]
async fn comments_keep_an_idle_stream_alive() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let thread = env.start("gated", &[]);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server {
        store: env.store(),
        workers: Client::new(&env.store(), env!("CARGO_BIN_EXE_uncaged-workflow")),
        host: "127.0.0.1".to_owned(),
        keep_alive: Duration::from_millis(20),
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(http::run(listener, server, async { drop(stopped.await) }));
    let url = format!("http://{address}/api/threads/{thread}/live");
    let mut live = Events::of(client().get(url).send().await.unwrap());
    live.record().await;
    for _ in 0..3 {
        assert_eq!(live.next().await, Event::Comment);
    }
    // Told to stop, the server ends the stream properly.
    stop.send(()).unwrap();
    assert_eq!(live.rest().await, []);
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn signals_end_the_server_and_its_open_streams() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let thread = env.start("gated", &[]);
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut server = Serving::start(&env);
        let mut live = server.live(thread.as_str(), None).await;
        live.record().await;
        assert_eq!(server.stop(signal), (Some(0), String::new()));
        assert_eq!(live.rest().await, []);
    }
}

#[tokio::test]
async fn who_does_not_read_harms_nobody() {
    let env = TestEnv::new();
    env.add("large", LARGE);
    let thread = env.start("large", &["--prompt", "6000000"]);
    env.ended(&thread);
    let mut server = Serving::start(&env);
    let mut lazy: Vec<TcpStream> = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.authority()).unwrap();
        let request = format!("GET /api/threads/{thread}/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        lazy.push(stream);
    }
    // One that never finishes its request, too.
    let mut half = TcpStream::connect(server.authority()).unwrap();
    half.write_all(b"POST /api/cas HTTP/1.1\r\nHost: localhost\r\n").unwrap();
    let records = server.live(thread.as_str(), None).await.rest().await;
    let kinds: Vec<&Value> = records.iter().map(|(_, record)| &record["type"]).collect();
    assert_eq!(kinds, ["thread-start", "role", "workflow-result"]);
    assert_eq!(records[1].1["content"].as_str().unwrap().len(), 6_000_000);
    assert_eq!(server.get("/api/threads").await.status, 200);
    // Nor does it keep the server from ending.
    assert_eq!(server.stop(Signal::TERM).0, Some(0));
    drop((lazy, half));
}

#[tokio::test]
async fn many_clients_are_served_at_once_and_those_that_hang_up_are_noticed() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let server = Serving::start(&env);
    let thread = env.start("gated", &[]);
    let connections = || {
        let open = std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap();
        let links = open.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
        links.filter(|link| link.to_string_lossy().starts_with("socket:")).count()
    };
    let before = connections();
    let mut streams = join_all((0..60).map(|_| server.live(thread.as_str(), None))).await;
    join_all(streams.iter_mut().map(Events::record)).await;
    // All stay open meanwhile.
    assert!(connections() >= before + 60);
    let (healthy, listed) = tokio::join!(
        join_all((0..60).map(|_| server.get("/healthz"))),
        join_all((0..60).map(|_| server.get("/api/threads"))),
    );
    assert!(healthy.iter().chain(&listed).all(|answer| answer.status == 200));
    env.write("first", "");
    for (_, record) in join_all(streams.iter_mut().map(Events::record)).await {
        assert_eq!(record["role"], "first");
    }
    drop(streams);
    let mut raw = TcpStream::connect(server.authority()).unwrap();
    let request = format!("GET /api/threads/{thread}/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    raw.write_all(request.as_bytes()).unwrap();
    // Not blocking: dropped connections are closed by tasks of this very thread.
    let begun = Instant::now();
    while connections() != before + 1 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{} still open", connections());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(raw);
    wait_until("the last stream is closed", || (connections() == before).then_some(()));
    env.write("second", "");
    env.ended(&thread);
}

#[tokio::test]
async fn a_request_that_waits_for_a_lock_holds_up_nobody() {
    let env = TestEnv::new();
    env.run(["cas", "put", "garbage"]).ok();
    let server = Serving::start(&env);
    // As a collection under way in another process holds it.
    let lock = FileLock::exclusive(&env.root().join("cas/.gc.lock")).unwrap();
    let waiting = server.tell("/api/cas/gc");
    let mut waiting = std::pin::pin!(waiting);
    for _ in 0..20 {
        tokio::select! {
            answer = &mut waiting => panic!("{answer:?}"),
            answer = server.get("/api/threads") => assert_eq!(answer.status, 200),
        }
    }
    drop(lock);
    assert_eq!(waiting.await.json(200)["deletedEntries"], 1);
}

#[tokio::test]
async fn a_taken_port_and_a_strange_address_are_clear_errors() {
    let env = TestEnv::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = env.run(["serve", "--port", &port]);
    assert_eq!(output.stdout, "");
    assert_eq!(
        output.stderr,
        format!(
            "error: cannot listen on 127.0.0.1:{port}: Address already in use (os error 98)\n\
             hint: another program has port {port}, perhaps another `serve`; `--port 0` takes a free one\n"
        )
    );
    assert_eq!(output.code, Some(1));
    let output = env.run(["serve", "--host", "192.0.2.1", "--port", "0"]);
    assert_eq!(
        output.stderr,
        "error: cannot listen on 192.0.2.1:0: Cannot assign requested address (os error 99)\n\
         hint: `--host` takes an address of this machine, such as 127.0.0.1\n"
    );
    assert_eq!(output.code, Some(1));
    let output = env.run(["serve", "--port", "70000"]);
    assert_eq!(output.code, Some(2));
}

#[tokio::test]
async fn an_ipv6_address_is_listened_on_and_printed_as_a_url() {
    let env = TestEnv::new();
    if TcpListener::bind("[::1]:0").is_err() {
        return crate::support::report("SKIPPED: this machine has no IPv6 loopback");
    }
    let mut command = env.command();
    let server = Serving::start_with(command.args(["serve", "--host", "::1", "--port", "0"]));
    assert!(server.url.starts_with("http://[::1]:"), "{}", server.url);
    let answer = Answer::of(server.request(Method::GET, "/healthz").send().await.unwrap()).await;
    assert_eq!(answer.json(200), json!({ "status": "ok" }));
}
