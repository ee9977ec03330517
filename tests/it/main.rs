//! The tests: one binary, because each would link V8 again.

mod add;
mod run;
mod support;
