//! Kill, pause and resume, and what is said of a thread meanwhile.

use std::time::{Duration, Instant};

use serde_json::json;
use uncaged_workflow::object::ThreadId;

use crate::support::env::{TestEnv, kill, wait_until};
use crate::support::procs::{
    ask, number_in, stat, states, thread_process, ticks, wait_for_silence, workers,
};

/// A bundle whose `run` is this.
fn bundle(body: &str) -> String {
    format!(
        r#"
import {{ spawn }} from "node:child_process";
import {{ appendFileSync, existsSync, writeFileSync }} from "node:fs";
import {{ putContentMerkleNode }} from "@uncaged/workflow-cas";
export const descriptor = {{ description: "", roles: {{}} }};
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const sign = (name) => writeFileSync(name, `${{process.pid}}\n`);
export async function* run(thread, {{ cas }}) {{
  const step = async (number) => {{
    const contentHash = await putContentMerkleNode(cas, `step ${{number}}`);
    return {{ role: "worker", contentHash, meta: {{ number }}, refs: [contentHash] }};
  }};
  {body}
}}
"#
    )
}

/// Steps that each leave a line in `steps`, until the file `go` is there.
const STEPPING: &str = r#"
  for (let number = 1; !existsSync("go"); number++) {
    await rest(2);
    appendFileSync("steps", "step\n");
    yield await step(number);
  }
  return { returnCode: 0, summary: "went" };
"#;

/// When a worker kills a process that does not end by itself.
const SHOT: Duration = Duration::from_secs(4);

fn aborted() -> serde_json::Value {
    json!({ "returnCode": 130, "summary": "thread aborted" })
}

fn steps(env: &TestEnv) -> usize {
    let text = std::fs::read_to_string(env.work().join("steps")).unwrap_or_default();
    text.lines().count()
}

fn stepping(env: &TestEnv) -> (String, ThreadId) {
    let hash = env.add("stepping", &bundle(STEPPING));
    let thread = env.start("stepping", &["--max-rounds", "1000000"]);
    wait_until("it takes steps", || (steps(env) > 2).then_some(()));
    (hash, thread)
}

/// Kills a thread that has signed `ready`, and says how long that took.
fn kill_takes(env: &TestEnv, thread: &ThreadId) -> Duration {
    number_in(env, "ready");
    let start = Instant::now();
    let said = env.run(["kill", thread.as_str()]).ok();
    assert_eq!(said, format!("kill sent for thread {thread}\n"));
    let store = env.store();
    let bundle = store.find_thread(thread).unwrap().unwrap().bundle;
    wait_until("the thread has ended", || {
        (!store.is_running(&bundle, thread).unwrap()).then_some(())
    });
    start.elapsed()
}

#[test]
fn kill_ends_an_endless_loop() {
    let env = TestEnv::new();
    env.add("busy", &bundle("sign('ready'); for (;;);"));
    let thread = env.start("busy", &[]);
    let took = kill_takes(&env, &thread);
    assert_eq!(env.ended(&thread), aborted());
    assert!(took < SHOT, "the worker had to kill the process: {took:?}");
    println!("an endless loop ended in {took:?}");
}

#[test]
fn kill_ends_a_pending_top_level_await() {
    let env = TestEnv::new();
    let hangs = "writeFileSync('ready', '1\\n'); await new Promise((r) => setTimeout(r, 1e8));";
    let source = format!(
        "{}\nlet hang = false;\n\
         // Nothing may be read while `add` looks.\n\
         try {{ hang = existsSync('hang'); }} catch {{}}\nif (hang) {{ {hangs} }}\n",
        bundle("return { returnCode: 0, summary: '' };")
    );
    env.add("awaits", &source);
    env.write("hang", "");
    let thread = env.start("awaits", &[]);
    let took = kill_takes(&env, &thread);
    assert_eq!(env.ended(&thread), aborted());
    assert!(took < SHOT, "the worker had to kill the process: {took:?}");
    println!("a pending top-level await ended in {took:?}");
}

#[test]
fn kill_ends_a_thread_that_has_just_started() {
    let env = TestEnv::new();
    env.add("rests", &bundle("await rest(1e8);"));
    for _ in 0..5 {
        let thread = env.start("rests", &[]);
        env.run(["kill", thread.as_str()]).ok();
        assert_eq!(env.ended(&thread), aborted());
    }
}

#[test]
fn kill_lets_finally_blocks_run_and_a_second_kill_says_so() {
    let env = TestEnv::new();
    // The kill ends the agent, and so the step comes back.
    let body = r#"
      try {
        const agent = spawn("sleep", ["1000"]);
        sign("ready");
        await new Promise((resolve) => agent.on("close", resolve));
      } finally { sign("finally"); await rest(300); sign("finished"); }
    "#;
    let hash = env.add("tidy", &bundle(body));
    let thread = env.start("tidy", &[]);
    number_in(&env, "ready");
    let command = json!({ "protocol": 1, "command": "kill", "thread": thread }).to_string();
    assert_eq!(ask(&env, &hash, &command), json!({ "answer": "done" }));
    assert_eq!(ask(&env, &hash, &command), json!({ "answer": "already" }));
    let command = json!({ "protocol": 1, "command": "pause", "thread": thread }).to_string();
    assert_eq!(ask(&env, &hash, &command), json!({ "answer": "ending" }));
    assert_eq!(env.ended(&thread), aborted());
    number_in(&env, "finally");
    number_in(&env, "finished");
    let output = env.run(["kill", thread.as_str()]);
    let expected = format!("error: thread {thread} has already ended\n");
    assert!(output.stderr.starts_with(&expected), "{output:?}");
    assert_eq!(output.code, Some(1));
}

#[test]
fn a_thread_process_that_does_not_listen_is_killed_by_its_worker() {
    let env = TestEnv::new();
    env.add("rests", &bundle("sign('ready'); await rest(1e8);"));
    let thread = env.start("rests", &[]);
    number_in(&env, "ready");
    let process = rustix::process::Pid::from_raw(thread_process(&env, &thread)).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::STOP).unwrap();
    env.run(["kill", thread.as_str()]).ok();
    assert_eq!(env.ended(&thread), aborted());
}

#[test]
fn pause_and_resume_take_effect_once_and_say_so() {
    let env = TestEnv::new();
    let (hash, thread) = stepping(&env);
    let id = thread.as_str();
    assert_eq!(env.run(["resume", id]).ok(), format!("thread {thread} is already running\n"));
    assert_eq!(env.run(["pause", id]).ok(), format!("pause sent for thread {thread}\n"));
    assert_eq!(env.run(["pause", id]).ok(), format!("thread {thread} is already paused\n"));
    let paused = [(thread.to_string(), "paused".to_owned())];
    wait_until("it is paused", || (states(&env, &hash) == paused).then_some(()));
    let taken = steps(&env);

    assert_eq!(env.run(["resume", id]).ok(), format!("resume sent for thread {thread}\n"));
    assert_eq!(env.run(["resume", id]).ok(), format!("thread {thread} is already running\n"));
    wait_until("it takes further steps", || (steps(&env) > taken).then_some(()));
    env.write("go", "");
    assert_eq!(env.ended(&thread)["summary"], "went");
}

#[test]
fn a_paused_thread_takes_no_step_and_no_processor() {
    let env = TestEnv::new();
    let (hash, thread) = stepping(&env);
    let process = thread_process(&env, &thread);
    env.run(["pause", thread.as_str()]).ok();
    let paused = [(thread.to_string(), "paused".to_owned())];
    wait_until("it is paused", || (states(&env, &hash) == paused).then_some(()));
    // V8 may finish some work of its own first.
    wait_until("it is quiet", || {
        let before = ticks(process);
        std::thread::park_timeout(Duration::from_millis(100));
        (ticks(process) == before).then_some(())
    });
    let worker = workers(&env)[0].pid;
    let before = (steps(&env), ticks(process), ticks(worker));
    std::thread::park_timeout(Duration::from_millis(500));
    let after = (steps(&env), ticks(process), ticks(worker));
    assert_eq!(after.0, before.0);
    assert!(after.1 - before.1 <= 1 && after.2 - before.2 <= 1, "{before:?} {after:?}");

    env.run(["kill", thread.as_str()]).ok();
    assert_eq!(env.ended(&thread), aborted());
}

#[test]
fn ps_shows_running_paused_and_interrupted_threads_as_they_are() {
    let env = TestEnv::new();
    let (hash, thread) = stepping(&env);
    let line = format!("{thread}\t{hash}\tstepping");
    let shown = || env.run(["ps"]).ok();
    assert_eq!(shown(), format!("{line}\n"));
    env.run(["pause", thread.as_str()]).ok();
    wait_until("ps shows the pause", || (shown() == format!("{line}\tpaused\n")).then_some(()));

    kill(workers(&env)[0].pid);
    wait_for_silence(&env);
    assert_eq!(shown(), format!("{line}\tinterrupted\n"));
    // Whoever has the worker's number now.
    let announced = json!({
        "pid": std::process::id(),
        "socket": env.root().join(format!("workers/{hash}.sock")),
        "protocol": 1,
    });
    std::fs::write(env.root().join(format!("workers/{hash}.json")), announced.to_string()).unwrap();
    assert_eq!(shown(), format!("{line}\tinterrupted\n"));
    let output = env.run(["pause", thread.as_str()]);
    assert_eq!(
        output.stderr,
        format!(
            "error: thread {thread} is not running\n\
             hint: `uncaged-workflow resume {thread}` continues it\n"
        )
    );

    env.run(["resume", thread.as_str()]).ok();
    wait_until("ps shows it running", || (shown() == format!("{line}\n")).then_some(()));
    env.write("go", "");
    env.ended(&thread);
    assert_eq!(shown(), "");
}

#[test]
fn an_interrupted_thread_can_be_killed() {
    let env = TestEnv::new();
    let (_, thread) = stepping(&env);
    kill(workers(&env)[0].pid);
    wait_for_silence(&env);
    let said = env.run(["kill", thread.as_str()]).ok();
    assert_eq!(said, format!("kill sent for thread {thread}\n"));
    assert_eq!(env.ended(&thread), aborted());
}

#[test]
fn a_stopped_thread_dies_with_its_worker() {
    let env = TestEnv::new();
    let (_, thread) = stepping(&env);
    let process = thread_process(&env, &thread);
    let pid = rustix::process::Pid::from_raw(process).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    wait_until("it is stopped", || (stat(process)?[0] == "T").then_some(()));
    kill(workers(&env)[0].pid);
    wait_for_silence(&env);
}
