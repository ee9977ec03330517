//! The worker: one a bundle, there when it is needed, gone when it is not,
//! and no business of anybody else.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uncaged_workflow::object::ThreadId;
use uncaged_workflow::worker::protocol::MAX_LINE;

use crate::support::env::{Output, TestEnv, kill, output, wait_until};
use crate::support::procs::{
    answer, ask, connect, is_alive, private_kb, stat, states, thread_process, wait_for_silence,
    workers,
};

/// Ends when the file `go` is there.
const WAITS: &str = r#"
import { existsSync } from "node:fs";
export const descriptor = { description: "waits", roles: {} };
export async function* run() {
  while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 5));
  return { returnCode: 0, summary: "went" };
}
"#;

/// Ends at once.
const QUICK: &str = r#"
export const descriptor = { description: "quick", roles: {} };
export async function* run() { return { returnCode: 0, summary: "quick" }; }
"#;

/// Every file below the storage root that only a running worker has.
fn traces(env: &TestEnv) -> Vec<String> {
    let mut found = Vec::new();
    let mut dirs = vec![env.root()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                dirs.push(entry.path());
                continue;
            }
            let name = entry.file_name().into_string().unwrap();
            let in_workers = entry.path().parent().unwrap().ends_with("workers");
            if (in_workers && !name.ends_with(".lock")) || name.ends_with(".running") {
                found.push(name);
            }
        }
    }
    found
}

#[test]
fn runs_at_the_same_instant_start_one_worker() {
    let env = TestEnv::new();
    let bundle = env.add("waits", WAITS);
    let started: Vec<ThreadId> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8).map(|_| scope.spawn(|| env.start("waits", &[]))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    assert_eq!(workers(&env).len(), 1);
    let told: BTreeSet<String> = states(&env, &bundle).into_iter().map(|(id, _)| id).collect();
    let expected: BTreeSet<String> = started.iter().map(ThreadId::to_string).collect();
    assert_eq!(told, expected);

    env.write("go", "");
    for thread in &started {
        assert_eq!(env.ended(thread), json!({ "returnCode": 0, "summary": "went" }));
    }
    wait_for_silence(&env);
}

#[test]
fn a_worker_leaves_soon_after_its_last_thread_and_takes_its_files_along() {
    let env = TestEnv::new();
    let bundle = env.add("quick", QUICK);
    let thread = env.start("quick", &[]);
    env.ended(&thread);
    wait_for_silence(&env);
    assert_eq!(traces(&env), Vec::<String>::new());
    assert!(!env.root().join(format!("logs/{bundle}/worker.log")).exists());
}

#[test]
fn no_run_meets_a_worker_on_its_way_out() {
    let env = TestEnv::new();
    // Two workers, so that each can be out of work while the machine is not.
    for lane in 0..2 {
        env.add(&format!("quick-{lane}"), &format!("{QUICK}// {lane}\n"));
    }
    let seen = std::sync::Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for lane in 0..2 {
            let (env, seen) = (&env, &seen);
            scope.spawn(move || {
                for round in 0..12 {
                    let thread = env.start(&format!("quick-{lane}"), &[]);
                    seen.lock().unwrap().extend(workers(env).iter().map(|p| p.pid));
                    env.ended(&thread);
                    // About as long as a worker stays without threads.
                    let pause = 280 + (round * 37 + lane * 17) % 140;
                    std::thread::park_timeout(Duration::from_millis(pause));
                }
            });
        }
    });
    assert!(seen.into_inner().unwrap().len() > 2, "no worker has left in between");
    wait_for_silence(&env);
}

#[test]
fn the_socket_of_a_killed_worker_is_replaced() {
    let env = TestEnv::new();
    let bundle = env.add("waits", WAITS);
    let lost = env.start("waits", &[]);
    kill(workers(&env)[0].pid);
    wait_for_silence(&env);
    assert!(env.root().join(format!("workers/{bundle}.sock")).exists());

    let next = env.start("waits", &[]);
    assert_eq!(states(&env, &bundle).len(), 1);
    env.write("go", "");
    assert_eq!(env.ended(&next)["summary"], "went");
    env.run(["resume", lost.as_str()]).ok();
    assert_eq!(env.ended(&lost)["summary"], "went");
}

#[test]
fn a_worker_holds_nothing_of_the_command_that_started_it() {
    let env = TestEnv::new();
    env.add("waits", WAITS);
    let held = env.write("held", "");
    // Descriptor 9 stands for what a CI system or a shell leaves open.
    let mut shell = std::process::Command::new("sh");
    let program = env.command();
    shell
        .args(["-c", "exec 9<held; exec \"$0\" run waits", env!("CARGO_BIN_EXE_uncaged-workflow")])
        .env_clear()
        .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(env.work());
    // Comes back although the worker lives: it holds no pipe of ours.
    let thread: ThreadId = output(&mut shell).ok().trim().parse().unwrap();

    let worker = workers(&env)[0].pid;
    let thread_process = thread_process(&env, &thread);
    for pid in [worker, thread_process] {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        let files = files.filter_map(|file| std::fs::read_link(file.unwrap().path()).ok());
        assert!(files.into_iter().all(|file| file != held), "process {pid} holds descriptor 9");
    }
    for number in 0..3 {
        let file = std::fs::read_link(format!("/proc/{worker}/fd/{number}")).unwrap();
        assert_eq!(file, std::path::Path::new("/dev/null"));
    }
    let directory = std::fs::read_link(format!("/proc/{worker}/cwd")).unwrap();
    assert_eq!(directory, std::path::Path::new("/"));
    // Its session is its own, so a terminal that closes does not reach it.
    assert_eq!(stat(worker).unwrap()[3], worker.to_string());
    env.write("go", "");
    env.ended(&thread);
}

#[test]
fn only_the_owner_can_open_the_socket() {
    let env = TestEnv::new();
    let bundle = env.add("waits", WAITS);
    // As a store of the reference has it.
    std::fs::create_dir_all(env.root().join("workers")).unwrap();
    let thread = env.start("waits", &[]);
    let mode = |path: &str| {
        let metadata = std::fs::symlink_metadata(env.root().join(path)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode("workers"), 0o700);
    assert_eq!(mode(&format!("workers/{bundle}.sock")), 0o600);
    env.write("go", "");
    env.ended(&thread);
}

#[test]
fn rubbish_on_the_socket_gets_an_error_and_hurts_nobody() {
    let env = TestEnv::new();
    let bundle = env.add("waits", WAITS);
    let thread = env.start("waits", &[]);
    let unclear = |message: &str| json!({ "answer": "refused", "refusal": "not-understood", "message": message });
    let cases: [(&[u8], Value); 7] = [
        (b"hello", unclear("expected value at line 1 column 1")),
        (b"", unclear("EOF while parsing a value at line 1 column 0")),
        (b"\xff\xfe\x00", unclear("expected value at line 1 column 1")),
        (b"{}", unclear("missing field `protocol` at line 1 column 2")),
        (br#"{"protocol":1}"#, unclear("missing field `command` at line 1 column 14")),
        (
            br#"{"protocol":1,"command":"kill","thread":"../../etc"}"#,
            unclear(
                "`../../etc` is not a thread id: expected 1 to 64 letters, digits, `_` or `-` at line 1 column 52",
            ),
        ),
        (
            br#"{"protocol":99,"command":"dance"}"#,
            json!({ "answer": "refused", "refusal": "other-protocol", "protocol": 1 }),
        ),
    ];
    for (line, expected) in cases {
        assert_eq!(ask(&env, &bundle, line), expected, "{}", String::from_utf8_lossy(line));
    }
    assert_eq!(
        ask(&env, &bundle, vec![b'x'; MAX_LINE + 2]),
        json!({ "answer": "refused", "refusal": "too-long", "limit": MAX_LINE })
    );
    // One connection may make a mistake and go on.
    let mut stream = connect(&env, &bundle);
    stream.write_all(b"nonsense\n").unwrap();
    assert_eq!(answer(&stream)["refusal"], "not-understood");
    stream.write_all(b"{\"protocol\":1,\"command\":\"resume\",\"thread\":\"nobody\"}\n").unwrap();
    assert_eq!(answer(&stream), json!({ "answer": "not-running" }));
    let unknown = r#"{"protocol":1,"command":"execute","thread":"nobody"}"#;
    assert_eq!(ask(&env, &bundle, unknown), json!({ "answer": "no-such-thread" }));

    let running = [(thread.to_string(), "running".to_owned())];
    wait_until("the thread runs on", || (states(&env, &bundle) == running).then_some(()));
    env.write("go", "");
    assert_eq!(env.ended(&thread)["summary"], "went");
    wait_for_silence(&env);
    assert_eq!(traces(&env), Vec::<String>::new());
}

#[test]
fn clients_that_say_half_a_word_are_sent_away_and_keep_nobody_waiting() {
    let env = TestEnv::new();
    let bundle = env.add("waits", WAITS);
    let thread = env.start("waits", &[]);
    let silent: Vec<_> = (0..50).map(|_| connect(&env, &bundle)).collect();
    let mut half = connect(&env, &bundle);
    half.write_all(b"{\"protocol\":1,\"comm").unwrap();
    // Gone before the answer.
    let mut gone = connect(&env, &bundle);
    gone.write_all(b"{\"protocol\":1,\"command\":\"status\"}\n").unwrap();
    drop(gone);

    assert_eq!(states(&env, &bundle).len(), 1);
    let late = env.start("waits", &[]);
    let expected = json!({ "answer": "refused", "refusal": "too-slow", "seconds": 5 });
    assert_eq!(answer(&half), expected);
    drop(silent);
    env.write("go", "");
    env.ended(&thread);
    env.ended(&late);
    wait_for_silence(&env);
}

#[test]
fn a_storage_root_may_have_a_longer_path_than_a_socket() {
    let env = TestEnv::new();
    let root = env.root().join("a-rather-long-name-for-a-directory/".repeat(8));
    let run = |args: &[&str]| -> Output {
        output(env.command().env("UNCAGED_WORKFLOW_STORAGE_ROOT", &root).args(args))
    };
    let file = env.write("waits.esm.js", WAITS);
    run(&["add", "waits", file.to_str().unwrap()]).ok();
    let thread = run(&["run", "waits"]).ok();
    assert_eq!(
        run(&["pause", thread.trim()]).ok(),
        format!("pause sent for thread {}\n", thread.trim())
    );
    assert_eq!(
        run(&["kill", thread.trim()]).ok(),
        format!("kill sent for thread {}\n", thread.trim())
    );
    wait_for_silence(&env);
}

#[test]
fn a_thread_lives_in_the_environment_of_its_own_run() {
    let env = TestEnv::new();
    env.add(
        "tells",
        r#"
        import { existsSync, writeFileSync } from "node:fs";
        export const descriptor = { description: "", roles: {} };
        export async function* run(thread) {
          const told = `${process.env.WHO} ${process.cwd()} ${process.env.ONLY_ONCE ?? "unset"}\n`;
          writeFileSync(`${process.env.SIDE}/${process.env.WHO}`, told);
          while (!existsSync(`${process.env.SIDE}/go`))
            await new Promise((resolve) => setTimeout(resolve, 5));
          return { returnCode: 0, summary: "told" };
        }
        "#,
    );
    let side = env.work();
    let run = |who: &str, directory: &str, extra: &[(&str, &str)]| -> ThreadId {
        let directory = env.work().join(directory);
        std::fs::create_dir_all(&directory).unwrap();
        let mut command = env.command();
        command.current_dir(directory).env("WHO", who).env("SIDE", &side).envs(extra.to_vec());
        output(command.args(["run", "tells"])).ok().trim().parse().unwrap()
    };
    let threads = [run("first", "one", &[("ONLY_ONCE", "set")]), run("second", "two", &[])];
    for (who, directory, once) in [("first", "one", "set"), ("second", "two", "unset")] {
        let expected = format!("{who} {} {once}\n", side.join(directory).display());
        wait_until("the thread has told", || {
            (std::fs::read_to_string(side.join(who)).ok()? == expected).then_some(())
        });
    }
    assert_eq!(workers(&env).len(), 1);
    env.write("go", "");
    threads.iter().for_each(|thread| drop(env.ended(thread)));
}

#[test]
fn of_two_resumes_at_once_one_wins_and_the_other_says_so() {
    let env = TestEnv::new();
    let bundle = env.add("waits", WAITS);
    let thread = env.start("waits", &[]);
    kill(workers(&env)[0].pid);
    wait_for_silence(&env);

    let mut said: Vec<String> = std::thread::scope(|scope| {
        let resumes: Vec<_> =
            (0..2).map(|_| scope.spawn(|| env.run(["resume", thread.as_str()]).ok())).collect();
        resumes.into_iter().map(|resume| resume.join().unwrap()).collect()
    });
    said.sort();
    let expected = [
        format!("resume sent for thread {thread}\n"),
        format!("thread {thread} is already running\n"),
    ];
    assert_eq!(said, expected);
    assert_eq!(states(&env, &bundle).len(), 1);
    env.write("go", "");
    env.ended(&thread);
}

#[test]
fn fifty_threads_of_five_bundles_run_at_once() {
    let env = TestEnv::new();
    let bundles: Vec<String> =
        (0..5).map(|n| env.add(&format!("waits-{n}"), &format!("{WAITS}// {n}\n"))).collect();
    let start = Instant::now();
    let started: Vec<ThreadId> = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..5)
            .map(|n| {
                let env = &env;
                scope.spawn(move || -> Vec<ThreadId> {
                    (0..10).map(|_| env.start(&format!("waits-{n}"), &[])).collect()
                })
            })
            .collect();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
    let all_running = |bundle: &String| {
        let states = states(&env, bundle);
        states.len() == 10 && states.iter().all(|(_, state)| state == "running")
    };
    wait_until("all are running", || bundles.iter().all(all_running).then_some(()));
    let running = start.elapsed();
    let workers = workers(&env);
    assert_eq!(workers.len(), 5);
    let memory = |pids: &[i32]| pids.iter().map(|pid| private_kb(*pid)).sum::<u64>() / 1024;
    let workers: Vec<i32> = workers.iter().map(|worker| worker.pid).collect();
    let threads: Vec<i32> = started.iter().map(|thread| thread_process(&env, thread)).collect();
    let (of_workers, of_threads) = (memory(&workers), memory(&threads));

    env.write("go", "");
    for thread in &started {
        assert_eq!(env.ended(thread), json!({ "returnCode": 0, "summary": "went" }));
    }
    println!(
        "50 threads of 5 bundles: all running after {running:.1?}, all ended after {:.1?}; \
         private memory {of_workers} MB for 5 workers, {of_threads} MB for 50 threads",
        start.elapsed()
    );
    wait_for_silence(&env);
    assert_eq!(traces(&env), Vec::<String>::new());
}

#[test]
fn a_worker_that_is_asked_to_stop_leaves_its_threads_interrupted() {
    let env = TestEnv::new();
    env.add("waits", WAITS);
    let thread = env.start("waits", &[]);
    let process = thread_process(&env, &thread);
    let worker = rustix::process::Pid::from_raw(workers(&env)[0].pid).unwrap();
    rustix::process::kill_process(worker, rustix::process::Signal::TERM).unwrap();
    wait_for_silence(&env);
    assert!(!is_alive(process));
    assert_eq!(traces(&env), Vec::<String>::new());

    env.run(["resume", thread.as_str()]).ok();
    env.write("go", "");
    assert_eq!(env.ended(&thread), json!({ "returnCode": 0, "summary": "went" }));
}
