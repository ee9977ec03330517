//! Scripted models and agent programs, for `dev` and `test`: a bundle runs as
//! always, and only who answers is another.
//!
//! | file | what it does |
//! | --- | --- |
//! | `answers`, `read` | the answers file, and what is wrong with one |
//! | `question` | what a bundle asks: a model, or an agent program |
//! | `matching` | which answer a question gets |
//! | `reply` | an answer as a model's response, and the other way round |
//! | `paste` | what to say of a question without an answer |
//! | `record` | an answers file from what really happened |
//! | `compare` | what was expected against what came |
//! | `server` | the HTTP server that a trial's processes ask |
//! | `programs` | the stand-ins for agent programs |
//!
//! All but the last two do no I/O. The processes reach the server by a
//! [`Relay`](crate::llm::Relay), which they get in their environment.

mod answers;
mod compare;
mod matching;
mod paste;
pub mod programs;
mod question;
mod read;
mod record;
mod reply;
mod server;

pub use answers::{Answer, AnswersFile, Entry, Expected, ExpectedStep};
pub use compare::{Difference, Happened, HappenedStep, compare};
pub use matching::Script;
pub use question::Question;
pub use read::AnswersError;
pub use record::{Recording, Replayed};
pub use server::{Answering, Server, Told};
