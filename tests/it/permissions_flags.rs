//! How permissions are given: flags of `add`, and the registry.

use serde_json::{Value, json};

use crate::support::env::TestEnv;
use crate::support::permissions::{add, bundle};

#[test]
fn flags_become_permissions_of_the_name_until_others_replace_them() {
    let env = TestEnv::new();
    let source = bundle("yield await step({});");
    let registry = || env.read("store/workflow.yaml");
    let hash = add(&env, "probe", &source, &[]);
    let unlimited = registry();
    let file = env.work().join("probe.esm.js");
    let flags =
        ["--allow-read=data,/etc", "--allow-read=more", "--allow-net", "--allow-env=A,PROBE_*"];
    add(&env, "probe", &source, &flags);
    let work = env.work();
    let work = work.to_str().unwrap();
    let limited = format!(
        "{}    \"permissions\":\n      \"read\":\n        - \"{work}/data\"\n        - \"/etc\"\n        \
         - \"{work}/more\"\n      \"net\": true\n      \"env\":\n        - \"A\"\n        - \"PROBE_*\"\n\n",
        unlimited.strip_suffix('\n').unwrap(),
    );
    assert_eq!(registry(), limited);
    let permissions = json!({
        "read": [format!("{work}/data"), "/etc", format!("{work}/more")],
        "net": true,
        "env": ["A", "PROBE_*"],
    });
    let listed: Value = serde_json::from_str(&env.run(["list", "--json"]).ok()).unwrap();
    assert_eq!(listed[0]["permissions"], permissions);
    let shown: Value = serde_json::from_str(&env.run(["show", "probe", "--json"]).ok()).unwrap();
    assert_eq!(shown["permissions"], permissions);

    // The next version keeps them, and says so.
    env.write("probe.esm.js", format!("{source}// 2\n"));
    let output = env.run(["add", file.to_str().unwrap()]);
    let kept = format!(
        "note: \"probe\" keeps its permissions: --allow-read={work}/data,/etc,{work}/more \
         --allow-net --allow-env=A,PROBE_*\n"
    );
    assert_eq!((output.stderr, output.code), (kept, Some(0)));
    env.run(["rollback", "probe"]).ok();
    let shown: Value = serde_json::from_str(&env.run(["show", "probe", "--json"]).ok()).unwrap();
    assert_eq!((&shown["permissions"], &shown["hash"]), (&permissions, &json!(hash)));

    let flagged = |flag: &str| {
        env.run(["workflow", "add", "probe", file.to_str().unwrap(), flag]).ok();
        let shown = env.run(["show", "probe", "--json"]).ok();
        serde_json::from_str::<Value>(&shown).unwrap().get("permissions").cloned()
    };
    assert_eq!(
        flagged("--allow-run=./tool,git"),
        Some(json!({ "run": [format!("{work}/tool"), "git"] }))
    );
    assert_eq!(flagged("--allow-none"), Some(json!({})));
    assert_eq!(flagged("--allow-all"), None);
}

#[test]
fn a_flag_that_grants_nothing_sensible_says_what_to_write() {
    let env = TestEnv::new();
    let file = env.write("probe.esm.js", bundle(""));
    let file = file.to_str().unwrap();
    for (flag, stderr) in [
        (
            "--allow-net=http://x/",
            "error: --allow-net=http://x/: invalid value 'http://x/': URLs are not supported, only domains and IPs\n\
             hint: write a host, or a host and a port: api.example.com:443\n",
        ),
        (
            "--allow-net=x:99999",
            "error: --allow-net=x:99999: invalid port in 'x:99999': '99999'\n\
             hint: write a host, or a host and a port: api.example.com:443\n",
        ),
        (
            "--allow-read=",
            "error: --allow-read=: a value is empty\n\
             hint: `--allow-read=…` lists values with commas between them, `--allow-read` grants all\n",
        ),
        (
            "--allow-env=A,",
            "error: --allow-env=: a value is empty\n\
             hint: `--allow-env=…` lists values with commas between them, `--allow-env` grants all\n",
        ),
        (
            "--allow-write=~/x",
            "error: --allow-write=~/x: `~` is not the home directory here\n\
             hint: write --allow-write=\"$HOME/x\"\n",
        ),
    ] {
        let output = env.run(["add", file, flag]);
        assert_eq!((output.stderr.as_str(), output.code), (stderr, Some(2)), "{flag}");
    }
    for flags in [["--allow-none", "--allow-net"], ["--allow-all", "--allow-none"]] {
        let output = env.run([&["add", file], &flags[..]].concat());
        assert_eq!(output.code, Some(2));
        assert!(output.stderr.contains("cannot be used with"), "{}", output.stderr);
    }
    assert!(!env.root().join("workflow.yaml").exists());
}

#[test]
fn a_mistake_in_the_registrys_permissions_is_told_with_its_line() {
    let env = TestEnv::new();
    env.add("probe", &bundle(""));
    let text = env.read("store/workflow.yaml");
    let path = env.root().join("workflow.yaml");
    for (entry, told) in [
        (
            "nett: true",
            "`workflows.probe.permissions.nett` is not a permission: expected read, write, net, run or env",
        ),
        (
            "read: [data]",
            "`workflows.probe.permissions.read[0]` is not an absolute path: expected true, or a list of absolute paths",
        ),
        (
            "read: /data",
            "`workflows.probe.permissions.read` is a string: expected true, or a list of absolute paths",
        ),
        (
            "env: [\"\"]",
            "`workflows.probe.permissions.env[0]` is an empty string: expected true, or a list of names of variables",
        ),
        ("", "`workflows.probe.permissions` is null: expected a mapping"),
    ] {
        let line = if entry.is_empty() { 7 } else { 8 };
        let text = format!(
            "{}    \"permissions\":\n      {entry}\n",
            text.trim_end_matches('\n').to_owned() + "\n"
        );
        std::fs::write(&path, &text).unwrap();
        let output = env.run(["run", "probe"]);
        let expected = format!("error: {}:{line}: {told}\n", path.display());
        assert_eq!((output.stderr, output.code), (expected, Some(1)), "{entry}");
    }
}
