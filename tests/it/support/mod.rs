//! What tests share.

pub mod chat_server;
pub mod env;
pub mod services;
