//! The HTTP API and the dashboard.

pub mod bodies;
