//! The API's routes with their whole bodies, from a real server over real HTTP.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::env::{TestEnv, wait_until};
use crate::support::http::Serving;

/// Two steps; each waits for a file, so that a test says when it may come.
pub const GATED: &str = r#"
import { existsSync } from "node:fs";
import { putContentNodeWithRefs, putContentMerkleNode } from "@uncaged/workflow-cas";
export const descriptor = {
  description: "waits",
  roles: { first: { description: "the first", schema: { type: "object" } } },
};
export async function* run(thread, { cas }) {
  const artifact = await putContentMerkleNode(cas, "an artifact");
  for (const role of ["first", "second"].slice(thread.steps.length)) {
    while (!existsSync(role)) await new Promise((r) => setTimeout(r, 5));
    const contentHash = await putContentMerkleNode(cas, `${role}: ${thread.start.content}`);
    yield { role, contentHash, meta: { b: 1, a: [role] }, refs: [artifact] };
  }
  return { returnCode: 4, summary: process.env.FLAVOUR ?? "plain" };
}
"#;

/// What a command prints with `--json`.
fn printed(env: &TestEnv, args: &[&str]) -> Value {
    serde_json::from_str(&env.run([args, &["--json"]].concat()).ok()).unwrap()
}

fn ended_thread(env: &TestEnv) -> String {
    env.write("first", "");
    env.write("second", "");
    let thread = env.start("gated", &["--prompt", "a task"]);
    env.ended(&thread);
    thread.to_string()
}

#[tokio::test]
async fn the_api_and_the_command_line_give_the_same_json() {
    let env = TestEnv::new();
    let older = env.add("gated", &GATED.replace("waits", "waited"));
    let bundle = env.add("gated", GATED);
    let thread = ended_thread(&env);
    let server = Serving::start(&env);
    for (path, args) in [
        ("/api/workflows", vec!["list"]),
        ("/api/workflows/gated", vec!["show", "gated"]),
        ("/api/workflows/gated/history", vec!["history", "gated"]),
        ("/api/threads", vec!["threads"]),
        ("/api/threads?workflow=gated", vec!["threads", "gated"]),
        ("/api/threads/running", vec!["ps"]),
        (&format!("/api/threads/{thread}"), vec!["thread", &thread]),
        (&format!("/api/threads/{thread}?last=1"), vec!["thread", &thread, "--last", "1"]),
        ("/api/cas", vec!["cas", "list"]),
    ] {
        let body = server.get(path).await.json(200);
        assert_eq!(body.to_string(), printed(&env, &args).to_string(), "{path}");
    }
    let versions = server.get("/api/workflows/gated/history").await.json(200);
    assert_eq!(versions[0]["hash"], bundle.as_str());
    assert_eq!(versions[1]["hash"], older.as_str());
    for hash in server.get("/api/cas").await.json(200).as_array().unwrap() {
        let hash = hash.as_str().unwrap();
        let body = server.get(&format!("/api/cas/{hash}")).await.json(200);
        assert_eq!(body.to_string(), printed(&env, &["cas", "get", hash]).to_string());
    }
    // What goes by the records of `live` on one side goes by them on the other.
    let lines = env.run(["live", &thread, "--json"]).ok();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let records = server.live(&thread, None).await.rest().await;
    assert_eq!(records.into_iter().map(|(_, data)| data).collect::<Vec<_>>(), lines);
}

#[tokio::test]
async fn a_workflow_is_listed_and_shown_with_its_roles() {
    let env = TestEnv::new();
    let server = Serving::start(&env);
    assert_eq!(server.get("/healthz").await.json(200), json!({ "status": "ok" }));
    assert_eq!(server.get("/api/workflows").await.json(200), json!([]));
    let hash = env.add("gated", GATED);
    let listed = server.get("/api/workflows").await.json(200);
    let timestamp = listed[0]["timestamp"].as_i64().unwrap();
    let row = json!({ "name": "gated", "hash": hash, "timestamp": timestamp });
    assert_eq!(listed, json!([row]));
    assert_eq!(
        server.get("/api/workflows/gated").await.json(200),
        json!({
            "name": "gated", "hash": hash, "timestamp": timestamp, "history": [],
            "descriptor": {
                "description": "waits",
                "roles": { "first": { "description": "the first", "schema": { "type": "object" } } },
            },
        })
    );
    assert_eq!(
        server.get("/api/workflows/gated/history").await.json(200),
        json!([{ "hash": hash, "timestamp": timestamp, "current": true }])
    );
}

#[tokio::test]
async fn a_thread_is_started_paused_resumed_and_shown() {
    let env = TestEnv::new();
    let bundle = env.add("gated", GATED);
    let server = Serving::start(&env);
    let body = json!({ "workflow": "gated", "prompt": "a task", "maxRounds": 7 });
    let answer = server.post("/api/threads", &body).await;
    let id = answer.json(201)["threadId"].as_str().unwrap().to_owned();
    assert_eq!(answer.json(201), json!({ "threadId": id }));
    assert_eq!(answer.header("location"), Some(format!("/api/threads/{id}").as_str()));

    let start = server.get(&format!("/api/threads/{id}")).await.json(200)["start"].clone();
    assert_eq!(
        start,
        json!({
            "hash": start["hash"], "name": "gated", "maxRounds": 7, "depth": 0,
            "parentState": null, "prompt": "a task",
        })
    );
    let row = |state: &str, head: &Value, code: Value| {
        json!([{
            "threadId": id, "hash": bundle, "name": "gated", "state": state, "head": head,
            "start": start["hash"], "parentState": null, "returnCode": code,
        }])
    };
    let running = server.get("/api/threads/running").await.json(200);
    assert_eq!(running, row("running", &start["hash"], Value::Null));
    let told = |outcome: &str| json!({ "threadId": id, "outcome": outcome });
    let pause = server.tell(&format!("/api/threads/{id}/pause")).await;
    assert_eq!(pause.json(200), told("sent"));
    env.write("first", "");
    env.write("second", "");
    wait_until("it is paused", || (printed(&env, &["ps"])[0]["state"] == "paused").then_some(()));
    let paused = server.get(&format!("/api/threads/{id}")).await.json(200);
    assert_eq!(paused["source"], "active");
    assert_eq!(
        server.get("/api/threads").await.json(200),
        row("paused", &paused["head"], Value::Null)
    );
    // A beginning of the id will do, in any case.
    let short = id[..20].to_lowercase();
    let again = server.tell(&format!("/api/threads/{short}/pause")).await;
    assert_eq!(again.json(200), told("already"));
    let resume = server.tell(&format!("/api/threads/{short}/resume")).await;
    assert_eq!(resume.json(200), told("sent"));
    env.ended(&id.parse().unwrap());

    let shown = server.get(&format!("/api/threads/{id}")).await.json(200);
    let step = |number: usize, role: &str, content: &str, meta: Value, refs: Value| {
        let known = &shown["steps"][number];
        let parent = if number == 0 { &Value::Null } else { &shown["steps"][number - 1]["hash"] };
        json!({
            "hash": known["hash"], "role": role, "contentHash": known["contentHash"],
            "content": content, "meta": meta, "refs": refs, "parent": parent, "compact": null,
            "childThread": null, "timestamp": known["timestamp"],
        })
    };
    let artifact = env.run(["cas", "put", "an artifact"]).ok();
    let refs = json!([artifact.trim()]);
    let end = json!({ "returnCode": 4, "summary": "plain" });
    assert_eq!(
        shown,
        json!({
            "threadId": id, "bundleHash": bundle, "head": shown["steps"][2]["hash"],
            "start": start, "source": "history",
            "steps": [
                step(0, "first", "first: a task", json!({ "b": 1, "a": ["first"] }), refs.clone()),
                step(1, "second", "second: a task", json!({ "b": 1, "a": ["second"] }), refs),
                step(2, "__end__", "plain", end, json!([])),
            ],
        })
    );
    let last = server.get(&format!("/api/threads/{id}?last=1")).await.json(200);
    assert_eq!(last["steps"], json!([shown["steps"][2]]));
    assert_eq!(server.get("/api/threads/running").await.json(200), json!([]));
    assert_eq!(
        server.get("/api/threads").await.json(200),
        row("completed", &shown["head"], json!(4))
    );
}

#[tokio::test]
async fn kill_ends_a_running_and_an_interrupted_thread() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let server = Serving::start(&env);
    let body = json!({ "workflow": "gated", "prompt": "" });
    for interrupt in [false, true] {
        let started = server.post("/api/threads", &body).await.json(201);
        let id = started["threadId"].as_str().unwrap();
        if interrupt {
            for process in env.processes() {
                crate::support::env::kill(process);
            }
            wait_until("it is interrupted", || {
                (printed(&env, &["ps"])[0]["state"] == "interrupted").then_some(())
            });
        }
        let killed = server.tell(&format!("/api/threads/{id}/kill")).await.json(200);
        assert_eq!(killed, json!({ "threadId": id, "outcome": "sent" }));
        let end = env.ended(&id.parse().unwrap());
        assert_eq!(end, json!({ "returnCode": 130, "summary": "thread aborted" }));
        // Nothing can be done any more.
        for verb in ["kill", "pause", "resume"] {
            let refused = server.tell(&format!("/api/threads/{id}/{verb}")).await.json(409);
            let error = format!("thread {id} has already ended");
            let hint = format!("GET /api/threads/{id} shows how");
            assert_eq!(refused, json!({ "error": error, "hint": hint }));
        }
    }
}

#[tokio::test]
async fn a_thread_lives_in_the_servers_environment_and_outlives_it() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let mut command = env.command();
    let mut server =
        Serving::start_with(command.args(["serve", "--port", "0"]).env("FLAVOUR", "of the server"));
    let body = json!({ "workflow": "gated", "prompt": "" });
    let started = server.post("/api/threads", &body).await.json(201);
    let thread = started["threadId"].as_str().unwrap().parse().unwrap();
    assert_eq!(server.stop(Signal::INT), (Some(0), String::new()));
    env.write("first", "");
    env.write("second", "");
    assert_eq!(env.ended(&thread), json!({ "returnCode": 4, "summary": "of the server" }));
}

#[tokio::test]
async fn threads_are_listed_by_workflow_and_the_newest_n() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let first = ended_thread(&env);
    env.add("other", GATED);
    let second = env.start("other", &[]).to_string();
    let third = ended_thread(&env);
    env.ended(&second.parse().unwrap());
    let server = Serving::start(&env);
    let ids = |body: Value| -> Vec<String> {
        let rows = body.as_array().unwrap().iter();
        rows.map(|row| row["threadId"].as_str().unwrap().to_owned()).collect()
    };
    let of = |path: &'static str| async { ids(server.get(path).await.json(200)) };
    assert_eq!(of("/api/threads").await, [first.as_str(), &second, &third]);
    assert_eq!(of("/api/threads?workflow=gated").await, [first.as_str(), &third]);
    assert_eq!(of("/api/threads?workflow=gated&last=1").await, [third.as_str()]);
    assert_eq!(of("/api/threads?last=2").await, [second.as_str(), &third]);
    assert_eq!(of("/api/threads?last=0").await, [""; 0]);
}

#[tokio::test]
async fn blobs_are_put_read_deleted_and_collected() {
    let env = TestEnv::new();
    let server = Serving::start(&env);
    assert_eq!(server.get("/api/cas").await.json(200), json!([]));
    // Larger than a web framework takes by itself.
    let large = "a long text\n".repeat(400_000);
    for content in ["a text", large.as_str()] {
        let put = server.post("/api/cas", &json!({ "content": content })).await.json(201);
        let hash = put["hash"].as_str().unwrap();
        assert_eq!(put, json!({ "hash": hash }));
        let text = env.store().get(&hash.parse().unwrap()).unwrap().unwrap();
        let whole = json!({ "hash": hash, "content": text });
        assert_eq!(server.get(&format!("/api/cas/{hash}")).await.json(200), whole);
        let beginning = hash[..9].to_lowercase();
        assert_eq!(server.get(&format!("/api/cas/{beginning}")).await.json(200), whole);
        let deleted = server.delete(&format!("/api/cas/{beginning}")).await;
        assert_eq!(deleted.json(200), json!({ "hash": hash }));
        let missing = server.delete(&format!("/api/cas/{hash}")).await.json(404);
        let hint = "GET /api/cas lists them";
        assert_eq!(missing, json!({ "error": format!("there is no blob {hash}"), "hint": hint }));
    }
    let put = server.post("/api/cas", &json!({ "content": "garbage" })).await.json(201);
    env.add("gated", GATED);
    ended_thread(&env);
    let expected = printed(&env, &["gc", "--dry-run"]);
    let collected = server.tell("/api/cas/gc").await.json(200);
    assert_eq!(collected.to_string(), expected.to_string());
    assert_eq!(collected["scannedThreads"], 1);
    assert!(collected["deletedHashes"].as_array().unwrap().contains(&put["hash"]));
    let left = server.get("/api/cas").await.json(200).as_array().unwrap().len();
    assert_eq!(collected["activeRefs"], left);
    let nothing = server.tell("/api/cas/gc").await.json(200);
    let kept = json!({
        "scannedThreads": 1, "activeRefs": left, "deletedEntries": 0, "deletedHashes": [],
    });
    assert_eq!(nothing, kept);
}
