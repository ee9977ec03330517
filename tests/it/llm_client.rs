//! The client against a real server on this machine.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::{Value, json};
use uncaged_workflow::llm::{Client, Error, Limits, Provider, SystemClock};

use crate::support::chat_server::{ChatServer, Reply};

const KEY: &str = "sk-proj-0123456789/abcdef";

/// One for all tests: a client reads the machine's certificates once.
static CLIENT: LazyLock<Client> = LazyLock::new(Client::default);

fn provider(base_url: impl Into<String>) -> Provider {
    Provider { base_url: base_url.into(), api_key: KEY.to_owned(), model: "small".to_owned() }
}

fn body() -> Value {
    json!({ "messages": [{ "role": "user", "content": "hello" }] })
}

async fn failure(replies: impl IntoIterator<Item = Reply>) -> (Error, ChatServer) {
    let server = ChatServer::scripted(replies);
    let result = CLIENT.chat(&provider(server.base_url()), &body()).await;
    (result.unwrap_err(), server)
}

#[tokio::test]
async fn a_request_is_the_body_with_the_model_and_the_key_as_bearer_token() {
    let server = ChatServer::scripted([Reply::raw("anything")]);
    let body = json!({ "messages": [], "model": "another", "temperature": 0 });
    let text = CLIENT.chat(&provider(server.base_url()), &body).await.unwrap();
    assert_eq!(text, "anything");
    let mut requests = server.requests();
    let mut request = requests.remove(0);
    request.headers.retain(|(name, _)| name != "host");
    let sent = r#"{"model":"small","messages":[],"temperature":0}"#;
    assert_eq!(request.body.to_string(), sent);
    let headers: Vec<String> = request.headers.iter().map(|(n, v)| format!("{n}: {v}")).collect();
    assert_eq!(
        (requests.len(), request.method.as_str(), request.uri.as_str(), headers),
        (
            0,
            "POST",
            "/v1/chat/completions",
            vec![
                format!("authorization: Bearer {KEY}"),
                "content-type: application/json".to_owned(),
                "accept: */*".to_owned(),
                format!("user-agent: uncaged-workflow/{}", env!("CARGO_PKG_VERSION")),
                format!("content-length: {}", sent.len()),
            ]
        )
    );
}

#[tokio::test]
async fn base_urls_get_chat_completions_appended_and_nothing_guessed() {
    let replies = std::iter::repeat_n(Reply::raw(""), 20);
    let server = ChatServer::scripted(replies);
    let bases = [
        "",
        "/",
        "/v1",
        "/v1/",
        "/v1//",
        "/team/openai/v1",
        "/v1/chat/completions",
        "/v1/chat/completions/",
        "/deployments/a?api-version=2",
        "/v1/#top",
    ];
    for base in bases {
        let provider = provider(format!(" {}{base}\n", server.url()));
        CLIENT.chat(&provider, &body()).await.unwrap();
    }
    let uris: Vec<String> = server.requests().into_iter().map(|request| request.uri).collect();
    assert_eq!(
        uris,
        [
            "/chat/completions",
            "/chat/completions",
            "/v1/chat/completions",
            "/v1/chat/completions",
            "/v1/chat/completions",
            "/team/openai/v1/chat/completions",
            "/v1/chat/completions",
            "/v1/chat/completions",
            "/deployments/a/chat/completions?api-version=2",
            "/v1/chat/completions",
        ]
    );
}

#[tokio::test]
async fn the_key_is_sent_trimmed_and_an_empty_one_not_at_all() {
    let server = ChatServer::scripted([Reply::raw(""), Reply::raw(""), Reply::raw("")]);
    let with =
        |base_url: String, key: &str| Provider { api_key: key.to_owned(), ..provider(base_url) };
    let user_info = server.base_url().replace("http://", "http://me:secret@");
    for provider in
        [with(server.base_url(), "abc\n"), with(server.base_url(), " "), with(user_info, "abc")]
    {
        CLIENT.chat(&provider, &body()).await.unwrap();
    }
    let requests = server.requests();
    let sent: Vec<_> = requests.iter().map(|request| request.header("authorization")).collect();
    assert_eq!(sent, [Some("Bearer abc"), None, Some("Bearer abc")]);
}

#[tokio::test]
async fn a_base_url_that_is_none_is_named_without_its_secrets() {
    let lines = |base_url: &str| {
        let provider = provider(base_url);
        async move { CLIENT.chat(&provider, &body()).await.unwrap_err().to_string() }
    };
    assert_eq!(
        [
            lines("localhost:11434/v1").await,
            lines("api.example.com/v1?key=hidden").await,
            lines("ftp://me:hidden@example.com/v1").await,
            lines("me:hidden@example.com/v1").await,
            lines("").await,
        ],
        [
            "`localhost:11434/v1` is not a base URL: it must begin with http:// or https://",
            "`api.example.com/v1` is not a base URL: relative URL without a base",
            "`ftp://example.com/v1` is not a base URL: it must begin with http:// or https://",
            "`example.com/v1` is not a base URL: it must begin with http:// or https://",
            "`` is not a base URL: relative URL without a base",
        ]
    );
}

#[tokio::test]
async fn a_key_that_no_header_can_hold_is_refused_and_not_shown() {
    let provider =
        Provider { api_key: "line\nbreak".to_owned(), ..provider("http://127.0.0.1:9/v1") };
    let error = CLIENT.chat(&provider, &body()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the API key for http://127.0.0.1:9/v1/chat/completions has characters that a header cannot hold"
    );
}

#[tokio::test]
async fn a_body_that_is_no_object_is_refused() {
    let provider = provider("http://127.0.0.1:9/v1");
    let result = CLIENT.chat(&provider, &json!([])).await;
    assert_eq!(result, Err(Error::InvalidRequest));
}

#[tokio::test]
async fn a_body_that_breaks_off_is_a_network_error() {
    let (error, server) = failure([Reply::text("a long answer").cut_after(40)]).await;
    let url = server.base_url() + "/chat/completions";
    assert_eq!(
        (error.to_string(), error.code(), server.requests().len()),
        (
            format!(
                "no response from {url}: request or response body error: error reading a body from connection: end of file before message length reached"
            ),
            "network_error",
            1
        )
    );
}

#[tokio::test]
async fn a_failure_whose_body_breaks_off_keeps_its_status() {
    let (error, server) = failure([Reply::error(500, KEY).cut_after(40)]).await;
    let url = server.base_url() + "/chat/completions";
    assert_eq!(error.to_string(), format!("HTTP 500 from {url}: (no body)"));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_network_error() {
    let server = ChatServer::scripted([]);
    let base_url = server.base_url().replace("http://", "http://me:hidden@") + "?key=hidden";
    let url = server.base_url() + "/chat/completions";
    drop(server);
    let error = CLIENT.chat(&provider(base_url), &body()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "no response from {url}: client error (Connect): tcp connect error: Connection refused (os error 111)"
        )
    );
}

#[tokio::test]
async fn a_server_that_stays_silent_is_a_network_error() {
    let server = ChatServer::scripted([Reply::never()]);
    let limits = Limits { silence: Duration::from_millis(50), ..Limits::default() };
    let client = Client::new(limits, Arc::new(SystemClock));
    let error = client.chat(&provider(server.base_url()), &body()).await.unwrap_err();
    let url = server.base_url() + "/chat/completions";
    assert_eq!(
        error.to_string(),
        format!("no response from {url}: the time is up: operation timed out")
    );
}

#[tokio::test]
async fn a_response_without_end_is_not_swallowed() {
    let server = ChatServer::scripted([Reply::raw(" ".repeat(5000))]);
    let limits = Limits { response_bytes: 4096, ..Limits::default() };
    let client = Client::new(limits, Arc::new(SystemClock));
    let error = client.chat(&provider(server.base_url()), &body()).await.unwrap_err();
    let url = server.base_url() + "/chat/completions";
    assert_eq!(error, Error::TooLarge { url, limit: 4096 });
}

#[tokio::test]
async fn a_failure_is_one_line_of_bounded_length() {
    let page = format!("<html>\r\n\t<b>\u{1b}[31mnot \u{202e}here</b>\n{}", "ä".repeat(400));
    let (error, server) = failure([Reply::raw(page.clone()).status(404)]).await;
    let url = server.base_url() + "/chat/completions";
    let begins = "<html> <b>\\u{1b}[31mnot \\u{202e}here</b> ";
    // Runs of white space count as they came: three before `<b>`, one before the rest.
    let rest = 300 - "<html>\r\n\t<b>?[31mnot ?here</b>\n".chars().count();
    assert_eq!(error.to_string(), format!("HTTP 404 from {url}: {begins}{}…", "ä".repeat(rest)));
    assert_eq!(error.body(), Some(page.as_str()));
    let (error, _server) = failure([Reply::raw("ä".repeat(5000)).status(500)]).await;
    assert_eq!(error.body(), Some("ä".repeat(2048).as_str()));
    let (error, _server) = failure([Reply::raw("a").status(500)]).await;
    assert!(error.to_string().ends_with(": a"));
}

#[tokio::test]
async fn the_key_is_in_nothing_that_a_failure_shows() {
    let escaped = KEY.replace('/', "\\/");
    let echo = format!("bad key {KEY}, {{\"key\":\"{escaped}\"}}, Bearer {KEY}!");
    let (error, server) = failure([Reply::raw(echo).status(401)]).await;
    let url = server.base_url() + "/chat/completions";
    let body = "bad key [key], {\"key\":\"[key]\"}, Bearer [key]!".to_owned();
    assert_eq!(error, Error::Http { status: 401, url: url.clone(), body: body.clone() });
    assert_eq!(error.to_string(), format!("HTTP 401 from {url}: {body}"));

    let server = ChatServer::scripted([Reply::raw("word hidden").status(401)]);
    let base_url = server.base_url().replace("http://", "http://me:hidden@");
    let provider = Provider { api_key: "word".to_owned(), ..provider(base_url) };
    let error = CLIENT.chat(&provider, &self::body()).await.unwrap_err();
    assert_eq!(error.body(), Some("[key] [key]"));
}

#[tokio::test]
async fn a_key_that_is_a_common_word_leaves_other_words_alone() {
    let server = ChatServer::scripted([
        Reply::raw("a test, latest tests: test-2 test_3 \"test\"").status(400),
        Reply::raw("a test"),
    ]);
    let provider = Provider { api_key: "test".to_owned(), ..provider(server.base_url()) };
    let error = CLIENT.chat(&provider, &body()).await.unwrap_err();
    assert_eq!(error.body(), Some("a [key], latest tests: test-2 test_3 \"[key]\""));
    assert_eq!(CLIENT.chat(&provider, &body()).await.unwrap(), "a test");
}

#[tokio::test]
async fn a_key_in_a_good_response_does_not_come_through() {
    let keys = [KEY, "hunter2-hunter2", "lm-studio", "not-needed", "test"];
    let server = ChatServer::scripted(keys.map(|key| Reply::raw(format!("your key is {key}"))));
    let mut texts = Vec::new();
    for key in keys {
        let provider = Provider { api_key: key.to_owned(), ..provider(server.base_url()) };
        texts.push(CLIENT.chat(&provider, &body()).await.unwrap());
    }
    let words = ["[key]", "[key]", "lm-studio", "not-needed", "test"];
    assert_eq!(texts, words.map(|word| format!("your key is {word}")));
}

#[test]
fn a_provider_shows_no_key() {
    let provider = provider(format!("https://me:hidden@example.com/{KEY}/v1?key=hidden"));
    assert_eq!(
        format!("{provider:?}"),
        r#"Provider { base_url: "https://example.com/[key]/v1", api_key: [hidden], model: "small" }"#
    );
}

#[tokio::test]
async fn dropping_the_request_ends_it_at_the_server() {
    let server = ChatServer::scripted([Reply::never()]);
    let (client, provider, body) = (CLIENT.clone(), provider(server.base_url()), body());
    let chat = tokio::spawn(async move { client.chat(&provider, &body).await });
    let seen = tokio::task::spawn_blocking(move || {
        server.wait_for_requests(1);
        server
    });
    let server = seen.await.unwrap();
    chat.abort();
    server.until_given_up(1).await;
}

#[tokio::test]
async fn a_server_that_refuses_tool_choice_is_asked_without_it_from_then_on() {
    let server = ChatServer::answering(|request| {
        match (request.body.get("tool_choice"), request.body["model"] == "small") {
            (None, _) => Reply::raw("fine"),
            (_, true) => {
                Reply::error(400, "\"auto\" tool choice requires --enable-auto-tool-choice")
            }
            (_, false) => Reply::error(422, "body.tool_choice: extra fields are not permitted"),
        }
    });
    let client = CLIENT.clone();
    let body = json!({ "messages": [], "tools": [1], "tool_choice": "auto" });
    let small = provider(server.base_url());
    let large = Provider { model: "large".to_owned(), ..small.clone() };
    for provider in [&small, &small, &large] {
        assert_eq!(client.clone().chat(provider, &body).await.as_deref(), Ok("fine"));
    }
    let sent: Vec<String> = server.requests().iter().map(|r| r.body.to_string()).collect();
    assert_eq!(
        sent,
        [
            r#"{"model":"small","messages":[],"tools":[1],"tool_choice":"auto"}"#,
            r#"{"model":"small","messages":[],"tools":[1]}"#,
            r#"{"model":"small","messages":[],"tools":[1]}"#,
            r#"{"model":"large","messages":[],"tools":[1],"tool_choice":"auto"}"#,
            r#"{"model":"large","messages":[],"tools":[1]}"#,
        ]
    );
}

#[tokio::test]
async fn a_server_that_refuses_tool_choice_even_when_it_is_left_out_is_asked_twice() {
    let server = ChatServer::answering(|_| Reply::error(400, "tool_choice is not supported"));
    let body = json!({ "messages": [], "tool_choice": "auto" });
    let error = CLIENT.chat(&provider(server.base_url()), &body).await.unwrap_err();
    assert_eq!((error.status(), server.requests().len()), (Some(400), 2));
}

#[tokio::test]
async fn redirects_are_followed_only_where_the_request_stays_as_it_is() {
    for (status, followed) in [(301, false), (302, false), (303, false), (307, true), (308, true)] {
        let server = ChatServer::scripted([
            Reply::raw("").status(status).header("location", "/moved"),
            Reply::raw("there"),
        ]);
        let result = CLIENT.chat(&provider(server.base_url()), &body()).await;
        let url = server.base_url() + "/chat/completions";
        let stopped = Err(Error::Http { status, url, body: "location: /moved".to_owned() });
        assert_eq!(result, if followed { Ok("there".to_owned()) } else { stopped });
        let seen: Vec<_> = server.requests().into_iter().map(|r| (r.uri, r.body)).collect();
        let sent =
            json!({ "model": "small", "messages": [{ "role": "user", "content": "hello" }] });
        let mut expected = vec![("/v1/chat/completions".to_owned(), sent.clone())];
        expected.extend(followed.then(|| ("/moved".to_owned(), sent)));
        assert_eq!(seen, expected);
    }
}

#[tokio::test]
async fn no_redirect_leads_to_another_server() {
    for status in [307, 308] {
        let other = ChatServer::scripted([Reply::raw("there")]);
        let port = other.url().rsplit(':').next().unwrap().to_owned();
        // Another port and another name are another server; the second hop counts too.
        for to in [other.url(), format!("http://localhost:{port}")] {
            let server = ChatServer::scripted([
                Reply::raw("").status(status).header("location", "/moved"),
                Reply::raw("").status(status).header("location", &format!("{to}/v1?key={KEY}")),
            ]);
            let result = CLIENT.chat(&provider(server.base_url()), &body()).await;
            let url = server.base_url() + "/chat/completions";
            let body = format!("location: {to}/v1?key=[key]");
            assert_eq!(result, Err(Error::Http { status, url, body }));
            assert_eq!((server.requests().len(), other.requests().len()), (2, 0));
        }
    }
}
