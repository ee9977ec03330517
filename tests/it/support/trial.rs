//! Trying bundles out with `dev` and `test`, and that nothing of it stays.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::env::{Output, TestEnv, output, wait_until};

/// Takes one step and then waits for ever, with a child that does too.
pub const SLEEPER: &str = r#"import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
export const descriptor = { description: "", roles: { r: { description: "", schema: {} } } };
export async function* run(thread, { cas }) {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  writeFileSync("child", `${child.pid}\n`);
  yield { role: "r", contentHash: await cas.put("begun"), meta: {}, refs: [] };
  await new Promise(() => setInterval(() => {}, 1000));
}
"#;

/// Two roles: a model plays `coder`, the program `hermes` plays `tester`. Both
/// metas are extracted.
pub const DUO: &str = r#"import { createWorkflow, END } from "@uncaged/workflow-runtime";
import { createLlmAdapter } from "@uncaged/workflow-agent-llm";
import { createHermesAgent } from "@uncaged/workflow-agent-hermes";
import { coderMetaSchema, testerMetaSchema } from "@uncaged/workflow-template-develop";

const role = (systemPrompt, schema) => ({
  description: "", systemPrompt, extractPrompt: "Say what came of it", schema, extractRefs: null,
});
const provider = { baseUrl: "https://models.example/v1", apiKey: "key-9", model: "large" };
const json = { type: "object" };
export const descriptor = {
  description: "Codes and tests",
  roles: { coder: { description: "", schema: json }, tester: { description: "", schema: json } },
};
export const run = createWorkflow(
  {
    roles: { coder: role("Write code", coderMetaSchema), tester: role("Test it", testerMetaSchema) },
    moderator: ({ steps }) => ["coder", "tester"][steps.length] ?? END,
  },
  {
    agent: createLlmAdapter(provider),
    overrides: { tester: createHermesAgent({ model: null, timeout: null }) },
  },
);
"#;

/// Answers to all that [`DUO`] asks, and what comes of them.
pub const DUO_ANSWERS: &str = r#"prompt: "Add a button"
answers:
  - role: coder
    text: "I added it"
  - role: coder
    meta: { completedPhase: "all", filesChanged: [ui.js], summary: "a button" }
  - program: hermes
    match: "Test it"
    stdout: "All green"
  - role: tester
    meta: { status: passed, details: "12 tests" }
expect:
  steps:
    - role: coder
      meta: { summary: "a button", completedPhase: "all", filesChanged: [ui.js] }
      content: "I added it"
    - role: tester
      meta: { status: passed, details: "12 tests" }
      content: "All green"
  returnCode: 0
  summary: "completed: moderator returned END"
"#;

/// What `dev` prints for them.
pub const DUO_STEPS: &str = "HH:MM:SS coder
  I added it
  meta: {\"completedPhase\":\"all\",\"filesChanged\":[\"ui.js\"],\"summary\":\"a button\"}
HH:MM:SS tester
  All green
  meta: {\"status\":\"passed\",\"details\":\"12 tests\"}
completed: returnCode=0 \u{2014} completed: moderator returned END
";

/// Where trials of this test make their folders. The name begins as the store's
/// does, so that dropping the environment ends their processes too.
pub fn folders(env: &TestEnv) -> PathBuf {
    let folder = env.root().with_file_name("store-trials");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The program, with a folder of its own for temporary stores.
pub fn command(env: &TestEnv) -> Command {
    let mut command = env.command();
    command.env("TMPDIR", folders(env));
    command
}

/// Runs a command line of words to its end. Times of day are made the same.
pub fn run(env: &TestEnv, line: &str) -> Output {
    same_times(output(command(env).args(line.split(' '))))
}

/// Starts a command line of words; what it says goes into `out` and `err` of
/// the test's folder.
pub fn start(env: &TestEnv, line: &str) -> Child {
    let file = |name: &str| std::fs::File::create(env.work().join(name)).unwrap();
    let mut command = command(env);
    command.args(line.split(' ')).stdin(Stdio::null());
    command.stdout(file("out")).stderr(file("err")).spawn().unwrap()
}

/// Waits until what was started has said this on standard error or output.
#[track_caller]
pub fn wait_for(env: &TestEnv, words: &str) {
    wait_until(&format!("somebody says {words:?}"), || {
        let said = env.read("work/out") + env.read("work/err").as_str();
        said.contains(words).then_some(())
    });
}

/// Sends a signal to a process that a test started.
pub fn signal(child: &Child, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
}

/// Times of day, which no two runs share, as `HH:MM:SS`; seconds that tests took as `N`.
pub fn same_times(output: Output) -> Output {
    let stdout = output.stdout.lines().map(|line| match line.as_bytes() {
        [_, _, b':', _, _, b':', ..] => format!("HH:MM:SS{}\n", &line[8..]),
        _ if line.ends_with(" s)") => {
            let (start, _) = line.rsplit_once(" (").unwrap();
            format!("{start} (N s)\n")
        }
        _ => format!("{line}\n"),
    });
    Output { stdout: stdout.collect(), ..output }
}

/// Nothing of any trial is left: no folder, no process.
#[track_caller]
pub fn assert_nothing_left(env: &TestEnv) {
    let left: Vec<_> = std::fs::read_dir(folders(env)).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(env.processes(), Vec::<i32>::new());
}
