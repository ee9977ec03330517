//! What the API refuses, with its whole answers.

use reqwest::Method;
use serde_json::{Value, json};

use crate::http_routes::GATED;
use crate::support::env::TestEnv;
use crate::support::http::{Answer, Serving};

#[tokio::test]
async fn what_is_not_there_is_404() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let server = Serving::start(&env);
    let threads = "GET /api/threads lists them";
    for (path, error, hint) in [
        ("/nothing", "there is nothing at /nothing", "the API is below /api, the dashboard at /"),
        ("/api", "there is nothing at /api", "the API is below /api, the dashboard at /"),
        (
            "/api/threads/",
            "there is nothing at /api/threads/",
            "the API is below /api, the dashboard at /",
        ),
        ("/api/threads/01ABC", "there is no thread 01ABC", threads),
        ("/api/threads/01ABC/live", "there is no thread 01ABC", threads),
        ("/api/workflows/gate", "no workflow is named `gate`", "did you mean `gated`?"),
        ("/api/workflows/x/history", "no workflow is named `x`", "GET /api/workflows lists them"),
        ("/api/threads?workflow=gate", "no workflow is named `gate`", "did you mean `gated`?"),
        ("/api/cas/0123", "there is no blob 0123", "GET /api/cas lists them"),
        ("/api/cas/0000000000000", "there is no blob 0000000000000", "GET /api/cas lists them"),
    ] {
        let body = server.get(path).await.json(404);
        assert_eq!(body, json!({ "error": error, "hint": hint }), "{path}");
    }
    let body = json!({ "workflow": "gate", "prompt": "" });
    let answer = server.post("/api/threads", &body).await.json(404);
    let error = "no workflow is named `gate`";
    assert_eq!(answer, json!({ "error": error, "hint": "did you mean `gated`?" }));
}

#[tokio::test]
async fn an_id_that_cannot_be_one_is_400() {
    let env = TestEnv::new();
    let server = Serving::start(&env);
    let thread = |text: &str| {
        format!("`{text}` is not a thread id: expected 1 to 64 letters, digits, `_` or `-`")
    };
    let hash = |text: &str| {
        format!("`{text}` is not a hash: expected 13 characters of 0-9 A-Z without I, L, O and U")
    };
    let name =
        "`Big` is not a workflow name: use lower-case words joined by `-`, such as `solve-issue`";
    let long = "A".repeat(65);
    for (path, error) in [
        ("/api/threads/a.b", thread("a.b")),
        ("/api/threads/..%2f..%2fetc%2fpasswd", thread("../../etc/passwd")),
        (&format!("/api/threads/{long}/live"), thread(&long)),
        ("/api/cas/..%2f..%2fworkflow.yaml", hash("../../workflow.yaml")),
        ("/api/cas/UUUUUUUUUUUUU", hash("UUUUUUUUUUUUU")),
        ("/api/workflows/Big", name.to_owned()),
    ] {
        assert_eq!(server.get(path).await.json(400), json!({ "error": error }), "{path}");
    }
    let answer = server.get("/api/threads/%ff").await;
    assert!(answer.json(400)["error"].is_string());
}

#[tokio::test]
async fn several_that_begin_alike_are_named() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let (one, two) = (env.start("gated", &[]), env.start("gated", &[]));
    let server = Serving::start(&env);
    let answer = server.get("/api/threads/0").await.json(400);
    let error = "0 is the beginning of several threads";
    assert_eq!(answer, json!({ "error": error, "hint": format!("{one}, {two}") }));
}

#[tokio::test]
async fn parameters_and_fields_at_fault_are_named() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let server = Serving::start(&env);
    for (path, body) in [
        ("/api/threads?last=many", json!({ "error": "`last` is not a count: many" })),
        ("/api/threads/01?last=-1", json!({ "error": "`last` is not a count: -1" })),
        (
            "/api/threads?worklow=gated",
            json!({ "error": "`worklow` is not a parameter here", "hint": "did you mean `workflow`?" }),
        ),
        ("/api/cas?last=1", json!({ "error": "`last` is not a parameter here" })),
    ] {
        assert_eq!(server.get(path).await.json(400), body, "{path}");
    }
    let whole = "is not a whole number, 0 or more";
    for (body, error) in [
        (json!([]), "the body is not a JSON object".to_owned()),
        (json!({}), "`workflow` is missing".to_owned()),
        (json!({ "workflow": "gated" }), "`prompt` is missing".to_owned()),
        (json!({ "workflow": 5, "prompt": "" }), "`workflow` is not a string".to_owned()),
        (json!({ "workflow": "gated", "prompt": null }), "`prompt` is not a string".to_owned()),
        (
            json!({ "workflow": "gated", "prompt": "", "maxRounds": -1 }),
            format!("`maxRounds` {whole}"),
        ),
        (
            json!({ "workflow": "gated", "prompt": "", "maxRounds": "9" }),
            format!("`maxRounds` {whole}"),
        ),
    ] {
        let answer = server.post("/api/threads", &body).await.json(400);
        assert_eq!(answer, json!({ "error": error }), "{body}");
    }
    let typo = json!({ "workflow": "gated", "prompt": "", "max_rounds": 3 });
    assert_eq!(
        server.post("/api/threads", &typo).await.json(400),
        json!({ "error": "`max_rounds` is not a field here", "hint": "did you mean `maxRounds`?" })
    );
    let answer = server.post("/api/cas", &json!({ "content": 1 })).await.json(400);
    assert_eq!(answer, json!({ "error": "`content` is not a string" }));
    let request = server.request(Method::POST, "/api/cas");
    let broken = request.header("content-type", "application/json").body("{\"content\": ");
    let answer = Answer::of(broken.send().await.unwrap()).await.json(400);
    let error = "the body is not JSON: EOF while parsing a value at line 1 column 12";
    assert_eq!(answer, json!({ "error": error }));
    // None of them started anything.
    assert_eq!(server.get("/api/threads").await.json(200), json!([]));
    assert_eq!(server.get("/api/cas").await.json(200), json!([]));
}

#[tokio::test]
async fn a_method_that_a_route_does_not_take_is_405_and_options_names_those_it_does() {
    let env = TestEnv::new();
    let server = Serving::start(&env);
    for (path, method, allow) in [
        ("/healthz", Method::POST, "GET,HEAD"),
        ("/", Method::PUT, "GET,HEAD"),
        ("/api/workflows", Method::DELETE, "GET,HEAD"),
        ("/api/threads", Method::PUT, "GET,HEAD,POST"),
        ("/api/threads/01ABC/kill", Method::GET, "POST"),
        ("/api/cas/gc", Method::GET, "POST"),
        ("/api/cas/0123", Method::PATCH, "GET,HEAD,DELETE"),
    ] {
        let answer = Answer::of(server.request(method.clone(), path).send().await.unwrap()).await;
        let error = format!("{path} does not take {method}");
        assert_eq!(answer.json(405), json!({ "error": error }));
        assert_eq!(answer.header("allow"), Some(allow));
        let options = server.request(Method::OPTIONS, path).send().await.unwrap();
        let answer = Answer::of(options).await;
        assert_eq!((answer.status, answer.header("allow")), (204, Some(allow)), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[tokio::test]
async fn head_gives_the_headers_of_get_and_no_body() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let server = Serving::start(&env);
    for path in ["/", "/app.js", "/healthz", "/api/workflows", "/api/cas", "/api/nothing"] {
        let got = server.get(path).await;
        let head = Answer::of(server.request(Method::HEAD, path).send().await.unwrap()).await;
        let of = |answer: &Answer| {
            let header = |name| answer.header(name).map(str::to_owned);
            (answer.status, header("content-type"), header("content-length"))
        };
        assert_eq!(of(&head), of(&got), "{path}");
        assert_eq!(head.body, "");
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_413_and_one_that_is_not_json_415() {
    let env = TestEnv::new();
    let server = Serving::start(&env);
    let large = json!({ "content": "x".repeat(17 << 20) });
    let answer = server.post("/api/cas", &large).await.json(413);
    assert_eq!(answer, json!({ "error": "the body is larger than 16777216 bytes" }));
    let refusal = json!({
        "error": "the body is not sent as JSON",
        "hint": "send the header `Content-Type: application/json`",
    });
    let text = json!({ "content": "x" }).to_string();
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded")] {
        let mut request = server.request(Method::POST, "/api/cas").body(text.clone());
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert_eq!(answer.json(415), refusal, "{kind:?}");
    }
    let request = server.request(Method::POST, "/api/cas").body(text);
    let spelled = request.header("content-type", "Application/JSON; charset=utf-8");
    assert_eq!(spelled.send().await.unwrap().status(), 201);
}

#[tokio::test]
async fn damage_is_500_and_says_what_is_damaged() {
    let env = TestEnv::new();
    let bundle = env.add("gated", GATED);
    let thread = env.start("gated", &[]);
    let server = Serving::start(&env);
    let shown = server.get(&format!("/api/threads/{thread}")).await.json(200);
    let start = shown["start"]["hash"].as_str().unwrap();
    let blob = env.root().join(format!("cas/{start}.txt"));
    let text = std::fs::read(&blob).unwrap();
    std::fs::write(&blob, "other bytes").unwrap();
    let error =
        format!("blob {start} is damaged: {} has other bytes than its name says", blob.display());
    for path in [format!("/api/cas/{start}"), format!("/api/threads/{thread}")] {
        assert_eq!(server.get(&path).await.json(500), json!({ "error": error }));
    }
    std::fs::write(&blob, text).unwrap();
    let index = env.root().join(format!("bundles/{bundle}/threads.json"));
    std::fs::write(&index, "{").unwrap();
    let listed = server.request(Method::GET, "/api/threads").send().await.unwrap();
    assert_eq!(listed.status(), 200);
    let warning = listed.headers()["warning"].to_str().unwrap().to_owned();
    assert!(warning.starts_with("199 - \""), "{warning}");
    assert!(warning.contains(&index.display().to_string()), "{warning}");
    assert_eq!(listed.json::<Value>().await.unwrap(), json!([]));
    let gc = server.tell("/api/cas/gc").await.json(500);
    let error = gc["error"].as_str().unwrap();
    assert!(error.starts_with("nothing was deleted: 1 damaged entries"), "{error}");
    assert!(error.contains(&index.display().to_string()), "{error}");
    assert_eq!(gc["hint"], Value::from("`uncaged-workflow cas verify` lists all damage"));
}
