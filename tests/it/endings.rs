//! However a thread ends: its `finally` blocks run, in bounded time, and nothing
//! of it outlives it.

use std::process::Stdio;

use serde_json::json;

use crate::support::env::{TestEnv, kill, wait_until};

/// A bundle whose `run` has this body; `step(role)` stores and gives a step.
fn bundle(body: &str) -> String {
    format!(
        r#"
import {{ spawn }} from "node:child_process";
import {{ appendFileSync, existsSync, promises }} from "node:fs";
import {{ putContentMerkleNode }} from "@uncaged/workflow-cas";
export const descriptor = {{ description: "ends", roles: {{}} }};
export async function* run(thread, {{ cas }}) {{
  const step = async (role) => {{
    const contentHash = await putContentMerkleNode(cas, role);
    return {{ role, contentHash, meta: {{}}, refs: [] }};
  }};
  {body}
}}
"#
    )
}

fn steps(env: &TestEnv, thread: &uncaged_workflow::object::ThreadId) -> usize {
    env.show(thread)["steps"].as_array().unwrap().len()
}

#[test]
fn a_killed_paused_thread_runs_its_finally_blocks() {
    let env = TestEnv::new();
    let body = r#"try {
        appendFileSync("begun", "");
        while (!existsSync("go")) await new Promise((r) => setTimeout(r, 2));
        yield await step("one");
        yield await step("two");
    } finally { appendFileSync("finally", "ran"); }"#;
    env.add("ends", &bundle(body));
    let thread = env.start("ends", &[]);
    wait_until("it has begun", || env.work().join("begun").exists().then_some(()));
    env.run(["pause", thread.as_str()]).ok();
    env.write("go", "");
    wait_until("the thread has halted", || {
        env.run(["ps"]).ok().ends_with("\tpaused\n").then_some(())
    });
    assert_eq!(steps(&env, &thread), 1);
    env.run(["kill", thread.as_str()]).ok();
    assert_eq!(env.ended(&thread), json!({ "returnCode": 130, "summary": "thread aborted" }));
    assert_eq!(env.read("work/finally"), "ran");
}

#[test]
fn the_last_allowed_step_runs_the_finally_blocks_too_and_an_endless_one_is_ended() {
    let env = TestEnv::new();
    let body = r#"try { yield await step("one"); yield await step("two"); }
      finally { appendFileSync("finally", "ran"); for (;;); }"#;
    env.add("ends", &bundle(body));
    let thread = env.start("ends", &["--max-rounds", "1"]);
    let end = json!({ "returnCode": 0, "summary": "completed: reached maxRounds (1)" });
    assert_eq!(env.ended(&thread), end);
    assert_eq!(env.read("work/finally"), "ran");
}

#[test]
fn a_bad_step_runs_the_finally_blocks() {
    let env = TestEnv::new();
    env.add(
        "ends",
        &bundle(r#"try { yield { role: 5 }; } finally { appendFileSync("finally", "ran"); }"#),
    );
    let thread = env.start("ends", &[]);
    let summary = "failed: step 1: role must be a non-empty string, not 5";
    assert_eq!(env.ended(&thread), json!({ "returnCode": 1, "summary": summary }));
    assert_eq!(env.read("work/finally"), "ran");
}

#[test]
fn a_blob_that_is_no_content_node_is_refused_by_step_and_field() {
    let env = TestEnv::new();
    env.add(
        "ends",
        &bundle(
            r#"const contentHash = await cas.put("type: content\npayload: 5\nrefs: []\n");
            yield { role: "r", contentHash, meta: {}, refs: [] };"#,
        ),
    );
    let thread = env.start("ends", &[]);
    let summary = env.ended(&thread)["summary"].as_str().unwrap().to_owned();
    let expected = "failed: step 1: contentHash must be the hash of a content node, not ";
    assert!(summary.starts_with(expected), "{summary}");
}

#[test]
fn a_read_that_never_comes_back_holds_nobody() {
    let env = TestEnv::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, env.work().join("fifo"), 0o600.into()).unwrap();
    env.add("ends", &bundle(r#"promises.readFile("fifo").catch(() => {}); yield await step("one"); return { returnCode: 0, summary: "done" };"#));
    let thread = env.start("ends", &[]);
    assert_eq!(env.ended(&thread)["summary"], "done");
    wait_until("its processes are gone", || env.processes().is_empty().then_some(()));
}

#[test]
fn waiting_for_a_thread_whose_processes_died_ends_with_the_way_on() {
    let env = TestEnv::new();
    env.add(
        "ends",
        &bundle(r#"yield await step("one"); await new Promise((r) => setTimeout(r, 1e9));"#),
    );
    let mut command = env.command();
    command.args(["run", "ends", "--wait"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let thread = wait_until("the first step is there", || {
        let listed = env.run(["threads"]).ok();
        let thread = listed.split('\t').next()?.parse().ok()?;
        (steps(&env, &thread) == 1).then_some(thread)
    });
    for pid in env.processes().into_iter().filter(|pid| *pid != child.id() as i32) {
        kill(pid);
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let expected = format!(
        "error: thread {thread} was interrupted\nhint: `uncaged-workflow resume {thread}` continues it\n"
    );
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
}

#[test]
fn killing_an_interrupted_thread_ends_the_agents_that_outlived_it() {
    let env = TestEnv::new();
    env.add(
        "ends",
        &bundle(
            r#"const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
            appendFileSync("pid", String(child.pid)); yield await step("one");
            await new Promise((r) => setTimeout(r, 1e9));"#,
        ),
    );
    let thread = env.start("ends", &[]);
    wait_until("the first step is there", || (steps(&env, &thread) == 1).then_some(()));
    let pid: i32 = env.read("work/pid").parse().unwrap();
    for process in env.processes() {
        kill(process);
    }
    wait_until("the processes are gone", || env.processes().is_empty().then_some(()));
    env.run(["kill", thread.as_str()]).ok();
    assert_eq!(env.ended(&thread)["returnCode"], 130);
    let alive = std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.contains(") Z "));
    assert!(!alive, "process {pid} is still there");
}

#[test]
fn a_supervisor_that_cannot_be_reached_stands_in_nobodys_way() {
    let env = TestEnv::new();
    let args =
        ["--base-url", "http://127.0.0.1:1", "--api-key", "none", "--model", "m", "--no-check"];
    env.run([&["setup", "--provider", "gone"], &args[..]].concat()).ok();
    env.add(
        "ends",
        &bundle(
            r#"for (const role of ["a", "b", "c", "d"]) yield await step(role);
            return { returnCode: 0, summary: "four" };"#,
        ),
    );
    let thread = env.start("ends", &[]);
    assert_eq!(env.ended(&thread), json!({ "returnCode": 0, "summary": "four" }));
    let logged = env.run(["live", thread.as_str(), "--debug"]).ok();
    assert_eq!(logged.matches("the supervisor gave no decision: ").count(), 1, "{logged}");
}

#[test]
fn resume_all_continues_every_interrupted_thread() {
    let env = TestEnv::new();
    env.add(
        "ends",
        &bundle(
            r#"if (thread.steps.length === 0) yield await step("one");
            while (!existsSync("go")) await new Promise((r) => setTimeout(r, 2));
            yield await step("two"); return { returnCode: 0, summary: "both" };"#,
        ),
    );
    let threads: Vec<_> = (0..3).map(|_| env.start("ends", &[])).collect();
    for thread in &threads {
        wait_until("the first step is there", || (steps(&env, thread) == 1).then_some(()));
    }
    for pid in env.processes() {
        kill(pid);
    }
    wait_until("the processes are gone", || env.processes().is_empty().then_some(()));
    let mut expected: Vec<String> =
        threads.iter().map(|thread| format!("resume sent for thread {thread}")).collect();
    expected.sort();
    let said = env.run(["resume", "--all"]).ok();
    let mut said: Vec<&str> = said.lines().collect();
    said.sort();
    assert_eq!(said, expected);
    env.write("go", "");
    for thread in &threads {
        assert_eq!(env.ended(thread)["summary"], "both");
        assert_eq!(steps(&env, thread), 3);
    }
}
