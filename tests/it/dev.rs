//! `dev`: a bundle in the foreground, in a store that goes away.

use crate::support::env::{TestEnv, output, wait_until};
use crate::support::trial::{
    DUO, DUO_ANSWERS, DUO_STEPS, SLEEPER, assert_nothing_left, command, run, signal, start,
    wait_for,
};
use rustix::process::Signal;

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

/// Takes no step and ends.
fn ends(summary: &str) -> String {
    format!(
        "export const descriptor = {{ description: \"\", roles: {{}} }};
export async function* run() {{ return {{ returnCode: 0, summary: \"{summary}\" }}; }}\n"
    )
}

#[test]
fn a_build_that_makes_its_folder_anew_is_seen_each_time() {
    let env = TestEnv::new();
    env.write("dist/w.esm.js", ends("first"));
    let mut child = start(&env, "dev dist/w.esm.js --watch");
    let waiting = |times: usize| {
        wait_until("it waits for a change", || {
            let said = env.read("work/err");
            (said.matches("waiting for a change").count() == times).then_some(())
        });
    };
    waiting(1);
    for (times, summary) in [(2, "second"), (3, "third")] {
        std::fs::remove_dir_all(env.work().join("dist")).unwrap();
        env.write("dist/w.esm.js", ends(summary));
        wait_for(&env, &format!("completed: returnCode=0 \u{2014} {summary}\n"));
        waiting(times);
    }
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_nothing_left(&env);
}

#[test]
fn what_shall_outlive_its_terminal_does() {
    let env = TestEnv::new();
    env.write("w.esm.js", ends("first"));
    let file = |name: &str| std::fs::File::create(env.work().join(name)).unwrap();
    let mut shell = std::process::Command::new("sh");
    let program = command(&env);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.arg("-c").arg("trap '' HUP; exec \"$0\" dev w.esm.js --watch");
    shell.arg(program.get_program()).current_dir(env.work());
    let mut child = shell.stdout(file("out")).stderr(file("err")).spawn().unwrap();
    wait_for(&env, "waiting for a change of w.esm.js");
    signal(&child, Signal::HUP);
    env.write("w.esm.js", ends("second"));
    wait_for(&env, "completed: returnCode=0 \u{2014} second\n");
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_nothing_left(&env);
}

/// The process that evaluates a bundle's top level for this one.
fn evaluating(child: &std::process::Child) -> Option<i32> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
    let children = tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children = children.collect::<Vec<_>>().join(" ");
    let mut children = children.split_whitespace().filter_map(|pid| pid.parse().ok());
    let evaluates =
        |pid: &i32| crate::support::procs::args(*pid).iter().any(|word| word == "__evaluate");
    children.find(evaluates)
}

#[test]
fn a_signal_does_not_wait_for_the_bundles_top_level() {
    for line in ["dev slow.esm.js", "dev slow.esm.js --watch", "test"] {
        let env = TestEnv::new();
        env.write("slow.esm.js", format!("{}for (;;);\n", ends("never")));
        env.write("slow.answers.yaml", "");
        let mut child = start(&env, line);
        let process = wait_until("the bundle is evaluated", || evaluating(&child));
        signal(&child, Signal::INT);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{line}");
        let said = if line == "test" { "" } else { "ending the run\n" };
        assert_eq!(env.read("work/err"), said, "{line}");
        assert!(!crate::support::procs::is_alive(process), "{line}");
        assert_nothing_left(&env);
    }
}

#[test]
fn a_bundle_has_the_permissions_that_its_name_has() {
    let env = TestEnv::new();
    let bundle = "import { readFileSync } from \"node:fs\";
export const descriptor = { description: \"\", roles: {} };
export async function* run() {
  let summary = \"read\";
  try { readFileSync(\"secret\"); } catch { summary = \"refused\"; }
  return { returnCode: 0, summary };
}\n";
    env.write("reader.esm.js", bundle);
    env.write("secret", "x");
    let free = run(&env, "dev reader.esm.js");
    assert_eq!(free.stdout, "completed: returnCode=0 \u{2014} read\n");
    assert_eq!(free.stderr, "");
    env.run(["add", "reader.esm.js", "--allow-read=/nowhere"]).ok();
    let note = "note: \"reader\" keeps its permissions: --allow-read=/nowhere\n";
    let store = format!("dev reader.esm.js --store {}", env.root().display());
    for line in ["dev reader.esm.js", &store] {
        let output = run(&env, line);
        let end = "completed: returnCode=0 \u{2014} refused\n";
        assert!(output.stdout.ends_with(end), "{line}: {}", output.stdout);
        assert_eq!(output.stderr, note, "{line}");
    }
}

#[test]
fn a_debugger_for_everybody_is_warned_of() {
    let env = TestEnv::new();
    let missing = "error: cannot read no.esm.js: No such file or directory (os error 2)\n";
    for (address, reached) in [
        ("0.0.0.0:9", Some("0.0.0.0:9")),
        ("[::]:9", Some("[::]:9")),
        ("127.0.0.1:9", None),
        ("9", None),
    ] {
        let output = run(&env, &format!("dev no.esm.js --inspect={address}"));
        let warning = reached.map(|reached| {
            format!(
                "warning: everybody who reaches {reached} can run code here, with your rights\n"
            )
        });
        assert_eq!(output.stderr, warning.unwrap_or_default() + missing, "{address}");
    }
}

#[test]
fn a_file_may_have_any_name() {
    let env = TestEnv::new();
    env.write("My_Draft.esm.js", ends("ran"));
    env.write("My_Draft.answers.yaml", "");
    let output = run(&env, "dev My_Draft.esm.js");
    assert_eq!(output.stdout, "completed: returnCode=0 \u{2014} ran\n");
    assert_eq!((output.stderr.as_str(), output.code), ("", Some(0)));
    let output = run(&env, "test");
    assert_eq!(output.code, Some(0), "{}", output.stdout);
}

#[test]
fn a_search_path_that_is_no_text_is_refused_and_not_dropped() {
    use std::os::unix::ffi::OsStrExt;
    let env = duo(DUO_ANSWERS);
    let mut path = std::env::var_os("PATH").unwrap();
    path.push(std::ffi::OsStr::from_bytes(b":/odd\xff"));
    let mut dev = command(&env);
    dev.args(["dev", "duo.esm.js", "--answers", "duo.answers.yaml"]).env("PATH", path);
    let refused = output(&mut dev);
    assert!(refused.stderr.starts_with("error: PATH cannot be \""), "{}", refused.stderr);
    assert!(
        refused.stderr.ends_with(
            ":/odd\\xFF\", which is not UTF-8\nhint: leave the folder with that name out of PATH\n"
        ),
        "{}",
        refused.stderr
    );
    assert_eq!((refused.stdout.as_str(), refused.code), ("", Some(1)));
    assert_nothing_left(&env);
}
