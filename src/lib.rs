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
//! | [`script`] | scripted models and agent programs, for `dev` and `test` |
//! | [`http`] | the HTTP API and the dashboard; JSON bodies that `--json` prints too |
//! | [`cli`] | the only module that prints, reads the environment or sets exit codes |
//!
//! # On disk
//!
//! Below the storage root; formats as the TypeScript program has them.
//!
//! | path | what |
//! | --- | --- |
//! | `cas/<HASH>.txt` | one blob a file: a node as canonical YAML |
//! | `bundles/<HASH>.esm.js`, `.yaml`, `.d.ts` | the bundle byte for byte, its descriptor, its types |
//! | `bundles/<HASH>/threads.json` | the bundle's active threads: head, start, updatedAt |
//! | `bundles/<HASH>/history/YYYY-MM-DD.jsonl` | completed threads, by UTC date of their end |
//! | `bundles/<HASH>/limits/<THREAD>.json` | what a thread is limited to, where it is |
//! | `logs/<HASH>/<THREAD>.info.jsonl` | a thread's debug log |
//! | `logs/<HASH>/<THREAD>.running` | locked while somebody executes the thread |
//! | `workers/<HASH>.json`, `.sock`, `.lock` | how to reach the bundle's worker, and who may start it |
//! | `workflow.yaml` | the registry and the config |
//!
//! Architecture invariants: only [`host`] names V8 (and `build.rs`, which makes
//! the snapshot), and nothing starts it but a process that runs or describes a
//! bundle; only [`cli`] prints and reads the
//! environment (what a bundle sees of it, [`host`] hands over); there is no daemon.
#![warn(missing_docs)]

pub mod bundle;
pub mod cli;
pub mod engine;
pub mod history;
pub mod host;
pub mod http;
pub mod llm;
pub mod object;
pub mod script;
pub mod store;
pub mod worker;
