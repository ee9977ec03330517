//! `dev`: a bundle in the foreground, in a store that goes away.

use rustix::process::Signal;
use serde_json::json;

use crate::support::chat_server::{ChatServer, Reply};
use crate::support::env::{TestEnv, output, wait_until};
use crate::support::trial::{
    DUO, DUO_ANSWERS, DUO_STEPS, assert_nothing_left, run, same_times, signal, start, wait_for,
};

/// Takes one step and then waits for ever, with a child that does too.
const SLEEPER: &str = r#"import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
export const descriptor = { description: "", roles: { r: { description: "", schema: {} } } };
export async function* run(thread, { cas }) {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  writeFileSync("child", `${child.pid}\n`);
  yield { role: "r", contentHash: await cas.put("begun"), meta: {}, refs: [] };
  await new Promise(() => setInterval(() => {}, 1000));
}
"#;

fn duo(answers: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write("duo.esm.js", DUO);
    env.write("duo.answers.yaml", answers);
    env
}

#[test]
fn a_bundle_runs_without_a_model_and_leaves_nothing() {
    let env = duo(DUO_ANSWERS);
    let output = run(&env, "dev duo.esm.js --answers duo.answers.yaml");
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (DUO_STEPS, ""));
    assert_eq!(output.code, Some(0));
    assert!(!env.root().exists(), "the user's own store was touched");
    assert_nothing_left(&env);
}

#[test]
fn a_prompt_on_the_command_line_goes_before_that_of_the_file() {
    let env = TestEnv::new();
    env.write("echo.esm.js", ECHO);
    env.write("echo.answers.yaml", "prompt: from the file\nmaxRounds: 1\n");
    env.write("task.txt", "from a text");
    let rounds = "completed: returnCode=0 \u{2014} completed: reached maxRounds (1)\n";
    for (arguments, prompt) in [
        ("--answers echo.answers.yaml", "from the file"),
        ("--answers echo.answers.yaml --prompt given", "given"),
        ("--answers echo.answers.yaml --prompt-file task.txt", "from a text"),
        ("--max-rounds 1", ""),
    ] {
        let output = run(&env, &format!("dev echo.esm.js {arguments}"));
        assert_eq!(output.stdout, format!("HH:MM:SS r\n  said: {prompt}\n{rounds}"));
        assert_eq!((output.stderr.as_str(), output.code), ("", Some(0)));
    }
}

/// Says its prompt again and again.
const ECHO: &str = r#"export const descriptor = {
  description: "", roles: { r: { description: "", schema: {} } },
};
export async function* run(thread, { cas }) {
  for (;;) {
    const contentHash = await cas.put(`said: ${thread.start.content}`);
    yield { role: "r", contentHash, meta: {}, refs: [] };
  }
}
"#;

#[test]
fn a_failure_shows_the_stack_in_the_authors_own_file() {
    let env = TestEnv::new();
    let file = env.write(
        "bad.esm.js",
        "export const descriptor = { description: \"\", roles: {} };\n\
         export async function* run() {\n  await null;\n  throw new RangeError(\"out of cheese\");\n}\n",
    );
    let output = run(&env, "dev bad.esm.js");
    assert_eq!(
        output.stderr,
        format!("\nRangeError: out of cheese\n    at run (file://{}:4:9)\n", file.display())
    );
    assert_eq!(output.stdout, "completed: returnCode=1 \u{2014} failed: out of cheese\n");
    assert_eq!(output.code, Some(1));
    assert_nothing_left(&env);
}

#[test]
fn a_bundle_that_add_would_refuse_is_refused_in_the_same_words() {
    let env = TestEnv::new();
    env.write("no.esm.js", "import x from \"left-pad\";\nexport async function* run() {}\n");
    let output = run(&env, "dev no.esm.js");
    assert_eq!(output, env.run(["add", "no.esm.js"]));
    assert_eq!(output.code, Some(1));
    assert_nothing_left(&env);
}

#[test]
fn a_request_without_an_answer_fails_the_thread_and_shows_what_to_paste() {
    let answers = DUO_ANSWERS.replace("  - role: coder\n    meta", "  - role: nobody\n    meta");
    let env = duo(&answers);
    let output = run(&env, "dev duo.esm.js --answers duo.answers.yaml");
    let message = "a model was asked for role `coder` once more than duo.answers.yaml has answers \
                   (the one at line 3 was used)";
    assert_eq!(output.stdout, format!("completed: returnCode=1 \u{2014} failed: {message}\n"));
    let expected = format!(
        "
{message}

The request:

  | ## Role
  |
  | coder
  |
  | Write code
  |
  | ## Task
  |
  | Add a button
  |
  | ## Thread History
  |
  | (this is the first step)
  |
  | ## Agent Output
  |
  | I added it
  |
  | ## Extraction Instruction
  |
  | Say what came of it

Add an answer to `answers` in duo.answers.yaml:

  - role: coder
    meta:
      completedPhase: \u{2026}
      filesChanged:
        - \u{2026}
      summary: \u{2026}
"
    );
    assert_eq!(output.stderr, expected);
    assert_eq!(output.code, Some(1));
    assert_nothing_left(&env);
}

#[test]
fn the_entry_to_paste_is_one_that_answers() {
    // From an empty file to a whole run, by pasting what is shown.
    let env = duo("prompt: go\nanswers: []\n");
    let mut answers = "prompt: go\nanswers:\n".to_owned();
    let mut pasted = 0;
    let output = loop {
        let output = run(&env, "dev duo.esm.js --answers duo.answers.yaml");
        let Some((_, entry)) = output.stderr.split_once("in duo.answers.yaml:\n\n") else {
            break output;
        };
        answers += entry;
        pasted += 1;
        env.write("duo.answers.yaml", &answers);
    };
    assert_eq!((pasted, output.code), (4, Some(0)), "{}\n{answers}", output.stderr);
}

#[test]
fn a_bundle_that_swallows_the_failure_fails_all_the_same() {
    let env = TestEnv::new();
    let bundle = |body: &str| {
        format!(
            "import {{ createLlmAdapter }} from \"@uncaged/workflow-agent-llm\";
import {{ execFileSync }} from \"node:child_process\";
const llm = createLlmAdapter({{ baseUrl: \"http://m.example\", apiKey: \"\", model: \"m\" }});
const ask = () => llm({{ start: {{ content: \"x\" }}, currentRole: {{ name: \"r\", systemPrompt: \"\" }} }});
export const descriptor = {{ description: \"\", roles: {{}} }};
export async function* run() {{ {body} return {{ returnCode: 0, summary: \"all is well\" }}; }}"
        )
    };
    env.write("none.yaml", "answers: []\n");
    for (body, who) in [
        ("await ask().catch(() => {});", "a model was asked for role `r`"),
        ("for (;;) { await ask().catch(() => {}); }", "a model was asked for role `r`"),
        ("try { execFileSync(\"hermes\"); } catch {}", "the program `hermes` was asked"),
        (
            "await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, \
             { method: \"POST\", headers: { \"content-type\": \"application/json\" }, \
             body: JSON.stringify({ messages: [] }) });",
            "a model was asked",
        ),
    ] {
        env.write("b.esm.js", bundle(body));
        let output = run(&env, "dev b.esm.js --answers none.yaml");
        let message = format!("failed: {who}, and none.yaml has no answer for that");
        assert_eq!(
            output.stdout,
            format!("completed: returnCode=1 \u{2014} {message}\n"),
            "{body}"
        );
        assert_eq!(output.code, Some(1));
        assert_nothing_left(&env);
    }
}

#[test]
fn answers_that_nobody_asked_for_are_named() {
    let answers = DUO_ANSWERS.replace("expect:", "  - match: xyz\n    text: never\nexpect:");
    let env = duo(&answers);
    let output = run(&env, "dev duo.esm.js --answers duo.answers.yaml");
    assert_eq!(output.stdout, DUO_STEPS);
    assert_eq!(
        output.stderr,
        "warning: not used: answers[4] at duo.answers.yaml:12:5 (match: xyz)\n"
    );
    assert_eq!(output.code, Some(0));
}

#[test]
fn a_named_store_keeps_the_thread() {
    let env = duo(DUO_ANSWERS);
    let store = env.root();
    let line = format!("dev duo.esm.js --answers duo.answers.yaml --store {}", store.display());
    let output = run(&env, &line);
    let (thread, steps) = output.stdout.split_once('\n').unwrap();
    assert_eq!((steps, output.stderr.as_str(), output.code), (DUO_STEPS, "", Some(0)));
    let listed = env.run(["threads"]).ok();
    assert_eq!(listed.split('\t').next(), Some(thread));
    assert_eq!(env.run(["list"]).ok().split('\t').next(), Some("duo"));
    let left: Vec<_> = std::fs::read_dir(crate::support::trial::folders(&env)).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn json_is_one_line_an_event() {
    let env = duo(DUO_ANSWERS);
    let output = run(&env, "dev duo.esm.js --answers duo.answers.yaml --json");
    let lines = output.stdout.lines().map(|l| serde_json::from_str(l).unwrap());
    let lines: Vec<serde_json::Value> = lines.collect();
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["thread-start", "role", "role", "workflow-result"]);
    assert_eq!(lines[1]["meta"]["summary"], "a button");
    assert_eq!(lines[3]["threadId"], lines[0]["threadId"]);
}

#[test]
fn a_signal_ends_everything_and_leaves_nothing() {
    for how in [Signal::INT, Signal::TERM, Signal::HUP] {
        let env = TestEnv::new();
        env.write("sleeper.esm.js", SLEEPER);
        let mut child = start(&env, "dev sleeper.esm.js");
        wait_for(&env, "begun");
        let sleeping = crate::support::procs::number_in(&env, "child");
        signal(&child, how);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(env.read("work/err"), "ending the run\n");
        assert!(
            env.read("work/out").ends_with("completed: returnCode=130 \u{2014} thread aborted\n")
        );
        assert!(!crate::support::procs::is_alive(sleeping));
        assert_nothing_left(&env);
    }
}

#[test]
fn what_a_killed_dev_leaves_ends_by_itself_and_the_next_one_removes_it() {
    let env = TestEnv::new();
    env.write("sleeper.esm.js", SLEEPER);
    env.write("echo.esm.js", ECHO);
    let mut child = start(&env, "dev sleeper.esm.js");
    wait_for(&env, "begun");
    let sleeping = crate::support::procs::number_in(&env, "child");
    signal(&child, Signal::KILL);
    child.wait().unwrap();
    wait_until("its processes are gone", || env.processes().is_empty().then_some(()));
    assert!(!crate::support::procs::is_alive(sleeping));
    assert_eq!(run(&env, "dev echo.esm.js --max-rounds 1").code, Some(0));
    assert_nothing_left(&env);
}

#[test]
fn a_change_runs_the_bundle_again_and_ends_the_run_under_way() {
    let env = TestEnv::new();
    env.write("w.esm.js", SLEEPER);
    let mut child = start(&env, "dev w.esm.js --watch");
    wait_for(&env, "begun");
    let sleeping = crate::support::procs::number_in(&env, "child");
    // In the place of the other, as editors do it.
    let ends = ECHO.replace("said: ", "second: ").replace("for (;;) {", "{");
    std::fs::rename(
        env.write(
            "w.new",
            ends.replace("  }\n}", "  }\n  return { returnCode: 0, summary: \"done\" };\n}"),
        ),
        env.work().join("w.esm.js"),
    )
    .unwrap();
    wait_for(&env, "second: ");
    wait_for(&env, "waiting for a change of w.esm.js");
    assert!(!crate::support::procs::is_alive(sleeping));
    // A bundle that is refused is said so, and waited with.
    env.write("w.esm.js", "export default 1;\n");
    wait_until("the refusal", || {
        let said = env.read("work/err");
        (said.matches("waiting for a change").count() == 2).then_some(())
    });
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let said = env.read("work/err");
    let (first, refusal) = said.split_once("error").unwrap();
    assert_eq!(
        first,
        "w.esm.js has changed\nwaiting for a change of w.esm.js; Ctrl-C ends\nw.esm.js has changed\n"
    );
    assert!(refusal.ends_with("waiting for a change of w.esm.js; Ctrl-C ends\n"), "{refusal}");
    assert_nothing_left(&env);
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
    let ask =
        "const ctx = { start: thread.start, currentRole: { name: \"r\", systemPrompt: \"\" } };
  const said = await llm(ctx);
  yield";
    let head = format!(
        "import {{ createLlmAdapter }} from \"@uncaged/workflow-agent-llm\";
const llm = createLlmAdapter({{ baseUrl: {:?}, apiKey: \"\", model: \"m\" }});\n",
        server.base_url()
    );
    let sleeper = SLEEPER.replacen("yield", ask, 1).replace("\"begun\"", "said");
    let source = format!("{head}{sleeper}");
    env.write("sleeper.esm.js", source);
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
