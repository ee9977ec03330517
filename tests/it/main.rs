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
mod host_errors;
mod host_limits;
mod host_permissions;
mod host_values;
mod host_world;
mod index;
mod llm_answers;
mod llm_client;
mod race;
mod run;
mod store;
mod supervisor;
mod support;
mod verify;
