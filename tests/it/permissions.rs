//! What a bundle may do, from the flags of `add` to what its code is told.

use std::net::TcpListener;

use serde_json::{Value, json};
use uncaged_workflow::object::ThreadId;

use crate::support::env::{TestEnv, kill, wait_until};
use crate::support::procs::{wait_for_silence, workers};

/// A bundle with one step, whose meta is what `body` makes of `caught`, and
/// which may wait for files.
fn bundle(body: &str) -> String {
    format!(
        r#"
import fs from "node:fs"; import net from "node:net"; import {{ execFileSync }} from "node:child_process";
import {{ workflowAsAgent }} from "@uncaged/workflow-execute";
import {{ createLlmFn }} from "@uncaged/workflow-reactor";
export const descriptor = {{ description: "", roles: {{ probe: {{ description: "", schema: {{}} }} }} }};
const caught = async (work) => {{
  try {{ return await work(); }} catch (error) {{ return `${{error.name}}: ${{error.message}}`; }}
}};
export async function* run(thread, runtime) {{
  const {{ cas }} = runtime;
  const step = async (meta) => ({{ role: "probe", contentHash: await cas.put("probed"), meta, refs: [] }});
  {body}
  return {{ returnCode: 0, summary: "probed" }};
}}
"#
    )
}

/// What the refusal of `kind` says, with the value that grants it.
fn refused(kind: &str, shown: &str, granted: &str) -> String {
    format!(
        "NotCapable: Requires {kind} access to \"{shown}\": grant it with `uncaged-workflow add \
         --allow-{kind}={granted}`, or with `{kind}: [\"{granted}\"]` in the workflow's permissions \
         in workflow.yaml"
    )
}

/// Runs the workflow and gives the meta of its first step.
#[track_caller]
fn probed(env: &TestEnv, name: &str) -> Value {
    let thread = env.start(name, &[]);
    meta_of(env, &thread)
}

#[track_caller]
fn meta_of(env: &TestEnv, thread: &ThreadId) -> Value {
    let end = env.ended(thread);
    assert_eq!(end, json!({ "returnCode": 0, "summary": "probed" }));
    env.show(thread)["steps"][0]["meta"].clone()
}

/// Registers a bundle with these flags.
#[track_caller]
fn add(env: &TestEnv, name: &str, source: &str, flags: &[&str]) -> String {
    let file = env.write(&format!("{name}.esm.js"), source);
    let output = env.run([&["add", name, file.to_str().unwrap()], flags].concat());
    output.ok().trim().rsplit(' ').next().unwrap().to_owned()
}

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

/// Ways around, and what each must say: the beginning of the error.
const WAYS: &[(&str, &str)] = &[
    (
        "fs.promises.readFile(new URL('file:///etc/passwd'))",
        "Requires read access to \"/etc/passwd\"",
    ),
    (
        "new Promise((ok, no) => fs.readFile('/etc/passwd', (e, v) => e ? no(e) : ok(v)))",
        "Requires read access to \"/etc/passwd\"",
    ),
    (
        "event(fs.createReadStream('/etc/passwd'), 'data')",
        "Requires read access to \"/etc/passwd\"",
    ),
    (
        "fs.openAsBlob('/etc/passwd').then((blob) => blob.text())",
        "Requires read access to \"/etc/passwd\"",
    ),
    ("fs.openSync('/etc/passwd')", "Requires read access to \"/etc/passwd\""),
    ("fs.statSync('/etc/passwd')", "Requires read access to \"/etc/passwd\""),
    ("fs.existsSync('/etc/passwd')", "Requires read access to \"/etc/passwd\""),
    ("fs.readdirSync('/etc')", "Requires read access to \"/etc\""),
    ("fs.realpathSync('/etc')", "Requires read access to \"/etc\""),
    ("fs.readlinkSync('/proc/self/exe')", "Requires read access to \"/proc/self/exe\""),
    ("fs.readFileSync('/proc/self/environ')", "Requires read access to \"/proc/self/environ\""),
    ("event(fs.watch('/etc'), 'change')", "Requires read access to \"/etc\""),
    ("fs.symlinkSync('/etc/passwd', 'link')", "Requires read and write access to everything"),
    ("fs.linkSync('/etc/passwd', 'link')", "Requires read access to \"/etc/passwd\""),
    ("fs.copyFileSync('/etc/passwd', 'copy')", "Requires read access to \"/etc/passwd\""),
    ("fs.cpSync('/etc/passwd', 'copy')", "Requires read access to \"/etc/passwd\""),
    ("event(fs.createWriteStream('/tmp/x'), 'open')", "Requires write access to \"/tmp/x\""),
    ("fs.mkdirSync('/tmp/x')", "Requires write access to \"/tmp/x\""),
    ("fs.mkdtempSync('/tmp/x')", "Requires write access to \"/tmp/x"),
    ("fs.unlinkSync('/tmp/x')", "Requires write access to \"/tmp/x\""),
    ("fs.renameSync('/tmp/x', '/tmp/y')", "Requires read access to \"/tmp/x\""),
    ("fs.chmodSync('/tmp/x', 0o777)", "Requires write access to \"/tmp/x\""),
    ("v8.writeHeapSnapshot('/tmp/x')", "Requires write access to \"/tmp/x\""),
    ("process.chdir('/')", "Requires read access to \"/\""),
    ("fetch('file:///etc/passwd')", "Requires read access to \"/etc/passwd\""),
    ("new sqlite.DatabaseSync('/tmp/x')", "Requires read access to \"/tmp/x\""),
    ("process.env.HOME", "Requires env access to \"HOME\""),
    ("'HOME' in process.env", "Requires env access to \"HOME\""),
    ("Object.keys(process.env)", "Requires env access:"),
    ("({ ...process.env })", "Requires env access:"),
    ("JSON.stringify(process.env)", "Requires env access"),
    ("process.env.X = '1'", "Requires env access to \"X\""),
    ("delete process.env.HOME", "Requires env access to \"HOME\""),
    ("cp.execSync('true')", "Requires run access to \"/bin/sh\""),
    ("cp.spawnSync('true', { shell: true }).error ?? 'ran'", "Requires run access to \"/bin/sh\""),
    ("event(cp.spawn('true'), 'exit')", "Requires run access to \"true\""),
    (
        "event(cp.spawn('./true', { env: { LD_PRELOAD: '/x' } }), 'exit')",
        "Requires --allow-run permissions",
    ),
    (
        "new Promise((ok, no) => cp.exec('true', (e, v) => e ? no(e) : ok(v)))",
        "Requires run access to \"/bin/sh\"",
    ),
    ("event(cp.fork('/tmp/x.js'), 'exit')", "Requires run access to "),
    ("process.kill(process.ppid, 0)", "Requires run access:"),
    ("process.kill(0, 0)", "Requires run access:"),
    ("process.kill(-process.pid, 0)", "Requires run access:"),
    ("fetch('http://127.0.0.1:59999/')", "Requires net access to \"127.0.0.1:59999\""),
    (
        "event(http.get('http://127.0.0.1:59999/'), 'response')",
        "Requires net access to \"127.0.0.1:59999\"",
    ),
    (
        "event(https.get('https://127.0.0.1:59999/'), 'response')",
        "Requires net access to \"127.0.0.1:59999\"",
    ),
    (
        "event(http2.connect('http://127.0.0.1:59999/'), 'connect')",
        "Requires net access to \"127.0.0.1:59999\"",
    ),
    (
        "event(tls.connect(59999, '127.0.0.1'), 'secureConnect')",
        "Requires net access to \"127.0.0.1:59999\"",
    ),
    (
        "event(net.connect(59999, '127.0.0.1'), 'connect')",
        "Requires net access to \"127.0.0.1:59999\"",
    ),
    ("event(net.connect('/tmp/x.sock'), 'connect')", "Requires read access to \"/tmp/x.sock\""),
    (
        "event(net.createServer().listen('/tmp/x.sock'), 'listening')",
        "Requires read access to \"/tmp/x.sock\"",
    ),
    (
        "event(net.createServer().listen(0, '127.0.0.1'), 'listening')",
        "Requires net access to \"127.0.0.1:0\"",
    ),
    ("event(net.createServer().listen(0), 'listening')", "Requires net access to \"[::]:0\""),
    (
        "event(http.createServer().listen(0, '127.0.0.1'), 'listening')",
        "Requires net access to \"127.0.0.1:0\"",
    ),
    (
        "event(dgram.createSocket('udp4').bind(0, '127.0.0.1'), 'listening')",
        "Requires net access to \"127.0.0.1:0\"",
    ),
    ("datagram()", "Requires net access to \"0.0.0.0:0\""),
    ("dns.lookup('localhost')", "Requires net access to \"localhost\""),
    ("dns.resolve4('example.com')", "Requires net access to "),
    (
        "new Promise((ok, no) => { const s = new WebSocket('ws://127.0.0.1:59999'); s.onopen = ok; s.onerror = (e) => no(e.error) })",
        "Requires net access to \"127.0.0.1:59999\"",
    ),
    (
        "process.dlopen({ exports: {} }, '/lib/x.so')",
        "Requires ffi access to \"/lib/x.so\", which only a workflow without permissions",
    ),
    (
        "new sqlite.DatabaseSync(':memory:', { allowExtension: true })",
        "Requires ffi access, which only",
    ),
    ("inspector.open(0)", "Requires sys access to \"inspector\", which only"),
    ("new inspector.Session().connect()", "Requires sys access to \"inspector\", which only"),
    ("process.setuid(1)", "Requires sys access to \"setuid\", which only"),
    ("os.setPriority(1)", "Requires sys access to \"setPriority\", which only"),
    ("createRequire(import.meta.url)('/etc/passwd')", "Cannot find module '/etc/passwd'"),
    ("(0, eval)(\"import('file:///etc/passwd')\")", "import(\"file:///etc/passwd\") is refused"),
    (
        "caught(() => v8.setHeapSnapshotNearHeapLimit(9)).then((text) => { throw new Error(text.replace(/^.*?: /, '')) })",
        "heap snapshots near the heap limit are not supported here",
    ),
];

#[test]
fn no_way_of_nodes_leads_around_the_permissions() {
    let env = TestEnv::new();
    let ways: Vec<String> = WAYS.iter().map(|(way, _)| format!("() => {way}")).collect();
    let source = bundle(&format!(
        "const ways = [{}];
         const said = [];
         for (const way of ways) said.push(await caught(way).then(String));
         yield await step({{ said }});",
        ways.join(",\n")
    ));
    let imports = "import cp from 'node:child_process'; import http from 'node:http';
        import https from 'node:https'; import http2 from 'node:http2'; import tls from 'node:tls';
        import dgram from 'node:dgram'; import { promises as dns } from 'node:dns'; import os from 'node:os';
        import v8 from 'node:v8'; import * as sqlite from 'node:sqlite';
        import * as inspector from 'node:inspector'; import { createRequire } from 'node:module';
        const event = (emitter, name) => new Promise((ok, no) => {
          emitter.on('error', no); emitter.on(name, () => ok('it works'));
        });
        const datagram = () => new Promise((ok, no) => {
          const socket = dgram.createSocket('udp4'); socket.on('error', no);
          socket.send('x', 59999, '127.0.0.1', (e) => e ? no(e) : ok('sent'));
        });\n";
    add(&env, "ways", &format!("{imports}{source}"), &["--allow-none"]);
    let meta = probed(&env, "ways");
    let said = meta["said"].as_array().unwrap();
    assert_eq!(said.len(), WAYS.len());
    let mut open = Vec::new();
    for ((way, expected), said) in WAYS.iter().zip(said) {
        let said = said.as_str().unwrap();
        let message = said.split_once(": ").map_or(said, |(_, message)| message);
        if !message.starts_with(expected) {
            open.push(format!("{way}\n  said: {said}"));
        }
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
}

#[test]
fn a_granted_path_opens_nothing_beside_it() {
    let env = TestEnv::new();
    env.write("in/data", "inside");
    env.write("in-other", "other");
    let source = bundle(
        "const read = (path) => caught(() => fs.readFileSync(path, 'utf8')).then((text) => text.slice(0, 30));
         yield await step({
           said: [await read('in/data'), await read('in/../in-other'), await read('in-other'),
             await read('/proc/self/environ'), await read('/proc/self/root/etc/passwd')],
           link: (await caught(() => fs.symlinkSync('/etc/passwd', 'in/link'))).slice(0, 40),
         });",
    );
    add(&env, "probe", &source, &["--allow-read=in", "--allow-write=in"]);
    let refused = "NotCapable: Requires read acce";
    assert_eq!(
        probed(&env, "probe"),
        json!({
            "said": ["inside", refused, refused, refused, refused],
            "link": "NotCapable: Requires read and write acce",
        })
    );
    // All files, but not what the system shows of the process's variables and memory.
    let source = bundle(
        "const read = (path) => caught(() => fs.readFileSync(path, 'utf8')).then((text) => text.slice(0, 58));
         yield await step({ said: [await read('/proc/self/environ'), await read('/proc/self/maps')] });",
    );
    add(&env, "system", &source, &["--allow-read"]);
    let said = probed(&env, "system");
    assert_eq!(
        said["said"],
        json!([
            "NotCapable: Requires all access to \"/proc/self/environ\", w",
            "NotCapable: Requires all access to \"/proc/self/maps\", whic",
        ])
    );
}

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
    std::fs::write(&path, "{\"permissions\": null}").unwrap();
    let output = env.run(["resume", thread.as_str()]);
    let expected = format!(
        "error: the thread's limits cannot be read: {}: `permissions` is null: expected a mapping\n\
         hint: mend the file, or remove it to let the thread do whatever you may\n",
        path.display()
    );
    assert_eq!((output.stderr, output.code), (expected, Some(1)));
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

#[test]
fn another_store_is_no_way_to_more_permissions() {
    let env = TestEnv::new();
    // It may write a registry and a bundle of its own, and read them.
    let source = bundle(
        "const root = process.argv[1].replace(/store.bundles.*/, 'work/own');
         yield await step({ said: await workflowAsAgent('inner', { storageRoot: root })(thread) });",
    );
    add(&env, "probe", &source, &["--allow-read", "--allow-write"]);
    let own = env.work().join("own");
    let mut command = env.command();
    command.env("UNCAGED_WORKFLOW_STORAGE_ROOT", &own);
    let inner = env.write("inner.esm.js", bundle(""));
    crate::support::env::output(command.arg("add").arg(inner)).ok();
    let expected = format!(
        "ERROR: Requires all access to \"{}\", which only a workflow without permissions in \
         workflow.yaml has (`uncaged-workflow add --allow-all`)",
        own.display()
    );
    assert_eq!(probed(&env, "probe"), json!({ "said": expected }));
}

#[test]
fn what_the_host_does_itself_needs_no_permission() {
    use crate::support::chat_server::{ChatServer, Reply};
    let configured = ChatServer::answering(|_| Reply::text("{\"n\": 7}"));
    let stranger = ChatServer::answering(|_| Reply::text("hello"));
    let env = TestEnv::new();
    let config = json!({
        "config": {
            "supervisorInterval": 0,
            "providers": { "local": { "baseUrl": configured.base_url(), "apiKey": "k" } },
            "models": { "default": "local/m" },
        },
        "workflows": {},
    });
    std::fs::create_dir_all(env.root()).unwrap();
    std::fs::write(env.root().join("workflow.yaml"), config.to_string()).unwrap();
    let source = bundle(&format!(
        "console.log('logged');
         const schema = {{ '~standard': {{}}, toJSONSchema: () => ({{ type: 'object' }}),
           safeParse: (data) => ({{ success: true, data }}) }};
         const ask = async (baseUrl) => {{
           const reply = await createLlmFn({{ baseUrl, apiKey: 'k', model: 'm' }})({{ messages: [], tools: [] }});
           return reply.ok ? 'answered' : reply.error;
         }};
         const hash = await cas.put('kept');
         yield await step({{
           kept: await cas.get(hash) !== null,
           agent: await caught(() => ask('{}')),
           stranger: await caught(() => ask('{}')),
         }});",
        configured.base_url(),
        stranger.base_url(),
    ));
    add(&env, "probe", &source, &["--allow-none"]);
    let meta = probed(&env, "probe");
    assert_eq!((&meta["kept"], &meta["agent"]), (&json!(true), &json!("answered")));
    let said = meta["stranger"].as_str().unwrap();
    assert!(said.contains("Requires net access to \"127.0.0.1:"), "{said}");
    assert!(said.contains("--allow-net=127.0.0.1:"), "{said}");
}

#[test]
fn a_program_that_may_be_started_has_the_users_environment() {
    let env = TestEnv::new();
    let source = bundle(
        "const lines = (text) => text.split('\\n').filter((line) => /^(HOME|ONLY)=/.test(line)).length;
         yield await step({
           inherited: lines(execFileSync('env').toString()),
           own: (await caught(() => process.env.HOME)).slice(0, 31),
         });",
    );
    add(&env, "probe", &source, &["--allow-run=env"]);
    let meta = probed(&env, "probe");
    assert_eq!(meta, json!({ "inherited": 1, "own": "NotCapable: Requires env access" }));
}
