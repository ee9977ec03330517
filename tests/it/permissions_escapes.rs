//! Ways out that were once open.

use serde_json::json;

use crate::support::env::{TestEnv, output};
use crate::support::permissions::{add, bundle, probed};

/// The variable that must not be seen, which is no plain one.
const SECRET: (&str, &str) = ("TEST_OF_ESCAPES", "the secret");

/// How a bundle gets at what is hidden from it: functions of Deno's own that call
/// what they are given.
const HIDDEN: &str = "
    const { deprecate } = await import_('node:util');
    const { AsyncLocalStorage, AsyncResource } = await import_('node:async_hooks');
    const hidden = [
      deprecate(Reflect.get, 'x')(globalThis, 'Deno'),
      new AsyncLocalStorage().run(1, Reflect.get, globalThis, 'Deno'),
      new AsyncResource('x').runInAsyncScope(Reflect.get, null, globalThis, 'Deno'),
    ].filter((deno) => deno !== undefined);
    const reach = (deno) => [deno.internal, ...Object.getOwnPropertySymbols(deno)]
      .flatMap((key) => key === undefined ? [] : [deno[key]])
      .filter((value) => value !== null && typeof value === 'object' && 'core' in value)
      .length + Number('core' in deno);";

#[test]
fn what_hides_deno_leads_to_nothing_that_permissions_do_not_hold() {
    let env = TestEnv::new();
    let source = bundle(&format!(
        "const import_ = async (name) => process.getBuiltinModule(name);
         {HIDDEN}
         yield await step({{
           internals: hidden.map((deno) => [typeof deno.internal, reach(deno)]),
           env: await caught(() => hidden.map((deno) => deno.env.get('{name}')).join()),
           file: await caught(() => hidden.map((deno) => deno.readTextFileSync('/etc/passwd')).join()),
         }});",
        name = SECRET.0
    ));
    add(&env, "probe", &source, &["--allow-none"]);
    let mut command = env.command();
    command.env(SECRET.0, SECRET.1).args(["run", "probe", "--wait", "--json"]);
    let said = output(&mut command).ok();
    assert!(!said.contains(SECRET.1), "{said}");
    let step: serde_json::Value = serde_json::from_str(said.lines().nth(1).unwrap()).unwrap();
    for internals in step["meta"]["internals"].as_array().unwrap() {
        assert_eq!(*internals, json!(["undefined", 0]));
    }
    for kind in ["env", "file"] {
        let text = step["meta"][kind].as_str().unwrap();
        assert!(text.starts_with("NotCapable: Requires"), "{kind}: {text}");
    }
}

#[test]
fn a_limited_bundle_makes_no_link_by_wasi_either() {
    let env = TestEnv::new();
    env.write("in/data", "inside");
    env.write("secret", "outside");
    // A module that has a memory and nothing else.
    let source = bundle(
        "const { WASI } = process.getBuiltinModule('node:wasi');
         const wasi = new WASI({ version: 'preview1', preopens: { '/x': 'in' }, returnOnExit: true });
         const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, 0x0a, 1, 6,
           0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2, 0];
         const instance = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)));
         wasi.initialize(instance);
         const put = (at, text) => {
           Buffer.from(instance.exports.memory.buffer).write(text, at);
           return [at, text.length];
         };
         const calls = wasi.wasiImport;
         yield await step({
           symlink: calls.path_symlink(...put(0, '../secret'), 3, ...put(99, 'soft')),
           link: calls.path_link(3, 0, ...put(0, 'data'), 3, ...put(99, 'hard')),
           made: fs.readdirSync('in'),
         });",
    );
    add(&env, "probe", &source, &["--allow-read=in", "--allow-write=in"]);
    assert_eq!(probed(&env, "probe"), json!({ "symlink": 63, "link": 63, "made": ["data"] }));
    // Without limits they are made.
    add(&env, "free", &source, &[]);
    let made = json!(["data", "hard", "soft"]);
    assert_eq!(probed(&env, "free"), json!({ "symlink": 0, "link": 0, "made": made }));
}

#[test]
fn no_bundle_deletes_what_a_thread_needs() {
    let env = TestEnv::new();
    env.add("kept", &bundle("yield await step({ n: 1 });"));
    probed(&env, "kept");
    let before = env.store().list().unwrap();
    let source = bundle(
        "const refused = [];
         const own = await cas.put('nobody needs this');
         for (const hash of await cas.list()) {
           if (hash !== own) refused.push((await caught(() => cas.delete(hash))).slice(0, 25));
         }
         await cas.delete(own);
         yield await step({ refused: [...new Set(refused)], own: await cas.get(own) });",
    );
    for flags in [&["--allow-none"][..], &["--allow-all"]] {
        add(&env, "wipe", &source, flags);
        let refused = json!({ "refused": ["Error: cas.delete: thread"], "own": null });
        assert_eq!(probed(&env, "wipe"), refused);
    }
    let after = env.store().list().unwrap();
    assert!(before.iter().all(|hash| after.contains(hash)));
    assert!(env.run(["cas", "verify"]).ok().ends_with(": 0 problems\n"));
}

#[test]
fn the_mask_of_new_files_and_their_patterns_are_no_way_out() {
    let env = TestEnv::new();
    env.write("in/data", "inside");
    let source = bundle(
        "yield await step({
           mask: (await caught(() => process.umask(0))).slice(0, 41),
           found: fs.globSync('*', { cwd: 'in' }),
           beside: (await caught(() => fs.globSync('../*', { cwd: 'in' }))).slice(0, 32),
         });",
    );
    add(&env, "probe", &source, &["--allow-read=in"]);
    assert_eq!(
        probed(&env, "probe"),
        json!({
            "mask": "NotCapable: Requires sys access to \"umask",
            "found": ["data"],
            "beside": "NotCapable: Requires read access",
        })
    );
}

#[test]
fn a_look_at_the_global_object_without_a_caller_is_only_a_look() {
    let env = TestEnv::new();
    let source = bundle(
        "const look = Reflect.get.bind(null, globalThis);
         yield await step({ seen: [await Promise.resolve('zzz').then(look) ?? null,
           typeof await Promise.resolve('Deno').then(look)] });",
    );
    env.add("probe", &source);
    assert_eq!(probed(&env, "probe"), json!({ "seen": [null, "undefined"] }));
}
