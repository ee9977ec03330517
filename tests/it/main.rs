//! The tests: one binary, because each would link V8 again.

mod add;
mod crash;
mod examples;
mod host;
mod run;
mod support;
