//! The tests: one binary, because each would link V8 again.

mod add;
mod chains;
mod compact;
mod crash;
mod crash_store;
mod damage;
mod examples;
mod fork;
mod gc;
mod history;
mod host;
mod index;
mod llm_answers;
mod llm_client;
mod llm_environment;
mod llm_waiting;
mod race;
mod react;
mod run;
mod store;
mod supervisor;
mod support;
mod verify;
