use std::fmt;

use reqwest::Url;

use super::Error;

/// A model and where to reach it.
///
/// `base_url` is the part before `/chat/completions`, just as the provider's
/// documentation gives it: `https://api.openai.com/v1`, `http://localhost:8080`,
/// `https://gateway.example/team/openai/v1/`. Trailing slashes are dropped and
/// `/chat/completions` is appended; nothing is guessed, so a server that wants
/// `/v1` must be given with it. A URL that ends in `/chat/completions` already
/// is taken as it stands. A query stays behind the path (`?api-version=…`).
#[derive(Clone, PartialEq, Eq)]
pub struct Provider {
    /// The API's base URL.
    pub base_url: String,
    /// The secret, sent as a bearer token; empty for a server that wants none.
    pub api_key: String,
    /// The model's name at that provider.
    pub model: String,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("base_url", &self.redact(&shown_text(&self.base_url)))
            .field("api_key", &format_args!("[hidden]"))
            .field("model", &self.model)
            .finish()
    }
}

/// What stands where a secret stood.
const REDACTED: &str = "[key]";
/// Shorter keys (`test`, `ollama`) are ordinary words: they are redacted only
/// where they stand alone, or every text that has them inside would suffer.
const LONG_KEY: usize = 8;

impl Provider {
    /// Where requests go.
    pub(super) fn endpoint(&self) -> Result<Url, Error> {
        let base = self.base_url.trim();
        let invalid = |reason: String| Error::InvalidUrl {
            url: self.redact(&shown_text(base)),
            reason: self.redact(&reason),
        };
        let mut url = Url::parse(base).map_err(|e| invalid(e.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid("it must begin with http:// or https://".to_owned()));
        }
        url.set_fragment(None);
        let path = url.path().trim_end_matches('/');
        let path = match path.ends_with("/chat/completions") {
            true => path.to_owned(),
            false => format!("{path}/chat/completions"),
        };
        url.set_path(&path);
        Ok(url)
    }

    /// The key as it is sent: one read from a file or a variable often has a
    /// newline at its end.
    pub(super) fn key(&self) -> &str {
        self.api_key.trim()
    }

    /// A URL for people: without user info and query.
    pub(super) fn shown(&self, url: &Url) -> String {
        self.redact(&without_secrets(url.clone()))
    }

    /// The base URL for people.
    pub(super) fn shown_base(&self) -> String {
        self.redact(&shown_text(&self.base_url))
    }

    /// `text` without the key, and without the password of the base URL.
    pub(super) fn redact(&self, text: &str) -> String {
        self.secrets().iter().fold(text.to_owned(), |text, secret| redact_one(&text, secret))
    }

    /// A response without them. A response is data, and what only might be a
    /// secret is left alone in it.
    pub(super) fn redact_response(&self, text: String) -> String {
        let secrets = self.secrets();
        let certain = secrets.iter().filter(|secret| is_certainly_secret(secret));
        certain.fold(text, |text, secret| redact_one(&text, secret))
    }

    fn secrets(&self) -> Vec<String> {
        let url = Url::parse(self.base_url.trim()).ok();
        let password = url.as_ref().and_then(Url::password);
        let secrets = [Some(self.key()), password].into_iter().flatten();
        secrets.filter(|secret| !secret.is_empty()).map(str::to_owned).collect()
    }
}

/// Tells keys from what people write for servers that want none: `lm-studio`,
/// `not-needed`.
fn is_certainly_secret(secret: &str) -> bool {
    let digit = secret.contains(|c: char| c.is_ascii_digit());
    secret.len() >= 20 || (digit && secret.len() >= LONG_KEY)
}

fn without_secrets(mut url: Url) -> String {
    // Both fail only for URLs that cannot have user info.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// The same for text that may not be a URL.
fn shown_text(text: &str) -> String {
    if let Ok(url) = Url::parse(text)
        && url.has_host()
    {
        return without_secrets(url);
    }
    let text = text.split(['?', '#']).next().unwrap_or_default();
    text.rsplit('@').next().unwrap_or_default().to_owned()
}

fn redact_one(text: &str, secret: &str) -> String {
    let mut text = replace(text, secret);
    // The two ways in which JSON may write a key that has a slash.
    if secret.contains('/') {
        text = replace(&text, &secret.replace('/', "\\/"));
    }
    text
}

fn replace(text: &str, secret: &str) -> String {
    if secret.len() >= LONG_KEY {
        return text.replace(secret, REDACTED);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(secret) {
        let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let end = at + secret.len();
        if text[..at].ends_with(joins) || text[end..].starts_with(joins) {
            continue;
        }
        out.push_str(&text[done..at]);
        out.push_str(REDACTED);
        done = end;
    }
    out.push_str(&text[done..]);
    out
}
