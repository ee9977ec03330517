//! Every bundle under `examples/`, run.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::chat_server::{ChatServer, Reply};
use crate::support::env::TestEnv;
use crate::support::npm;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// Role, content and meta of each step of the only thread.
fn steps(env: &TestEnv) -> Vec<(String, String, String)> {
    let threads = env.run(["threads"]).ok();
    let shown = env.show(&threads.split('\t').next().unwrap().parse().unwrap());
    let text = |v: &serde_json::Value| v.as_str().unwrap().to_owned();
    let steps = shown["steps"].as_array().unwrap().iter();
    steps.map(|s| (text(&s["role"]), text(&s["content"]), s["meta"].to_string())).collect()
}

#[test]
fn the_haiku_by_hand_runs_without_npm() {
    let env = TestEnv::new();
    let file = example("haiku.esm.js");
    let output = env.run(["run", file.to_str().unwrap(), "--prompt", "the compiler", "--wait"]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let expected = [
        (
            "poet",
            "the compiler waits\na cursor blinks in the dark\none key, then the next",
            r#"{"lines":3}"#,
        ),
        ("critic", "Vowel groups: 5, 7, 6", r#"{"vowels":[5,7,6]}"#),
        ("editor", "Good enough to print.", r#"{"accepted":true}"#),
        ("__end__", "the haiku is ready", r#"{"returnCode":0,"summary":"the haiku is ready"}"#),
    ];
    let expected = expected.map(|(r, c, m)| (r.to_owned(), c.to_owned(), m.to_owned()));
    assert_eq!(steps(&env), expected);
}

#[test]
fn the_report_uses_files_hashes_children_and_fetch() {
    let env = TestEnv::new();
    let page = "a page with ümlauts\n";
    let url = serve_page(page);
    let file = example("report.esm.js");
    let output = env.run(["run", file.to_str().unwrap(), "--prompt", &url, "--wait"]);
    assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
    let sha256 = "5ffcab65272a2fc60de1c84b8ac54d4e21f0943a35a86d37c22e4f4b6392913a";
    let expected = [
        ("fetcher", page.to_owned(), r#"{"status":200}"#.to_owned()),
        ("counter", "21 bytes".to_owned(), r#"{"bytes":21}"#.to_owned()),
        (
            "writer",
            format!("# Report\n\n- bytes: 21\n- sha256: {sha256}\n"),
            format!(r#"{{"sha256":"{sha256}"}}"#),
        ),
        (
            "__end__",
            "21 bytes reported".to_owned(),
            r#"{"returnCode":0,"summary":"21 bytes reported"}"#.to_owned(),
        ),
    ];
    assert_eq!(steps(&env), expected.map(|(role, content, meta)| (role.to_owned(), content, meta)));
}

/// Built by esbuild with the real zod inside, and run against a chat server that
/// answers each extraction with one tool call.
#[test]
fn the_triage_in_typescript_extracts_with_its_own_zod() {
    let Some(package) = npm::package_in("examples/triage") else { return };
    let built =
        std::process::Command::new("npm").args(["run", "build"]).current_dir(&package).output();
    assert!(built.unwrap().status.success());
    let built = package.join("dist/triage.esm.js");
    let bytes = std::fs::metadata(&built).unwrap().len();
    assert!(bytes > 400_000, "zod is inside: {bytes}");
    let server = ChatServer::scripted([
        Reply::call("extract", json!({ "sentence": "It loses steps.", "component": "store" })),
        Reply::call("extract", json!({ "urgency": 1, "reason": "data is lost" })),
    ]);
    let env = TestEnv::new();
    env.write(
        "../store/workflow.yaml",
        format!(
            "config:\n  maxDepth: 3\n  supervisorInterval: 0\n  providers:\n    local:\n      baseUrl: {}\n      apiKey: test\n  models:\n    default: local/any\nworkflows: {{}}\n",
            server.base_url()
        ),
    );
    let prompt = "Steps vanish after a crash";
    let output = env.run(["run", built.to_str().unwrap(), "--prompt", prompt, "--wait"]);
    assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
    let expected = [
        (
            "reporter",
            "reporter on \"Steps vanish after a crash\" after 0 steps",
            r#"{"sentence":"It loses steps.","component":"store"}"#,
        ),
        (
            "judge",
            "judge on \"Steps vanish after a crash\" after 1 steps",
            r#"{"urgency":1,"reason":"data is lost"}"#,
        ),
        (
            "__end__",
            "completed: moderator returned END",
            r#"{"returnCode":0,"summary":"completed: moderator returned END"}"#,
        ),
    ];
    let expected = expected.map(|(r, c, m)| (r.to_owned(), c.to_owned(), m.to_owned()));
    assert_eq!(steps(&env), expected);
    assert_eq!(server.requests().len(), 2);
}

/// A server for one page, for as long as the test runs.
fn serve_page(page: &'static str) -> String {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/page", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let length = page.len();
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(format!("{head}{page}").as_bytes());
        }
    });
    url
}
