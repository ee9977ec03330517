//! The rules of `check`, one by one, over small sources.

use std::fs;
use std::path::Path;

use serde_json::json;
use uncaged_workflow::bundle::{
    CheckReport, HOST_MODULES, NODE_MODULES, NODE_ONLY_MODULES, check, locate,
};

const DESCRIPTOR: &str = "export const descriptor = { description: \"d\", roles: {} };\n";
const RUN: &str = "export async function* run() {}\n";

pub fn report(source: &str) -> CheckReport {
    check("a.esm.js", source.as_bytes())
}

/// `code line:column marked text` of each finding.
pub fn found(source: &str) -> Vec<String> {
    let report = report(source);
    let line = |finding: &uncaged_workflow::bundle::Finding| match &finding.at {
        Some(at) => {
            let marked = &at.snippet.text[at.snippet.range()];
            format!("{} {}:{} {marked}", finding.code, at.line, at.column)
        }
        None => finding.code.to_string(),
    };
    report.findings.iter().map(line).collect()
}

/// Holds each source to what is found in it; a `descriptor` is added before it.
fn hold(cases: &[(&str, &[&str])]) {
    for (source, expected) in cases {
        assert_eq!(found(&format!("{DESCRIPTOR}{source}")), *expected, "{source}");
    }
}

#[test]
fn run_is_whatever_may_be_called() {
    let accepted = [
        "export function run() {}",
        "export function* run() {}",
        "export async function run() {}",
        "export async function* run() {}",
        "export const run = function () {};",
        "export const run = async function* named() {};",
        "export const run = () => {};",
        "export const run = async (thread) => thread;",
        "export let run = createWorkflow(definition, binding);",
        "export var run = (0, lib.createWorkflow)(definition)(binding);",
        "export const run = new Proxy(() => {}, {});",
        "export const run = await make();",
        "export const run = make`a ${1}`;",
        "export const run = object.method;",
        "export const run = object?.['method'];",
        "export const run = first || second;",
        "export const run = debug ? first : second;",
        "export const { run } = object;",
        "export const [run] = list;",
        "export let run; run = () => {};",
        "var run = 1; run = make(); export { run };",
        "function first() {} const second = first; let third = (1, second); export { third as run };",
        "export { run }; function run() {}",
        "export { f as 'run' }; const f = function () {};",
        "const steps = { async *run() {} }; export const { run } = steps;",
        "import { run } from 'node:test'; export { run };",
        "export { run } from '@uncaged/workflow';",
        "import run from 'node:assert'; export { run };",
        "const run = run2; const run2 = run; export { run };",
        "let other; export const run = (other = () => {});",
        "export const run = globalThis.something;",
    ];
    for source in accepted {
        assert_eq!(found(&format!("{DESCRIPTOR}{source}")), [""; 0], "{source}");
    }
}

#[test]
fn a_run_that_evidently_cannot_be_called_is_refused() {
    hold(&[
        ("export const run = 5;", &["bundle/run-not-callable 2:20 5"]),
        ("export const run = -5;", &["bundle/run-not-callable 2:20 -5"]),
        ("export const run = 'text';", &["bundle/run-not-callable 2:20 'text'"]),
        ("export const run = `text ${1}`;", &["bundle/run-not-callable 2:20 `text ${1}`"]),
        ("export const run = null;", &["bundle/run-not-callable 2:20 null"]),
        ("export const run = undefined;", &["bundle/run-not-callable 2:20 undefined"]),
        ("export const run = 10n;", &["bundle/run-not-callable 2:20 10n"]),
        ("export const run = /a/v;", &["bundle/run-not-callable 2:20 /a/v"]),
        ("export const run = [() => {}];", &["bundle/run-not-callable 2:20 [() => {}]"]),
        ("export const run = { start() {} };", &["bundle/run-not-callable 2:20 { start() {} }"]),
        ("export const run = class {};", &["bundle/run-not-callable 2:20 class {}"]),
        ("export class run {}", &["bundle/run-not-callable 2:14 run"]),
        ("export const run = 1 + 2;", &["bundle/run-not-callable 2:20 1 + 2"]),
        ("export const run = !make;", &["bundle/run-not-callable 2:20 !make"]),
        ("export const run = typeof make;", &["bundle/run-not-callable 2:20 typeof make"]),
        ("export const run = import.meta;", &["bundle/run-not-callable 2:20 import.meta"]),
        ("export let run;", &["bundle/run-not-callable 2:12 run"]),
        ("const a = {}; const b = a; export { b as run };", &["bundle/run-not-callable 2:11 {}"]),
        ("import * as run from 'fs'; export { run };", &["bundle/run-not-callable 2:13 run"]),
        ("export * as run from 'node:fs';", &["bundle/run-not-callable 2:13 run"]),
        // Not even where the module has such an export.
        ("export * from 'node:test';", &["bundle/missing-run 1:14 descriptor"]),
    ]);
}

#[test]
fn import_expressions_are_found_everywhere_but_in_texts() {
    let run = |body: &str| format!("export const run = async function* () {{ {body} }};");
    let cases = [
        ("await import('fs')", "import('fs')"),
        ("return; import('fs')", "import('fs')"),
        ("class A { static x = import(`a`); }", "import(`a`)"),
        ("const f = (a = import(name)) => a", "import(name)"),
        ("`${import('a')}`", "import('a')"),
        ("import /* here too */ ('a')", "import /* here too */ ('a')"),
        ("import('a', { with: { type: 'json' } })", "import('a', { with: { type: 'json' } })"),
        ("import.defer('a')", "import.defer('a')"),
        ("import.source('a')", "import.source('a')"),
    ];
    for (body, marked) in cases {
        let source = format!("{DESCRIPTOR}{}", run(body));
        let column = source.lines().nth(1).unwrap().find(marked).unwrap() + 1;
        assert_eq!(found(&source), [format!("bundle/dynamic-import 2:{column} {marked}")]);
    }
    let texts = [
        "'import(\"fs\")'",
        "`import('fs')`",
        "/import('fs')/",
        "// import('fs')\n",
        "/* import('fs') */",
        "object.import('fs')",
        "({ import() {} })",
        "eval('import(\"fs\")')",
        "import.meta.resolve('fs')",
    ];
    for body in texts {
        assert_eq!(found(&format!("{DESCRIPTOR}{}", run(body))), [""; 0], "{body}");
    }
}

#[test]
fn a_call_of_require_is_refused_where_nobody_declares_it() {
    let refused = [
        "require('fs')",
        "require(name)",
        "require?.('fs')",
        "(0, require)('fs')",
        "new require('fs')",
        "require`fs`",
        "require('fs').readFileSync('a')",
        "typeof require === 'function' && require('fs')",
        "function f() { { const require = 1; } return require('fs'); }",
        "f(require('a'))",
    ];
    for source in refused {
        let found = found(&format!("{DESCRIPTOR}{RUN}{source}"));
        assert_eq!(found.len(), 1, "{source}: {found:?}");
        assert!(found[0].starts_with("bundle/require 3:"), "{source}: {found:?}");
    }
    let accepted = [
        "import { createRequire } from 'module'; const require = createRequire(import.meta.url); require('fs')",
        "function f(require) { return require('fs'); }",
        "(require) => require('fs')",
        "{ let require = f; require('fs'); }",
        "try {} catch (require) { require('fs'); }",
        "var later = () => require('fs'); function require() {}",
        "import require from 'node:fs'; require('fs')",
        "typeof require",
        "typeof require === 'undefined' ? 1 : require.resolve",
        "require.resolve('fs')",
        "require.apply(this, ['fs'])",
        "module.require('fs')",
        "globalThis.require('fs')",
        "({ require() {} }).require('fs')",
        "class A { require() { this.require('fs'); } }",
        "'require(\"fs\")'; // require('fs')",
    ];
    for source in accepted {
        assert_eq!(found(&format!("{DESCRIPTOR}{RUN}{source}")), [""; 0], "{source}");
    }
}

#[test]
fn every_module_of_node_and_of_the_host_may_be_imported() {
    for name in NODE_MODULES {
        let source = format!("{DESCRIPTOR}{RUN}import '{name}'; export * as x from 'node:{name}';");
        assert_eq!(found(&source), [""; 0], "{name}");
    }
    for name in NODE_ONLY_MODULES {
        assert_eq!(found(&format!("{DESCRIPTOR}{RUN}import 'node:{name}';")), [""; 0], "{name}");
    }
    for name in HOST_MODULES {
        let source = format!("{DESCRIPTOR}{RUN}import * as x from '{name}';");
        assert_eq!(found(&source), [""; 0], "{name}");
    }
}

#[test]
fn the_host_gives_exactly_the_modules_that_check_allows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/modules");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut given: Vec<String> = names
        .filter_map(|name| Some(name.to_str()?.strip_suffix(".js")?.to_owned()))
        .filter(|name| name.starts_with("workflow"))
        .map(|name| format!("@uncaged/{name}"))
        .collect();
    given.sort();
    assert_eq!(given, HOST_MODULES);
}

#[test]
fn only_the_name_of_a_bundle_is_accepted() {
    let source = format!("{DESCRIPTOR}{RUN}");
    let name = |name: &str| {
        let report = check(name, source.as_bytes());
        let findings = report.findings.iter();
        findings.map(|f| format!("{}: {} ({})", f.code, f.message, f.help)).collect::<Vec<_>>()
    };
    let build = |from: &str, to: &str| {
        format!(
            "npx esbuild {from} --bundle --format=esm --platform=node '--external:@uncaged/*' \
             --outfile={to}"
        )
    };
    for accepted in ["a.esm.js", "/some/dir/solve-issue.esm.js", "C:\\dir\\a.b.esm.js", "é.esm.js"]
    {
        assert_eq!(name(accepted), [""; 0], "{accepted}");
    }
    for other in ["a.js", "a.mjs", "dir.esm.js/a.js", "a.esm.js.txt", "a.esm.JS"] {
        let base = other.rsplit('/').next().unwrap();
        let message = format!(
            "bundle/file-name: `{base}` does not end in `.esm.js` (where it is a single-file ES \
             module already, rename it to `a.esm.js`; else build one: {})",
            build(other, "a.esm.js")
        );
        assert_eq!(name(other), [message]);
    }
    assert_eq!(
        name("src/flow.ts"),
        [format!(
            "bundle/typescript: `flow.ts` is a source file, not a bundle (build it first: {})",
            build("src/flow.ts", "flow.esm.js")
        )]
    );
    assert_eq!(
        name("flow.cjs"),
        [format!(
            "bundle/file-name: `flow.cjs` is a CommonJS file; a bundle is an ES module named \
             `*.esm.js` (build it first: {})",
            build("flow.cjs", "flow.esm.js")
        )]
    );
    assert_eq!(name(".esm.js").len(), 1);
}

#[test]
fn a_report_as_json_has_one_object_a_finding() {
    let source = format!("{DESCRIPTOR}const run = 5;\n\texport {{ run }}; require('é');\n");
    assert_eq!(
        serde_json::to_value(report(&source)).unwrap(),
        json!({
            "file": "a.esm.js",
            "findings": [
                {
                    "code": "bundle/run-not-callable",
                    "severity": "error",
                    "message": "`run` is a number, not a function",
                    "help": "export `run` as an async generator function: `export async \
                             function* run(thread, runtime) { … }`",
                    "line": 2,
                    "column": 13,
                    "span": { "start": 71, "end": 72 },
                    "snippet": { "text": "const run = 5;", "offset": 12, "length": 1 },
                    "label": "this is a number",
                    "related": [{
                        "line": 3,
                        "column": 11,
                        "span": { "start": 84, "end": 87 },
                        "snippet": {
                            "text": "    export { run }; require('é');",
                            "offset": 13,
                            "length": 3,
                        },
                        "label": "exported as `run` here",
                    }],
                },
                {
                    "code": "bundle/require",
                    "severity": "error",
                    "message": "an ES module has no require()",
                    "help": "import the module at the top of the file; or, for Node's built-in \
                             modules only, declare `require`: import { createRequire } from \
                             \"node:module\"; const require = createRequire(import.meta.url)",
                    "line": 3,
                    "column": 18,
                    "span": { "start": 91, "end": 104 },
                    "snippet": {
                        "text": "    export { run }; require('é');",
                        "offset": 20,
                        "length": 12,
                    },
                    "label": "called here",
                },
            ],
        })
    );
    let first = report(&source).refusal().unwrap();
    assert_eq!(
        first,
        "a.esm.js:2:13: `run` is a number, not a function (export `run` as an async generator \
         function: `export async function* run(thread, runtime) { … }`)"
    );
    assert_eq!(report(&format!("{DESCRIPTOR}{RUN}")).refusal(), None);
}

#[test]
fn a_byte_order_mark_moves_spans_and_no_columns() {
    let plain = "import 'a';";
    let marked = format!("\u{feff}{plain}");
    let at = |source: &str| {
        let report = report(source);
        let import = report.findings.iter().find(|f| f.code.as_str() == "bundle/foreign-import");
        import.unwrap().at.clone().unwrap()
    };
    let (plain, marked) = (at(plain), at(&marked));
    assert_eq!((plain.line, plain.column, plain.span.start), (1, 8, 7));
    assert_eq!((marked.line, marked.column, marked.span.start), (1, 8, 10));
    assert_eq!(plain.snippet, marked.snippet);
}

#[test]
fn the_place_that_v8_names_is_found() {
    let source = "\u{feff}#!x\r\nconst t = '😀'; throwIt();\n\u{2028}\u{2028}x.y()";
    let located = |line, column| {
        let at = locate(source.as_bytes(), line, column)?;
        Some((at.line, at.column, at.snippet.text[at.snippet.range()].to_owned()))
    };
    // V8 counts the emoji as two, and the separators as ends of lines.
    assert_eq!(located(2, 17), Some((2, 16, "throwIt".to_owned())));
    assert_eq!(located(1, 1), Some((1, 1, "#".to_owned())));
    assert_eq!(located(5, 3), Some((3, 5, "y".to_owned())));
    assert_eq!(located(5, 6), Some((3, 8, String::new())));
    assert_eq!(located(6, 1), None);
    assert_eq!(located(0, 1), None);
    assert_eq!(locate(b"\xff", 1, 1), None);
}
