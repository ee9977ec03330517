//! The client against a real server on this machine.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use uncaged_workflow::llm::{Client, Clock, Error, Limits, Provider, SystemClock};

use crate::support::chat_server::{ChatServer, Reply};

const KEY: &str = "sk-proj-0123456789/abcdef";

fn provider(base_url: impl Into<String>) -> Provider {
    Provider { base_url: base_url.into(), api_key: KEY.to_owned(), model: "small".to_owned() }
}

fn body() -> Value {
    json!({ "messages": [{ "role": "user", "content": "hello" }] })
}

/// Sunday, 6 November 1994, 08:49:37 UTC, and waits that are over at once.
#[derive(Debug, Default)]
struct FixedClock {
    waits: Mutex<Vec<Duration>>,
    /// Waits do not end.
    stands_still: bool,
}

impl Clock for FixedClock {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777)
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        self.waits.lock().unwrap().push(wait);
        if self.stands_still { Box::pin(futures::future::pending()) } else { Box::pin(async {}) }
    }
}

fn client_at(clock: &Arc<FixedClock>) -> Client {
    Client::new(Limits::default(), clock.clone())
}

async fn failure(replies: impl IntoIterator<Item = Reply>) -> (Error, ChatServer) {
    let server = ChatServer::scripted(replies);
    let clock = Arc::new(FixedClock::default());
    let result = client_at(&clock).chat(&provider(server.base_url()), &body()).await;
    (result.unwrap_err(), server)
}

#[tokio::test]
async fn a_request_is_the_body_with_the_model_and_the_key_as_bearer_token() {
    let server = ChatServer::scripted([Reply::raw("anything")]);
    let body = json!({ "messages": [], "model": "another", "temperature": 0 });
    let text = Client::default().chat(&provider(server.base_url()), &body).await.unwrap();
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
        Client::default().chat(&provider, &body()).await.unwrap();
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
        Client::default().chat(&provider, &body()).await.unwrap();
    }
    let requests = server.requests();
    let sent: Vec<_> = requests.iter().map(|request| request.header("authorization")).collect();
    assert_eq!(sent, [Some("Bearer abc"), None, Some("Bearer abc")]);
}

#[tokio::test]
async fn a_base_url_that_is_none_is_named_without_its_secrets() {
    let lines = |base_url: &str| {
        let provider = provider(base_url);
        async move { Client::default().chat(&provider, &body()).await.unwrap_err().to_string() }
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
    let error = Client::default().chat(&provider, &body()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the API key for http://127.0.0.1:9/v1/chat/completions has characters that a header cannot hold"
    );
}

#[tokio::test]
async fn a_body_that_is_no_object_is_refused() {
    let provider = provider("http://127.0.0.1:9/v1");
    let result = Client::default().chat(&provider, &json!([])).await;
    assert_eq!(result, Err(Error::InvalidRequest));
}

#[tokio::test]
async fn later_is_waited_for_as_long_as_the_server_says_up_to_the_cap() {
    let waits = |status: u16, retry_after: Option<&'static str>| async move {
        let mut later = Reply::error(status, "later");
        if let Some(value) = retry_after {
            later = later.header("retry-after", value);
        }
        let server = ChatServer::scripted([later, Reply::raw("now")]);
        let clock = Arc::new(FixedClock::default());
        let result = client_at(&clock).chat(&provider(server.base_url()), &body()).await;
        assert_eq!((result, server.requests().len()), (Ok("now".to_owned()), 2));
        let waits = clock.waits.lock().unwrap().clone();
        assert_eq!(waits.len(), 1);
        waits[0].as_secs_f64()
    };
    for status in [429, 503] {
        assert_eq!(
            [
                waits(status, Some("7")).await,
                waits(status, Some("0")).await,
                waits(status, Some("0.25")).await,
                waits(status, Some("3600")).await,
                waits(status, Some("Sun, 06 Nov 1994 08:49:57 GMT")).await,
                waits(status, Some("Mon, 07 Nov 1994 08:49:37 GMT")).await,
                waits(status, Some("Sun, 06 Nov 1994 08:00:00 GMT")).await,
                waits(status, Some("-5")).await,
                waits(status, Some("soon")).await,
                waits(status, Some("1e300")).await,
                waits(status, Some("NaN")).await,
                waits(status, None).await,
            ],
            [7.0, 0.0, 0.25, 30.0, 20.0, 30.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
            "status {status}"
        );
    }
}

#[tokio::test]
async fn waiting_doubles_and_ends_after_four_tries() {
    let server = ChatServer::answering(|_| Reply::error(429, "slow down"));
    let clock = Arc::new(FixedClock::default());
    let result = client_at(&clock).chat(&provider(server.base_url()), &body()).await;
    let url = server.base_url() + "/chat/completions";
    assert_eq!(
        result.unwrap_err().to_string(),
        format!(
            r#"HTTP 429 from {url}: {{"error":{{"message":"slow down","type":"invalid_request_error","code":null}}}}"#
        )
    );
    let waits = clock.waits.lock().unwrap().clone();
    assert_eq!(waits, [1, 2, 4].map(Duration::from_secs));
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn other_failures_are_not_tried_again() {
    for status in [400, 401, 403, 404, 422, 500, 502, 504] {
        let (error, server) = failure([Reply::error(status, "no"), Reply::raw("yes")]).await;
        assert_eq!(
            (error.status(), error.code(), server.requests().len()),
            (Some(status), "http_error", 1)
        );
    }
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
    let error = Client::default().chat(&provider(base_url), &body()).await.unwrap_err();
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
    let error = Client::default().chat(&provider, &self::body()).await.unwrap_err();
    assert_eq!(error.body(), Some("[key] [key]"));
}

#[tokio::test]
async fn a_key_that_is_a_common_word_leaves_other_words_alone() {
    let server = ChatServer::scripted([
        Reply::raw("a test, latest tests: test-2 test_3 \"test\"").status(400),
        Reply::raw("a test"),
    ]);
    let provider = Provider { api_key: "test".to_owned(), ..provider(server.base_url()) };
    let error = Client::default().chat(&provider, &body()).await.unwrap_err();
    assert_eq!(error.body(), Some("a [key], latest tests: test-2 test_3 \"[key]\""));
    assert_eq!(Client::default().chat(&provider, &body()).await.unwrap(), "a test");
}

#[tokio::test]
async fn a_key_in_a_good_response_does_not_come_through() {
    let server = ChatServer::scripted([Reply::raw(format!("your key is {KEY}"))]);
    let text = Client::default().chat(&provider(server.base_url()), &body()).await.unwrap();
    assert_eq!(text, "your key is [key]");
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
    let (client, provider, body) = (Client::default(), provider(server.base_url()), body());
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
async fn dropping_the_request_ends_the_wait_for_later() {
    let server = ChatServer::scripted([Reply::error(429, "later"), Reply::raw("now")]);
    let clock = Arc::new(FixedClock { stands_still: true, ..FixedClock::default() });
    let (client, provider, body) = (client_at(&clock), provider(server.base_url()), body());
    let mut chat = Box::pin(client.chat(&provider, &body));
    while clock.waits.lock().unwrap().is_empty() {
        assert!(futures::poll!(chat.as_mut()).is_pending());
        tokio::task::yield_now().await;
    }
    drop(chat);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_server_that_refuses_tool_choice_is_asked_without_it_from_then_on() {
    let server = ChatServer::answering(|request| match request.body.get("tool_choice") {
        Some(_) => Reply::error(400, "\"auto\" tool choice requires --enable-auto-tool-choice"),
        None => Reply::raw("fine"),
    });
    let client = Client::default();
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
    let error = Client::default().chat(&provider(server.base_url()), &body).await.unwrap_err();
    assert_eq!((error.status(), server.requests().len()), (Some(400), 2));
}

#[tokio::test]
async fn redirects_are_followed_only_where_the_request_stays_as_it_is() {
    for (status, followed) in [(301, false), (302, false), (303, false), (307, true), (308, true)] {
        let server = ChatServer::scripted([
            Reply::raw("").status(status).header("location", "/moved"),
            Reply::raw("there"),
        ]);
        let result = Client::default().chat(&provider(server.base_url()), &body()).await;
        let url = server.base_url() + "/chat/completions";
        let stopped = Err(Error::Http { status, url, body: String::new() });
        assert_eq!(result, if followed { Ok("there".to_owned()) } else { stopped });
        let seen: Vec<_> = server.requests().into_iter().map(|r| (r.uri, r.body)).collect();
        let sent =
            json!({ "model": "small", "messages": [{ "role": "user", "content": "hello" }] });
        let mut expected = vec![("/v1/chat/completions".to_owned(), sent.clone())];
        expected.extend(followed.then(|| ("/moved".to_owned(), sent)));
        assert_eq!(seen, expected);
    }
}

/// The environment is read by the process, so each of these has one of its own:
/// this test binary, running `chats_in_a_child`.
fn chat_in_a_child(base_url: &str, environment: &[(&str, &str)]) -> String {
    let test = concat!(module_path!(), "::chats_in_a_child");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test.split_once("::").unwrap().1, "--exact", "--ignored", "--nocapture"]);
    for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        command.env_remove(name).env_remove(name.to_uppercase());
    }
    command.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR").env_remove("REQUEST_METHOD");
    command.env("TEST_BASE_URL", base_url).envs(environment.iter().copied());
    let output = command.output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let result = stdout.lines().find_map(|line| line.split_once("result: "));
    result.unwrap_or_else(|| panic!("no result in {stdout}")).1.to_owned()
}

#[test]
#[ignore = "run by other tests, with an environment of its own"]
fn chats_in_a_child() {
    let Ok(base_url) = std::env::var("TEST_BASE_URL") else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = runtime.block_on(Client::default().chat(&provider(base_url), &body()));
    println!("\nresult: {}", result.unwrap_or_else(|error| error.to_string()));
}

#[test]
fn http_proxy_and_no_proxy_are_honoured() {
    let server = ChatServer::answering(|_| Reply::raw("direct"));
    let proxy = ChatServer::answering(|_| Reply::raw("by proxy"));
    let proxy_url = proxy.url();
    let chat = |environment: &[(&str, &str)]| chat_in_a_child(&server.base_url(), environment);
    assert_eq!(
        [
            chat(&[]),
            chat(&[("HTTP_PROXY", &proxy_url)]),
            chat(&[("http_proxy", &proxy_url)]),
            chat(&[("ALL_PROXY", &proxy_url)]),
            chat(&[("HTTPS_PROXY", &proxy_url)]),
            chat(&[("HTTP_PROXY", &proxy_url), ("NO_PROXY", "example.com,127.0.0.1")]),
            chat(&[("HTTP_PROXY", &proxy_url), ("no_proxy", "127.0.0.0/8")]),
        ],
        ["direct", "by proxy", "by proxy", "by proxy", "direct", "direct", "direct"]
    );
    let asked: Vec<String> = proxy.requests().into_iter().map(|request| request.uri).collect();
    assert_eq!(asked, vec![server.base_url() + "/chat/completions"; 3]);
}

#[test]
fn https_goes_through_a_tunnel_of_the_https_proxy() {
    let proxy = ChatServer::answering(|_| Reply::raw("").status(403));
    let result =
        chat_in_a_child("https://api.example.invalid/v1", &[("HTTPS_PROXY", &proxy.url())]);
    assert_eq!(
        result,
        "no response from https://api.example.invalid/v1/chat/completions: client error (Connect): tunnel error: unsuccessful"
    );
    let asked: Vec<_> = proxy.requests().into_iter().map(|r| (r.method, r.uri)).collect();
    assert_eq!(asked, [("CONNECT".to_owned(), "api.example.invalid:443".to_owned())]);
}

struct Authority {
    directory: tempfile::TempDir,
    tls: ServerConfig,
}

impl Authority {
    /// Certificates of this run's own, for `localhost`.
    fn new(name: &str) -> Authority {
        let directory = tempfile::tempdir().unwrap();
        let ca_key = rcgen::KeyPair::generate().unwrap();
        let mut ca = rcgen::CertificateParams::default();
        ca.distinguished_name.push(rcgen::DnType::CommonName, name);
        ca.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let ca_certificate = ca.self_signed(&ca_key).unwrap();
        let issuer = rcgen::Issuer::new(ca, ca_key);
        let key = rcgen::KeyPair::generate().unwrap();
        let leaf = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let leaf = leaf.signed_by(&key, &issuer).unwrap();
        std::fs::write(directory.path().join("ca.pem"), ca_certificate.pem()).unwrap();
        let tls = ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![CertificateDer::from(leaf.der().to_vec())],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        Authority { directory, tls }
    }

    fn file(&self) -> String {
        self.directory.path().join("ca.pem").to_str().unwrap().to_owned()
    }
}

#[test]
fn a_private_authority_is_trusted_by_ssl_cert_file() {
    let (ours, other) = (Authority::new("ours"), Authority::new("other"));
    let replies = [Reply::raw("trusted")];
    let server = ChatServer::scripted_over_tls(ours.tls.clone(), replies);
    let base_url = server.base_url();
    let untrusted = format!(
        "no response from {base_url}/chat/completions: client error (Connect): invalid peer certificate: UnknownIssuer"
    );
    assert_eq!(
        [
            chat_in_a_child(&base_url, &[("SSL_CERT_FILE", &other.file())]),
            chat_in_a_child(&base_url, &[("SSL_CERT_FILE", &ours.file())]),
        ],
        [untrusted, "trusted".to_owned()]
    );
}

#[test]
fn without_any_certificates_plain_http_still_works() {
    let server = ChatServer::answering(|_| Reply::raw("plain"));
    let none = [("SSL_CERT_FILE", "/nonexistent/ca.pem")];
    assert_eq!(
        [
            chat_in_a_child(&server.base_url(), &none),
            chat_in_a_child("https://127.0.0.1:9/v1", &none)
        ],
        [
            "plain",
            "no response from https://127.0.0.1:9/v1/chat/completions: unexpected error: No CA certificates were loaded from the system"
        ]
    );
}
