//! What tests share.

pub mod chat_server;
pub mod env;
pub mod golden;
pub mod npm;
pub mod services;
pub mod values;
