//! Permissions through a thread's life: resume, fork, other names, children.

use serde_json::json;
use uncaged_workflow::object::ThreadId;

use crate::support::env::{TestEnv, kill, wait_until};
use crate::support::permissions::{add, bundle, meta_of, probed, refused};
use crate::support::procs::{wait_for_silence, workers};

/// Reads a variable when it is let go on, which a resume does.
fn interruptible() -> String {
    bundle(
        "if (thread.steps.length === 0) {
           yield await step({ first: await caught(() => process.env.PROBE ?? 'unset') });
           await new Promise((resolve) => setTimeout(resolve, 1e8));
         }
         yield await step({ second: await caught(() => process.env.PROBE ?? 'unset') });",
    )
}

#[test]
fn a_thread_keeps_the_permissions_it_started_with() {
    let refusal = refused("env", "PROBE", "PROBE");
    for (flag, later, said) in [
        ("--allow-none", "--allow-all", refusal.as_str()),
        ("--allow-env", "--allow-none", "unset"),
    ] {
        let env = TestEnv::new();
        add(&env, "probe", &interruptible(), &[flag]);
        let thread = env.start("probe", &[]);
        wait_until("it has a step", || env.show(&thread)["steps"].get(0).cloned());
        kill(workers(&env)[0].pid);
        wait_for_silence(&env);

        add(&env, "probe", &interruptible(), &[later]);
        env.run(["resume", thread.as_str()]).ok();
        assert_eq!(env.ended(&thread)["summary"], "probed");
        let shown = env.show(&thread);
        assert_eq!(shown["steps"][1]["meta"], json!({ "second": said }), "resume after {later}");

        env.run(["remove", "probe"]).ok();
        let forked = env.run(["fork", thread.as_str(), "--from-role", "probe"]).ok();
        let forked: ThreadId = forked.trim().parse().unwrap();
        assert_eq!(env.ended(&forked)["summary"], "probed");
        let shown = env.show(&forked);
        assert_eq!(shown["steps"][2]["meta"], json!({ "second": said }), "fork after {later}");

        let limits = |thread: &ThreadId| {
            let bundle = env.store().find_thread(thread).unwrap().unwrap().bundle;
            env.store().layout().limits(&bundle, thread)
        };
        let path = limits(&forked);
        assert!(path.exists());
        env.run(["thread", "rm", forked.as_str()]).ok();
        assert!(!path.exists());
    }
}

#[test]
fn limits_that_cannot_be_read_are_no_permission() {
    let env = TestEnv::new();
    let hash = add(&env, "probe", &interruptible(), &["--allow-env"]);
    let thread = env.start("probe", &[]);
    wait_until("it has a step", || env.show(&thread)["steps"].get(0).cloned());
    kill(workers(&env)[0].pid);
    wait_for_silence(&env);
    let path = env.root().join(format!("bundles/{hash}/limits/{thread}.json"));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "{\n  \"permissions\": {\n    \"env\": true\n  }\n}\n");
    for (limits, problem) in [
        ("{\"permissions\": null}", "`permissions` is null: expected a mapping"),
        (
            "{\"permissions\": {\"nett\": true}}",
            "`permissions.nett` is not a permission: expected read, write, net, run or env",
        ),
        ("{\"permision\": {}}", "`permision` is not a limit: expected permissions or heapLimit"),
        (
            "{\"permissions\": {}, \"heap_limit\": 268435456}",
            "`heap_limit` is not a limit: expected permissions or heapLimit",
        ),
        (
            "{\"heapLimit\": 1024}",
            "`heapLimit` is another number: expected a number of bytes from 32MB to 64GB",
        ),
        (
            "{\"heapLimit\": 68719476737}",
            "`heapLimit` is another number: expected a number of bytes from 32MB to 64GB",
        ),
        (
            "{\"heapLimit\": \"256MB\"}",
            "`heapLimit` is a string: expected a number of bytes from 32MB to 64GB",
        ),
        ("[]", "expected a mapping, found a list"),
    ] {
        std::fs::write(&path, limits).unwrap();
        let output = env.run(["resume", thread.as_str()]);
        let expected = format!(
            "error: the thread's limits cannot be read: {}: {problem}\n\
             hint: mend the file, or remove it to let the thread do whatever you may\n",
            path.display()
        );
        assert_eq!((output.stderr, output.code), (expected, Some(1)), "{limits}");
    }
    std::fs::write(&path, text).unwrap();
    env.run(["resume", thread.as_str()]).ok();
    assert_eq!(env.ended(&thread)["summary"], "probed");
}

#[test]
fn two_names_of_one_bundle_have_permissions_of_their_own() {
    let env = TestEnv::new();
    let source =
        bundle("yield await step({ said: await caught(() => process.env.PROBE ?? 'unset') });");
    let one = add(&env, "limited", &source, &["--allow-none"]);
    let other = add(&env, "free", &source, &[]);
    assert_eq!(one, other);
    assert_eq!(probed(&env, "free"), json!({ "said": "unset" }));
    assert_eq!(probed(&env, "limited"), json!({ "said": refused("env", "PROBE", "PROBE") }));
    // Adding a file on the way of `run` is adding it again.
    let file = env.work().join("limited.esm.js");
    let output = env.run(["run", file.to_str().unwrap(), "--wait"]).ok();
    assert!(output.contains("NotCapable: Requires env access"), "{output}");
}

#[test]
fn a_child_workflow_has_the_permissions_of_its_own_entry() {
    let env = TestEnv::new();
    let inner =
        bundle("yield await step({ said: await caught(() => process.env.PROBE ?? 'unset') });");
    let outer = bundle(
        "const own = await caught(() => process.env.PROBE ?? 'unset');
         const child = await workflowAsAgent('inner')(thread);
         const foreign = await workflowAsAgent('inner', { storageRoot: '/tmp/elsewhere' })(thread);
         yield await step({ own, child: child.startsWith('ERROR') ? child : 'ran', foreign });",
    );
    let refusal = refused("env", "PROBE", "PROBE");
    for (inner_flag, outer_flag, inner_said, outer_said) in [
        ("--allow-none", "--allow-env", refusal.as_str(), "unset"),
        ("--allow-env", "--allow-none", "unset", refusal.as_str()),
    ] {
        add(&env, "inner", &inner, &[inner_flag]);
        add(&env, "outer", &outer, &[outer_flag]);
        let meta = probed(&env, "outer");
        assert_eq!((&meta["own"], &meta["child"]), (&json!(outer_said), &json!("ran")));
        let foreign = meta["foreign"].as_str().unwrap();
        assert!(foreign.starts_with("ERROR: Requires "), "{foreign}");
        let threads = env.run(["threads"]).ok();
        let child = threads.lines().rfind(|line| line.ends_with("\tinner")).unwrap();
        let child: ThreadId = child.split('\t').next().unwrap().parse().unwrap();
        assert_eq!(meta_of(&env, &child), json!({ "said": inner_said }));
    }
}
