//! `test`: bundles against the answers files beside them.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::env::TestEnv;
use crate::support::trial::{DUO, DUO_ANSWERS, assert_nothing_left, run, signal, start, wait_for};

fn duo() -> TestEnv {
    let env = TestEnv::new();
    env.write("flows/duo.esm.js", DUO);
    env.write("flows/duo.answers.yaml", DUO_ANSWERS);
    env
}

#[test]
fn what_happens_as_expected_passes() {
    let env = duo();
    env.write("flows/duo.second.answers.yaml", DUO_ANSWERS);
    env.write("flows/node_modules/x/x.answers.yaml", "not: looked at");
    let passed = |names: &[&str]| {
        let tests = if names.len() == 1 { "test" } else { "tests" };
        let lines = names.iter().map(|name| format!("test {name} ... ok (N s)\n"));
        let lines: String = lines.collect();
        format!(
            "running {} {tests}\n{lines}\n{} passed, 0 failed (N s)\n",
            names.len(),
            names.len()
        )
    };
    let both = ["flows/duo.answers.yaml", "flows/duo.second.answers.yaml"];
    for (line, names) in [
        ("test", &both[..]),
        ("test flows", &both[..]),
        ("test flows/duo.esm.js", &both[..]),
        ("test flows/duo.second.answers.yaml", &both[1..]),
        ("test flows/duo.answers.yaml flows/duo.esm.js --jobs 1", &both[..]),
    ] {
        let output = run(&env, line);
        assert_eq!((output.stdout, output.stderr.as_str()), (passed(names), ""), "{line}");
        assert_eq!(output.code, Some(0));
        assert_nothing_left(&env);
    }
}

#[test]
fn a_built_bundle_is_tested_by_the_answers_of_its_source_folder() {
    let env = TestEnv::new();
    env.write("dist/duo.esm.js", DUO);
    env.write("duo.answers.yaml", DUO_ANSWERS);
    for line in ["test", "test dist/duo.esm.js", "test duo.answers.yaml"] {
        let output = run(&env, line);
        let passed = "running 1 test\ntest duo.answers.yaml ... ok (N s)\n\n\
                      1 passed, 0 failed (N s)\n";
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (passed, ""), "{line}");
    }
}

#[test]
fn what_differs_is_shown_line_by_line_and_fails() {
    let env = duo();
    let other = DUO_ANSWERS
        .replace("summary: \"a button\", ", "summary: \"two buttons\", ")
        .replace("content: \"All green\"", "content: \"All red\"");
    env.write("flows/duo.other.answers.yaml", other);
    let output = run(&env, "test flows");
    assert_eq!(
        output.stdout,
        "running 2 tests
test flows/duo.answers.yaml ... ok (N s)
test flows/duo.other.answers.yaml ... FAILED (N s)

flows/duo.other.answers.yaml
  expected (-) and actual (+) differ:
      steps:
        - role: coder
          meta:
    -       summary: two buttons
    +       summary: a button
            completedPhase: all
            filesChanged:
              - ui.js
          content: I added it
        - role: tester
          meta:
            status: passed
            details: 12 tests
    -     content: All red
    +     content: All green
      returnCode: 0
      summary: \"completed: moderator returned END\"

1 passed, 1 failed (N s)
"
    );
    assert_eq!((output.stderr.as_str(), output.code), ("", Some(1)));
    assert_nothing_left(&env);
}

#[test]
fn a_step_too_many_and_one_too_few_are_differences() {
    let env = duo();
    let (answers, _) = DUO_ANSWERS.split_once("expect:").unwrap();
    env.write(
        "flows/duo.answers.yaml",
        format!("{answers}expect: {{ steps: [{{ role: coder }}] }}\n"),
    );
    let three = "expect: { steps: [{}, { role: tester }, { role: committer }] }\n";
    env.write("flows/duo.three.answers.yaml", format!("{answers}{three}"));
    let output = run(&env, "test flows");
    let (_, shown) = output.stdout.split_once("\n\n").unwrap();
    assert_eq!(
        shown,
        "flows/duo.answers.yaml
  expected (-) and actual (+) differ:
      steps:
        - role: coder
    +   - role: tester
    +     meta:
    +       status: passed
    +       details: 12 tests
      returnCode: 0

flows/duo.three.answers.yaml
  expected (-) and actual (+) differ:
      steps:
        - {}
        - role: tester
    -   - role: committer
      returnCode: 0

0 passed, 2 failed (N s)
"
    );
}

#[test]
fn unused_answers_fail_and_are_named() {
    let env = duo();
    let more = DUO_ANSWERS.replace(
        "expect:",
        "  - { role: tester, match: again, text: x }\n  - { program: gh, stdout: x }\nexpect:",
    );
    env.write("flows/duo.answers.yaml", more);
    let output = run(&env, "test flows/duo.answers.yaml");
    assert_eq!(
        output.stdout,
        "running 1 test
test flows/duo.answers.yaml ... FAILED (N s)

flows/duo.answers.yaml
  answers that nobody asked for:
    answers[4] at flows/duo.answers.yaml:12:5 (role: tester, match: again)
    answers[5] at flows/duo.answers.yaml:13:5 (program: gh)

0 passed, 1 failed (N s)
"
    );
    assert_eq!(output.code, Some(1));
}

#[test]
fn a_test_that_expects_nothing_wants_success() {
    let env = TestEnv::new();
    let bundle = "export const descriptor = { description: \"\", roles: {} };
export async function* run() { return { returnCode: 3, summary: \"no\" }; }\n";
    env.write("three.esm.js", bundle);
    env.write("three.answers.yaml", "");
    env.write("three.right.answers.yaml", "expect: { returnCode: 3, summary: \"no\" }\n");
    let output = run(&env, "test");
    assert_eq!(
        output.stdout,
        "running 2 tests
test three.answers.yaml ... FAILED (N s)
test three.right.answers.yaml ... ok (N s)

three.answers.yaml
  expected (-) and actual (+) differ:
    - returnCode: 0
    + returnCode: 3
    + summary: no

1 passed, 1 failed (N s)
"
    );
}

#[test]
fn what_cannot_be_tested_fails_with_its_reason_and_the_others_run() {
    let env = duo();
    env.write("flows/broken.esm.js", "export default 1;\n");
    env.write("flows/broken.answers.yaml", "");
    env.write("flows/alone.answers.yaml", "");
    env.write("flows/duo.typo.answers.yaml", "answer: []\n");
    let output = run(&env, "test");
    let report = output.stdout.split_once("\n\n").unwrap().1;
    let parts: Vec<&str> = report.split("\n\nflows/").collect();
    assert_eq!(
        parts[0],
        "flows/alone.answers.yaml
  there is no bundle flows/alone.esm.js
  hint: triage.answers.yaml tests triage.esm.js in its folder, or in the folder `dist` there"
    );
    let refused = env.run(["check", "flows/broken.esm.js"]).stderr;
    let shown: String = parts[1]
        .lines()
        .skip(1)
        .map(|l| format!("{}\n", l.strip_prefix("  ").unwrap_or(l)))
        .collect();
    assert_eq!(shown.replace(' ', ""), refused.replace(' ', ""));
    assert_eq!(
        parts[2],
        "duo.typo.answers.yaml
  flows/duo.typo.answers.yaml:1:1: there is no `answer` here
  hint: did you mean `answers`?

1 passed, 3 failed (N s)
"
    );
    assert_nothing_left(&env);
}

#[test]
fn no_tests_are_an_error() {
    let env = TestEnv::new();
    let hint = "hint: `uncaged-workflow dev <file.esm.js> --record <name>.answers.yaml` writes one \
                from a real run\n";
    let output = run(&env, "test");
    assert_eq!(output.stderr, format!("error: there is no answers file in .\n{hint}"));
    assert_eq!(output.code, Some(1));
    env.write("x.txt", "");
    let output = run(&env, "test x.txt");
    assert_eq!(
        output.stderr,
        "error: x.txt is no bundle, answers file or folder\n\
         hint: bundles end in .esm.js, answers files in .answers.yaml\n"
    );
    assert_eq!(output.code, Some(1));
}

#[test]
fn json_has_every_test_and_its_problems() {
    let env = duo();
    env.write("flows/duo.three.answers.yaml", "expect: { returnCode: 3 }\n");
    let output = run(&env, "test --json");
    let mut printed: Value = serde_json::from_str(&output.stdout).unwrap();
    for test in printed["tests"].as_array_mut().unwrap() {
        assert!(test["durationMs"].is_u64());
        test["durationMs"] = json!(0);
    }
    let message = "a model was asked for role `coder`, and flows/duo.three.answers.yaml has no \
                   answer for that";
    let detail = printed["tests"][1]["problems"][1]["message"].clone();
    assert!(detail.as_str().unwrap().starts_with(&format!("{message}\n\nThe request:")));
    printed["durationMs"] = json!(0);
    assert_eq!(
        printed,
        json!({
            "tests": [
                { "file": "flows/duo.answers.yaml", "ok": true, "problems": [], "durationMs": 0 },
                {
                    "file": "flows/duo.three.answers.yaml", "ok": false,
                    "problems": [
                        {
                            "kind": "difference", "expected": { "returnCode": 3 },
                            "actual": { "returnCode": 1, "summary": format!("failed: {message}") },
                        },
                        { "kind": "detail", "message": detail },
                    ],
                    "durationMs": 0,
                },
            ],
            "passed": 1, "failed": 1, "notRun": 0, "durationMs": 0,
        })
    );
    assert_eq!(output.code, Some(1));
}

/// Marks that it runs, and does not end.
const ENDLESS: &str = r#"import { writeFileSync } from "node:fs";
export const descriptor = { description: "", roles: {} };
export async function* run() {
  writeFileSync("mark", "endless is running");
  for (;;);
}
"#;

#[test]
fn a_test_that_does_not_end_is_given_up() {
    let env = TestEnv::new();
    env.write("endless.esm.js", ENDLESS);
    env.write("endless.answers.yaml", "");
    let output = run(&env, "test --timeout 1");
    assert_eq!(
        output.stdout,
        "running 1 test
test endless.answers.yaml ... FAILED (N s)

endless.answers.yaml
  it did not end within 1 s (--timeout gives it longer)

0 passed, 1 failed (N s)
"
    );
    assert_nothing_left(&env);
}

#[test]
fn a_signal_ends_the_tests_under_way_and_leaves_nothing() {
    let env = TestEnv::new();
    env.write("endless.esm.js", ENDLESS);
    env.write("endless.answers.yaml", "");
    env.write("endless.two.answers.yaml", "");
    let mut child = start(&env, "test --jobs 1");
    wait_for(&env, "running 2 tests");
    crate::support::env::wait_until("the bundle runs", || {
        env.work().join("mark").exists().then_some(())
    });
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let said = env.read("work/out");
    let (start, _) = said.rsplit_once(" (").unwrap();
    assert_eq!(start, "running 2 tests\n\n0 passed, 0 failed, 2 not run");
    assert_nothing_left(&env);
}

#[test]
fn the_longest_timeout_there_is_is_no_end() {
    let env = duo();
    let output = run(&env, &format!("test --timeout {}", u64::MAX));
    let passed = "running 1 test\ntest flows/duo.answers.yaml ... ok (N s)\n\n\
                  1 passed, 0 failed (N s)\n";
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (passed, ""));
}

#[test]
fn a_thread_whose_worker_was_killed_was_interrupted_and_not_slow() {
    let env = TestEnv::new();
    let bundle = "import { execFileSync } from \"node:child_process\";
export const descriptor = { description: \"\", roles: {} };
export async function* run() {
  execFileSync(\"kill\", [\"-9\", String(process.ppid)]);
  for (;;);
}\n";
    env.write("orphan.esm.js", bundle);
    env.write("orphan.answers.yaml", "");
    let interrupted = "the thread was interrupted: somebody ended the process that runs it";
    let output = run(&env, "test --timeout 600");
    assert_eq!(
        output.stdout,
        format!(
            "running 1 test
test orphan.answers.yaml ... FAILED (N s)

orphan.answers.yaml
  {interrupted}

0 passed, 1 failed (N s)
"
        )
    );
    let output = run(&env, "test --timeout 600 --json");
    let printed: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(
        printed["tests"][0]["problems"],
        json!([{ "kind": "interrupted", "message": interrupted }])
    );
    assert_nothing_left(&env);
}

#[test]
fn the_order_of_keys_is_no_difference_at_any_depth() {
    let env = TestEnv::new();
    let bundle = |meta: &str| {
        format!(
            "export const descriptor = {{
  description: \"\", roles: {{ r: {{ description: \"\", schema: {{}} }} }},
}};
export async function* run(thread, {{ cas }}) {{
  yield {{ role: \"r\", contentHash: await cas.put(\"\"), meta: {{ v: {meta} }}, refs: [] }};
  return {{ returnCode: 0, summary: \"\" }};
}}\n"
        )
    };
    let (one, other) = ("{ a: 1, b: { c: 2, d: 3 } }", "{ b: { d: 3, c: 2 }, a: 1 }");
    for (name, around) in [
        ("plain", "V"),
        ("list", "[V]"),
        ("nested", "[[V], [[V]]]"),
        ("mixed", "{ x: [[{ y: [V] }]] }"),
    ] {
        env.write(&format!("{name}.esm.js"), bundle(&around.replace('V', one)));
        let meta = around.replace('V', other);
        let answers = format!("expect: {{ steps: [{{ meta: {{ v: {meta} }} }}] }}\n");
        env.write(&format!("{name}.answers.yaml"), answers);
    }
    let output = run(&env, "test");
    assert!(output.stdout.ends_with("\n4 passed, 0 failed (N s)\n"), "{}", output.stdout);
}
