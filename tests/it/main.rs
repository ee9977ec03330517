//! The tests: one binary, because each would link V8 again.

mod add;
mod chains;
mod check;
mod check_limits;
mod check_roles;
mod check_rules;
mod compact;
mod config;
mod crash;
mod crash_store;
mod damage;
mod descriptor;
mod examples;
mod fork;
mod gc;
mod history;
mod index;
mod llm_answers;
mod llm_client;
mod race;
mod registry;
mod run;
mod store;
mod supervisor;
mod support;
mod verify;
