//! What a bundle sees: Node's world.

use serde_json::json;
use uncaged_workflow::host::HostError;
use uncaged_workflow::host::services::LogLevel;

use crate::support::services::{bundle, run, script};

/// Gives `name: message` of what a snippet throws.
const CAUGHT: &str = "const caught = async (work) => {
  try { return ['no error', await work()] } catch (e) { return `${e.name}: ${e.message}` }
};";

const IMPORT_REFUSED: &str = "is refused: a bundle is one file; import Node built-ins and \
     @uncaged/workflow* modules with an import statement and build everything else in";

#[test]
fn nothing_of_deno_or_of_a_browser_shows() {
    let outcome = script(
        "import { createRequire } from 'node:module';",
        "await fetch('data:,x'); // loads polyfills
         const absent = ['Deno', 'window', 'self', 'Worker', 'location', 'alert', 'localStorage',
           'addEventListener', 'caches', 'GPUDevice', 'nodeBootstrap', 'require', 'module', 'Bun'];
         return {
           typeof: absent.filter((name) => (0, eval)(`typeof ${name}`) !== 'undefined'),
           in: absent.filter((name) => name in globalThis),
           get: absent.filter((name) => globalThis[name] !== undefined),
           keys: Reflect.ownKeys(globalThis).filter((key) => /deno|bootstrap/i.test(String(key))),
           loop: (() => { for (const key in globalThis) if (/deno/i.test(key)) return key })() ?? null,
           deno: process.versions.deno ?? null,
           kind: Object.prototype.toString.call(globalThis),
           proto: ({}).__proto__ === Object.prototype,
         };",
    );
    assert_eq!(
        outcome.value(),
        &json!({
            "typeof": [], "in": [], "get": [], "keys": [], "loop": null, "deno": null,
            "kind": "[object global]", "proto": true,
        })
    );
}

#[test]
fn process_and_navigator_are_a_current_nodes() {
    let outcome = script(
        "",
        "const major = Number(process.versions.node.split('.')[0]);
         return {
           major: major >= 24,
           version: process.version === `v${process.versions.node}`,
           release: process.release.name,
           agent: navigator.userAgent === `Node.js/${major}`,
           argv: process.argv.length,
           script: process.argv[1] === import.meta.filename,
           url: import.meta.url === `file://${import.meta.filename}`,
           dirname: import.meta.filename === `${import.meta.dirname}/0123456789ABC.esm.js`,
           main: import.meta.main,
         };",
    );
    assert_eq!(
        outcome.value(),
        &json!({
            "major": true, "version": true, "release": "node", "agent": true, "argv": 2,
            "script": true, "url": true, "dirname": true, "main": true,
        })
    );
}

#[test]
fn built_ins_are_imported_with_and_without_prefix() {
    let outcome = script(
        "import fs from 'fs'; import { readFile } from 'fs/promises'; import path from 'node:path';
         import { setTimeout as sleep } from 'timers/promises'; import posix from 'path/posix';",
        "await sleep(1);
         return [typeof fs.readFileSync, typeof readFile, path.join('a', '..', 'b'), posix.sep];",
    );
    assert_eq!(outcome.value(), &json!(["function", "function", "b", "/"]));
}

#[test]
fn every_other_static_import_is_refused_with_advice() {
    let advice = "a bundle imports only Node built-ins and @uncaged/workflow* modules; build \
                  everything else into the bundle";
    let cases = [
        ("import x from 'left-pad'", format!("cannot import \"left-pad\": {advice}")),
        ("import x from './x.js'", format!("cannot import \"./x.js\": {advice}")),
        ("import 'data:text/javascript,1'", format!("cannot import \"data:text/javascript,1\": {advice}")),
        ("import { core } from 'ext:core/mod.js'", format!("cannot import \"ext:core/mod.js\": {advice}")),
        ("export * from 'https://x/y.js'", format!("cannot import \"https://x/y.js\": {advice}")),
        ("import x from 'node:left'", "there is no Node built-in module \"node:left\"".into()),
        (
            "import { hash } from 'uncaged:host'",
            "\"uncaged:host\" is internal: import the @uncaged/workflow* modules".into(),
        ),
        (
            "import x from './x.json' with { type: 'json' }",
            "cannot import \"./x.json\" as json: a bundle is one file; let the bundler inline the data".into(),
        ),
    ];
    for (import, message) in cases {
        let outcome = run(&bundle(import, ""));
        let HostError::Module(thrown) = outcome.error() else { panic!("{outcome:?}") };
        assert_eq!(thrown.to_string(), format!("TypeError: {message}"), "{import}");
    }
    let outcome = run(&bundle("import x from '@uncaged/workflow-none'", ""));
    let message = outcome.error().to_string();
    let beginning = "TypeError: there is no host module \"@uncaged/workflow-none\"; those are: ";
    assert!(message.starts_with(beginning), "{message}");
    assert!(message.contains("@uncaged/workflow-cas, "), "{message}");
}

#[test]
fn dynamic_import_rejects_wherever_it_hides() {
    let outcome = script(
        &format!("import 'node:fs'; {CAUGHT}"),
        "return [
           await caught(() => import('node:fs')),
           await caught(() => eval(\"import('left-pad')\")),
           await caught(() => (0, eval)(\"import('uncaged:host')\")),
           await caught(() => new Function(\"return import('uncaged:extract')\")()),
           await caught(() => eval(\"import('uncaged:extract') //# sourceURL=ext:core/mod.js\")),
         ];",
    );
    let refused = |name: &str| format!("TypeError: import(\"{name}\") {IMPORT_REFUSED}");
    assert_eq!(
        outcome.value(),
        &json!([
            refused("node:fs"),
            refused("left-pad"),
            refused("uncaged:host"),
            refused("uncaged:extract"),
            refused("uncaged:extract"),
        ])
    );
}

#[test]
fn create_require_knows_built_ins_only() {
    let outcome = script(
        &format!("import {{ createRequire }} from 'node:module'; {CAUGHT}"),
        "const require = createRequire(import.meta.url);
         const missing = async (name) => (await caught(() => require(name))).split('\\n')[0];
         return [
           require('path').sep, typeof require('node:child_process').spawn, require.resolve('fs'),
           await missing('left-pad'), await missing('./x.js'), await missing('/etc/passwd'),
           await missing('#inner'), await missing('@scope/pkg/x'),
           (() => { try { require('left-pad') } catch (e) { return e.code } })(),
         ];",
    );
    assert_eq!(
        outcome.value(),
        &json!([
            "/",
            "function",
            "fs",
            "Error: Cannot find module 'left-pad'",
            "Error: Cannot find module './x.js'",
            "Error: Cannot find module '/etc/passwd'",
            "Error: Cannot find module '#inner'",
            "Error: Cannot find module '@scope/pkg/x'",
            "MODULE_NOT_FOUND",
        ])
    );
}

#[test]
fn what_cannot_work_says_so_by_name() {
    let outcome = script(
        &format!(
            "import {{ Worker, isMainThread }} from 'node:worker_threads'; import cluster from 'node:cluster';
             import module, {{ createRequire }} from 'node:module'; import {{ writeFileSync, mkdtempSync, rmSync }} from 'node:fs';
             {CAUGHT}"
        ),
        "const require = createRequire(import.meta.url);
         const first = async (work) => (await caught(work)).split('\\n')[0];
         const folder = mkdtempSync('/tmp/addon-'), addon = `${folder}/addon.node`;
         writeFileSync(addon, 'not a library');
         const named = (text) => text.replace(addon, '<addon>');
         const said = [
           isMainThread, cluster.isPrimary,
           await first(() => new Worker('1', { eval: true })), await first(() => new Worker('./x.js')),
           await first(() => cluster.fork()),
           named(await first(() => require(addon))),
           (await first(() => process.dlopen({ exports: {} }, addon))).includes(addon),
           await first(() => require('bindings')), await first(() => module.register('./x.mjs', import.meta.url)),
           await first(() => Bun.version), await first(() => require('bun:sqlite')),
         ];
         rmSync(folder, { recursive: true });
         return said;",
    );
    let worker = "NotSupported: worker_threads.Worker is not supported here: use child processes, \
                  or more workflow threads";
    assert_eq!(
        outcome.value(),
        &json!([
            true,
            true,
            worker,
            worker,
            "Error: cluster.fork is not supported here: use child processes, or more workflow threads",
            "Error: Cannot find module '<addon>'",
            true,
            "Error: Cannot find module 'bindings'",
            "TypeError: module.register is not a function",
            "ReferenceError: Bun is not defined",
            "Error: Cannot find module 'bun:sqlite'",
        ])
    );
}

#[test]
fn node_console_is_the_console_of_the_log() {
    let outcome = script(
        "import own, { log, error } from 'node:console'; import again from 'console';",
        "own.warn('w'); log('l'); error('e'); return [own === console, again === own, typeof own.Console];",
    );
    assert_eq!(outcome.value(), &json!([true, true, "function"]));
    let line = |level, text: &str| (level, text.to_string());
    assert_eq!(
        outcome.log,
        [line(LogLevel::Warn, "w"), line(LogLevel::Info, "l"), line(LogLevel::Error, "e")]
    );
}

#[test]
fn console_goes_to_the_log_with_its_level() {
    let outcome = script(
        "",
        "console.log('a %s %d', 'b', 5, { x: [1] });
         console.debug('d'); console.info(new Map([[1, 2]])); console.warn('w'); console.error('e');
         console.log('two\\nlines'); console.log();
         console.group('outer'); console.log('inner'); console.groupEnd();",
    );
    let line = |level, text: &str| (level, text.to_string());
    assert_eq!(
        outcome.log,
        [
            line(LogLevel::Info, "a b 5 { x: [ 1 ] }"),
            line(LogLevel::Debug, "d"),
            line(LogLevel::Info, "Map(1) { 1 => 2 }"),
            line(LogLevel::Warn, "w"),
            line(LogLevel::Error, "e"),
            line(LogLevel::Info, "two\nlines"),
            line(LogLevel::Info, ""),
            line(LogLevel::Info, "outer"),
            line(LogLevel::Info, "  inner"),
        ]
    );
}

#[test]
fn child_processes_behave_as_in_node() {
    let outcome = script(
        "import { spawn, spawnSync, execSync, exec } from 'node:child_process';
         import { mkdtempSync, realpathSync } from 'node:fs'; import { tmpdir } from 'node:os';
         const start = (command, args, options) => new Promise((resolve) => {
           const child = spawn(command, args, options);
           let out = 0, err = 0, text = '';
           const read = () => {
             child.stdout?.on('data', (chunk) => { out += chunk.length; if (out < 999) text += chunk });
             child.stderr?.on('data', (chunk) => { err += chunk.length });
           };
           options?.late ? setTimeout(read, options.late) : read();
           child.on('error', (error) => resolve([error.code, error.syscall, typeof child.stdout.on]));
           child.on('close', (code, signal) => resolve([code, signal, out, err, text]));
           options?.kill && child.kill(options.kill);
         });",
        "const cwd = realpathSync(mkdtempSync(`${tmpdir()}/cwd-`));
         return {
           env: await start('sh', ['-c', 'printf $X'], { env: { X: 'y', PATH: process.env.PATH } }),
           cwd: (await start('pwd', [], { cwd }))[4].trim() === cwd,
           ignored: await start('cat', [], { stdio: ['ignore', 'pipe', 'pipe'] }),
           missing: await start('no-such-program-here', []),
           big: await start('sh', ['-c', 'head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2'],
             { late: 50 }),
           killed: await start('sleep', ['60'], { kill: 'SIGTERM' }),
           timeout: await start('sleep', ['60'], { timeout: 20 }),
           exec: await new Promise((resolve) => exec('echo out; echo err >&2; exit 3',
             (error, out, err) => resolve([error.code, out, err]))),
           sync: execSync('cat', { input: 'in', encoding: 'utf8' }),
           status: spawnSync('sh', ['-c', 'exit 4']).status,
         };",
    );
    assert_eq!(
        outcome.value(),
        &json!({
            "env": [0, null, 1, 0, "y"],
            "cwd": true,
            "ignored": [0, null, 0, 0, ""],
            "missing": ["ENOENT", "spawn no-such-program-here", "function"],
            "big": [0, null, 20_000_000, 20_000_000, ""],
            "killed": [null, "SIGTERM", 0, 0, ""],
            "timeout": [null, "SIGTERM", 0, 0, ""],
            "exec": [3, "out\n", "err\n"],
            "sync": "in",
            "status": 4,
        })
    );
}

#[test]
fn children_inherit_no_file_of_this_process() {
    let outcome = script(
        "import { execFileSync } from 'node:child_process'; import { openSync, readdirSync } from 'node:fs';
         import { createServer } from 'node:net';",
        "const fd = openSync('/dev/null', 'r');
         await new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve));
         const own = readdirSync('/proc/self/fd').length;
         const list = execFileSync('sh', ['-c', 'ls /proc/$$/fd'], { encoding: 'utf8' }).split('\\n');
         // What this process was born with has no mark to be closed; the test's own files do.
         return { more: own > 8, inherited: list.includes(String(fd)) };",
    );
    assert_eq!(outcome.value(), &json!({ "more": true, "inherited": false }));
}

#[test]
fn another_program_for_node_is_started_with_exec_path() {
    if !std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .any(|dir| dir.join("node").is_file())
    {
        return; // `process.execPath` is this program then.
    }
    let outcome = script(
        "import { execFileSync } from 'node:child_process';",
        "return execFileSync(process.execPath, ['-p', '[typeof Deno, process.argv.length]'],
           { encoding: 'utf8' });",
    );
    assert_eq!(outcome.value(), "[ 'undefined', 1 ]\n");
}
