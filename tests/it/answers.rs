//! Answers files: how they are read, and which answer a request gets.

use crate::support::chat_server::{ChatServer, Reply};
use crate::support::env::{TestEnv, output};
use crate::support::trial::{assert_nothing_left, run};

/// What is said of an answers file that is wrong.
#[track_caller]
fn refused(answers: &str, place: &str, message: &str, help: &str) {
    let env = TestEnv::new();
    env.write("b.esm.js", "never read");
    env.write("b.answers.yaml", answers);
    let output = run(&env, "dev b.esm.js --answers b.answers.yaml");
    let expected = format!("error: b.answers.yaml:{place}: {message}\nhint: {help}\n");
    assert_eq!((output.stderr, output.code), (expected, Some(1)));
}

#[test]
fn a_wrong_file_is_refused_with_its_place_and_what_to_write() {
    let whole = "an answers file is a mapping with `prompt`, `answers` and `expect`";
    refused("- 1\n", "1:1", "expected a mapping, found a list", whole);
    refused("promt: x\n", "1:1", "there is no `promt` here", "did you mean `prompt`?");
    let message = "`maxRounds` is a string: expected a whole number that is not negative";
    refused("prompt: x\nmaxRounds: many\n", "2:1", message, "write `maxRounds: 10`");
    let message = "`supervisorInterval` is a string: expected a whole number that is not negative";
    let help = "write `supervisorInterval: 3`, or 0 for never";
    refused("supervisorInterval: often\n", "1:1", message, help);
    let help = "write a list: `answers:`, and below it `  - role: reporter` and so on";
    refused("answers: { a: 1 }\n", "1:1", "`answers` is a mapping: expected a list", help);
    let help = "write a role's name in quotes, as in `role: \"reporter\"`";
    let message = "`answers[1].role` is a number: expected a string";
    refused("answers:\n  - text: a\n  - role: 3\n    text: b\n", "3:5", message, help);
    let message = "this answer has nothing to answer";
    let help = "add `meta: { … }` or `text: \"…\"` (or `toolCalls`, `decision`, `error`)";
    refused("answers:\n  - role: a\n", "2:5", message, help);
    let help = "make two entries of it: each answers once";
    let message = "`meta` and `text` are two answers";
    refused("answers:\n  - text: a\n    meta: {}\n", "2:5", message, help);
    let message = "`stdout` is what a program answers, and no `program` is named";
    let help = "name it, as in `program: hermes`, or answer with `meta` or `text`";
    refused("answers:\n  - stdout: a\n", "2:5", message, help);
    let message = "`text` is what a model answers, and this is a program";
    let help = "a program answers with `stdout`, `stderr` and `exitCode`";
    refused("answers:\n  - program: hermes\n    text: a\n", "3:5", message, help);
    let message =
        "`answers[0].program` is not one: expected the name of a program in the search path";
    let help = "write the program's name, as in `program: hermes`";
    refused("answers:\n  - program: ./hermes\n    stdout: a\n", "2:5", message, help);
    let message = "there is no scene `judge`";
    let help = "write `scene: extract`, `scene: agent` or `scene: supervisor`";
    refused("answers:\n  - scene: judge\n    text: a\n", "2:5", message, help);
    let help = "write `decision: continue` or `decision: stop`";
    refused("answers:\n  - decision: maybe\n", "2:5", "`maybe` is no decision", help);
    let message = "the supervisor gives a decision";
    refused("answers:\n  - scene: supervisor\n    meta: {}\n", "2:5", message, help);
    let message = "this status is no failure";
    let help = "write a status from 400 to 599, as in `status: 429`";
    refused("answers:\n  - error: { status: 200 }\n", "2:14", message, help);
    let message = "`expect.steps[0].meta` is a string: expected a mapping";
    let help = "write a mapping, as in `meta: { severity: 3 }`";
    refused("expect:\n  steps:\n    - meta: high\n", "3:7", message, help);
    let message = "`(crash` is not a regular expression: unclosed group";
    let help = "characters such as ( [ . * + ? | { stand for themselves after a `\\`";
    refused("answers:\n  - match: (crash\n    text: a\n", "2:5", message, help);
}

/// Asks a model for each line of the prompt, by role and text, and gives what
/// it said; an error's message for a failure.
const ASKER: &str = r#"import { createLlmAdapter } from "@uncaged/workflow-agent-llm";
import { execFileSync } from "node:child_process";
const llm = createLlmAdapter({ baseUrl: "http://m.example", apiKey: "k", model: "m" });
export const descriptor = {
  description: "", roles: { r: { description: "", schema: {} } },
};
async function ask(line) {
  const [role, text] = line.split(": ");
  try {
    if (role.startsWith("$")) {
      return execFileSync(role.slice(1), text.split(" "), { encoding: "utf8", stdio: "pipe" });
    }
    return await llm({ start: { content: text }, currentRole: { name: role, systemPrompt: "" } });
  } catch (error) {
    return error.status === undefined ? error.message : `exit ${error.status}: ${error.stderr}`;
  }
}
export async function* run(thread, { cas }) {
  for (const line of thread.start.content.split("\n")) {
    yield { role: "r", contentHash: await cas.put(await ask(line)), meta: {}, refs: [] };
  }
  return { returnCode: 0, summary: "asked" };
}
"#;

/// What [`ASKER`] is told for each of these lines.
#[track_caller]
fn told(asked: &[&str], answers: &str) -> Vec<String> {
    let env = TestEnv::new();
    env.write("asker.esm.js", ASKER);
    env.write("asker.answers.yaml", answers);
    env.write("task", asked.join("\n"));
    let output =
        run(&env, "dev asker.esm.js --answers asker.answers.yaml --prompt-file task --json");
    assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
    assert_eq!(output.stderr, "");
    assert_nothing_left(&env);
    let lines = output.stdout.lines().map(|l| serde_json::from_str(l).unwrap());
    lines.filter_map(|line: serde_json::Value| Some(line["content"].as_str()?.to_owned())).collect()
}

#[test]
fn the_first_unused_answer_that_fits_is_given() {
    let answers = "
answers:
  - { role: b, text: b one }
  - { text: anybody }
  - { role: a, match: 'blue|green', text: a likes blue }
  - { role: a, text: a one }
  - { role: b, text: b two }
";
    assert_eq!(
        told(&["a: red", "a: dark blue", "b: red", "b: blue", "a: green"], answers),
        ["anybody", "a likes blue", "b one", "b two", "a one"]
    );
}

#[test]
fn failures_can_be_scripted_and_are_not_tried_again() {
    let answers = "
answers:
  - error: { status: 429, message: slow down }
  - error: { status: 503 }
  - text: at last
";
    let failure = |status: u16, message: &str| {
        let body = format!(
            "{{\\\"error\\\":{{\\\"message\\\":\\\"{message}\\\",\\\"type\\\":\\\"scripted\\\",\\\"code\\\":null}}}}"
        );
        format!("llm: {{\"kind\":\"http_error\",\"status\":{status},\"body\":\"{body}\"}}")
    };
    assert_eq!(
        told(&["a: x", "a: x", "a: x"], answers),
        [failure(429, "slow down"), failure(503, "scripted failure"), "at last".to_owned()]
    );
}

#[test]
fn any_program_can_be_scripted_by_its_arguments() {
    let answers = "
answers:
  - { program: gh, match: '^pr list$', stdout: \"#1\\n#2\\n\" }
  - { program: gh, stderr: not logged in, exitCode: 4 }
  - { program: cursor-agent, stdout: done }
";
    assert_eq!(
        told(&["$gh: auth status", "$cursor-agent: -p x", "$gh: pr list"], answers),
        ["exit 4: not logged in", "done", "#1\n#2\n"]
    );
}

#[test]
fn the_supervisor_is_asked_where_the_file_answers_it_and_matched_by_nothing_else() {
    let lines: Vec<String> = (1..=7).map(|n| format!("a: {n}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let texts = (1..=7).map(|n| format!("  - {{ match: '.', text: t{n} }}\n")).collect::<String>();
    let all: Vec<String> = (1..=7).map(|n| format!("t{n}")).collect();
    // Without an answer for it, nobody asks it.
    assert_eq!(told(&lines, &format!("answers:\n{texts}")), all);
    let twice = format!(
        "answers:\n  - decision: continue\n{texts}  - {{ scene: supervisor, decision: stop }}\n"
    );
    let env = TestEnv::new();
    env.write("asker.esm.js", ASKER);
    env.write("asker.answers.yaml", twice.replace("  - { match: '.', text: t7 }\n", ""));
    env.write("task", lines.join("\n"));
    let output = run(&env, "dev asker.esm.js --answers asker.answers.yaml --prompt-file task");
    let steps: String = all[..6].iter().map(|text| format!("HH:MM:SS r\n  {text}\n")).collect();
    let end = "completed: returnCode=0 \u{2014} completed: supervisor stopped thread\n";
    assert_eq!((output.stdout, output.stderr.as_str()), (steps + end, ""));
}

/// Runs the workflow `echo` as its one role.
pub const PARENT: &str = r#"import { workflowAsAgent } from "@uncaged/workflow-execute";
export const descriptor = { description: "", roles: { r: { description: "", schema: {} } } };
export async function* run(thread, { cas }) {
  const root = await workflowAsAgent("echo", null)({ ...thread, currentRole: { name: "r" } });
  const end = await cas.get(root);
  const text = end === null ? root : /summary: (.*)/.exec(end)[1];
  yield { role: "r", contentHash: await cas.put(text), meta: {}, refs: [] };
  return { returnCode: 0, summary: "done" };
}
"#;

#[test]
fn child_workflows_are_those_that_the_file_names_and_get_their_answers_from_it() {
    let env = TestEnv::new();
    env.write("flows/parent.esm.js", PARENT);
    let child = ASKER.replace(
        "yield { role: \"r\", contentHash: await cas.put(await ask(line)), meta: {}, refs: [] };",
        "return { returnCode: 0, summary: await ask(line) };",
    );
    env.write("flows/lib/child.esm.js", child);
    let answers = "prompt: 'a: x'\nanswers: [{ role: a, text: from the child }]\n";
    env.write(
        "flows/parent.answers.yaml",
        format!("{answers}workflows: {{ echo: lib/child.esm.js }}\n"),
    );
    let output = run(&env, "dev flows/parent.esm.js --answers flows/parent.answers.yaml");
    let end = "completed: returnCode=0 \u{2014} done\n";
    assert_eq!(output.stdout, format!("HH:MM:SS r\n  from the child\n{end}"));
    assert_eq!((output.stderr.as_str(), output.code), ("", Some(0)));
    assert_nothing_left(&env);
    env.write("flows/parent.answers.yaml", answers);
    let output = run(&env, "dev flows/parent.esm.js --answers flows/parent.answers.yaml");
    let error = output.stdout.lines().nth(1).unwrap();
    assert_eq!(error, "  ERROR: no workflow is named `echo`");
}

#[test]
fn what_says_who_answers_and_cannot_be_read_is_an_error_and_never_a_real_model() {
    let model = ChatServer::answering(|_| Reply::text("really asked"));
    let env = TestEnv::new();
    let problem = "UNCAGED_WORKFLOW_TRIAL cannot be read: expected ident at line 1 column 2";
    let mut command = env.command();
    let listed = output(command.arg("list").env("UNCAGED_WORKFLOW_TRIAL", "nonsense"));
    let told = format!(
        "error: {problem}\nhint: unset it: `dev` and `test` set it for the threads that they start\n"
    );
    assert_eq!((listed.stderr, listed.code), (told, Some(1)));

    // A bundle cannot take it from its child threads.
    let change = "process.env.UNCAGED_WORKFLOW_TRIAL = \"nonsense\";\n  const root";
    let parent = PARENT.replace("const root", change);
    let asker = ASKER.replace("http://m.example", &model.base_url());
    let asker = asker.replace(
        "yield { role: \"r\", contentHash: await cas.put(await ask(line)), meta: {}, refs: [] };",
        "return { returnCode: 0, summary: await ask(line) };",
    );
    env.write("parent.esm.js", parent);
    env.write("child.esm.js", asker);
    env.write(
        "parent.answers.yaml",
        "prompt: 'a: x'\nanswers: [{ role: a, text: scripted }]\nworkflows: { echo: child.esm.js }\n",
    );
    let output = run(&env, "dev parent.esm.js --answers parent.answers.yaml");
    let end = "completed: returnCode=0 \u{2014} done\n";
    assert_eq!(output.stdout, format!("HH:MM:SS r\n  scripted\n{end}"));
    assert_eq!(model.requests().len(), 0);
    assert_nothing_left(&env);
}
