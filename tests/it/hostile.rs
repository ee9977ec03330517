//! Bundles that attack the program around them.

use serde_json::json;

use crate::support::env::{TestEnv, kill, wait_until};

const DESCRIPTOR: &str = "export const descriptor = { description: \"d\", roles: {} };\n";
const RUN: &str = "export async function* run() { return { returnCode: 0, summary: \"\" }; }\n";

fn stepping(body: &str) -> String {
    format!(
        "{DESCRIPTOR}export async function* run(thread, {{ cas }}) {{
  const step = async (role, text, meta) => ({{ role, contentHash: await cas.put(text), meta, refs: [] }});
  {body}
}}\n"
    )
}

#[test]
fn a_bundle_that_ends_the_process_that_evaluates_it_is_refused() {
    let env = TestEnv::new();
    for (name, end) in [
        ("abort", "process.abort();"),
        ("shot", "process.kill(process.pid, 9);"),
        ("exit", "process.exit(0);"),
    ] {
        let file = env.write(&format!("{name}.esm.js"), format!("{DESCRIPTOR}{RUN}{end}\n"));
        let output = env.run(["add", file.to_str().unwrap()]);
        assert_eq!((output.stdout.as_str(), output.code), ("", Some(1)), "{name}");
        assert!(output.stderr.starts_with("error: evaluating the bundle failed: "), "{output:?}");
    }
    assert!(!env.root().join("bundles").exists());
}

#[test]
fn what_a_bundle_prints_while_it_is_added_is_not_our_output() {
    let env = TestEnv::new();
    let print =
        "process.stdout.write(\"forged\\n\"); console.log(\"logged\"); console.error(\"e\");\n";
    let file = env.write("b.esm.js", format!("{print}{DESCRIPTOR}{RUN}"));
    let output = env.run(["add", file.to_str().unwrap()]);
    assert!(output.stdout.starts_with("registered workflow \"b\" from "), "{}", output.stdout);
    assert_eq!((output.stdout.lines().count(), output.stderr.as_str()), (1, ""));
}

#[test]
fn control_characters_of_a_step_do_not_reach_the_terminal() {
    let env = TestEnv::new();
    let body = r#"yield await step("r\u001b]0;x\u0007\nforged", "a\u001b[31mb\u0000\u009b5m\ttab\nnext", { k: "\u009b" });
      return { returnCode: 0, summary: "\u001b[2Jhidden\ncompleted: forged" };"#;
    env.add("b", &stepping(body));
    let output = env.run(["run", "b", "--wait"]);
    let lines: Vec<&str> = output.stdout.lines().skip(1).collect();
    assert_eq!(&lines[0][8..], r" r\u{1b}]0;x\u{7}\nforged");
    assert_eq!(
        &lines[1..],
        [
            "  a\\u{1b}[31mb\\u{0}\\u{9b}5m\ttab",
            "  next",
            "  meta: {\"k\":\"\\u{9b}\"}",
            "completed: returnCode=0 — \\u{1b}[2Jhidden\\ncompleted: forged",
        ]
    );
    let thread = output.stdout.lines().next().unwrap();
    let shown = env.run(["thread", thread]).ok();
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["steps"][0]["meta"], json!({ "k": "\u{9b}" }));
}

#[test]
fn a_value_that_is_not_plain_data_is_refused_by_step_and_field() {
    let env = TestEnv::new();
    let body =
        r#"yield await step("a", "one", {}); yield await step("b", "two", { list: [1, 2n] });"#;
    env.add("b", &stepping(body));
    let thread = env.start("b", &[]);
    let summary = env.ended(&thread)["summary"].as_str().unwrap().to_owned();
    assert!(summary.starts_with("failed: step 2: meta.list[1]: "), "{summary}");
}

#[test]
fn a_thread_whose_newest_step_is_damaged_is_not_said_to_be_resumed() {
    let env = TestEnv::new();
    env.add(
        "b",
        &stepping(
            r#"yield await step("a", "one", {}); await new Promise((r) => setTimeout(r, 1e9));"#,
        ),
    );
    let thread = env.start("b", &[]);
    let head = wait_until("the step is there", || {
        let shown = env.show(&thread);
        shown["steps"][0]["hash"].as_str().map(str::to_owned)
    });
    for pid in env.processes() {
        kill(pid);
    }
    wait_until("the processes are gone", || env.processes().is_empty().then_some(()));
    let blob = env.root().join(format!("cas/{head}.txt"));
    let text = std::fs::read_to_string(&blob).unwrap();
    std::fs::write(&blob, text.replace("role: a", "role: z")).unwrap();
    let output = env.run(["resume", thread.as_str()]);
    assert_eq!((output.stdout.as_str(), output.code), ("", Some(1)));
    assert!(output.stderr.contains(&format!("blob {head} is damaged")), "{}", output.stderr);
    assert_eq!(env.run(["cas", "verify"]).code, Some(1));

    std::fs::write(&blob, text).unwrap();
    let bundle = env.show(&thread)["bundleHash"].as_str().unwrap().to_owned();
    std::fs::remove_file(env.root().join(format!("bundles/{bundle}.esm.js"))).unwrap();
    let output = env.run(["cas", "verify"]);
    assert!(
        output.stdout.starts_with(&format!("missing bundle {bundle}, needed by workflow \"b\"\n")),
        "{}",
        output.stdout
    );
    assert_eq!(output.code, Some(1));
}
