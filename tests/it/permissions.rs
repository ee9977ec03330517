//! What a bundle may do: each kind of permission, and what a refusal says.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::support::env::{TestEnv, output};
use crate::support::permissions::{add, bundle, probed, probed_with, program, refused};

/// One attempt of each kind.
fn attempts(port: u16) -> String {
    bundle(&format!(
        "yield await step({{
           read: await caught(() => fs.readFileSync('in/data', 'utf8')),
           write: await caught(() => fs.writeFileSync('out/data', 'written') ?? 'written'),
           net: await caught(() => new Promise((resolve, reject) => {{
             const socket = net.connect({port}, '127.0.0.1', () => {{ socket.destroy(); resolve('met'); }});
             socket.on('error', reject);
           }})),
           run: await caught(() => execFileSync('echo', ['ran']).toString()),
           env: await caught(() => process.env.PROBE ?? 'unset'),
         }});"
    ))
}

fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

#[test]
fn each_kind_is_refused_with_an_error_that_says_how_to_grant_it() {
    let env = TestEnv::new();
    let (_listener, port) = listener();
    env.write("in/data", "inside");
    add(&env, "probe", &attempts(port), &["--allow-none"]);
    let path = |name: &str| env.work().join(name).to_str().unwrap().to_owned();
    let host = format!("127.0.0.1:{port}");
    assert_eq!(
        probed(&env, "probe"),
        json!({
            "read": refused("read", "in/data", &path("in/data")),
            "write": refused("write", "out/data", &path("out/data")),
            "net": refused("net", &host, &host),
            "run": refused("run", "echo", "echo"),
            "env": refused("env", "PROBE", "PROBE"),
        })
    );
}

#[test]
fn each_kind_works_where_it_is_granted_and_the_others_stay_refused() {
    let env = TestEnv::new();
    let (_listener, port) = listener();
    env.write("in/data", "inside");
    env.write("out/.keep", "");
    let source = attempts(port);
    let net = format!("--allow-net=127.0.0.1:{port}");
    let works = json!({
        "read": "inside", "write": "written", "net": "met", "run": "ran\n", "env": "unset",
    });
    // Relative paths are those of the folder that `add` is run in.
    let lists =
        [["--allow-read=in", "--allow-write=./out", &net, "--allow-run=echo", "--allow-env=PROBE"]]
            .concat();
    let all =
        ["--allow-read", "--allow-write", "--allow-net", "--allow-run", "--allow-env"].to_vec();
    for (flags, name) in [(&lists, "lists"), (&all, "all")] {
        add(&env, name, &source, flags);
        assert_eq!(probed(&env, name), works, "{flags:?}");
    }
    for (at, kind) in ["read", "write", "net", "run", "env"].into_iter().enumerate() {
        add(&env, "one", &source, &lists[at..=at]);
        let meta = probed(&env, "one");
        for (other, value) in meta.as_object().unwrap() {
            let refusal = format!("NotCapable: Requires {other} access to ");
            let is_refused = value.as_str().unwrap().starts_with(&refusal);
            assert_eq!(is_refused, other != kind, "{kind} alone: {other} is {value}");
            assert!(is_refused || *value == works[other], "{kind} alone: {other} is {value}");
        }
    }
}

#[test]
fn without_flags_a_bundle_may_do_what_the_user_may() {
    let env = TestEnv::new();
    let (_listener, port) = listener();
    env.write("in/data", "inside");
    env.write("out/.keep", "");
    add(&env, "probe", &attempts(port), &[]);
    let works = json!({
        "read": "inside", "write": "written", "net": "met", "run": "ran\n", "env": "unset",
    });
    assert_eq!(probed(&env, "probe"), works);
    assert!(
        !env.root()
            .join("bundles")
            .read_dir()
            .unwrap()
            .any(|entry| { entry.unwrap().path().join("limits").exists() })
    );
}

#[test]
fn what_a_refusal_says_grants_what_was_refused_and_nothing_else() {
    let env = TestEnv::new();
    for name in ["a,b", "it's a file", "*"] {
        env.write(name, "");
    }
    for name in ["*", "**"] {
        program(&env, name);
    }
    let file = |name: &str| env.work().join(name).to_str().unwrap().to_owned();
    let attempts = [
        ("() => fs.readFileSync('a,b') && 'read'", "read", "a,b", file("a,b"), None),
        (
            "() => fs.readFileSync(`it's a file`) && 'read'",
            "read",
            "it's a file",
            file("it's a file"),
            Some(format!("'{}'", file("it's a file").replace('\'', "'\\''"))),
        ),
        ("() => fs.readFileSync('*') && 'read'", "read", "*", file("*"), Some(file("*"))),
        ("() => execFileSync('*') && 'ran'", "run", "*", "*".to_owned(), None),
        ("() => execFileSync('**') && 'ran'", "run", "**", "**".to_owned(), Some("**".to_owned())),
        ("() => process.env['A,B'] ?? 'unset'", "env", "A,B", "A,B".to_owned(), None),
    ];
    let said: Vec<&str> = attempts.iter().map(|(attempt, ..)| *attempt).collect();
    let source = bundle(&format!(
        "const said = [];
         for (const attempt of [{}]) said.push(await caught(attempt));
         for (const name of ['*', 'A*', '']) said.push(await caught(() => process.env[name]));
         yield await step({{ said }});",
        said.join(", ")
    ));
    add(&env, "probe", &source, &["--allow-none"]);
    let mut expected: Vec<String> = attempts
        .iter()
        .map(|(_, kind, shown, granted, flag)| {
            let flag = flag
                .as_ref()
                .map(|flag| format!("`uncaged-workflow add --allow-{kind}={flag}`, or with "));
            format!(
                "NotCapable: Requires {kind} access to \"{shown}\": grant it with {}`{kind}: [{}]` \
                 in the workflow's permissions in workflow.yaml",
                flag.unwrap_or_default(),
                json!(granted),
            )
        })
        .collect();
    // Of these, the grant of one would be that of others too.
    expected.extend(["*", "A*", ""].map(|name| {
        format!(
            "NotCapable: Requires env access to \"{name}\": grant it with `uncaged-workflow add \
             --allow-env`, or with `env: true` in the workflow's permissions in workflow.yaml"
        )
    }));
    assert_eq!(probed_with(&env, "probe", ("SEEN", "")), json!({ "said": expected }));

    // Taken at its word.
    for (attempt, kind, _, granted, flag) in attempts {
        let source = bundle(&format!("yield await step({{ said: await caught({attempt}) }});"));
        add(&env, "one", &source, &["--allow-none"]);
        let refusal = probed_with(&env, "one", ("SEEN", ""));
        if let Some(flag) = &flag {
            let program = env!("CARGO_BIN_EXE_uncaged-workflow");
            let mut shell = std::process::Command::new("sh");
            let file = env.work().join("one.esm.js");
            let line = format!("'{program}' add one '{}' --allow-{kind}={flag}", file.display());
            let known = env.command();
            shell.arg("-c").arg(line).current_dir(env.work()).env_clear();
            shell.envs(known.get_envs().filter_map(|(name, value)| Some((name, value?))));
            output(&mut shell).ok();
            let permissions = env.run(["show", "one", "--json"]).ok();
            let shown: Value = serde_json::from_str(&permissions).unwrap();
            assert_eq!(shown["permissions"], json!({ kind: [granted] }), "{flag}");
        } else {
            let mut text = env.read("store/workflow.yaml");
            let entry = format!("\"permissions\":\n        {kind}: [{}]\n", json!(granted));
            let at = text.rfind("\"permissions\": {}").unwrap_or_else(|| panic!("{text}"));
            text.replace_range(at..at + "\"permissions\": {}".len(), &entry);
            std::fs::write(env.root().join("workflow.yaml"), text).unwrap();
            // The name's next version tells what it keeps, in the same form.
            let file = env.write("one.esm.js", format!("{source}// 2\n"));
            let output = env.run(["add", "one", file.to_str().unwrap()]);
            let kept =
                format!("note: \"one\" keeps its permissions: {kind}: [{}]\n", json!(granted));
            assert_eq!((output.stderr, output.code), (kept, Some(0)));
        }
        let said = probed_with(&env, "one", ("SEEN", ""));
        assert_ne!(said, refusal, "{attempt}");
        assert!(!said["said"].as_str().unwrap().contains("Requires"), "{attempt}: {said}");
    }
}
