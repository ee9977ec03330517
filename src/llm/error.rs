use super::excerpt::excerpt;

/// Why a chat request gave no response. Each is one line, and none has the key
/// in it, not even where the server sent it back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum Error {
    /// The server answered with another status than 2xx.
    #[error("HTTP {status} from {url}: {}", shown(body))]
    Http {
        /// The status.
        status: u16,
        /// Where the request went, without user info and query.
        url: String,
        /// The first 4 KiB of the response; empty where it could not be read.
        body: String,
    },
    /// There was no response, or it broke off.
    #[error("no response from {url}: {message}")]
    Network {
        /// Where the request went, without user info and query.
        url: String,
        /// What went wrong, from the outermost cause to the innermost.
        message: String,
    },
    /// The response does not end.
    #[error("the response from {url} is larger than {limit} bytes")]
    TooLarge {
        /// Where the request went, without user info and query.
        url: String,
        /// How many bytes are taken.
        limit: usize,
    },
    /// The provider's base URL is not one.
    #[error("`{url}` is not a base URL: {reason}")]
    InvalidUrl {
        /// The base URL without user info and query.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The key cannot be put into a header.
    #[error("the API key for {url} has characters that a header cannot hold")]
    InvalidKey {
        /// Where the request would have gone.
        url: String,
    },
    /// The bundle is being tried out, and no answer was written for this request.
    #[error("{message}")]
    Unanswered {
        /// What was asked for.
        message: String,
    },
    /// The request's body is not a JSON object.
    #[error("the body of a chat request is an object")]
    InvalidRequest,
}

impl Error {
    /// A word for programs, the same for each kind of failure for ever.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Http { .. } => "http_error",
            Error::Network { .. } => "network_error",
            Error::TooLarge { .. } => "response_too_large",
            Error::InvalidUrl { .. } => "invalid_base_url",
            Error::InvalidKey { .. } => "invalid_api_key",
            Error::Unanswered { .. } => "unanswered",
            Error::InvalidRequest => "invalid_request",
        }
    }

    /// The status, where there was one.
    pub fn status(&self) -> Option<u16> {
        match self {
            Error::Http { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// The first part of the response, where there was one.
    pub fn body(&self) -> Option<&str> {
        match self {
            Error::Http { body, .. } => Some(body),
            _ => None,
        }
    }
}

fn shown(body: &str) -> String {
    if body.trim().is_empty() { "(no body)".to_owned() } else { excerpt(body) }
}
