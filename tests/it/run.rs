//! The main job: a thread from `run` to its last node.

use std::collections::BTreeSet;

use crate::support::env::TestEnv;

/// Two roles; the second says how often this module's state was used.
const COUNTER: &str = r#"
import { putContentMerkleNode } from "@uncaged/workflow-cas";
export const descriptor = { description: "counts", roles: {
  first: { description: "", schema: { type: "object" } },
  second: { description: "", schema: { type: "object" } },
} };
let used = 0;
globalThis.used = (globalThis.used ?? 0) + 1;
export async function* run(thread, { cas }) {
  const say = async (role, text, meta) => {
    const contentHash = await putContentMerkleNode(cas, text);
    return { role, contentHash, meta, refs: [contentHash] };
  };
  used += 1;
  yield await say("first", `prompt: ${thread.start.content}`, { used });
  await new Promise((resolve) => setTimeout(resolve, 20));
  yield await say("second", thread.threadId, { used, global: globalThis.used });
  return { returnCode: 3, summary: "counted" };
}
"#;

#[test]
fn a_thread_is_found_in_the_store_after_its_run() {
    let env = TestEnv::new();
    let bundle = env.add("counter", COUNTER);
    let thread = env.start("counter", &["--prompt", "two words"]);
    assert_eq!(env.ended(&thread), serde_json::json!({ "returnCode": 3, "summary": "counted" }));

    let shown = env.show(&thread);
    let steps = shown["steps"].as_array().unwrap();
    let told: Vec<(&str, &str, String)> = steps
        .iter()
        .map(|step| {
            let role = step["role"].as_str().unwrap();
            (role, step["content"].as_str().unwrap(), step["meta"].to_string())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("first", "prompt: two words", r#"{"used":1}"#.to_owned()),
            ("second", thread.as_str(), r#"{"used":1,"global":1}"#.to_owned()),
            ("__end__", "counted", r#"{"returnCode":3,"summary":"counted"}"#.to_owned()),
        ]
    );
    assert_eq!(shown["threadId"], thread.as_str());
    assert_eq!(shown["bundleHash"], bundle.as_str());
    assert_eq!(shown["source"], "history");
    assert_eq!(shown["head"], steps[2]["hash"]);
    assert_eq!(steps[2]["parent"], steps[1]["hash"]);
    assert_eq!(steps[1]["parent"], steps[0]["hash"]);
    assert_eq!(steps[0]["parent"], serde_json::Value::Null);
    assert_eq!(shown["start"]["prompt"], "two words");
    assert_eq!(shown["start"]["maxRounds"], 10);

    let listed = env.run(["threads"]).ok();
    assert_eq!(listed, format!("{thread}\t{bundle}\tcounter\n"));
    assert_eq!(env.run(["thread", "list", "counter"]).ok(), listed);
    assert_eq!(env.run(["ps"]).ok(), "");
    assert_eq!(env.run(["cas", "verify"]).ok(), "verified 8 blobs and 1 threads: 0 problems\n");
}

#[test]
fn wait_streams_the_steps_and_exits_with_the_return_code() {
    let env = TestEnv::new();
    env.add("counter", COUNTER);
    let output = env.run(["run", "counter", "--prompt", "p", "--wait"]);
    assert_eq!(output.stderr, "");
    let thread = output.stdout.lines().next().unwrap().to_owned();
    let lines: Vec<String> = output
        .stdout
        .lines()
        .map(|line| match line.as_bytes() {
            [_, _, b':', _, _, b':', ..] => format!("HH:MM:SS{}", &line[8..]),
            _ => line.replace(&thread, "THREAD"),
        })
        .collect();
    assert_eq!(
        lines,
        [
            "THREAD",
            "HH:MM:SS first",
            "  prompt: p",
            "  meta: {\"used\":1}",
            "HH:MM:SS second",
            "  THREAD",
            "  meta: {\"used\":1,\"global\":1}",
            "completed: returnCode=3 — counted",
        ]
    );
    assert_eq!(output.code, Some(3));
}

#[test]
fn ten_threads_at_once_share_nothing() {
    let env = TestEnv::new();
    env.add("counter", COUNTER);
    let threads: Vec<_> = std::thread::scope(|scope| {
        let starts: Vec<_> =
            (0..10).map(|_| scope.spawn(|| env.start("counter", &["--prompt", "x"]))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    assert_eq!(threads.iter().collect::<BTreeSet<_>>().len(), 10);
    for thread in &threads {
        assert_eq!(env.ended(thread)["returnCode"], 3);
        let steps = env.show(thread)["steps"].clone();
        assert_eq!(steps[1]["meta"], serde_json::json!({ "used": 1, "global": 1 }));
        assert_eq!(steps[1]["content"], thread.as_str());
    }
}

#[test]
fn max_rounds_ends_a_thread_as_completed() {
    let env = TestEnv::new();
    env.add("counter", COUNTER);
    for rounds in [0, 1] {
        let thread = env.start("counter", &["--max-rounds", &rounds.to_string()]);
        let summary = format!("completed: reached maxRounds ({rounds})");
        assert_eq!(env.ended(&thread), serde_json::json!({ "returnCode": 0, "summary": summary }));
        assert_eq!(env.show(&thread)["steps"].as_array().unwrap().len(), rounds + 1);
    }
}

#[test]
fn a_throw_fails_the_thread_and_keeps_its_steps() {
    let env = TestEnv::new();
    let source = COUNTER.replace(
        "return { returnCode: 3",
        "throw new TypeError(\"boom\");\n  return { returnCode: 3",
    );
    env.add("counter", &source);
    let thread = env.start("counter", &[]);
    assert_eq!(
        env.ended(&thread),
        serde_json::json!({ "returnCode": 1, "summary": "failed: boom" })
    );
    let steps = env.show(&thread)["steps"].as_array().unwrap().clone();
    assert_eq!(steps.len(), 3);
    let stack = steps[2]["content"].as_str().unwrap();
    assert!(stack.starts_with("TypeError: boom\n    at run (file://"), "{stack}");
    assert!(stack.contains(".esm.js:18:9"), "{stack}");
}

#[test]
fn a_yield_that_breaks_the_contract_names_the_step_and_the_field() {
    let cases = [
        ("5", "step 1 is not an object with role, contentHash, meta and refs"),
        ("{}", "step 1: role must be a non-empty string, not missing"),
        (
            "{ role: 'r', contentHash: '0123456789ABC', meta: {}, refs: [] }",
            "step 1: contentHash 0123456789ABC is not in the CAS; store it with runtime.cas.put first",
        ),
        (
            "{ role: 'r', contentHash: 'nonsense', meta: {}, refs: [] }",
            "step 1: contentHash must be a hash of the CAS, not \"nonsense\"",
        ),
        (
            "{ role: 'r', contentHash: await thread_.put('x'), meta: [1], refs: [] }",
            "step 1: meta must be an object, not [1]",
        ),
        (
            "{ role: 'r', contentHash: await thread_.put('x'), meta: {}, refs: ['x'] }",
            "step 1: refs[0] must be a hash of the CAS, not \"x\"",
        ),
        (
            "{ role: '__end__', contentHash: await thread_.put('x'), meta: {}, refs: [] }",
            "step 1: role must be a name that does not begin with __, not \"__end__\"",
        ),
    ];
    let env = TestEnv::new();
    for (i, (value, message)) in cases.into_iter().enumerate() {
        let name = format!("case-{i}");
        env.add(
            &name,
            &format!(
                "export const descriptor = {{ description: '', roles: {{}} }};
                export async function* run(thread, {{ cas: thread_ }}) {{ yield {value}; }}"
            ),
        );
        let thread = env.start(&name, &[]);
        let summary = format!("failed: {message}");
        assert_eq!(env.ended(&thread), serde_json::json!({ "returnCode": 1, "summary": summary }));
    }
}

#[test]
fn a_name_may_be_left_out_where_there_is_one_workflow() {
    let env = TestEnv::new();
    let output = env.run(["run"]);
    assert_eq!(
        output.stderr,
        "error: no workflow is registered\nhint: `uncaged-workflow add <file.esm.js>` registers one\n"
    );
    assert_eq!(output.code, Some(1));
    env.add("counter", COUNTER);
    let thread = env.run(["run"]).ok().trim().parse().unwrap();
    env.ended(&thread);
    env.add("other", COUNTER);
    let output = env.run(["run"]);
    assert_eq!(
        output.stderr,
        "error: several workflows are registered; name one\nhint: counter, other\n"
    );
    assert_eq!(output.code, Some(2));
}

#[test]
fn a_file_may_be_run_as_it_is() {
    let env = TestEnv::new();
    env.write("on-the-fly.esm.js", COUNTER);
    let prompt = "from\nstandard input\n";
    let output = env.run_with_input(&["run", "./on-the-fly.esm.js", "--prompt", "-"], prompt);
    let thread = output.ok().trim().parse().unwrap();
    env.ended(&thread);
    assert_eq!(env.show(&thread)["start"]["prompt"], prompt);
    assert_eq!(env.show(&thread)["start"]["name"], "on-the-fly");
}
