//! `check`: everything that `add` would refuse, and what works but surprises.

use serde_json::{Value, json};

use crate::support::env::TestEnv;

#[test]
fn all_findings_are_said_with_the_line_and_a_caret() {
    let env = TestEnv::new();
    env.write(
        "bad.esm.js",
        "import chalk from \"chalk\";\nexport const run = 5;\nawait import(\"./x.js\");\nexport default run;\n",
    );
    let checked = env.run(["check", "bad.esm.js"]);
    assert_eq!((checked.stdout.as_str(), checked.code), ("", Some(1)));
    let titles: Vec<&str> =
        checked.stderr.lines().filter(|line| line.starts_with("error")).collect();
    assert_eq!(titles.len(), 5, "{}", checked.stderr);
    for place in ["1:19", "2:14", "2:20", "3:7", "4:8"].map(|at| format!("bad.esm.js:{at}")) {
        assert!(checked.stderr.contains(&format!("--> {place}\n")), "{place}: {}", checked.stderr);
    }
    assert!(
        checked.stderr.contains("1 | import chalk from \"chalk\";\n  |                   ^^^^^^^")
    );
    // `add` refuses it in the same words.
    assert_eq!(env.run(["add", "bad.esm.js"]).stderr, checked.stderr);
    assert!(!env.root().exists(), "nothing was stored");

    let json = env.run(["check", "bad.esm.js", "--json"]);
    assert_eq!(json.code, Some(1));
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    let found: Vec<(&str, u64)> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["code"].as_str().unwrap(), f["line"].as_u64().unwrap_or(0)))
        .collect();
    assert_eq!(
        found,
        [
            ("bundle/foreign-import", 1),
            ("bundle/missing-descriptor", 2),
            ("bundle/run-not-callable", 2),
            ("bundle/dynamic-import", 3),
            ("bundle/default-export", 4),
        ]
    );
    assert_eq!((&report["ok"], &report["file"]), (&json!(false), &json!("bad.esm.js")));
}

/// The findings of a bundle as `check --json` gives them: code, place and message.
fn found(env: &TestEnv, name: &str, source: &str) -> Vec<String> {
    env.write(name, source);
    let report: Value = serde_json::from_str(&env.run(["check", name, "--json"]).stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let text = |f: &Value| {
        let place = format!("{}:{}", f["line"], f["column"]).replace("null:null", "-");
        format!("{} {place} {}", f["code"].as_str().unwrap(), f["message"].as_str().unwrap())
    };
    findings.map(text).collect()
}

#[test]
fn what_only_evaluating_shows_has_its_place_in_json_too() {
    let env = TestEnv::new();
    let throws = "export const descriptor = {};\nexport async function* run() {}\n\
                  descriptor.description = \"d\";\nnothing.here();\n";
    assert_eq!(
        found(&env, "throws.esm.js", throws),
        ["bundle/evaluation 4:1 ReferenceError: nothing is not defined"]
    );
    let shape = "const make = () => ({ roles: { a: { schema: 5 }, b: 1 } });\n\
                 export const descriptor = make();\nexport async function* run() {}\n";
    assert_eq!(
        found(&env, "shape.esm.js", shape),
        [
            "bundle/descriptor - descriptor: `description` is missing: expected a string",
            "bundle/descriptor - descriptor: `roles.a.description` is missing: expected a string",
            "bundle/descriptor - descriptor: `roles.a.schema` is a number: expected a mapping",
            "bundle/descriptor - descriptor: `roles.b` is a number: expected a mapping",
        ]
    );
    assert_eq!(env.run(["check", "shape.esm.js"]).code, Some(1));
}

#[test]
fn roles_and_schemas_are_judged_by_the_evaluated_descriptor_where_the_source_hides_it() {
    let env = TestEnv::new();
    let hidden = "const role = (schema) => ({ description: \"d\", schema });\n\
        const make = () => ({ description: \"d\", roles: {\n\
        coder: role({ type: \"object\" }), tester: role({ type: \"array\" }),\n\
        poet: role({ type: [\"string\", \"null\"] }), zod: role({ def: {}, type: \"object\" }) } });\n\
        export const descriptor = make();\n\
        export async function* run() {\n\
        yield { role: \"coder\" };\n\
        yield { role: \"testr\" };\n\
        }\n";
    assert_eq!(
        found(&env, "hidden.esm.js", hidden),
        [
            "bundle/role-schema - the schema of role `tester` describes a value of type `array`",
            "bundle/role-schema - the schema of role `poet` describes a value of type `string or null`",
            "bundle/role-schema - the schema of role `zod` is a zod schema, not JSON Schema",
            "bundle/undescribed-role 8:15 the descriptor does not name the role `testr`",
            "bundle/unused-role 5:27 no step has the role `tester`",
            "bundle/unused-role 5:27 no step has the role `poet`",
            "bundle/unused-role 5:27 no step has the role `zod`",
        ]
    );
    let human = env.run(["check", "hidden.esm.js"]).ok();
    assert!(human.contains("help: did you mean `tester`?"), "{human}");
    let last = "hidden.esm.js is a valid bundle (roles: coder, tester, poet, zod)";
    assert_eq!(human.lines().last(), Some(last));
    // What the source says is said once.
    let plain = "export const descriptor = { description: \"d\", roles: { a: { description: \"a\",\n\
        schema: { type: \"array\" } } } };\nexport async function* run() {}\n";
    assert_eq!(
        found(&env, "plain.esm.js", plain),
        [
            "bundle/unused-role 1:56 no step has the role `a`",
            "bundle/role-schema 2:17 the schema of role `a` describes a value of type `array`",
        ]
    );
}

#[test]
fn a_warning_refuses_nothing_and_add_says_it_too() {
    let env = TestEnv::new();
    let source = "export const descriptor = { description: \"d\", roles: { a: { description: \"a\",\n\
        schema: {} } } };\nexport async function* run() {}\n";
    env.write("warned.esm.js", source);
    let checked = env.run(["check", "warned.esm.js"]).ok();
    assert_eq!(
        checked,
        "warning: no step has the role `a`\n --> warned.esm.js:1:56\n  |\n\
         1 | export const descriptor = { description: \"d\", roles: { a: { description: \"a\",\n  \
         |                                                        ^ described, and never used\n  |\n  \
         = help: remove `a` from the descriptor, or yield it from `run`\n\
         warned.esm.js is a valid bundle (roles: a)\n"
    );
    let added = env.run(["add", "warned.esm.js"]);
    let warning = checked.split("\nwarned.esm.js is").next().unwrap();
    assert_eq!(added.stderr, format!("{warning}\n"));
    assert_eq!(added.code, Some(0));
}

#[test]
fn several_files_are_checked_and_one_refusal_is_one_for_all() {
    let env = TestEnv::new();
    env.write("good.esm.js", include_str!("../../examples/haiku.esm.js"));
    env.write("bad.esm.js", "export const run = 1;");
    let checked = env.run(["check", "bad.esm.js", "good.esm.js"]);
    assert_eq!(checked.code, Some(1));
    let roles = "good.esm.js is a valid bundle (roles: poet, critic, editor)\n";
    assert_eq!(checked.stdout, roles);
    assert!(checked.stderr.contains("bad.esm.js:1:20"), "{}", checked.stderr);
    let json = env.run(["check", "bad.esm.js", "good.esm.js", "--json"]);
    let reports: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&reports[0]["ok"], &reports[1]["ok"]), (&json!(false), &json!(true)));
    assert_eq!(reports[1]["roles"], json!(["poet", "critic", "editor"]));
    assert_eq!(json.code, Some(1));
}
