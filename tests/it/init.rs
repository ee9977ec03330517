//! `init`: from an empty folder to bundles that are built, checked and run.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::chat_server::{ChatServer, Reply};
use crate::support::env::{TestEnv, output};
use crate::support::npm;

/// Runs npm in a folder below the test's own, with the program on the path.
#[track_caller]
fn npm_in(env: &TestEnv, folder: &str, args: &[&str]) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_uncaged-workflow")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("npm");
    command.args(args).current_dir(env.work().join(folder)).env("PATH", path);
    command.env("UNCAGED_WORKFLOW_STORAGE_ROOT", env.root());
    output(&mut command).ok()
}

/// Role and meta of each step of the newest thread, its end among them.
fn steps(env: &TestEnv) -> Vec<(String, Value)> {
    let threads = env.run(["threads"]).ok();
    let newest = threads.lines().last().unwrap().split('\t').next().unwrap();
    let shown = env.show(&newest.parse().unwrap());
    let steps = shown["steps"].as_array().unwrap().iter();
    steps.map(|s| (s["role"].as_str().unwrap().to_owned(), s["meta"].clone())).collect()
}

/// What models answer by an answers file, given by a server.
fn serving(env: &TestEnv, answers: &str) -> ChatServer {
    let text = std::fs::read_to_string(env.work().join(answers)).unwrap();
    let answers = uncaged_workflow::object::yaml::decode(&text).unwrap();
    let answers = answers["answers"].as_array().unwrap().iter();
    let server = ChatServer::scripted(answers.map(|a| Reply::call("extract", a["meta"].clone())));
    let (url, setup) = (server.base_url(), ["setup", "--provider", "local", "--base-url"]);
    let more = [url.as_str(), "--api-key", "none", "--model", "any", "--no-check"];
    env.run([&setup[..], &more].concat()).ok();
    server
}

/// What the answers file expects, as [`steps`] gives it.
fn expected(env: &TestEnv, answers: &str) -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(env.work().join(answers)).unwrap();
    let expect = uncaged_workflow::object::yaml::decode(&text).unwrap()["expect"].clone();
    let steps = expect["steps"].as_array().unwrap().iter();
    let role = |step: &Value| step["role"].as_str().unwrap().to_owned();
    let mut all: Vec<_> = steps.map(|step| (role(step), step["meta"].clone())).collect();
    let (code, summary) = (&expect["returnCode"], &expect["summary"]);
    all.push(("__end__".to_owned(), json!({ "returnCode": code, "summary": summary })));
    all
}

#[test]
fn a_new_workspace_installs_builds_typechecks_and_runs_as_its_answers_say() {
    // Fills npm's cache; the packages asked for below are then the same.
    let Some(package) = npm::package("workspace") else { return };
    let env = TestEnv::new();
    let said = env.run(["init", "workspace", "triage"]).ok();
    assert_eq!(said, "made triage; next: cd triage && npm install && npm run build\n");
    let made = |name: &str| std::fs::read_to_string(env.work().join("triage").join(name)).unwrap();
    let wanted: Value = serde_json::from_str(&made("package.json")).unwrap();
    let held: Value =
        serde_json::from_str(&std::fs::read_to_string(package.join("package.json")).unwrap())
            .unwrap();
    for field in ["dependencies", "devDependencies"] {
        assert_eq!(wanted[field], held[field], "tests/npm/workspace holds what init asks for");
    }
    let lock = env.work().join("triage/package-lock.json");
    std::fs::copy(package.join("package-lock.json"), lock).unwrap();
    npm_in(&env, "triage", &["install", "--prefer-offline", "--no-audit", "--no-fund"]);

    npm_in(&env, "triage", &["run", "typecheck"]);
    // The declarations themselves, too, which the workspace's own settings skip.
    npm_in(&env, "triage", &["exec", "--", "tsc", "--skipLibCheck", "false"]);
    let checked = npm_in(&env, "triage", &["run", "check", "--silent"]);
    assert_eq!(checked, "dist/triage.esm.js is a valid bundle (roles: reporter, planner)\n");
    let server = serving(&env, "triage/triage.answers.yaml");
    let prompt = "The app crashes when I rotate my phone";
    env.run(["run", "triage/dist/triage.esm.js", "--prompt", prompt, "--wait"]).ok();
    assert_eq!(steps(&env), expected(&env, "triage/triage.answers.yaml"));
    assert_eq!(server.requests().len(), 2);
    drop(server);

    // One more workflow, without a change to package.json.
    let mut template = env.command();
    template.args(["init", "template", "review-pr"]).current_dir(env.work().join("triage"));
    assert_eq!(
        output(&mut template).ok(),
        "made templates/review-pr/index.ts, templates/review-pr/package.json, \
         src/review-pr.ts, review-pr.answers.yaml; next: npm run build\n"
    );
    let package: Value = serde_json::from_str(&made("templates/review-pr/package.json")).unwrap();
    assert_eq!(package["name"], "workflow-template-review-pr");
    npm_in(&env, "triage", &["run", "typecheck"]);
    assert_eq!(
        npm_in(&env, "triage", &["run", "check", "--silent"]),
        "dist/review-pr.esm.js is a valid bundle (roles: author, reviewer)\n\
         dist/triage.esm.js is a valid bundle (roles: reporter, planner)\n"
    );
    let server = serving(&env, "triage/review-pr.answers.yaml");
    env.run(["run", "triage/dist/review-pr.esm.js", "--prompt", "greet", "--wait"]).ok();
    assert_eq!(steps(&env), expected(&env, "triage/review-pr.answers.yaml"));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_workflow_by_hand_is_checked_and_run_without_npm() {
    let env = TestEnv::new();
    let said = env.run(["init", "workspace", "say-hello", "--js"]).ok();
    assert_eq!(
        said,
        "made say-hello; next: cd say-hello && uncaged-workflow run ./say-hello.esm.js --wait\n"
    );
    let mut files: Vec<_> = std::fs::read_dir(env.work().join("say-hello"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["AGENTS.md", "README.md", "say-hello.answers.yaml", "say-hello.esm.js"]);
    let bundle = "say-hello/say-hello.esm.js";
    let checked = env.run(["check", bundle]).ok();
    assert_eq!(checked, format!("{bundle} is a valid bundle (roles: greeter, counter)\n"));
    env.run(["run", bundle, "--prompt", "Ada", "--wait"]).ok();
    assert_eq!(steps(&env), expected(&env, "say-hello/say-hello.answers.yaml"));

    let mut template = env.command();
    template.args(["init", "template", "other", "--js", "--json"]);
    let said: Value =
        serde_json::from_str(&output(template.current_dir(env.work().join("say-hello"))).ok())
            .unwrap();
    assert_eq!(
        said,
        json!({
            "files": ["other.esm.js", "other.answers.yaml"],
            "next": "uncaged-workflow run ./other.esm.js --wait",
        })
    );
    env.run(["check", "say-hello/other.esm.js"]).ok();
}

#[test]
fn nothing_that_is_there_is_written_over() {
    let env = TestEnv::new();
    env.write("full/notes.txt", "mine");
    env.write("other.answers.yaml", "mine");
    env.write("review-pr.answers.yaml", "mine");
    let refused = |args: &[&str]| {
        let refused = env.run(args);
        assert_eq!((refused.stdout.as_str(), refused.code), ("", Some(1)));
        refused.stderr
    };
    for form in [&["init", "workspace", "full"][..], &["init", "workspace", "full", "--js"]] {
        assert_eq!(
            refused(form),
            "error: full is there already and not empty\nhint: choose another name, or empty it first\n"
        );
    }
    assert_eq!(
        refused(&["init", "template", "review-pr"]),
        "error: there is no package.json here or in a folder above\n\
         hint: `uncaged-workflow init workspace <name>` makes a folder to add templates to\n\
         hint: `--js` makes one file that needs none\n"
    );
    env.write("package.json", "{}");
    assert_eq!(
        refused(&["init", "template", "review-pr"]),
        "error: review-pr.answers.yaml is there already\nhint: choose another name, or remove it first\n"
    );
    assert_eq!(
        refused(&["init", "template", "other", "--js"]),
        "error: other.answers.yaml is there already\nhint: choose another name, or remove it first\n"
    );
    let mut left: Vec<_> = std::fs::read_dir(env.work())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["full", "other.answers.yaml", "package.json", "review-pr.answers.yaml"]);
    assert_eq!(env.read("work/full/notes.txt"), "mine");
}

#[test]
fn the_types_of_all_host_modules_can_be_written_anew() {
    let env = TestEnv::new();
    assert_eq!(env.run(["init", "types"]).ok(), "wrote 15 declarations into types\n");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/types");
    for entry in std::fs::read_dir(shipped).unwrap() {
        let entry = entry.unwrap();
        let written = env.work().join("types").join(entry.file_name());
        assert_eq!(
            std::fs::read_to_string(written).unwrap(),
            std::fs::read_to_string(entry.path()).unwrap()
        );
    }
}
