use std::fmt;
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// How long a client waits, and for what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How often a request is sent at most while the server answers 429 or 503.
    pub tries: u32,
    /// The wait after the first such answer without a usable Retry-After;
    /// doubled after each further one.
    pub first_wait: Duration,
    /// The longest wait, whatever the server asks for.
    pub longest_wait: Duration,
    /// How long a connection may take to come about.
    pub connect: Duration,
    /// How long a server may be silent. A model that thinks is silent.
    pub silence: Duration,
    /// How many bytes of a response are taken.
    pub response_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            tries: 4,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(30),
            connect: Duration::from_secs(30),
            silence: Duration::from_secs(600),
            response_bytes: 64 << 20,
        }
    }
}

impl Limits {
    /// How long to wait after the try number `tries` (from 1) was answered
    /// with these headers.
    pub(super) fn wait(&self, tries: u32, headers: &HeaderMap, now: SystemTime) -> Duration {
        let doubled = || self.first_wait.saturating_mul(1 << (tries - 1).min(16));
        retry_after(headers, now).unwrap_or_else(doubled).min(self.longest_wait)
    }
}

/// Retry-After in seconds (also with a fraction, as some servers have it) or
/// as an HTTP date; a date that has passed is no wait.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        // A negative or absurd number is a server's mistake, not a wait.
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text).ok()?;
    let now = Timestamp::try_from(now).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

/// Where a client has its time from.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time of day, which HTTP dates are compared with.
    fn now(&self) -> SystemTime;
    /// Waits. Dropping the future ends the wait.
    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()>;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(wait))
    }
}
