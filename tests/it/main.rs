//! The tests: one binary, because each would link V8 again.

mod add;
mod chains;
mod index;
mod run;
mod store;
mod support;
