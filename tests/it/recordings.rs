//! `dev --record`: an answers file from what really happened.

use std::process::Stdio;

use rustix::process::Signal;
use serde_json::json;

use crate::answers::PARENT;
use crate::support::chat_server::{ChatServer, Reply};
use crate::support::env::{TestEnv, output};
use crate::support::trial::{
    DUO, SLEEPER, assert_nothing_left, command, run, same_times, signal, start, wait_for,
};

/// The bundle with a question to this server before its first step, whose text
/// is the answer.
fn asking(server: &ChatServer, bundle: &str) -> String {
    let ask =
        "const ctx = { start: thread.start, currentRole: { name: \"r\", systemPrompt: \"\" } };
  const said = await llm(ctx);
  yield";
    let head = format!(
        "import {{ createLlmAdapter }} from \"@uncaged/workflow-agent-llm\";
const llm = createLlmAdapter({{ baseUrl: {:?}, apiKey: \"\", model: \"m\" }});\n",
        server.base_url()
    );
    let asking = bundle.replacen("yield", ask, 1).replace("\"begun\"", "said");
    format!("{head}{asking}")
}

#[test]
fn a_recording_replays_without_models_and_without_keys() {
    let meta = json!({ "completedPhase": "all", "filesChanged": [], "summary": "a button" });
    let replies = [
        Reply::text("I added it, key-9-0123456789abcdef is the key"),
        Reply::call("extract", json!({ "completedPhase": 3 })),
        Reply::call("extract", meta),
        Reply::text("{\"status\": \"passed\", \"details\": \"12 tests\"}"),
    ];
    let server = ChatServer::scripted([replies.clone(), replies].concat());
    let env = TestEnv::new();
    let source = DUO.replace("https://models.example/v1", &server.base_url());
    env.write("duo.esm.js", source.replace("key-9", "key-9-0123456789abcdef"));
    let config = json!({ "config": {
        "supervisorInterval": 0,
        "providers": { "p": { "baseUrl": server.base_url(), "apiKey": "key-8-0123456789abcdef" } },
        "models": { "extract": "p/small" },
    }});
    std::fs::create_dir_all(env.root()).unwrap();
    std::fs::write(env.root().join("workflow.yaml"), config.to_string()).unwrap();
    let hermes = env.write("bin/hermes", "#!/bin/sh\necho \"All green\"\necho careful >&2\n");
    std::fs::set_permissions(&hermes, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", env.work().join("bin").display(), std::env::var("PATH").unwrap());
    let dev = |arguments: &[&str]| {
        let mut command = crate::support::trial::command(&env);
        command.env("PATH", &path).args(["dev", "duo.esm.js", "--prompt", "Add a button"]);
        same_times(output(command.args(arguments)))
    };
    // The user's own models and programs, and nothing written down.
    let plain = dev(&[]);
    assert_eq!((plain.stderr.as_str(), plain.code), ("", Some(0)));
    assert!(plain.stdout.contains("tester\n  All green\n"), "{}", plain.stdout);
    let keys = |server: &ChatServer| -> Vec<String> {
        let requests = server.requests();
        requests.iter().map(|r| r.header("authorization").unwrap().to_owned()).collect()
    };
    let bearer = |key: &str| format!("Bearer {key}-0123456789abcdef");
    let once = [bearer("key-9"), bearer("key-8"), bearer("key-8"), bearer("key-8")];
    assert_eq!(keys(&server), once);
    let output = dev(&["--record", "duo.answers.yaml"]);
    assert_eq!(keys(&server), [once.clone(), once].concat());
    assert_eq!(output.stdout, plain.stdout);
    assert_eq!((output.stderr.as_str(), output.code), ("recorded in duo.answers.yaml\n", Some(0)));
    assert_eq!(
        env.read("work/duo.answers.yaml"),
        r#"prompt: Add a button
answers:
  - role: coder
    text: I added it, [key] is the key
  - role: coder
    meta:
      completedPhase: 3
  - role: coder
    meta:
      completedPhase: all
      filesChanged: []
      summary: a button
  - program: hermes
    role: tester
    stdout: |
      All green
    stderr: |
      careful
  - role: tester
    text: '{"status": "passed", "details": "12 tests"}'
expect:
  steps:
    - role: coder
      meta:
        completedPhase: all
        filesChanged: []
        summary: a button
    - role: tester
      meta:
        status: passed
        details: 12 tests
  returnCode: 0
  summary: "completed: moderator returned END"
"#
    );
    assert_nothing_left(&env);
    drop(server);
    let again = run(&env, "test duo.answers.yaml");
    assert_eq!(
        again.stdout,
        "running 1 test\ntest duo.answers.yaml ... ok (N s)\n\n1 passed, 0 failed (N s)\n"
    );
    let output = run(&env, "dev duo.esm.js --record duo.answers.yaml");
    assert_eq!(
        output.stderr,
        "error: duo.answers.yaml is there already\nhint: choose another name, or remove it first\n"
    );
}

#[test]
fn a_recording_that_is_ended_keeps_the_answers_that_came() {
    let env = TestEnv::new();
    let server = ChatServer::scripted([Reply::text("dear words")]);
    env.write("sleeper.esm.js", asking(&server, SLEEPER));
    let mut child = start(&env, "dev sleeper.esm.js --prompt p --record kept.yaml");
    wait_for(&env, "dear words");
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(env.read("work/err"), "ending the run\nrecorded in kept.yaml\n");
    assert_eq!(
        env.read("work/kept.yaml"),
        "prompt: p\nanswers:\n  - role: r\n    text: dear words\n"
    );
    assert_nothing_left(&env);
}

const KEPT: &str = "prompt: p\nanswers:\n  - role: r\n    text: dear words\n";

#[test]
fn a_recording_whose_reader_has_gone_is_written_all_the_same() {
    let env = TestEnv::new();
    let server = ChatServer::scripted([Reply::text("dear words")]);
    env.write("sleeper.esm.js", asking(&server, SLEEPER));
    let mut dev = command(&env);
    dev.args(["dev", "sleeper.esm.js", "--prompt", "p", "--record", "kept.yaml"]);
    let mut child = dev.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "recorded in kept.yaml\n");
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(env.read("work/kept.yaml"), KEPT);
    assert_nothing_left(&env);
}

#[test]
fn a_recording_whose_worker_was_killed_is_written_all_the_same() {
    let env = TestEnv::new();
    let server = ChatServer::scripted([Reply::text("dear words"), Reply::text("dear words")]);
    let kill = "execFileSync(\"kill\", [\"-9\", String(process.ppid)]);\n  await new Promise";
    let bundle =
        SLEEPER.replace("{ spawn }", "{ execFileSync, spawn }").replace("await new Promise", kill);
    env.write("orphan.esm.js", asking(&server, &bundle));
    let store = env.root();
    let kept = format!(" --store {}", store.display());
    for (name, where_to) in [("away.yaml", ""), ("kept.yaml", kept.as_str())] {
        let line = format!("dev orphan.esm.js --prompt p --record {name}{where_to}");
        let output = run(&env, &line);
        let said = output.stderr.strip_prefix(&format!("recorded in {name}\nerror: thread "));
        let (thread, said) = said.unwrap_or_else(|| panic!("{}", output.stderr)).split_at(26);
        // Only where the thread stays can it be continued.
        let hint = format!(
            "hint: `UNCAGED_WORKFLOW_STORAGE_ROOT={} uncaged-workflow resume {thread}` continues it\n",
            store.display()
        );
        let hint = if where_to.is_empty() { "" } else { &hint };
        assert_eq!(said, format!(" was interrupted\n{hint}"));
        assert_eq!(output.code, Some(1));
        assert_eq!(env.read(format!("work/{name}")), KEPT);
    }
}

/// Steps without end.
const STEPS: &str = r#"export const descriptor = {
  description: "", roles: { r: { description: "", schema: {} } },
};
export async function* run(thread, { cas }) {
  for (;;) yield { role: "r", contentHash: await cas.put("x"), meta: {}, refs: [] };
}
"#;

#[test]
fn a_recording_keeps_the_supervisors_interval() {
    for (interval, line) in [(2, "supervisorInterval: 2\n"), (3, "")] {
        let decisions = ["{\"decision\": \"continue\"}", "{\"decision\": \"stop\"}"];
        let server = ChatServer::scripted(decisions.map(Reply::text));
        let env = TestEnv::new();
        env.write("steps.esm.js", STEPS);
        let config = json!({ "config": {
            "supervisorInterval": interval,
            "providers": { "p": { "baseUrl": server.base_url(), "apiKey": "" } },
            "models": { "default": "p/small" },
        }});
        std::fs::create_dir_all(env.root()).unwrap();
        std::fs::write(env.root().join("workflow.yaml"), config.to_string()).unwrap();
        let output = run(&env, "dev steps.esm.js --prompt p --record steps.answers.yaml");
        assert_eq!(
            (output.stderr.as_str(), output.code),
            ("recorded in steps.answers.yaml\n", Some(0))
        );
        let steps = "    - role: r\n      meta: {}\n".repeat(2 * interval);
        assert_eq!(
            env.read("work/steps.answers.yaml"),
            format!(
                "prompt: p\n{line}answers:\n  - scene: supervisor\n    decision: continue\n  \
                 - scene: supervisor\n    decision: stop\nexpect:\n  steps:\n{steps}  \
                 returnCode: 0\n  summary: \"completed: supervisor stopped thread\"\n"
            )
        );
        drop(server);
        let again = run(&env, "test");
        assert_eq!(again.code, Some(0), "{}", again.stdout);
    }
}

#[test]
fn a_recording_says_which_other_workflows_it_needs() {
    let env = TestEnv::new();
    let child = "export const descriptor = { description: \"\", roles: {} };
export async function* run() { return { returnCode: 0, summary: \"from the child\" }; }\n";
    env.add("echo", child);
    env.write("parent.esm.js", PARENT);
    let output = run(&env, "dev parent.esm.js --record parent.answers.yaml");
    assert_eq!(
        output.stderr,
        "recorded in parent.answers.yaml\nwarning: it ran other workflows (echo): name their \
         bundles in the file before you replay it, as in `workflows: { echo: ./echo.esm.js }`\n"
    );
    env.write("echo.esm.js", child);
    let named = env.read("work/parent.answers.yaml") + "workflows: { echo: ./echo.esm.js }\n";
    env.write("parent.answers.yaml", named);
    let again = run(&env, "test");
    assert_eq!(again.code, Some(0), "{}", again.stdout);
}
