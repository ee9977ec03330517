//! OpenAI-compatible models: one request, what servers really answer, the
//! ReAct loop and the supervisor's question. Knows no V8 and no store.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`Client`] | one `chat/completions` request: proxies, CAs, waiting on 429 and 503 |
//! | [`answer`] | a response body as text and tool calls; one rule for each oddity |
//! | [`react`] | the ReAct loop without I/O: the caller sends, runs tools and validates |
//! | [`supervisor`] | whether a thread should go on |
//! | [`Relay`] | another server in the place of all providers, for `dev` and `test` |
//!
//! A key is in no error, in no `Debug` output and in no response that leaves
//! this module.

pub mod answer;
mod client;
mod error;
mod excerpt;
mod provider;
pub mod react;
mod relay;
mod retry;
pub mod supervisor;

pub use client::Client;
pub use error::Error;
pub use provider::Provider;
pub use relay::{Asker, Lost, Models, Relay, Relayed, Scene, Unanswered};
pub use retry::{Clock, Limits, SystemClock};
