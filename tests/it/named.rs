//! How a user names things: unique beginnings, any case, and near misses.

use std::collections::BTreeSet;

use crate::support::env::{TestEnv, wait_until};

const WAITS: &str = r#"
import { putContentMerkleNode } from "@uncaged/workflow-cas";
export const descriptor = { description: "waits", roles: {
  coder: { description: "c", schema: {} }, tester: { description: "t", schema: {} } } };
export async function* run(thread, { cas }) {
  for (const role of ["coder", "tester"]) {
    if (thread.steps.some((step) => step.role === role)) continue;
    const contentHash = await putContentMerkleNode(cas, role);
    yield { role, contentHash, meta: {}, refs: [] };
    if (thread.start.content === "wait") await new Promise((done) => setTimeout(done, 1e9));
  }
  return { returnCode: 0, summary: "done" };
}
"#;

/// The beginning of an id or hash, in the other case.
fn beginning(text: &str) -> String {
    text[..10].to_lowercase()
}

#[test]
fn every_command_that_takes_an_id_or_a_hash_takes_a_unique_beginning() {
    let env = TestEnv::new();
    let first = env.add("work", WAITS);
    env.add("work", &WAITS.replace("done\" }", "well done\" }"));
    let done = env.start("work", &[]);
    assert_eq!(env.ended(&done)["returnCode"], 0);
    let ended = beginning(done.as_str());
    let mut tried = BTreeSet::new();
    let mut tried_with = |path: &str, words: &[&str]| {
        tried.insert(path.to_owned());
        let mut args: Vec<&str> = path.split(' ').collect();
        args.extend(words);
        env.run(args).ok()
    };
    for path in ["thread", "thread show"] {
        let shown = tried_with(path, &[&ended]);
        assert!(shown.contains(&format!("\"threadId\": \"{done}\"")), "{shown}");
    }
    for path in ["live", "thread live"] {
        let seen = tried_with(path, &[&ended]);
        assert!(seen.ends_with("completed: returnCode=0 \u{2014} well done\n"), "{seen}");
    }
    for path in ["fork", "thread fork"] {
        let id = tried_with(path, &[&ended, "--from-role", "coder"]);
        let fork = id.trim().parse().unwrap();
        assert_eq!(env.ended(&fork)["returnCode"], 0);
        // From here on `done` would not be alone with its beginning.
        env.run(["thread", "rm", id.trim()]).ok();
    }
    tried_with("thread compact", &[&ended, "--summary", "short"]);
    let said = tried_with("thread rm", &[&ended]);
    assert_eq!(said, format!("removed thread {done}\n"));

    for [pause, resume, kill] in
        [["pause", "resume", "kill"], ["thread pause", "thread resume", "thread kill"]]
    {
        let thread = env.start("work", &["--prompt", "wait"]);
        wait_until("it has made a step", || {
            (env.show(&thread)["steps"].as_array()?.len() == 1).then_some(())
        });
        let running = beginning(thread.as_str());
        for (path, said) in [(pause, "pause"), (resume, "resume"), (kill, "kill")] {
            let printed = tried_with(path, &[&running]);
            assert_eq!(printed, format!("{said} sent for thread {thread}\n"));
        }
        assert_eq!(env.ended(&thread)["returnCode"], 130);
        env.run(["thread", "rm", thread.as_str()]).ok();
    }

    let hash = env.run(["cas", "put", "some text"]).ok();
    let hash = hash.trim();
    assert!(tried_with("cas get", &[&beginning(hash)]).contains("some text"));
    assert_eq!(tried_with("cas rm", &[&beginning(hash)]), format!("removed {hash}\n"));
    let back = format!("rolled back workflow \"work\" to {first}\n");
    assert_eq!(tried_with("rollback", &["work", &beginning(&first)]), back);
    env.run(["rollback", "work"]).ok();
    assert_eq!(tried_with("workflow rollback", &["work", &beginning(&first)]), back);

    assert_eq!(tried, taking_ids(), "each such command is tried above");
}

/// The commands that take an id or a hash, by the command tree.
fn taking_ids() -> BTreeSet<String> {
    let mut root = uncaged_workflow::cli::command();
    root.build();
    let (mut found, mut open) = (BTreeSet::new(), vec![(String::new(), root)]);
    while let Some((path, command)) = open.pop() {
        let named = |arg: &clap::Arg| ["id", "hash"].contains(&arg.get_id().as_str());
        if command.get_positionals().any(named) {
            found.insert(path.clone());
        }
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            open.push((format!("{path} {}", below.get_name()).trim().to_owned(), below.clone()));
        }
    }
    found
}

#[test]
fn what_is_nearly_right_is_recognised() {
    let env = TestEnv::new();
    let old = env.add("solve-issue", WAITS);
    env.add("solve-issue", &WAITS.replace("done\" }", "well done\" }"));
    let thread = env.start("solve-issue", &[]);
    env.ended(&thread);
    let hash = env.run(["cas", "put", "some text"]).ok().trim().to_owned();
    // Another character in the middle: digits for letters and the other way.
    let near = |text: &str| {
        let other = if &text[6..7] == "7" { "8" } else { "7" };
        format!("{}{other}{}", &text[..6], &text[7..])
    };
    let refused = |args: &[&str]| {
        let refused = env.run(args);
        assert_ne!(refused.code, Some(0), "{args:?}");
        refused.stderr
    };
    let wrong = near(thread.as_str());
    for args in [&["thread", &wrong][..], &["kill", &wrong], &["live", &wrong]] {
        assert_eq!(
            refused(args),
            format!(
                "error: there is no thread {wrong}\nhint: did you mean `{thread}`?\n\
                 hint: `uncaged-workflow threads` lists them\n"
            )
        );
    }
    let wrong = near(&hash);
    for args in [["cas", "get", &wrong], ["cas", "rm", &wrong]] {
        assert_eq!(
            refused(&args),
            format!(
                "error: there is no blob {wrong}\nhint: did you mean `{hash}`?\n\
                 hint: `uncaged-workflow cas list` lists them\n"
            )
        );
    }
    let wrong = near(&old);
    assert_eq!(
        refused(&["rollback", "solve-issue", &wrong]),
        format!(
            "error: `solve-issue` has no earlier version {wrong}\nhint: did you mean `{old}`?\n\
             hint: `uncaged-workflow history solve-issue` lists them\n"
        )
    );
    let unknown = "error: no workflow is named `solve-isue`\nhint: did you mean `solve-issue`?\n";
    for verb in ["show", "history", "rollback", "remove", "run", "threads"] {
        assert_eq!(refused(&[verb, "solve-isue"]), unknown, "{verb}");
    }
    assert_eq!(
        refused(&["fork", thread.as_str(), "--from-role", "codr"]),
        "error: no step of the role \"codr\"\nhint: did you mean `coder`?\n"
    );
    assert!(refused(&["rolback"]).contains("tip: a similar subcommand exists: 'rollback'"));
    assert!(
        refused(&["thread", "list", "--jsn"]).contains("tip: a similar argument exists: '--json'")
    );
    assert!(
        refused(&["setup", "--scene", "extrct"]).contains("tip: a similar value exists: 'extract'")
    );
}
