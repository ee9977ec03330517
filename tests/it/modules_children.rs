//! Workflows that play the roles of others, up to a whole issue solved.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use uncaged_workflow::object::ThreadId;

use crate::support::chat_server::{ChatServer, Reply, Request};
use crate::support::env::{TestEnv, output, wait_until};

fn bundle(name: &str) -> PathBuf {
    let file = format!("tests/modules/{name}.esm.js");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// A store with `develop` and `solve-issue`, and this server as their model.
fn with_both_workflows(server: &ChatServer) -> TestEnv {
    let env = TestEnv::new();
    let config = json!({
        "config": {
            "providers": { "local": { "baseUrl": server.base_url(), "apiKey": "k" } },
            "models": { "default": "local/extractor" },
        },
        "workflows": {},
    });
    std::fs::create_dir_all(env.root()).unwrap();
    std::fs::write(env.root().join("workflow.yaml"), config.to_string()).unwrap();
    for name in ["develop", "solve-issue"] {
        output(command(&env, server).arg("add").arg(name).arg(bundle(name))).ok();
    }
    env
}

fn command(env: &TestEnv, server: &ChatServer) -> Command {
    let mut command = env.command();
    command.env("MODEL_URL", server.base_url());
    command
}

/// The part of a text between two others.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("{before:?} in {text}")).1;
    rest.split_once(after).map_or(rest, |(part, _)| part)
}

/// What the models of a solved issue answer.
fn answer(request: &Request) -> Reply {
    let messages = request.body["messages"].as_array().unwrap();
    if request.body["model"] == "agent" {
        let role = messages[0]["content"].as_str().unwrap();
        return Reply::text(&format!("done: {}", role.split('.').next().unwrap()));
    }
    let user = messages[1]["content"].as_str().unwrap();
    let said = messages.iter().filter(|message| message["role"] == "assistant").count();
    let role = between(user, "## Role\n\n", "\n");
    if role == "developer" {
        return read_the_child(said, user, request.last_message());
    }
    Reply::call("extract", meta_of(role, user))
}

/// Follows the chain from the child's end to the state before it, its committer.
fn read_the_child(said: usize, user: &str, last: &str) -> Reply {
    match said {
        0 => {
            let root = between(user, "## Agent Output\n\n", "\n");
            Reply::call("cas_get", json!({ "hash": root }))
        }
        1 => {
            let parent = between(last, "ancestors:\n    - ", "\n");
            Reply::call("cas_get", json!({ "hash": parent }))
        }
        _ => {
            let sha = between(last, "commitSha: ", "\n");
            let summary = "both parts";
            let files = ["a.rs", "b.rs"];
            Reply::call(
                "extract",
                json!({ "branch": "fix", "commitSha": sha, "filesChanged": files, "summary": summary }),
            )
        }
    }
}

fn meta_of(role: &str, user: &str) -> Value {
    let phases: Vec<&str> = match role {
        "planner" => between(user, "## Agent Output\n\nphases ", "\n").split(' ').collect(),
        "coder" => {
            let plan = between(user, "### Step 1: planner\n\nphases ", "\n");
            plan.split(' ').collect()
        }
        _ => Vec::new(),
    };
    match role {
        "preparer" => json!({
            "repoPath": "/tmp/repo", "defaultBranch": "main", "conventions": "none",
            "toolchain": {
                "packageManager": "cargo", "testCommand": "cargo test",
                "lintCommand": null, "buildCommand": "cargo build",
            },
        }),
        "planner" => json!({
            "phases": [{ "hash": phases[0], "title": "one" }, { "hash": phases[1], "title": "two" }],
        }),
        "coder" => {
            let done = user.matches(": coder\n").count().min(1);
            json!({ "completedPhase": phases[done], "filesChanged": ["a.rs"], "summary": "s" })
        }
        "reviewer" => json!({ "status": "approved" }),
        "tester" => json!({ "status": "passed", "details": "all" }),
        "committer" => json!({ "status": "committed", "branch": "fix", "commitSha": "abcdef12" }),
        "submitter" => json!({ "status": "submitted", "prUrl": "https://example.com/pr/1" }),
        other => panic!("no meta for {other}"),
    }
}

/// The threads of the store by the name of their workflow.
fn thread_of(env: &TestEnv, workflow: &str) -> Option<ThreadId> {
    let listed = env.run(["threads"]).ok();
    let line = listed.lines().find(|line| line.ends_with(&format!("\t{workflow}")))?;
    Some(line.split('\t').next()?.parse().unwrap())
}

fn roles(shown: &Value) -> Vec<&str> {
    let steps = shown["steps"].as_array().unwrap().iter();
    steps.map(|step| step["role"].as_str().unwrap()).collect()
}

#[test]
fn an_issue_is_solved_by_two_workflows() {
    let server = ChatServer::answering(answer);
    let env = with_both_workflows(&server);
    let mut run = command(&env, &server);
    let done = output(run.args(["run", "solve-issue", "--prompt", "Fix bug #3", "--wait"]));
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);

    let parent = env.show(&thread_of(&env, "solve-issue").unwrap());
    let child = env.show(&thread_of(&env, "develop").unwrap());
    assert_eq!(roles(&parent), ["preparer", "developer", "submitter", "__end__"]);
    assert_eq!(
        roles(&child),
        ["planner", "coder", "coder", "reviewer", "tester", "committer", "__end__"]
    );
    assert_eq!(child["start"]["prompt"], "Fix bug #3");
    assert_eq!(child["start"]["depth"], 1);

    let developer = &parent["steps"][1];
    assert_eq!(developer["content"], child["head"]);
    assert_eq!(developer["childThread"], child["head"]);
    assert_eq!(developer["meta"]["commitSha"], "abcdef12");
    let content = env.run(["cas", "get", developer["contentHash"].as_str().unwrap()]).ok();
    let root = child["head"].as_str().unwrap();
    assert_eq!(content, format!("type: content\npayload: {root}\nrefs:\n  - {root}\n"));

    let before = env.run(["cas", "list"]).ok();
    env.run(["gc"]).ok();
    assert_eq!(env.run(["cas", "list"]).ok(), before);
    env.run(["cas", "verify"]).ok();
}

#[test]
fn an_adapter_gives_the_meta_and_the_child() {
    let server = ChatServer::answering(|request| {
        let user = request.body["messages"][1]["content"].as_str().unwrap();
        // Extraction by hash knows no role.
        let by_hash = user.starts_with("## Agent Output");
        let said = request.body["messages"].as_array().unwrap().len().saturating_sub(2) / 2;
        if by_hash { read_the_child(said, user, request.last_message()) } else { answer(request) }
    });
    let env = with_both_workflows(&server);
    let mut run = command(&env, &server);
    let done = output(run.arg("run").arg(bundle("adapted")).args(["--prompt", "Fix it", "--wait"]));
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);

    let parent = env.show(&thread_of(&env, "adapted").unwrap());
    let child = env.show(&thread_of(&env, "develop").unwrap());
    assert_eq!(roles(&parent), ["worker", "__end__"]);
    let worker = &parent["steps"][0];
    let meta = json!({
        "branch": "fix", "commitSha": "abcdef12", "filesChanged": ["a.rs", "b.rs"],
        "summary": "both parts",
    });
    assert_eq!((&worker["meta"], &worker["childThread"]), (&meta, &child["head"]));
    assert_eq!(worker["content"].as_str().unwrap(), meta.to_string());
}

#[test]
fn killing_the_parent_ends_the_child() {
    let server = ChatServer::answering(|request| match request.body["model"] == "agent" {
        true if request.body["messages"][0]["content"].as_str().unwrap().contains("coder") => {
            Reply::never()
        }
        _ => answer(request),
    });
    let env = with_both_workflows(&server);
    let mut run = command(&env, &server);
    let parent: ThreadId = output(run.args(["run", "solve-issue", "--prompt", "Fix bug #3"]))
        .ok()
        .trim()
        .parse()
        .unwrap();
    let child = wait_until("the child's coder is asked", || {
        let child = thread_of(&env, "develop")?;
        (roles(&env.show(&child)) == ["planner"]).then_some(child)
    });
    env.run(["kill", parent.as_str()]).ok();
    let aborted = json!({ "returnCode": 130, "summary": "thread aborted" });
    assert_eq!((env.ended(&parent), env.ended(&child)), (aborted.clone(), aborted));
}

#[test]
fn workflows_that_call_themselves_are_refused_at_the_limit() {
    let env = TestEnv::new();
    let file = bundle("nested");
    let done = env.run(["run", file.to_str().unwrap(), "--prompt", "nested", "--wait"]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let listed = env.run(["threads"]).ok();
    let mut ends: Vec<(u64, String)> = listed
        .lines()
        .map(|line| {
            let shown = env.show(&line.split('\t').next().unwrap().parse().unwrap());
            let depth = shown["start"]["depth"].as_u64().unwrap();
            (depth, shown["steps"][0]["content"].as_str().unwrap().to_owned())
        })
        .collect();
    ends.sort();
    assert_eq!(ends.iter().map(|(depth, _)| *depth).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(
        ends[3].1,
        "ERROR: workflow \"nested\" would run at depth 4, and config.maxDepth allows 3"
    );
}

#[test]
fn a_workflow_that_nobody_registered_is_an_error_text() {
    let env = TestEnv::new();
    let file = bundle("nested");
    let done = env.run(["run", file.to_str().unwrap(), "--prompt", "nobody", "--wait"]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let shown = env.show(&thread_of(&env, "nested").unwrap());
    let answer = shown["steps"][0]["content"].as_str().unwrap();
    assert!(answer.starts_with("ERROR: ") && answer.contains("nobody"), "{answer}");
}
