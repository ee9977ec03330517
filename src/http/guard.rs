//! Who may ask: programs of this machine and the dashboard, and no web page
//! that the user happens to visit.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::ApiError;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The page has no inline script or style, loads nothing from elsewhere, cannot
/// be framed, and cannot turn a text into HTML even if it tried.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// The names that this server answers to.
///
/// A page of another site can make its own name lead to this address (DNS
/// rebinding) and would then be of the same origin; its name gives it away. So
/// a name is accepted only where it is `localhost` or the one that was asked to
/// be listened on. An address cannot be rebound: those of the loopback are
/// accepted always, and any other one where more than the loopback listens.
#[derive(Debug)]
pub struct Hosts {
    name: String,
    beyond_loopback: bool,
}

impl Hosts {
    /// For a server at `address` that was told to listen on `name`.
    pub fn new(name: &str, address: SocketAddr) -> Hosts {
        let name = name.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        Hosts { name, beyond_loopback: !address.ip().is_loopback() }
    }

    fn accepts(&self, host: &str) -> bool {
        // The port may be that of a tunnel.
        let Ok(authority) = host.parse::<Authority>() else { return false };
        if host.contains('@') {
            return false;
        }
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        match name.parse::<IpAddr>() {
            Ok(address) => self.beyond_loopback || address.is_loopback(),
            Err(_) => {
                name.eq_ignore_ascii_case("localhost") || name.eq_ignore_ascii_case(&self.name)
            }
        }
    }
}

/// Refuses what a stranger's page may have sent; gives every answer the headers
/// that keep browsers strict.
pub async fn guard(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let mut response = match check(&hosts, &request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CACHE_CONTROL, "no-store");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    response
}

fn check(hosts: &Hosts, request: &Request) -> Result<(), ApiError> {
    let headers = request.headers();
    let forbidden = |error: String| ApiError::new(StatusCode::FORBIDDEN, error);
    let named = text(headers, header::HOST);
    let asked = request.uri().authority().map(Authority::as_str);
    if named.is_none() && asked.is_none() {
        return Err(ApiError::bad_request("the `Host` header is missing"));
    }
    for host in [named, asked].into_iter().flatten() {
        if !hosts.accepts(host) {
            return Err(forbidden(format!("`{host}` is not a name of this server"))
                .hint("ask for it by the address that it prints, or by localhost"));
        }
    }
    // A link on any page may lead to the dashboard, but only the dashboard asks the API.
    let reads_page = matches!(*request.method(), Method::GET | Method::HEAD)
        && !request.uri().path().starts_with("/api/");
    if reads_page {
        return Ok(());
    }
    let own = |origin: &str| {
        let host = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
        host.is_some() && host == named.or(asked)
    };
    if let Some(origin) = text(headers, header::ORIGIN).filter(|origin| !own(origin)) {
        return Err(forbidden(format!("pages of {origin} may not use this server")));
    }
    let from = text(headers, SEC_FETCH_SITE);
    if from.is_some_and(|site| site != "same-origin" && site != "none") {
        return Err(forbidden("pages of other sites may not use this server".to_owned()));
    }
    // What a page can send elsewhere without being asked about is never JSON.
    if matches!(*request.method(), Method::POST | Method::DELETE)
        && headers.contains_key(header::CONTENT_TYPE)
        && !is_json(headers)
    {
        return Err(unsupported());
    }
    Ok(())
}

/// Whether the body is said to be JSON.
pub fn is_json(headers: &HeaderMap) -> bool {
    let kind = text(headers, header::CONTENT_TYPE).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// The error for a body that is not said to be JSON.
pub fn unsupported() -> ApiError {
    ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body is not sent as JSON")
        .hint("send the header `Content-Type: application/json`")
}

/// A header's value. One that is no text is as good as a wrong one.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}
