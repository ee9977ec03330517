//! Watching a thread, and what Ctrl-C does to it.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::env::{TestEnv, wait_until};

/// Steps that wait for files, so that a test says when each may come.
fn bundle(env: &TestEnv) -> String {
    format!(
        r#"
import {{ existsSync }} from "node:fs";
import {{ putContentMerkleNode }} from "@uncaged/workflow-cas";
export const descriptor = {{ description: "waits", roles: {{}} }};
export async function* run(thread, {{ cas }}) {{
  for (const role of ["one", "two", "three"]) {{
    while (!existsSync({dir:?} + "/" + role)) await new Promise((r) => setTimeout(r, 5));
    console.warn(`now ${{role}}`);
    const text = role === "two" ? Array.from({{ length: 14 }}, (_, i) => `line ${{i + 1}}`).join("\n") : role;
    const contentHash = await putContentMerkleNode(cas, text);
    yield {{ role, contentHash, meta: role === "one" ? {{}} : {{ role }}, refs: [] }};
  }}
  return {{ returnCode: 7, summary: "three steps" }};
}}
"#,
        dir = env.work()
    )
}

fn spawn(env: &TestEnv, args: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut command = env.command();
    let mut child = command.args(args).stdout(Stdio::piped()).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    (child, out)
}

/// The next line, with the time of day left out.
fn line(out: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let line = line.trim_end_matches('\n');
    match line.as_bytes() {
        [_, _, b':', _, _, b':', ..] => line[9..].to_owned(),
        _ => line.to_owned(),
    }
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

#[test]
fn each_step_is_shown_once_and_whole_from_the_first_to_the_end() {
    let env = TestEnv::new();
    env.add("waits", &bundle(&env));
    let thread = env.start("waits", &[]);
    let (mut child, mut out) = spawn(&env, &["live", "--latest"]);
    env.write("one", "");
    assert_eq!(line(&mut out), "one");
    assert_eq!(line(&mut out), "  one");
    env.write("two", "");
    assert_eq!(line(&mut out), "two");
    for number in 1..=10 {
        assert_eq!(line(&mut out), format!("  line {number}"));
    }
    assert_eq!(line(&mut out), "  … 4 more lines");
    assert_eq!(line(&mut out), "  meta: {\"role\":\"two\"}");
    env.write("three", "");
    assert_eq!(line(&mut out), "three");
    assert_eq!(line(&mut out), "  three");
    assert_eq!(line(&mut out), "  meta: {\"role\":\"three\"}");
    assert_eq!(line(&mut out), "completed: returnCode=7 — three steps");
    assert_eq!(line(&mut out), "");
    assert_eq!(child.wait().unwrap().code(), Some(0));

    // What has ended is shown the same way, here through a filter.
    let shown = env.run(["thread", "live", thread.as_str(), "--role", "three"]).ok();
    let shown: Vec<&str> = shown.lines().map(|l| l.get(9..).unwrap_or(l)).collect();
    assert_eq!(shown[0], "three");
    assert_eq!(shown.len(), 4, "{shown:?}");
}

#[test]
fn debug_shows_what_the_bundle_logged() {
    let env = TestEnv::new();
    for role in ["one", "two", "three"] {
        env.write(role, "");
    }
    env.add("waits", &bundle(&env));
    let thread = env.start("waits", &[]);
    env.ended(&thread);
    let shown = env.run(["live", thread.as_str(), "--debug"]).ok();
    let logged: Vec<&str> = shown.lines().filter(|l| l.contains("] now ")).collect();
    assert_eq!(logged.len(), 3, "{shown}");
}

#[test]
fn ctrl_c_stops_watching_and_leaves_the_thread_running() {
    let env = TestEnv::new();
    env.add("waits", &bundle(&env));
    let thread = env.start("waits", &[]);
    let (mut child, mut out) = spawn(&env, &["live", thread.as_str()]);
    env.write("one", "");
    assert_eq!(line(&mut out), "one");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    env.write("two", "");
    env.write("three", "");
    assert_eq!(env.ended(&thread)["returnCode"], 7);
}

#[test]
fn ctrl_c_in_run_wait_ends_the_thread() {
    let env = TestEnv::new();
    env.add("waits", &bundle(&env));
    let (mut child, mut out) = spawn(&env, &["run", "waits", "--wait"]);
    let thread = line(&mut out).parse().unwrap();
    env.write("one", "");
    assert_eq!(line(&mut out), "one");
    assert_eq!(line(&mut out), "  one");
    interrupt(&child);
    assert_eq!(line(&mut out), "completed: returnCode=130 — thread aborted");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let end = serde_json::json!({ "returnCode": 130, "summary": "thread aborted" });
    assert_eq!(env.ended(&thread), end);
}

#[test]
fn a_thread_stays_on_the_bundle_that_it_started_with() {
    let env = TestEnv::new();
    let first = env.add("waits", &bundle(&env));
    let thread = env.start("waits", &[]);
    env.write("one", "");
    wait_until("the first step is there", || {
        (env.show(&thread)["steps"].as_array()?.len() == 1).then_some(())
    });
    let other = bundle(&env).replace("three steps", "another version");
    assert_ne!(env.add("waits", &other), first);
    for pid in env.processes() {
        crate::support::env::kill(pid);
    }
    wait_until("the processes are gone", || env.processes().is_empty().then_some(()));
    env.write("two", "");
    env.write("three", "");

    // The file gone, or other bytes in it: said so, and the thread waits.
    let file = env.root().join(format!("bundles/{first}.esm.js"));
    let bytes = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let output = env.run(["resume", thread.as_str()]);
    assert_eq!(
        output.stderr,
        format!(
            "error: the bundle {first} is missing: {}\nhint: `uncaged-workflow add` the file whose hash is {first} once more\n",
            file.display()
        )
    );
    assert_eq!(output.code, Some(1));
    std::fs::write(&file, "altered").unwrap();
    let output = env.run(["resume", thread.as_str()]);
    assert!(
        output.stderr.contains(&format!("the bundle {first} was changed")),
        "{}",
        output.stderr
    );
    std::fs::write(&file, bytes).unwrap();

    assert_eq!(env.run(["resume", thread.as_str()]).code, Some(0));
    assert_eq!(env.ended(&thread)["summary"], "three steps");
    assert_eq!(env.show(&thread)["bundleHash"], first.as_str());
}

#[test]
fn nothing_is_left_behind_when_the_last_thread_has_ended() {
    let env = TestEnv::new();
    for role in ["one", "two", "three"] {
        env.write(role, "");
    }
    env.add("waits", &bundle(&env));
    let thread = env.start("waits", &[]);
    env.ended(&thread);
    wait_until("the worker leaves", || env.processes().is_empty().then_some(()));
    let mut left = Vec::new();
    let mut folders = vec![env.root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => left.push(path.strip_prefix(env.root()).unwrap().display().to_string()),
            }
        }
    }
    let known = [".txt", ".esm.js", ".yaml", ".json", ".jsonl", ".lock"];
    left.retain(|name| !known.iter().any(|end| name.ends_with(end)) || name.starts_with("workers"));
    left.retain(|name| !name.ends_with(".lock"));
    assert_eq!(left, Vec::<String>::new());
}
