//! Who may use the API: no web page that the user happens to visit.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use reqwest::Method;
use serde_json::json;

use crate::http_routes::GATED;
use crate::support::env::TestEnv;
use crate::support::http::{Answer, Serving};

/// Sends this as it stands and gives all that comes back.
fn raw(server: &Serving, request: &str) -> String {
    let mut stream = TcpStream::connect(server.authority()).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap()
}

#[tokio::test]
async fn a_name_that_leads_here_by_rebinding_is_refused() {
    let env = TestEnv::new();
    let server = Serving::start(&env);
    let port = server.authority().rsplit(':').next().unwrap();
    for (host, expected) in [
        (format!("127.0.0.1:{port}"), "200"),
        (format!("localhost:{port}"), "200"),
        ("LOCALHOST".to_owned(), "200"),
        (format!("[::1]:{port}"), "200"),
        // The other end of a tunnel.
        ("localhost:9000".to_owned(), "200"),
        ("127.0.0.2".to_owned(), "200"),
        (format!("evil.example:{port}"), "403"),
        ("evil.example".to_owned(), "403"),
        ("localhost.evil.example".to_owned(), "403"),
        ("127.0.0.1.evil.example".to_owned(), "403"),
        (format!("192.168.1.7:{port}"), "403"),
        ("0.0.0.0".to_owned(), "403"),
        ("user@evil.example".to_owned(), "403"),
        ("evil.example@127.0.0.1".to_owned(), "403"),
        ("".to_owned(), "403"),
        ("a b".to_owned(), "403"),
    ] {
        for path in ["/", "/healthz", "/api/threads", "/nothing"] {
            let sent = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let answer = raw(&server, &sent);
            let expected = if path == "/nothing" && expected == "200" { "404" } else { expected };
            assert_eq!(status(&answer), expected, "{host:?} {path}\n{answer}");
        }
    }
    let whole = "GET http://evil.example/api/threads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(status(&raw(&server, whole)), "403");
    assert_eq!(status(&raw(&server, "GET /api/threads HTTP/1.0\r\n\r\n")), "400");
    let request = server.request(Method::GET, "/api/threads").header("host", "evil.example");
    assert_eq!(
        Answer::of(request.send().await.unwrap()).await.json(403),
        json!({
            "error": "`evil.example` is not a name of this server",
            "hint": "ask for it by the address that it prints, or by localhost",
        })
    );
}

#[tokio::test]
async fn pages_of_other_sites_can_neither_act_nor_read() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let thread = env.start("gated", &[]);
    let server = Serving::start(&env);
    let own = server.url.clone();
    let body = json!({ "workflow": "gated", "prompt": "" }).to_string();
    let hash = env.run(["cas", "put", "a text"]).ok().trim().to_owned();
    let routes = [
        (Method::POST, "/api/threads".to_owned()),
        (Method::POST, format!("/api/threads/{thread}/kill")),
        (Method::POST, format!("/api/threads/{thread}/pause")),
        (Method::POST, "/api/cas/gc".to_owned()),
        (Method::POST, "/api/cas".to_owned()),
        (Method::DELETE, format!("/api/cas/{hash}")),
        (Method::GET, "/api/threads".to_owned()),
        (Method::GET, format!("/api/threads/{thread}/live")),
        (Method::OPTIONS, "/api/threads".to_owned()),
    ];
    let before = server.get("/api/threads").await.body;
    for (method, path) in &routes {
        for (name, value) in [
            ("origin", "https://evil.example".to_owned()),
            ("origin", "null".to_owned()),
            // Another port of this machine is another site.
            ("origin", "http://127.0.0.1:1".to_owned()),
            ("origin", own.replace("http", "ftp")),
            ("sec-fetch-site", "cross-site".to_owned()),
            ("sec-fetch-site", "same-site".to_owned()),
        ] {
            let request = server.request(method.clone(), path).header(name, &value);
            let request = request.header("content-type", "application/json").body(body.clone());
            let answer = Answer::of(request.send().await.unwrap()).await;
            let error = answer.json(403)["error"].as_str().unwrap().to_owned();
            assert!(error.ends_with("may not use this server"), "{method} {path}: {error}");
            assert_eq!(answer.header("access-control-allow-origin"), None);
        }
    }
    // A form can be sent without anybody being asked, and by old browsers without an origin.
    for (method, path) in routes.iter().filter(|(method, _)| *method == Method::POST) {
        for kind in ["text/plain", "multipart/form-data; boundary=x"] {
            let request = server.request(method.clone(), path).header("content-type", kind);
            assert_eq!(request.body(body.clone()).send().await.unwrap().status(), 415);
        }
    }
    assert_eq!(server.get("/api/threads").await.body, before);
    assert!(env.store().get(&hash.parse().unwrap()).unwrap().is_some());

    // The dashboard's own requests, and those of programs, are carried out.
    let origin = server.request(Method::POST, &format!("/api/threads/{thread}/kill"));
    let origin = origin.header("origin", &own).header("sec-fetch-site", "same-origin");
    assert_eq!(origin.send().await.unwrap().status(), 200);
    // A link on a page may lead to the dashboard.
    let linked = server.request(Method::GET, "/").header("sec-fetch-site", "cross-site");
    assert_eq!(linked.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn every_answer_keeps_browsers_strict() {
    let env = TestEnv::new();
    let server = Serving::start(&env);
    for path in ["/", "/style.css", "/thread.js", "/api/threads", "/api/nothing"] {
        let answer = server.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        let policy = answer.header("content-security-policy").unwrap();
        for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test]
async fn no_answer_holds_a_key_of_the_config() {
    let env = TestEnv::new();
    let bundle = env.add("gated", GATED);
    let thread = env.start("gated", &[]);
    let key = "sk-very-secret-0123456789";
    let setup = [
        "setup",
        "--provider",
        "p",
        "--base-url",
        "http://127.0.0.1:1/v1",
        "--api-key",
        key,
        "--model",
        "m",
        "--no-check",
    ];
    env.run(setup).ok();
    let registry = env.root().join("workflow.yaml");
    let good = std::fs::read_to_string(&registry).unwrap();
    assert!(good.contains(key));
    let server = Serving::start(&env);
    let broken = good.replace(key, &format!("{key}\": \"{key}"));
    let wrong = good.replace("workflows:", &format!("workflows: {key}\nx:"));
    let wrong_hash = good.replace(&bundle, key);
    for text in [good, broken, wrong, wrong_hash] {
        std::fs::write(&registry, text).unwrap();
        for path in [
            "/",
            "/healthz",
            "/api/workflows",
            "/api/workflows/gated",
            "/api/workflows/config",
            "/api/workflows/gated/history",
            "/api/threads",
            "/api/threads?workflow=gated",
            "/api/threads/running",
            &format!("/api/threads/{thread}"),
            "/api/cas",
            "/api/config",
            "/workflow.yaml",
            "/api/cas/..%2Fworkflow.yaml",
        ] {
            let answer = server.get(path).await;
            assert!(!answer.body.contains("secret"), "{path}: {}", answer.body);
        }
        let body = json!({ "workflow": "nothing", "prompt": "" });
        let answer = server.post("/api/threads", &body).await;
        assert!(!answer.body.contains("secret"), "{}", answer.body);
    }
}

#[tokio::test]
async fn listening_beyond_this_machine_warns_and_still_refuses_rebinding() {
    let env = TestEnv::new();
    let mut command = env.command();
    command.args(["serve", "--host", "0.0.0.0", "--port", "0"]).stderr(Stdio::piped());
    let mut server = Serving::start_with(&mut command);
    let port = server.url.rsplit(':').next().unwrap().to_owned();
    assert_eq!(server.url, format!("http://0.0.0.0:{port}"));
    server.url = format!("http://127.0.0.1:{port}");
    for (host, expected) in [
        ("192.168.1.7", "200"),
        ("[2001:db8::7]", "200"),
        ("localhost", "200"),
        ("evil.example", "403"),
    ] {
        let sent =
            format!("GET /healthz HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
        assert_eq!(status(&raw(&server, &sent)), expected, "{host}");
    }
    let (_, stderr) = server.stop_and_read_errors();
    assert_eq!(
        stderr,
        format!(
            "warning: everybody who reaches 0.0.0.0:{port} can run workflows here, with your rights\n"
        )
    );
}
