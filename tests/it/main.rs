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
mod index;
mod json_schema;
mod llm_answers;
mod llm_client;
mod modules;
mod modules_ages;
mod modules_children;
mod race;
mod run;
mod store;
mod supervisor;
mod support;
mod verify;
