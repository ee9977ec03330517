//! What tests share.

pub mod env;
