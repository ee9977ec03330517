//! The tests: one binary, because each would link V8 again.

mod add;
mod chains;
mod compact;
mod crash;
mod crash_store;
mod damage;
mod differential;
mod examples;
mod fork;
mod gc;
mod hash;
mod history;
mod index;
mod llm_answers;
mod llm_client;
mod node;
mod race;
mod round_trip;
mod run;
mod store;
mod supervisor;
mod support;
mod verify;
mod yaml;
