//! The tests: one binary, because each would link V8 again.

mod add;
mod chains;
mod compact;
mod control;
mod crash;
mod crash_store;
mod damage;
mod examples;
mod fork;
mod gc;
mod history;
mod index;
mod llm_answers;
mod llm_client;
mod processes;
mod race;
mod run;
mod store;
mod supervisor;
mod support;
mod verify;
mod worker;
