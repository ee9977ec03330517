use std::collections::HashSet;
use std::error::Error as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Response, StatusCode, Url};
use serde_json::{Map, Value};

use super::excerpt::{beginning, excerpt};
use super::{Asker, Clock, Error, Limits, Provider, Relay, Scene, SystemClock};

/// How much of a response to a failed request is read, and how much is kept.
const FAILURE_READ: usize = 64 << 10;
const FAILURE_KEPT: usize = 4 << 10;

/// How long an idle connection is used again. Common servers close theirs after
/// five seconds, and a request that meets the closing is lost.
const REUSED_WITHIN: Duration = Duration::from_secs(4);

/// Sends chat requests to any provider. Cheap to clone; clones share their
/// connections and what was learned about servers.
///
/// - `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` are honoured, as
///   are `SSL_CERT_FILE` and `SSL_CERT_DIR`, which take the place of the
///   system's certificates. They are read at the first request.
/// - 429 and 503 are waited for, as long as the server's Retry-After says and
///   [`Limits`] allow. Nothing else is sent twice; 400 and 401 never are.
/// - A redirect is followed where it keeps the request as it is (307 and 308) and
///   stays at the same scheme, host and port.
/// - A server that answers 400 or 422 and names `tool_choice` is asked once more
///   without it, and from then on always (per URL and model).
/// - Dropping the future ends whatever it is waiting for.
#[derive(Debug, Clone)]
pub struct Client {
    shared: Arc<Shared>,
    relay: Option<Arc<Relay>>,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    clock: Arc<dyn Clock>,
    http: OnceLock<Result<Http, String>>,
    /// URL and model of those that refuse `tool_choice`.
    without_tool_choice: Mutex<HashSet<(String, String)>>,
}

#[derive(Debug)]
struct Http {
    client: reqwest::Client,
    /// Why there is no TLS. A machine without certificates can still talk to a
    /// model of its own over plain HTTP.
    no_tls: Option<String>,
}

impl Default for Client {
    fn default() -> Client {
        Client::new(Limits::default(), Arc::new(SystemClock))
    }
}

impl Client {
    /// A client with these limits. Opens nothing yet.
    pub fn new(limits: Limits, clock: Arc<dyn Clock>) -> Client {
        let shared =
            Shared { limits, clock, http: OnceLock::new(), without_tool_choice: Mutex::default() };
        Client { shared: Arc::new(shared), relay: None }
    }

    /// Sends every request to this relay, where it takes any.
    pub fn through(self, relay: Option<Relay>) -> Client {
        Client { relay: relay.filter(Relay::takes_chats).map(Arc::new), ..self }
    }

    /// The same as [`Client::chat`], for a relay that wants to know who asks.
    pub async fn chat_as(
        &self,
        asker: &Asker,
        provider: &Provider,
        body: &Value,
    ) -> Result<String, Error> {
        match &self.relay {
            Some(relay) => relay.chat(asker, provider, body).await,
            None => self.chat_directly(provider, body).await,
        }
    }

    /// Sends `body` (an object; the provider's `model` is put into it) and
    /// gives the response's text, whatever it says: [`super::answer`] reads it.
    pub async fn chat(&self, provider: &Provider, body: &Value) -> Result<String, Error> {
        self.chat_as(&Asker { scene: Scene::Agent, role: None }, provider, body).await
    }

    async fn chat_directly(&self, provider: &Provider, body: &Value) -> Result<String, Error> {
        let url = provider.endpoint()?;
        let shown = provider.shown(&url);
        let headers = headers(provider, &shown)?;
        let Value::Object(body) = body else { return Err(Error::InvalidRequest) };
        let mut request = Map::new();
        request.insert("model".to_owned(), Value::from(provider.model.as_str()));
        request.extend(
            body.iter().filter(|(k, _)| *k != "model").map(|(k, v)| (k.clone(), v.clone())),
        );
        let refuser = (url.to_string(), provider.model.clone());
        if self.refusers().contains(&refuser) {
            request.shift_remove("tool_choice");
        }

        let exchange = Exchange { client: self, provider, url, shown, headers };
        loop {
            match exchange.patiently(&request).await {
                Err(Error::Http { status: 400 | 422, body, .. })
                    if request.contains_key("tool_choice") && names_tool_choice(&body) =>
                {
                    request.shift_remove("tool_choice");
                    self.refusers().insert(refuser.clone());
                }
                result => return result,
            }
        }
    }

    fn refusers(&self) -> std::sync::MutexGuard<'_, HashSet<(String, String)>> {
        self.shared.without_tool_choice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn http(&self) -> Result<&Http, &String> {
        self.shared.http.get_or_init(|| Http::new(&self.shared.limits)).as_ref()
    }
}

impl Http {
    fn new(limits: &Limits) -> Result<Http, String> {
        let builder = || {
            reqwest::Client::builder()
                .user_agent(concat!("uncaged-workflow/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(limits.connect)
                .read_timeout(limits.silence)
                .pool_idle_timeout(REUSED_WITHIN)
                .redirect(Policy::custom(redirect))
        };
        match builder().build() {
            Ok(client) => Ok(Http { client, no_tls: None }),
            Err(error) => {
                let client = builder().tls_certs_only([]).build().map_err(|e| causes(&e))?;
                Ok(Http { client, no_tls: Some(causes(&error)) })
            }
        }
    }
}

/// 301, 302 and 303 turn a POST into a GET without a body, which no chat
/// server can answer: their own status tells more. And who chose a server has not
/// chosen the one that it names, which would get the request, be it one that a
/// bundle may not talk to.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_request =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let stays = attempt.previous().iter().all(|from| from.origin() == attempt.url().origin());
    if keeps_request && stays && attempt.previous().len() <= 10 {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

fn headers(provider: &Provider, shown: &str) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    if !provider.key().is_empty() {
        let mut value = HeaderValue::try_from(format!("Bearer {}", provider.key()))
            .map_err(|_| Error::InvalidKey { url: shown.to_owned() })?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

/// OpenAI, vLLM and others word it differently; all of them name it.
fn names_tool_choice(body: &str) -> bool {
    let body = body.to_lowercase();
    ["tool_choice", "tool choice", "toolchoice"].iter().any(|name| body.contains(name))
}

/// One request and what all its tries have in common.
struct Exchange<'a> {
    client: &'a Client,
    provider: &'a Provider,
    url: Url,
    shown: String,
    headers: HeaderMap,
}

impl Exchange<'_> {
    /// Sends, and sends again while the server says "later".
    async fn patiently(&self, request: &Map<String, Value>) -> Result<String, Error> {
        let Shared { limits, clock, .. } = &*self.client.shared;
        let mut tries = 1;
        loop {
            let response = self.send(request).await?;
            let status = response.status();
            if status.is_success() {
                let text = self.read(response).await?;
                return Ok(self.provider.redact_response(text));
            }
            let later =
                matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
            let wait = limits.wait(tries, response.headers(), clock.now());
            // Read even where it is not wanted: that keeps the connection.
            let failure = self.failure(response).await;
            if !later || tries >= limits.tries {
                return Err(failure);
            }
            clock.sleep(wait).await;
            tries += 1;
        }
    }

    async fn send(&self, request: &Map<String, Value>) -> Result<Response, Error> {
        let http = self.client.http().map_err(|e| self.network(e))?;
        if let Some(reason) = &http.no_tls
            && self.url.scheme() == "https"
        {
            return Err(self.network(reason));
        }
        // reqwest makes Basic authentication of user info; a key goes first.
        let mut url = self.url.clone();
        if !self.headers.is_empty() {
            let _ = url.set_username("");
            let _ = url.set_password(None);
        }
        let builder = http.client.post(url).headers(self.headers.clone()).json(request);
        builder.send().await.map_err(|e| self.network(&causes(&e)))
    }

    async fn read(&self, mut response: Response) -> Result<String, Error> {
        let limit = self.client.shared.limits.response_bytes;
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| self.network(&causes(&e)))? {
            if bytes.len() + chunk.len() > limit {
                return Err(Error::TooLarge { url: self.shown.clone(), limit });
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    /// The status tells more than how its body broke off.
    async fn failure(&self, mut response: Response) -> Error {
        let status = response.status().as_u16();
        let location = response.headers().get(LOCATION);
        let location =
            location.map(|to| format!("location: {}", String::from_utf8_lossy(to.as_bytes())));
        let mut bytes = Vec::new();
        while bytes.len() < FAILURE_READ {
            match response.chunk().await {
                Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                Ok(None) => break,
                // What came may end within a key that the server sent back.
                Err(_) => {
                    bytes.clear();
                    break;
                }
            }
        }
        let body = match String::from_utf8_lossy(&bytes) {
            // All that a redirect says that was not followed.
            nothing if nothing.trim().is_empty() => location.unwrap_or_default(),
            body => body.into_owned(),
        };
        let body = self.provider.redact(&body);
        let body = beginning(&body, FAILURE_KEPT).to_owned();
        Error::Http { status, url: self.shown.clone(), body }
    }

    fn network(&self, message: &str) -> Error {
        let message = excerpt(&self.provider.redact(message));
        Error::Network { url: self.shown.clone(), message }
    }
}

/// An error and its causes in one line. The URL stands elsewhere, and reqwest
/// would show its query.
fn causes(error: &reqwest::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    if error.is_timeout() {
        parts.push("the time is up".to_owned());
    }
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
        source = cause.source();
    }
    if parts.is_empty() { "the request failed".to_owned() } else { parts.join(": ") }
}
