//! What the client takes from the environment: proxies and authorities.

use std::io::{BufRead, BufReader, Write, copy};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Command;

use serde_json::json;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use uncaged_workflow::llm::{Client, Provider};

use crate::support::chat_server::{ChatServer, Reply};

/// The environment is read by the process, so each of these has one of its own:
/// this test binary, running `chats_in_a_child`.
fn chat_in_a_child(base_url: &str, environment: &[(&str, &str)]) -> String {
    let test = concat!(module_path!(), "::chats_in_a_child");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test.split_once("::").unwrap().1, "--exact", "--nocapture"]);
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
/// Returns at once, unless one of the tests here has set its variables.
fn chats_in_a_child() {
    let Ok(base_url) = std::env::var("TEST_BASE_URL") else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let provider = Provider { base_url, api_key: String::new(), model: "small".to_owned() };
    let body = json!({ "messages": [] });
    let result = runtime.block_on(Client::default().chat(&provider, &body));
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

/// A proxy that opens one tunnel to `target`, whatever it is asked for; gives its
/// address and, when both sides have hung up, the head of the CONNECT.
fn tunnel(target: SocketAddr) -> (SocketAddr, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let proxy = std::thread::spawn(move || {
        let mut client = listener.accept().unwrap().0;
        let mut reader = BufReader::new(client.try_clone().unwrap());
        let head = (&mut reader).lines().map(Result::unwrap).take_while(|l| !l.is_empty());
        let head: Vec<String> = head.collect();
        let mut server = TcpStream::connect(target).unwrap();
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
        let mut to_server = server.try_clone().unwrap();
        let up = std::thread::spawn(move || {
            let _ = copy(&mut reader, &mut to_server);
            let _ = to_server.shutdown(Shutdown::Write);
        });
        let _ = copy(&mut server, &mut client);
        let _ = client.shutdown(Shutdown::Write);
        up.join().unwrap();
        head
    });
    (address, proxy)
}

#[test]
fn a_whole_request_goes_through_the_tunnel_of_an_https_proxy() {
    let authority = Authority::new("ours");
    let replies = [Reply::raw("by tunnel")];
    let server = ChatServer::scripted_over_tls(authority.tls.clone(), replies);
    let (address, proxy) = tunnel(server.address());
    let environment = [
        ("HTTPS_PROXY", format!("http://user:secret@{address}")),
        ("SSL_CERT_FILE", authority.file()),
    ];
    let environment = environment.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(chat_in_a_child(&server.base_url(), &environment), "by tunnel");
    let asked: Vec<_> = server.requests().into_iter().map(|r| (r.method, r.uri)).collect();
    assert_eq!(asked, [("POST".to_owned(), "/v1/chat/completions".to_owned())]);
    // The proxy's own credentials go to the proxy and not to the server.
    assert_eq!(server.requests()[0].header("proxy-authorization"), None);
    let host = format!("localhost:{}", server.address().port());
    let mut head = proxy.join().unwrap();
    head[1..].sort();
    assert_eq!(
        head,
        [
            format!("CONNECT {host} HTTP/1.1"),
            format!("Host: {host}"),
            "proxy-authorization: Basic dXNlcjpzZWNyZXQ=".to_owned(),
            concat!("user-agent: uncaged-workflow/", env!("CARGO_PKG_VERSION")).to_owned(),
        ]
    );
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
