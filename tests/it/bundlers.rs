//! What bundlers write loads and runs: `tests/bundlers` built by the real ones,
//! and each form of output by itself.

use std::path::Path;
use std::process::Command;

use crate::support::env::{TestEnv, output};
use crate::support::{npm, report};

/// What the workflow of `tests/bundlers` says, whoever has built it.
const SAID: &str = r#"{"title":"a title","steps":[]}
"too_small"
[["one","two"],3,"inlined ü LS </script>"]
["b","function",true,true]
["first second first end","awaited nothing {\"other\":1}",true,6,"2020"]
[true,true,true]"#;

/// Role and text of the first step, and how the thread ended.
fn run(env: &TestEnv, file: &Path) -> (String, String) {
    let ran = env.run(["run", file.to_str().unwrap(), "--prompt", "a title", "--wait"]);
    assert_eq!(ran.code, Some(0), "{}:\n{}{}", file.display(), ran.stdout, ran.stderr);
    let thread = ran.stdout.lines().next().unwrap().parse().unwrap();
    let shown = env.show(&thread);
    let text = |field: &str| shown["steps"][0][field].as_str().unwrap().to_owned();
    (text("role"), text("content"))
}

/// Builds with one bundler and runs what came out.
fn runs(bundler: &str, ways: usize) {
    let Some(packages) = npm::package("bundlers") else { return };
    let env = TestEnv::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bundlers/build.mjs");
    let mut command = Command::new("node");
    command.arg(script).args([bundler.as_ref(), packages.as_os_str()]).arg(env.work());
    let built = output(&mut command).ok();
    assert_eq!(built.lines().count(), ways, "{built}");
    let said = SAID.replace("LS", "\u{2028}");
    for file in built.lines() {
        let checked = env.run(["check", file]);
        assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""), "{file}");
        assert_eq!(run(&env, Path::new(file)), ("worker".to_owned(), said.clone()), "{file}");
    }
    report(&format!("{bundler}: {ways} bundles run"));
}

#[test]
fn what_esbuild_writes_runs_minified_and_not() {
    runs("esbuild", 4);
}

#[test]
fn what_rollup_writes_runs_minified_and_not() {
    runs("rollup", 3);
}

#[test]
fn what_tsup_writes_runs_minified_and_not() {
    runs("tsup", 2);
}

#[test]
fn what_bun_writes_runs_minified_and_not() {
    runs("bun", 4);
}

/// Runs a bundle whose first step must say "as written".
#[track_caller]
fn loads(source: &str) {
    let env = TestEnv::new();
    let file = env.write("form.esm.js", source);
    assert_eq!(env.run(["check", file.to_str().unwrap()]).code, Some(0));
    assert_eq!(run(&env, &file), ("worker".to_owned(), "as written".to_owned()));
}

/// A generator that puts the value of this expression.
fn go(name: &str, said: &str) -> String {
    format!(
        "async function* {name}(thread, {{ cas }}) {{
           const contentHash = await cas.put({said});
           yield {{ role: 'worker', contentHash, meta: {{}}, refs: [] }};
           return {{ returnCode: 0, summary: '' }};
         }}\n"
    )
}

const DESCRIPTOR: &str = "export const descriptor = { description: '', roles: {} };\n";

/// A bundle with something before its exports.
fn with(before: &str, said: &str) -> String {
    format!("{before}\n{DESCRIPTOR}export {}", go("run", said))
}

#[test]
fn a_byte_order_mark_is_skipped() {
    loads(&format!("\u{feff}{}", with("", "'as written'")));
}

#[test]
fn a_hashbang_is_skipped() {
    loads(&format!("#!/usr/bin/env node\n{}", with("", "'as written'")));
}

#[test]
fn a_hashbang_after_a_byte_order_mark_is_skipped() {
    loads(&format!("\u{feff}#!/usr/bin/env bun\r\n{}", with("", "'as written'")));
}

#[test]
fn lines_may_end_as_on_windows() {
    loads(&with("", "'as written'").replace('\n', "\r\n"));
}

#[test]
fn use_strict_is_a_directive() {
    loads(&with("'use strict';", "'as written'"));
}

#[test]
fn exports_may_be_renamed_in_a_list() {
    let go = go("a", "'as written'");
    loads(&format!(
        "{go}var b = {{ description: '', roles: {{}} }};\nexport{{a as run,b as descriptor}};"
    ));
}

#[test]
fn exports_may_be_named_by_strings() {
    let go = go("a", "'as written'");
    loads(&format!("{go}{DESCRIPTOR}export {{ a as 'run' }};"));
}

#[test]
fn the_create_require_banner_gives_built_ins_to_common_js() {
    for banner in [
        "import { createRequire } from \"module\"; const require = createRequire(import.meta.url);",
        "import { createRequire as __createRequire } from 'node:module';\nvar require = __createRequire(import.meta.url);",
        "import __module from 'module'; var require = __module.createRequire(import.meta.url);",
    ] {
        let wrapper = "
          var __commonJS = (cb, mod) => function () { return mod || (0, cb[Object.keys(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports };
          var lib = __commonJS({ 'lib.js'(exports, module) {
            'use strict';
            var path = require('path'), { EventEmitter } = require('node:events');
            try { require('bufferutil') } catch (e) { exports.code = e.code }
            module.exports = { code: exports.code, base: path.basename('/x/as written'), is: typeof EventEmitter };
          } });";
        let said = "lib().code === 'MODULE_NOT_FOUND' && lib().is === 'function' ? lib().base : lib().code";
        loads(&with(&format!("{banner}{wrapper}"), said));
    }
}

#[test]
fn classes_may_have_static_blocks_and_private_parts() {
    loads(&with(
        "class A { static #said; static { A.#said = 'as written' } #x = 1; has(o) { return #x in o } static get said() { return new A().has(new A()) ? A.#said : '' } }",
        "A.said",
    ));
}

#[test]
fn the_top_level_may_await() {
    loads(&with(
        "import { setTimeout as sleep } from 'timers/promises'; await sleep(1); const said = await new Promise((r) => setImmediate(r, 'as written'));",
        "said",
    ));
}

#[test]
fn import_meta_names_the_bundle() {
    loads(&with(
        "import { fileURLToPath } from 'url'; import { dirname } from 'path';
         const __filename = fileURLToPath(import.meta.url), __dirname = dirname(__filename);",
        "__filename === import.meta.filename && __dirname === import.meta.dirname && import.meta.resolve('fs') === 'node:fs' ? 'as written' : __filename",
    ));
}

#[test]
fn buns_import_meta_gives_built_ins_and_places() {
    let said = "typeof EventEmitter === 'function' && import.meta.path === import.meta.filename
      && import.meta.dir === import.meta.dirname && `${import.meta.dir}/${import.meta.file}` === import.meta.path
      && import.meta.main && code === 'MODULE_NOT_FOUND' ? __require('path').basename('/x/as written') : code";
    loads(&with(
        "var __require = import.meta.require; var { EventEmitter } = __require('node:events');
         var code; try { __require('left-pad') } catch (e) { code = e.code }",
        said,
    ));
}

#[test]
fn inlined_json_is_data() {
    loads(&with(
        "var data_default = { \"said\": \"as written\", \"__proto__x\": [1e3, null] };",
        "data_default.said",
    ));
}

#[test]
fn a_built_in_may_be_imported_with_every_clause() {
    loads(&with(
        "import fs, { readFileSync as read } from 'fs'; import * as ns from 'node:fs'; import { default as again } from 'node:fs'; import 'node:path'; export { sep } from 'path';",
        "fs.readFileSync === read && ns.default === again ? 'as written' : ''",
    ));
}

#[test]
fn source_map_comments_are_no_obstacle() {
    for comment in [
        "//# sourceMappingURL=form.esm.js.map",
        "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEudHMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IkFBQUEifQ==",
        "//# sourceMappingURL=data:application/json;charset=utf-8,%7B%22nonsense",
        "//# debugId=3C0A3F3A-0000-0000-0000-000000000000\n//# sourceMappingURL=x",
        "/*# sourceMappingURL=old.map */",
    ] {
        loads(&format!("{}{comment}", with("", "'as written'")));
    }
}
