//! Bundles of the three ages, built by esbuild with an old and a new zod, and
//! `extract` answered by a local server.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use uncaged_workflow::object::{Hash, normalize_blob};

use crate::support::chat_server::{ChatServer, Reply};
use crate::support::env::{Output, TestEnv};
use crate::support::npm;

const PACKAGES: [&str; 2] = ["bundles-zod-4.0", "bundles-zod-4.6"];

/// Builds `tests/modules/ages/<name>.mjs` into one file with the package's zod.
fn build(env: &TestEnv, package: &Path, name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules/ages");
    let file = env.work().join(format!("{name}.esm.js"));
    let status = Command::new(package.join("node_modules/.bin/esbuild"))
        .arg(source.join(format!("{name}.mjs")))
        .args(["--bundle", "--format=esm", "--platform=node", "--external:@uncaged/*"])
        .args(["--log-level=warning", &format!("--outfile={}", file.display())])
        .env("NODE_PATH", package.join("node_modules"))
        .status()
        .unwrap();
    assert!(status.success());
    file
}

/// A store whose `extract` model is this server.
fn configured(server: &ChatServer) -> TestEnv {
    let env = TestEnv::new();
    let config = json!({
        "config": {
            "providers": { "local": { "baseUrl": server.base_url(), "apiKey": "key-7" } },
            "models": { "extract": "local/small" },
        },
        "workflows": {},
    });
    std::fs::create_dir_all(env.root()).unwrap();
    std::fs::write(env.root().join("workflow.yaml"), config.to_string()).unwrap();
    env
}

/// Runs one of the bundles with each zod and hands what came of it to `check`.
fn with_each_zod(
    name: &str,
    prompt: &str,
    replies: &[Reply],
    check: impl Fn(&TestEnv, &Output, &ChatServer),
) {
    for package in PACKAGES {
        let Some(package) = npm::package(package) else { return };
        let server = ChatServer::scripted(replies.to_vec());
        let env = configured(&server);
        let file = build(&env, &package, name);
        let output = env.run(["run", file.to_str().unwrap(), "--prompt", prompt, "--wait"]);
        check(&env, &output, &server);
    }
}

/// Role, content and meta of each step of the only thread.
fn steps(env: &TestEnv) -> Vec<Value> {
    let threads = env.run(["threads"]).ok();
    let shown = env.show(&threads.split('\t').next().unwrap().parse().unwrap());
    let steps = shown["steps"].as_array().unwrap().iter();
    steps.map(|s| json!([s["role"], s["content"], s["meta"]])).collect()
}

fn plan() -> Value {
    json!({ "title": "T", "size": "small" })
}

/// The plan as the schema's default completes it.
fn planned() -> Value {
    json!({ "title": "T", "size": "small", "tags": [] })
}

#[test]
fn before_the_rfc_the_answer_is_the_meta() {
    let replies = [Reply::call("plan", plan()), Reply::call("extract", json!({ "n": 5 }))];
    with_each_zod("first", "task", &replies, |env, output, _| {
        assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
        let seen = json!({
            "keys": ["title", "size", "tags"], "copy": planned(), "checked": { "n": 5 },
        });
        let end = json!({ "returnCode": 0, "summary": "planned" });
        assert_eq!(
            steps(env),
            [
                json!(["planner", "a small plan", planned()]),
                json!(["planner", "report", seen]),
                json!(["__end__", "planned", end]),
            ]
        );
    });
}

#[test]
fn since_the_rfc_the_answer_has_the_meta_in_a_field() {
    let replies = [Reply::call("plan", plan()), Reply::call("extract", json!({ "refs": [1, 2] }))];
    with_each_zod("rfc", "task", &replies, |env, output, _| {
        assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
        let seen = json!({
            "keys": ["meta", "contentPayload", "refs"], "meta": { "refs": [1, 2] }, "refs": [],
        });
        assert_eq!(
            steps(env)[..2],
            [json!(["planner", "a small plan", planned()]), json!(["planner", "report", seen])]
        );
    });
}

#[test]
fn in_the_third_age_extract_reads_a_node() {
    let known = Hash::of(normalize_blob("a small plan")).to_string();
    let replies = [
        Reply::call("plan", plan()),
        Reply::call("extract", json!({ "part": "0000000000000" })),
        Reply::call("extract", json!({ "part": known })),
    ];
    with_each_zod("third", "task", &replies, |env, output, server| {
        assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
        assert_eq!(
            steps(env)[..2],
            [
                json!(["planner", "a small plan", planned()]),
                json!(["planner", "report", { "found": { "part": known }, "refs": [known] }]),
            ]
        );
        let told = server.requests()[2].last_message().to_owned();
        assert!(told.contains("the store has no node \"0000000000000\""), "{told}");
    });
}

#[test]
fn the_model_is_told_role_task_history_output_and_instruction() {
    let replies = [Reply::call("plan", plan()), Reply::call("plan", plan())];
    with_each_zod("definition", "moderator and agent", &replies, |env, output, server| {
        assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
        let requests = server.requests();
        let body = &requests[1].body;
        let tools: Vec<&Value> =
            body["tools"].as_array().unwrap().iter().map(|t| &t["function"]).collect();
        assert_eq!(
            (&body["model"], &body["tool_choice"], &tools[0]["name"], tools[1]),
            (
                &json!("small"),
                &json!("auto"),
                &json!("cas_get"),
                &json!({
                    "name": "plan",
                    "description": "The plan's key figures",
                    "parameters": {
                        "type": "object",
                        "properties": {
                            "title": { "type": "string", "minLength": 1 },
                            "size": { "type": "string", "enum": ["small", "large"] },
                            "tags": { "default": [], "type": "array", "items": { "type": "string" } },
                        },
                        "required": ["title", "size"],
                    },
                })
            )
        );
        let user = body["messages"][1]["content"].as_str().unwrap();
        assert_eq!(
            user,
            "## Role\n\nplanner\n\nYou plan.\n\n\
             ## Task\n\nmoderator and agent\n\n\
             ## Thread History\n\n### Step 1: planner\n\nYou plan. step 0\n\n\
             Meta: {\"title\":\"T\",\"size\":\"small\",\"tags\":[]}\n\n\
             ## Agent Output\n\nYou plan. step 1\n\n\
             ## Extraction Instruction\n\nThe plan's figures."
        );
        assert_eq!(
            steps(env),
            [
                json!(["planner", "You plan. step 0", planned()]),
                json!(["planner", "You plan. step 1", planned()]),
                json!(["__end__", "completed: moderator returned END",
                    { "returnCode": 0, "summary": "completed: moderator returned END" }]),
            ]
        );
    });
}

#[test]
fn a_table_and_an_adapter_make_a_workflow() {
    with_each_zod("definition", "table and adapter", &[], |env, output, _| {
        assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
        let found = steps(env);
        let meta = &found[0][2];
        assert_eq!(meta["title"], "You plan. planner");
        assert_eq!(found[0][1].as_str().unwrap(), meta.to_string());
        assert_eq!((&found[1], found.len()), (&found[0], 3));
        let part = meta["parts"][0]["hash"].as_str().unwrap();
        env.run(["gc"]).ok();
        assert_eq!(
            env.run(["cas", "get", part]).ok(),
            "type: content\npayload: a part\nrefs: []\n"
        );
    });
}

#[test]
fn an_override_plays_its_role_and_named_references_must_exist() {
    let replies = [Reply::call("plan", json!({ "title": "0000000000000", "size": "large" }))];
    with_each_zod("definition", "references", &replies, |env, output, server| {
        assert_eq!(output.code, Some(1), "{}{}", output.stdout, output.stderr);
        assert!(server.requests()[0].last_message().contains("plan: references"));
        let end = steps(env).pop().unwrap();
        let summary = end[2]["summary"].as_str().unwrap();
        assert!(summary.starts_with("failed: ") && summary.contains("refs[0]"), "{summary}");
    });
}

#[test]
fn a_moderator_that_names_nobody_ends_the_thread() {
    with_each_zod("definition", "unknown role", &[], |env, output, _| {
        assert_eq!(output.code, Some(1));
        let end = json!({ "returnCode": 1, "summary": "unknown role: nobody" });
        assert_eq!(steps(env), [json!(["__end__", "unknown role: nobody", end])]);
    });
}

#[test]
fn an_exhausted_extraction_fails_the_thread() {
    let replies: Vec<Reply> =
        (0..10).map(|_| Reply::call("plan", json!({ "size": "tiny" }))).collect();
    with_each_zod("definition", "endless", &replies, |env, output, server| {
        assert_eq!(output.code, Some(1));
        assert_eq!(server.requests().len(), 10);
        let end = steps(env).pop().unwrap();
        assert_eq!(end[2]["summary"], "failed: extract failed: max_react_rounds_exceeded");
        let told = server.requests()[9].last_message().to_owned();
        assert!(told.contains("- title: ") && told.contains("- size: "), "{told}");
    });
}

#[test]
fn without_a_config_extract_says_how_to_add_one() {
    let Some(package) = npm::package(PACKAGES[1]) else { return };
    let env = TestEnv::new();
    let file = build(&env, &package, "definition");
    let output = env.run(["run", file.to_str().unwrap(), "--prompt", "endless", "--wait"]);
    assert_eq!(output.code, Some(1));
    let end = steps(&env).pop().unwrap();
    let summary = end[2]["summary"].as_str().unwrap();
    assert!(summary.contains("`uncaged-workflow setup`"), "{summary}");
}
