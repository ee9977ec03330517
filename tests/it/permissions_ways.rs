//! Nothing leads around a bundle's permissions.

use serde_json::json;

use crate::support::env::TestEnv;
use crate::support::permissions::{add, bundle, probed};

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
