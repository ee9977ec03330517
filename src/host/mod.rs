//! Runs bundles in V8: the only module that names deno_core.

pub mod services;
