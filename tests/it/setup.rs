//! `setup`: the model that extracts and supervises.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::json;

use crate::support::chat_server::{ChatServer, Reply};
use crate::support::env::{Output, TestEnv};
use crate::support::terminal::Terminal;

const KEY: &str = "sk-test-0123456789abcdef";
const KEY_QUESTION: &str = "API key (not shown; `env:NAME` reads a variable, `none` is no key)";

fn ready() -> Reply {
    Reply::call("ready", json!({ "ready": true }))
}

fn with_flags(env: &TestEnv, provider: &str, url: &str, key: &str, more: &[&str]) -> Output {
    let args = ["setup", "--provider", provider, "--base-url", url, "--api-key", key];
    env.run([&args[..], &["--model", "org/m"], more].concat())
}

#[test]
fn setup_writes_provider_and_model_and_keeps_the_rest() {
    let env = TestEnv::new();
    let url = "http://localhost:1/v1";
    let first = with_flags(&env, "local", url, "env:KEY", &["--no-check"]);
    assert_eq!(first.ok(), "default uses local/org/m\n");
    let second = with_flags(&env, "other", url, "none", &["--scene", "extract", "--no-check"]);
    assert_eq!(second.ok(), "extract uses other/org/m\n");
    assert_eq!(
        env.read("store/workflow.yaml"),
        "\"config\":\n  \"maxDepth\": 3\n  \"supervisorInterval\": 3\n  \"providers\":\n    \
         \"local\":\n      \"baseUrl\": \"http://localhost:1/v1\"\n      \"apiKey\": \"env:KEY\"\n    \
         \"other\":\n      \"baseUrl\": \"http://localhost:1/v1\"\n      \"apiKey\": \"\"\n  \
         \"models\":\n    \"default\": \"local/org/m\"\n    \"extract\": \"other/org/m\"\n\
         \"workflows\": {}\n\n"
    );
}

#[test]
fn what_no_reference_could_name_is_refused() {
    let env = TestEnv::new();
    let refused = with_flags(&env, "a/b", "http://x", "k", &[]);
    assert_eq!(refused.stderr, "error: a provider's name has no `/` and is not empty\n");
    assert_eq!(refused.code, Some(2));
    let refused = with_flags(&env, "a", "localhost:8080", "k", &[]);
    assert_eq!(refused.stderr, "error: a base URL begins with http:// or https://\n");
    let refused = env.run(["setup", "--provider", "a", "--model", "m"]);
    assert_eq!(
        refused.stderr,
        "error: setup needs --base-url, --api-key where there is no terminal\n\
         hint: `uncaged-workflow setup --help` shows whole commands\n"
    );
    assert_eq!(refused.code, Some(2));
    assert!(!env.root().exists());
}

#[test]
fn the_model_is_asked_once_with_a_tool_before_it_is_written_down() {
    let server = ChatServer::scripted([ready()]);
    let env = TestEnv::new();
    let set = with_flags(&env, "local", &server.base_url(), KEY, &["--json"]);
    assert_eq!(set.stderr, "asking org/m \u{2026}\n");
    assert_eq!(set.ok(), "{\"scene\":\"default\",\"model\":\"local/org/m\",\"checked\":true}\n");
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(requests[0].body["model"], "org/m");
    assert_eq!(requests[0].body["tools"][0]["function"]["name"], "ready");
    // The key is in the file, so the file is nobody else's.
    let file = env.root().join("workflow.yaml");
    assert!(std::fs::read_to_string(&file).unwrap().contains(KEY));
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_model_that_calls_no_tools_is_written_down_with_a_warning() {
    let server = ChatServer::scripted([Reply::text("I am ready.")]);
    let env = TestEnv::new();
    let set = with_flags(&env, "local", &server.base_url(), "none", &[]);
    assert_eq!(
        set.stderr,
        "asking org/m \u{2026}\nwarning: org/m did not call the tool that it was asked to call; \
         typed answers need a model that calls tools\n"
    );
    assert_eq!(set.ok(), "default uses local/org/m\n");
    // `none` is no key, so none is sent.
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[test]
fn what_does_not_answer_is_not_written_down_and_the_key_is_not_said() {
    let env = TestEnv::new();
    let server = ChatServer::scripted([Reply::error(401, &format!("wrong key {KEY}"))]);
    let url = server.base_url();
    let refused = with_flags(&env, "local", &url, KEY, &[]);
    assert_eq!(
        refused.stderr,
        format!(
            "asking org/m \u{2026}\nerror: org/m does not answer: HTTP 401 from \
             {url}/chat/completions: {{\"error\":{{\"message\":\"wrong key [key]\",\
             \"type\":\"invalid_request_error\",\"code\":null}}}}\nhint: nothing was written\n\
             hint: `--no-check` writes it down all the same\n"
        )
    );
    assert_eq!((refused.stdout.as_str(), refused.code), ("", Some(1)));
    let unset = with_flags(&env, "local", &url, "env:NOT_SET_ANYWHERE", &[]);
    assert_eq!(
        unset.stderr,
        "error: the variable NOT_SET_ANYWHERE is not set\n\
         hint: export NOT_SET_ANYWHERE=\u{2026} and try again\n\
         hint: `--no-check` writes it down all the same\n"
    );
    assert_eq!(server.requests().len(), 1);
    assert!(!env.root().join("workflow.yaml").exists());
}

/// `setup` at a terminal, with these variables.
fn at_terminal(env: &TestEnv, variables: &[(&str, &str)]) -> Terminal {
    let mut like: Command = env.command();
    like.envs(variables.iter().copied());
    Terminal::start(&like, &format!("'{}' setup", env!("CARGO_BIN_EXE_uncaged-workflow")))
}

#[test]
fn a_terminal_is_asked_for_everything_and_does_not_show_the_key() {
    let server = ChatServer::scripted([ready()]);
    let (env, url) = (TestEnv::new(), server.base_url());
    let mut terminal = at_terminal(&env, &[]);
    terminal.wait_for("[openai]: ");
    terminal.type_text("local\n");
    terminal.wait_for("/chat/completions: ");
    terminal.type_text(&format!("{url}\n"));
    terminal.wait_for("[env:LOCAL_API_KEY]: ");
    terminal.type_text(&format!("{KEY}\n"));
    terminal.wait_for("Model: ");
    terminal.type_text("org/m\n");
    let (screen, code) = terminal.finish();
    assert_eq!(
        screen,
        format!(
            "Provider, a name of your choice [openai]: local\n\
             Base URL, without /chat/completions: {url}\n\
             {KEY_QUESTION} [env:LOCAL_API_KEY]: \n\
             Model: org/m\nasking org/m \u{2026}\ndefault uses local/org/m\n"
        )
    );
    assert_eq!(code, Some(0));
    let sent = server.requests();
    assert_eq!(sent[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert!(env.read("store/workflow.yaml").contains(&format!("\"apiKey\": \"{KEY}\"")));
}

#[test]
fn empty_answers_take_what_was_set_up_before_and_the_key_from_a_variable() {
    let server = ChatServer::scripted([ready(), ready()]);
    let (env, url) = (TestEnv::new(), server.base_url());
    with_flags(&env, "openai", &url, "env:MY_KEY", &["--no-check"]).ok();
    let mut terminal = at_terminal(&env, &[("MY_KEY", KEY)]);
    terminal.wait_for("[openai]: ");
    terminal.type_text("\n");
    terminal.wait_for(&format!("[{url}]: "));
    terminal.type_text("\n");
    terminal.wait_for("[env:MY_KEY]: ");
    terminal.type_text("\n");
    terminal.wait_for("Model: ");
    // Nothing is no model; it is asked for again.
    terminal.type_text("\n");
    terminal.wait_for("Model: ");
    terminal.type_text("better\n");
    let (screen, code) = terminal.finish();
    assert!(screen.ends_with("\ndefault uses openai/better\n"), "{screen}");
    assert_eq!(code, Some(0));
    assert_eq!(
        server.requests()[0].header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    let written = env.read("store/workflow.yaml");
    assert!(!screen.contains(KEY) && !written.contains(KEY), "{screen}{written}");
    assert!(written.contains("\"apiKey\": \"env:MY_KEY\""), "{written}");
}
