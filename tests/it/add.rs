//! `add`: what is taken, what is refused, and that a refusal leaves nothing.

use crate::support::env::TestEnv;

const RUN: &str = "export async function* run() { return { returnCode: 0, summary: \"\" }; }\n";
const DESCRIPTOR: &str = "export const descriptor = { description: \"d\", roles: {} };\n";

/// Everything below the storage root, as relative paths.
fn stored(env: &TestEnv) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![env.root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let path = entry.path();
                    found.push(path.strip_prefix(env.root()).unwrap().display().to_string());
                }
            }
        }
    }
    found.sort();
    found
}

#[track_caller]
fn refused(source: &str, expected: &str) {
    let env = TestEnv::new();
    env.write("b.esm.js", source);
    let output = env.run(["add", "b.esm.js"]);
    assert_eq!(output.stdout, "");
    assert_eq!(output.stderr, expected.trim_start_matches('\n'));
    assert_eq!(output.code, Some(1));
    assert_eq!(stored(&env), Vec::<String>::new());
}

#[test]
fn a_file_may_be_named_by_any_path() {
    let env = TestEnv::new();
    env.write("flows/b.esm.js", format!("{DESCRIPTOR}{RUN}"));
    env.write("sub dir/x", "");
    let absolute = env.work().join("sub dir/../flows/./b.esm.js");
    for path in
        ["sub dir/../flows/b.esm.js", "./flows/..//flows/b.esm.js", absolute.to_str().unwrap()]
    {
        assert!(env.run(["check", path]).ok().contains("is a valid bundle"), "{path}");
        env.run(["add", "b", path]).ok();
        let said = env.run(["run", path, "--wait"]).ok();
        assert!(said.ends_with("completed: returnCode=0 \u{2014} \n"), "{said}");
        assert!(env.run(["dev", path]).ok().ends_with("completed: returnCode=0 \u{2014} \n"));
    }
}

#[test]
fn a_bundle_that_throws_at_its_top_level_is_refused() {
    let source = format!("{RUN}{DESCRIPTOR}const n = 1;\nthrow new RangeError(\"no \" + n);\n");
    refused(
        &source,
        r#"
error: evaluating the bundle failed: RangeError: no 1
 --> b.esm.js:4:7
  |
4 | throw new RangeError("no " + n);
  |       ^^^
  |
  = help: `add` runs the top level of a bundle once, without permissions, to read its descriptor; move work into run()
"#,
    );
}

#[test]
fn a_bundle_without_a_descriptor_is_refused() {
    refused(
        RUN,
        r#"
error: the bundle does not export `descriptor`
 --> b.esm.js:1:24
  |
1 | export async function* run() { return { returnCode: 0, summary: "" }; }
  |                        ^^^ the last of the exports, none of them `descriptor`
  |
  = help: add `export const descriptor = { description: "…", roles: { … } }`
"#,
    );
}

#[test]
fn a_dynamic_import_is_refused() {
    refused(
        &format!("{DESCRIPTOR}{RUN}const x = await import(\"x\");\n"),
        r#"
error: a bundle must not use import()
 --> b.esm.js:3:17
  |
3 | const x = await import("x");
  |                 ^^^^^^^^^^^ loads code when it runs
  |
  = help: import at the top of the file; with esbuild, leave out --splitting
"#,
    );
}

#[test]
fn an_import_of_a_package_is_refused() {
    refused(
        &format!("import pad from \"left-pad\";\n{DESCRIPTOR}{RUN}"),
        r#"
error: `left-pad` is an npm package, and a bundle carries its packages
 --> b.esm.js:1:17
  |
1 | import pad from "left-pad";
  |                 ^^^^^^^^^^ imported here
  |
  = help: build it in, for example: npx esbuild b.ts --bundle --format=esm --platform=node '--external:@uncaged/*' --outfile=b.esm.js
"#,
    );
}

#[test]
fn what_is_not_javascript_is_refused() {
    refused(
        "export const run = (\n\nnot javascript at all",
        r#"
error: expected `,` or `)` but found `Identifier`
 --> b.esm.js:3:5
  |
3 | not javascript at all
  |     ^^^^^^^^^^ `,` or `)` expected
  |
1 | export const run = (
  |                    ^ opened here
  |
  = help: the file must parse as an ES module, which is always in strict mode
"#,
    );
}

#[test]
fn a_descriptor_of_the_wrong_shape_is_refused() {
    refused(
        &format!("{RUN}export const descriptor = JSON.parse('{{\"roles\":{{}}}}');\n"),
        r#"
error: b.esm.js: the bundle's descriptor has the wrong shape
`description` is missing: expected a string
hint: a descriptor is { description: string, roles: { <name>: { description: string, schema: object } } }
"#,
    );
}

#[test]
fn an_endless_top_level_is_refused_without_waiting_for_ever() {
    // The limit itself takes 30 s, so only its cheap half is proved here: an
    // await that nothing can settle is found at once.
    refused(
        &format!("{RUN}{DESCRIPTOR}await new Promise(() => {{}});\n"),
        r#"
error: evaluating the bundle failed: the module awaits something that can never settle: nothing is left that could wake it
 --> b.esm.js
hint: `add` runs the top level of a bundle once, without permissions, to read its descriptor; move work into run()
"#,
    );
}

#[test]
fn the_same_file_twice_is_one_version() {
    let env = TestEnv::new();
    let first = env.add("hello", &format!("{DESCRIPTOR}{RUN}"));
    let second = env.add("hello", &format!("{DESCRIPTOR}{RUN}"));
    assert_eq!(first, second);
    let history = env.run(["history", "hello"]).ok();
    assert_eq!(history.lines().count(), 1, "{history}");
    assert!(
        history.starts_with(&first) && history.trim_end().ends_with("Z\t(current)"),
        "{history}"
    );
}

#[test]
fn an_older_version_can_be_rolled_back_to() {
    let env = TestEnv::new();
    let first = env.add("hello", &format!("{DESCRIPTOR}{RUN}"));
    let second = env.add("hello", &format!("{DESCRIPTOR}{RUN}// two\n"));
    let current = |env: &TestEnv| {
        let listed = env.run(["list"]).ok();
        listed.split('\t').nth(1).unwrap().to_owned()
    };
    assert_eq!(current(&env), second);
    let output = env.run(["rollback", "hello"]).ok();
    assert_eq!(output, format!("rolled back workflow \"hello\" to {first}\n"));
    assert_eq!(current(&env), first);
    env.run(["workflow", "rollback", "hello", &second.to_lowercase()]).ok();
    assert_eq!(current(&env), second);
}

#[test]
fn a_bundle_is_kept_byte_for_byte_with_its_descriptor_and_types() {
    let env = TestEnv::new();
    let source = format!("\u{feff}#!/usr/bin/env node\r\n{DESCRIPTOR}{RUN}");
    env.write("b.esm.js", &source);
    env.write("b.d.ts", "export {};\n");
    let hash = uncaged_workflow::object::Hash::of(&source);
    let output = env.run(["workflow", "add", "two-words", "b.esm.js", "--types", "b.d.ts"]).ok();
    assert_eq!(output, format!("registered workflow \"two-words\" from b.esm.js as {hash}\n"));
    assert_eq!(env.read(format!("store/bundles/{hash}.esm.js")), source);
    assert_eq!(env.read(format!("store/bundles/{hash}.d.ts")), "export {};\n");
    assert_eq!(
        env.read(format!("store/bundles/{hash}.yaml")),
        "\"description\": \"d\"\n\"roles\": {}\n"
    );
}
