//! The tests: one binary, because each would link V8 again.

mod add;
mod chains;
mod crash;
mod examples;
mod index;
mod run;
mod store;
mod support;
