//! Looking at processes from outside.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};
use uncaged_workflow::object::ThreadId;
use uncaged_workflow::worker::WORKER_COMMAND;

use super::env::{TestEnv, wait_until};

/// A process of one of the test's stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proc {
    pub pid: i32,
    pub args: Vec<String>,
}

/// The workers of the test's store.
pub fn workers(env: &TestEnv) -> Vec<Proc> {
    let procs = env.processes().into_iter().map(|pid| Proc { pid, args: args(pid) });
    procs.filter(|p| p.args.get(1).is_some_and(|arg| arg == WORKER_COMMAND)).collect()
}

/// Waits until no process works on the test's store, and none holds a thread.
#[track_caller]
pub fn wait_for_silence(env: &TestEnv) {
    wait_until("no process is left", || env.processes().is_empty().then_some(()));
    // A process that dies loses its name before its locks.
    let store = env.store();
    wait_until("no thread is held", || store.running_threads().unwrap().is_empty().then_some(()));
}

/// The process of one thread, as its worker tells it.
#[track_caller]
pub fn thread_process(env: &TestEnv, thread: &ThreadId) -> i32 {
    let bundle = env.store().find_thread(thread).unwrap().unwrap().bundle;
    let status = status(env, bundle.as_str());
    let found = status.iter().find(|told| told["thread"] == thread.as_str());
    found.unwrap()["pid"].as_i64().unwrap() as i32
}

/// The command line; empty for what is gone.
pub fn args(pid: i32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|b| *b == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Fields of `/proc/<pid>/stat` from the state on; none for what is gone or a zombie.
pub fn stat(pid: i32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields = text[text.rfind(')')? + 1..].split_whitespace();
    let fields: Vec<String> = fields.map(str::to_owned).collect();
    (fields[0] != "Z" && fields[0] != "X").then_some(fields)
}

/// Whether a process is there and more than a zombie.
pub fn is_alive(pid: i32) -> bool {
    stat(pid).is_some()
}

/// Processor time used, in clock ticks.
pub fn ticks(pid: i32) -> u64 {
    let fields = stat(pid).unwrap();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// Memory that a process shares with no other.
pub fn private_kb(pid: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("Private_"));
    lines.map(|line| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()).sum()
}

/// A number that a bundle or its child wrote to a file of the test.
#[track_caller]
pub fn number_in(env: &TestEnv, file: &str) -> i32 {
    let path = env.work().join(file);
    wait_until(&format!("{file} has a number"), || {
        std::fs::read_to_string(&path).ok()?.strip_suffix('\n')?.trim().parse().ok()
    })
}

/// Sends one line to a bundle's worker and gives its answer.
#[track_caller]
pub fn ask(env: &TestEnv, bundle: &str, line: impl AsRef<[u8]>) -> Value {
    let mut stream = connect(env, bundle);
    // The worker may refuse before it has read everything.
    let _ = stream.write_all(line.as_ref());
    let _ = stream.write_all(b"\n");
    answer(&stream)
}

/// The next answer on a connection.
#[track_caller]
pub fn answer(stream: &UnixStream) -> Value {
    let mut text = String::new();
    BufReader::new(stream).read_line(&mut text).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text:?}"))
}

/// A connection to a bundle's worker, by the path that it announces.
#[track_caller]
pub fn connect(env: &TestEnv, bundle: &str) -> UnixStream {
    let announced = std::fs::read_to_string(env.root().join(format!("workers/{bundle}.json")));
    let announced: Value = serde_json::from_str(&announced.unwrap()).unwrap();
    UnixStream::connect(announced["socket"].as_str().unwrap()).unwrap()
}

/// What a worker says of its threads.
#[track_caller]
pub fn status(env: &TestEnv, bundle: &str) -> Vec<Value> {
    let status = ask(env, bundle, json!({ "protocol": 1, "command": "status" }).to_string());
    status["threads"].as_array().unwrap().clone()
}

/// The same, id and state alone.
#[track_caller]
pub fn states(env: &TestEnv, bundle: &str) -> Vec<(String, String)> {
    let text = |told: &Value, field: &str| told[field].as_str().unwrap().to_owned();
    let status = status(env, bundle);
    status.iter().map(|told| (text(told, "thread"), text(told, "state"))).collect()
}

/// The lines of a thread's log that came from its output.
pub fn printed(env: &TestEnv, bundle: &str, thread: &ThreadId) -> Vec<String> {
    let log = env.root().join(format!("logs/{bundle}/{thread}.info.jsonl"));
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ours =
        lines.filter(|line| ["B8W3KQ5N", "F6TJ9XPD"].contains(&line["tag"].as_str().unwrap()));
    ours.map(|line| line["content"].as_str().unwrap().to_owned()).collect()
}
