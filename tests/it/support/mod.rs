//! What tests share.

pub mod env;
pub mod services;
