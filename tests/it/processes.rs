//! What a thread's process may do to itself, and what becomes of the processes
//! that a bundle starts.

use serde_json::json;
use uncaged_workflow::object::ThreadId;

use crate::support::env::{TestEnv, kill, wait_until};
use crate::support::procs::{
    is_alive, number_in, printed, states, thread_process, wait_for_silence, workers,
};

/// A bundle whose `run` is this, with `sh` to start a shell script in the
/// background and `waiting` to wait for the file `go`.
fn bundle(body: &str) -> String {
    format!(
        r#"
import {{ spawn }} from "node:child_process";
import {{ appendFileSync, existsSync, readFileSync, writeFileSync }} from "node:fs";
export const descriptor = {{ description: "", roles: {{}} }};
const sh = (script, options = {{ stdio: "ignore" }}) => spawn("sh", ["-c", script], options);
const waiting = async () => {{
  while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 5));
}};
export async function* run(thread) {{
  {body}
}}
"#
    )
}

/// A family that is hard to get rid of: a child, one that ignores SIGTERM, one
/// in a session of its own, and one whose parent has left.
const FAMILY: &str = r#"
  const lasting = (name) => `echo $$ > ${name}; while :; do sleep 1; done`;
  sh(lasting("plain"));
  sh(`trap "" TERM HUP; ${lasting("stubborn")}`);
  sh(`setsid sh -c '${lasting("session")}'`);
  sh(`(sh -c '${lasting("orphan")}' &) ; exit 0`);
"#;

/// The numbers of that family.
fn family(env: &TestEnv) -> Vec<i32> {
    ["plain", "stubborn", "session", "orphan"].map(|name| number_in(env, name)).to_vec()
}

#[track_caller]
fn wait_until_gone(processes: &[i32]) {
    wait_until("the family is gone", || processes.iter().all(|pid| !is_alive(*pid)).then_some(()));
}

#[track_caller]
fn assert_gone(processes: &[i32]) {
    let left: Vec<&i32> = processes.iter().filter(|pid| is_alive(**pid)).collect();
    assert!(left.is_empty(), "{left:?} of {processes:?} are still there");
}

fn send(pid: i32, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[test]
fn descendants_are_gone_when_a_thread_has_ended() {
    let env = TestEnv::new();
    env.add(
        "leaves",
        &bundle(&format!("{FAMILY} await waiting(); return {{ returnCode: 0, summary: 'left' }};")),
    );
    let thread = env.start("leaves", &[]);
    let family = family(&env);
    assert!(family.iter().all(|pid| is_alive(*pid)));
    env.write("go", "");
    assert_eq!(env.ended(&thread), json!({ "returnCode": 0, "summary": "left" }));
    assert_gone(&family);
}

#[test]
fn descendants_are_gone_when_a_thread_has_been_killed() {
    let env = TestEnv::new();
    env.add("rests", &bundle(&format!("{FAMILY} await waiting();")));
    let thread = env.start("rests", &[]);
    let family = family(&env);
    env.run(["kill", thread.as_str()]).ok();
    assert_eq!(env.ended(&thread)["returnCode"], 130);
    assert_gone(&family);
}

#[test]
fn descendants_are_gone_when_a_thread_process_has_died() {
    let env = TestEnv::new();
    env.add("dies", &bundle(&format!("{FAMILY} await waiting();")));
    let thread = env.start("dies", &[]);
    let family = family(&env);
    kill(thread_process(&env, &thread));
    assert_eq!(
        env.ended(&thread),
        json!({ "returnCode": 1, "summary": "failed: the thread's process was killed by SIGKILL" })
    );
    assert_gone(&family);
}

#[test]
fn descendants_go_with_a_worker_that_was_killed() {
    let env = TestEnv::new();
    env.add("rests", &bundle(&format!("{FAMILY} await waiting();")));
    let thread = env.start("rests", &[]);
    let process = thread_process(&env, &thread);
    let mut all = family(&env);
    all.push(process);
    kill(workers(&env)[0].pid);
    wait_until_gone(&all);
}

#[test]
fn a_child_that_dies_with_the_worker_is_no_step_and_no_end() {
    let env = TestEnv::new();
    env.add(
        "agent",
        &bundle(
            "if (!existsSync('agent')) {
               const agent = sh('echo $$ > agent; while :; do sleep 1; done');
               await new Promise((resolve) => agent.on('close', resolve));
               return { returnCode: 9, summary: 'the agent died' };
             }
             await waiting(); return { returnCode: 0, summary: 'went on' };",
        ),
    );
    for round in 0..3 {
        let _ = std::fs::remove_file(env.work().join("agent"));
        let thread = env.start("agent", &[]);
        let agent = number_in(&env, "agent");
        kill(workers(&env)[0].pid);
        wait_for_silence(&env);
        assert_gone(&[agent]);
        env.run(["resume", thread.as_str()]).ok();
        env.write("go", "");
        assert_eq!(env.ended(&thread)["summary"], "went on", "round {round}");
        std::fs::remove_file(env.work().join("go")).unwrap();
    }
}

#[test]
fn no_two_processes_ever_execute_a_thread_at_once() {
    let env = TestEnv::new();
    env.add(
        "alone",
        &bundle(
            "const others = existsSync('now') ? readFileSync('now', 'utf8').trim() : '';
             const alive = others !== '' && existsSync(`/proc/${others}/cmdline`)
               && readFileSync(`/proc/${others}/cmdline`, 'utf8') !== '';
             writeFileSync('now', `${process.pid}\\n`);
             appendFileSync('met', `${alive}\\n`);
             sh('while :; do sleep 1; done');
             await waiting(); return { returnCode: 0, summary: 'alone' };",
        ),
    );
    let thread = env.start("alone", &[]);
    let executions = || {
        let met = std::fs::read_to_string(env.work().join("met")).unwrap_or_default();
        met.lines().count()
    };
    for round in 0..12 {
        wait_until("it is executed", || (executions() > round).then_some(()));
        kill(workers(&env)[0].pid);
        // At once, while the old process is still dying.
        let said = env.run(["resume", thread.as_str()]).ok();
        assert_eq!(said, format!("resume sent for thread {thread}\n"), "round {round}");
    }
    env.write("go", "");
    assert_eq!(env.ended(&thread)["summary"], "alone");
    assert_eq!(env.read("work/met"), "false\n".repeat(13));
}

#[test]
fn what_outlived_worker_and_thread_is_ended_before_the_thread_goes_on() {
    let env = TestEnv::new();
    env.add(
        "outlived",
        &bundle(&format!("if (!existsSync('plain')) {{ {FAMILY} }} await waiting(); return {{ returnCode: 0, summary: 'done' }};")),
    );
    let thread = env.start("outlived", &[]);
    let family = family(&env);
    let process = thread_process(&env, &thread);
    // Stopped, so that it cannot clean up when it loses its worker.
    send(process, rustix::process::Signal::STOP);
    kill(process);
    kill(workers(&env)[0].pid);
    wait_for_silence(&env);
    let store = env.store();
    let found = store.find_thread(&thread).unwrap().unwrap();
    if matches!(found.record, uncaged_workflow::store::Record::Completed(_)) {
        // The worker was quicker than its own death; nothing is left to prove.
        return assert_gone(&family);
    }
    env.run(["resume", thread.as_str()]).ok();
    assert_gone(&family);
    env.write("go", "");
    assert_eq!(env.ended(&thread)["summary"], "done");
}

#[test]
fn the_death_of_a_thread_process_is_told_with_its_cause_and_its_last_words() {
    let env = TestEnv::new();
    env.add(
        "dies",
        &bundle(
            "sh('echo last words >&2; echo said > said', { stdio: 'inherit' }); await waiting();",
        ),
    );
    use rustix::process::Signal;
    for (signal, name) in [
        (Signal::ABORT, "SIGABRT"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ILL, "SIGILL"),
        (Signal::TERM, "SIGTERM"),
        (Signal::KILL, "SIGKILL"),
    ] {
        let thread = env.start("dies", &[]);
        let process = thread_process(&env, &thread);
        wait_until("its child has spoken", || env.work().join("said").exists().then_some(()));
        std::fs::remove_file(env.work().join("said")).unwrap();
        send(process, signal);
        let summary = format!("failed: the thread's process was killed by {name}");
        assert_eq!(env.ended(&thread), json!({ "returnCode": 1, "summary": summary }));
        let shown = env.show(&thread);
        let end = shown["steps"].as_array().unwrap().last().unwrap();
        assert_eq!(end["content"], format!("{summary}\n\nlast words"));
    }
}

#[test]
fn the_death_of_one_thread_is_nothing_to_the_others() {
    let env = TestEnv::new();
    env.add("waits", &bundle("await waiting(); return { returnCode: 0, summary: 'went' };"));
    let (one, other) = (env.start("waits", &[]), env.start("waits", &[]));
    let worker = workers(&env)[0].pid;
    kill(thread_process(&env, &one));
    assert_eq!(env.ended(&one)["returnCode"], 1);
    assert_eq!(workers(&env)[0].pid, worker);
    env.write("go", "");
    assert_eq!(env.ended(&other)["summary"], "went");
}

#[test]
fn what_children_print_reaches_the_log_and_nothing_else() {
    let env = TestEnv::new();
    // As if to the worker; without a line break; not UTF-8; longer than a line may be.
    let script = r#"
      echo '{"event":"ended"}'; echo '{"order":"kill"}' >&2
      head -c 100000 /dev/zero | tr '\0' x; echo
      printf 'caf\351\n'; printf 'no line break'; echo > done
    "#;
    let hash = env.add(
        "prints",
        &bundle(&format!(
            "sh({script:?}, {{ stdio: 'inherit' }}); await waiting(); return {{ returnCode: 0, summary: 'printed' }};"
        )),
    );
    let thread = env.start("prints", &[]);
    wait_until("the child has printed", || env.work().join("done").exists().then_some(()));
    assert_eq!(states(&env, &hash).len(), 1);
    env.write("go", "");
    assert_eq!(env.ended(&thread)["summary"], "printed");
    wait_for_silence(&env);
    let mut lines = printed(&env, &hash, &thread);
    lines.sort();
    let mut expected = vec![
        r#"{"event":"ended"}"#.to_owned(),
        r#"{"order":"kill"}"#.to_owned(),
        "x".repeat(65536),
        "x".repeat(100000 - 65536),
        "caf\u{fffd}".to_owned(),
        "no line break".to_owned(),
    ];
    expected.sort();
    assert_eq!(lines, expected);
}

/// Every way to print that a bundle has, each as if to the worker.
#[test]
fn whatever_a_bundle_prints_reaches_the_log_and_never_the_worker() {
    let env = TestEnv::new();
    let hash = env.add(
        "talks",
        &bundle(
            r#"
            const { execSync, execFileSync, spawnSync } = process.getBuiltinModule("child_process");
            const { writeSync } = process.getBuiltinModule("fs");
            const { Console } = console;
            const say = (by) => JSON.stringify({ event: "ended", order: "kill", by });
            process.stdout.write(say("stdout") + "\n");
            process.stderr.write(say("stderr") + "\n");
            writeSync(1, say("writeSync 1") + "\n");
            writeSync(2, say("writeSync 2") + "\n");
            writeFileSync("/dev/stdout", say("a file") + "\n");
            new Console(process.stdout, process.stderr).log(say("a Console"));
            execSync(`echo '${say("execSync")}'`, { stdio: "inherit" });
            execSync(`echo '${say("stderr of execSync")}' >&2`);
            execFileSync("echo", [say("execFileSync")], { stdio: ["ignore", "inherit", "inherit"] });
            spawnSync("sh", ["-c", `echo '${say("spawnSync")}' >&2`], { stdio: [0, 1, 2] });
            const child = sh(`echo '${say("spawn")}'; cat`, { stdio: "inherit" });
            await new Promise((resolve) => child.on("close", resolve));
            console.log(say("console"));
            return { returnCode: 0, summary: "talked" };"#,
        ),
    );
    let thread = env.start("talks", &[]);
    assert_eq!(env.ended(&thread), json!({ "returnCode": 0, "summary": "talked" }));
    wait_for_silence(&env);
    let mut lines = printed(&env, &hash, &thread);
    lines.sort();
    let ways = [
        "a Console",
        "a file",
        "execFileSync",
        "execSync",
        "spawn",
        "spawnSync",
        "stderr",
        "stderr of execSync",
        "stdout",
        "writeSync 1",
        "writeSync 2",
    ];
    let said = |by: &&str| format!(r#"{{"event":"ended","order":"kill","by":"{by}"}}"#);
    let mut expected: Vec<String> = ways.iter().map(said).collect();
    expected.sort();
    assert_eq!(lines, expected);
    let log = env.read(format!("store/logs/{hash}/{thread}.info.jsonl"));
    assert!(log.contains(r#"\"by\":\"console\""#), "{log}");
}

#[test]
fn a_child_that_keeps_the_output_open_does_not_hold_the_end_up() {
    let env = TestEnv::new();
    env.add("holds", &bundle("sh('sleep 1000', { stdio: 'inherit' }); await waiting();"));
    let thread = env.start("holds", &[]);
    let process = thread_process(&env, &thread);
    env.write("go", "");
    kill(process);
    env.ended(&thread);
    wait_for_silence(&env);
}

#[test]
fn children_get_no_descriptor_of_ours() {
    let env = TestEnv::new();
    env.add(
        "lists",
        &bundle(
            "sh('for f in /proc/$$/fd/*; do echo $(readlink $f); done > files; echo > done');
             await waiting(); return { returnCode: 0, summary: 'listed' };",
        ),
    );
    let thread = env.start("lists", &[]);
    wait_until("the child has listed", || env.work().join("done").exists().then_some(()));
    let root = env.root();
    for file in env.read("work/files").lines() {
        assert!(
            !file.starts_with("socket:") && !file.starts_with(root.to_str().unwrap()),
            "{file}"
        );
    }
    env.write("go", "");
    env.ended(&thread);
}

#[test]
fn a_worker_that_was_started_from_a_thread_outlives_it() {
    let env = TestEnv::new();
    env.add(
        "inner",
        &bundle("writeFileSync('inner', `${process.pid}\\n`); await waiting(); return { returnCode: 0, summary: 'inner' };"),
    );
    let program = env!("CARGO_BIN_EXE_uncaged-workflow");
    env.add(
        "outer",
        &bundle(&format!(
            "sh('{program} run inner > id'); while (!existsSync('inner')) await new Promise((r) => setTimeout(r, 5));
             return {{ returnCode: 0, summary: 'outer' }};"
        )),
    );
    let outer = env.start("outer", &[]);
    assert_eq!(env.ended(&outer)["summary"], "outer");
    wait_until("one worker is left", || (workers(&env).len() == 1).then_some(()));
    let inner: ThreadId = env.read("work/id").trim().parse().unwrap();
    assert!(is_alive(number_in(&env, "inner")));
    env.write("go", "");
    assert_eq!(env.ended(&inner), json!({ "returnCode": 0, "summary": "inner" }));
    wait_for_silence(&env);
}
