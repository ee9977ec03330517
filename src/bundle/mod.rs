//! What can be said about a bundle without running it, and the names it goes by.
//!
//! [`check()`] reads a bundle's syntax tree; [`Descriptor`] is what the bundle
//! says of itself once it was evaluated; [`Registry`] is `workflow.yaml`, the
//! names that point at bundles; [`Config`] is the part of it that says which
//! models answer.

pub mod check;
mod similar;

pub use check::{CheckReport, Code, Finding, Location, Related, Severity, Snippet, Span, check};
pub use similar::{closest, ranked};
