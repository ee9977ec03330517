//! What a thread costs while it waits, and how soon it runs.
//!
//! The program is the one of the profile that the bench is built with:
//! `cargo bench --bench threads` measures the release build,
//! `cargo bench --profile dev --bench threads` the debug build.
//!
//! Memory is `Private_*` of `/proc/<pid>/smaps_rollup`: what a process shares with
//! no other, so that the figures of several can be added. Linux alone has it.
//!
//! Limits: what a process that does nothing at all has of its own, and the time
//! that it takes to start this program; both are measured beside the rest.
//!
//! The release build on two cores: 15 MB for each of 10 or 50 idle threads (47 MB
//! for a single one, which shares its program with nobody), 4 to 5 MB for their
//! worker; 7 ms to start the program, 130 ms to the first line of a bundle that
//! imports node:fs, most of it Node's modules that are compiled. The debug build:
//! 20 MB a thread, 9 to 10 MB the worker.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::Value;
use tempfile::TempDir;

criterion_group!(benches, memory, start);
criterion_main!(benches);

const PROGRAM: &str = env!("CARGO_BIN_EXE_uncaged-workflow");

/// Says in a file that its first line runs, then waits for ever.
const BUNDLE: &str = r#"
import { writeFileSync } from "node:fs";
if (process.env.FIRST_LINE) writeFileSync(process.env.FIRST_LINE, "");
export const descriptor = { description: "waits", roles: {} };
export async function* run(thread) {
  writeFileSync(`${thread.threadId}.idle`, "");
  await new Promise((resolve) => setTimeout(resolve, 1e8));
}
"#;

/// A store of its own with the bundle; ends what runs on it when dropped.
struct Bed {
    dir: TempDir,
    hash: String,
}

impl Bed {
    fn new() -> Bed {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("waits.esm.js"), BUNDLE).unwrap();
        let mut bed = Bed { dir, hash: String::new() };
        let said = bed.output(&["add", "waits.esm.js"]);
        bed.hash = said.trim().rsplit(' ').next().unwrap().to_owned();
        bed
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        let root = self.dir.path().join("store");
        command.args(args).env("UNCAGED_WORKFLOW_STORAGE_ROOT", root).current_dir(self.dir.path());
        command
    }

    fn output(&self, args: &[&str]) -> String {
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Starts a thread and waits until it idles.
    fn idle(&self) -> String {
        let id = self.output(&["run", "waits"]).trim().to_owned();
        wait_for(&self.dir.path().join(format!("{id}.idle")));
        id
    }

    /// The worker and the processes of its threads, as the worker's socket tells them.
    fn processes(&self) -> (u64, Vec<u64>) {
        let file = self.dir.path().join(format!("store/workers/{}.json", self.hash));
        let announced: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let worker = announced["pid"].as_u64().unwrap();
        let children = fs::read_to_string(format!("/proc/{worker}/task/{worker}/children"));
        let children = children.unwrap();
        (worker, children.split_whitespace().map(|pid| pid.parse().unwrap()).collect())
    }

    fn kill(&self, id: &str) {
        self.output(&["kill", id]);
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        let ids = self.output(&["ps"]);
        for id in ids.lines().filter_map(|line| line.split('\t').next()) {
            let _ = self.command(&["kill", id]).stdout(Stdio::null()).status();
        }
        while !self.output(&["ps"]).is_empty() {
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }
}

fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {}", path.display());
        std::thread::park_timeout(Duration::from_micros(200));
    }
}

/// Kilobytes that the process shares with no other.
fn private_kb(pid: u64) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("Private_"));
    lines.map(|line| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()).sum()
}

/// No time, so not criterion's: printed as it is.
fn memory(_: &mut Criterion) {
    let nothing = Command::new("sleep").arg("1000").spawn().unwrap();
    // Until then it shares our memory.
    while fs::read_to_string(format!("/proc/{}/comm", nothing.id())).unwrap() != "sleep\n" {}
    println!("limit: a process that sleeps: {} KB", of_child(nothing));
    let bed = Bed::new();
    let mut idle = 0;
    for count in [1, 10, 50] {
        while idle < count {
            bed.idle();
            idle += 1;
        }
        // V8 gives back what the start took.
        std::thread::sleep(Duration::from_secs(2));
        let (worker, threads) = bed.processes();
        assert_eq!(threads.len(), count);
        let all: u64 = threads.iter().map(|pid| private_kb(*pid)).sum();
        println!(
            "{count} idle threads: {} KB a thread, worker {} KB, in all {} KB",
            all / count as u64,
            private_kb(worker),
            all + private_kb(worker),
        );
    }
}

fn of_child(mut child: Child) -> u64 {
    let found = private_kb(child.id().into());
    child.kill().unwrap();
    child.wait().unwrap();
    found
}

/// From the start of `run` to the first line of the bundle: with a worker to be
/// started, and with one that is there.
fn start(c: &mut Criterion) {
    let mut group = c.benchmark_group("start");
    group.sample_size(10);
    group.bench_function("limit: start this program", |b| {
        b.iter(|| Command::new(PROGRAM).arg("--version").output().unwrap());
    });
    let first_line = |bed: &Bed| {
        let file = bed.dir.path().join("first-line");
        let _ = fs::remove_file(&file);
        let start = Instant::now();
        let mut run = bed.command(&["run", "waits"]);
        let run = run.env("FIRST_LINE", &file).stdout(Stdio::piped()).spawn().unwrap();
        wait_for(&file);
        let took = start.elapsed();
        let output = run.wait_with_output().unwrap();
        bed.kill(String::from_utf8(output.stdout).unwrap().trim());
        took
    };
    group.bench_function("first line, worker and all", |b| {
        b.iter_custom(|times| (0..times).map(|_| first_line(&Bed::new())).sum());
    });
    let bed = Bed::new();
    bed.idle();
    group.bench_function("first line, worker is there", |b| {
        b.iter_custom(|times| (0..times).map(|_| first_line(&bed)).sum());
    });
    group.finish();
}
