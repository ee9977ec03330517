//! Runs AI-agent workflows that come as single-file JavaScript bundles, and
//! keeps every step of every run.
//!
//! # Layout
//!
//! A module uses only what stands above it.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`object`] | ids, hashes, node types, canonical YAML; no I/O |
//! | [`store`] | bytes on disk: blobs, the thread index, gc, verify, locks |
//! | [`history`] | what a chain of nodes means: append, walk, fork, compact |
//! | [`bundle`] | static checks without V8, descriptor, name registry, config |
//! | [`llm`] | OpenAI-compatible client and the ReAct loop; knows no V8 |
//! | [`host`] | the only module that names deno_core or V8 |
//! | [`engine`] | use cases; the only place where a yield becomes a node |
//! | [`worker`] | one worker a bundle, one child process a thread |
//! | [`cli`] | the only module that prints, reads the environment or sets exit codes |
#![warn(missing_docs)]

pub mod bundle;
pub mod cli;
pub mod engine;
pub mod history;
pub mod host;
pub mod llm;
pub mod object;
pub mod store;
pub mod worker;
