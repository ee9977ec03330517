//! The tests: one binary, because each would link V8 again.

mod add;
mod chains;
mod crash;
mod examples;
mod index;
mod llm_answers;
mod llm_client;
mod llm_environment;
mod llm_waiting;
mod react;
mod run;
mod store;
mod supervisor;
mod support;
