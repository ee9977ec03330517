//! What tests share.

pub mod browser;
pub mod chat_server;
pub mod console;
pub mod env;
pub mod golden;
pub mod http;
pub mod npm;
pub mod permissions;
pub mod procs;
pub mod programs;
pub mod services;
pub mod terminal;
pub mod trial;
pub mod values;

use std::io::Write;

/// Says something that is to be seen even when the test passes.
pub fn report(text: &str) {
    // `eprintln!` would be captured.
    let _ = writeln!(std::io::stderr(), "{text}");
}
