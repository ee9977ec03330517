//! A store of its own for each test, and the program to use it with.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use uncaged_workflow::object::ThreadId;
use uncaged_workflow::store::Store;

/// How long any condition may take before a test gives up. Generous: the tests
/// run side by side on small machines.
const PATIENCE: Duration = Duration::from_secs(60);

/// A temporary folder with a store in it. Dropping it ends every process that
/// works on the store.
pub struct TestEnv {
    dir: tempfile::TempDir,
}

/// What a command printed and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl Output {
    /// Standard output of a command that must have succeeded.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self.stdout
    }
}

impl TestEnv {
    pub fn new() -> TestEnv {
        let dir = tempfile::Builder::new().prefix("uncaged-test-").tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        TestEnv { dir }
    }

    /// The storage root.
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    /// A folder for the test's own files; commands run in it.
    pub fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub fn store(&self) -> Store {
        Store::open(self.root())
    }

    /// Writes a file below [`TestEnv::work`].
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn read(&self, path: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.dir.path().join(path)).unwrap()
    }

    /// The program, ready for arguments, in a hermetic environment.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uncaged-workflow"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.dir.path())
            .env("TZ", "UTC")
            .env("UNCAGED_WORKFLOW_STORAGE_ROOT", self.root())
            .current_dir(self.work())
            .stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Output {
        output(self.command().args(args))
    }

    /// Runs the program with this on its standard input.
    pub fn run_with_input(&self, args: &[&str], input: &str) -> Output {
        let mut command = self.command();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        finish(child)
    }

    /// Adds a bundle under `name` and gives its hash.
    #[track_caller]
    pub fn add(&self, name: &str, source: &str) -> String {
        let file = self.write(&format!("{name}.esm.js"), source);
        let printed = self.run([OsStr::new("add"), OsStr::new(name), file.as_os_str()]).ok();
        printed.trim().rsplit(' ').next().unwrap().to_owned()
    }

    /// Starts a thread and gives its id.
    #[track_caller]
    pub fn start(&self, name: &str, args: &[&str]) -> ThreadId {
        let printed = self.run([&["run", name], args].concat()).ok();
        printed.trim().parse().unwrap()
    }

    /// The thread as `thread show` prints it.
    #[track_caller]
    pub fn show(&self, thread: &ThreadId) -> serde_json::Value {
        let printed = self.run(["thread", "show", thread.as_str()]).ok();
        serde_json::from_str(&printed).unwrap()
    }

    /// Waits until the thread has ended and gives its `__end__` meta.
    #[track_caller]
    pub fn ended(&self, thread: &ThreadId) -> serde_json::Value {
        let store = self.store();
        wait_until("the thread ends", || {
            let found = store.find_thread(thread).unwrap()?;
            matches!(found.record, uncaged_workflow::store::Record::Completed(_)).then_some(())
        });
        let shown = self.show(thread);
        shown["steps"].as_array().unwrap().last().unwrap()["meta"].clone()
    }

    /// The processes whose command line names this store.
    pub fn processes(&self) -> Vec<i32> {
        let root = self.root();
        let root = root.as_os_str().as_encoded_bytes();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else {
                continue;
            };
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            if pid != std::process::id() as i32 && line.windows(root.len()).any(|w| w == root) {
                found.push(pid);
            }
        }
        found
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        for pid in self.processes() {
            kill(pid);
        }
    }
}

/// SIGKILL.
pub fn kill(pid: i32) {
    if let Some(pid) = rustix::process::Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

/// Runs a command to its end.
pub fn output(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    finish(child)
}

fn finish(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    Output {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    }
}

/// Waits for a condition and gives what it found.
#[track_caller]
pub fn wait_until<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(10));
    }
}
