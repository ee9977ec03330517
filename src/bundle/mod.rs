//! What can be said about a bundle without running it, and the names it goes by.
//!
//! [`check()`] reads a bundle's syntax tree; [`Descriptor`] is what the bundle
//! says of itself once it was evaluated; [`Registry`] is `workflow.yaml`, the
//! names that point at bundles; [`Config`] is the part of it that says which
//! models answer; [`Grants`] is what a workflow's bundle may do.

mod check;
mod config;
mod descriptor;
mod field;
mod permissions;
mod registry;
mod similar;
mod size;

pub use check::{CheckReport, Code, Finding, Location, Related, Severity, Snippet, Span};
pub use check::{
    HOST_MODULES, NODE_MODULES, NODE_ONLY_MODULES, check, check_evaluated, imports, locate,
};
pub use config::{ApiKey, Config, ConfigError, Provider, ResolvedModel, split_model_ref};
pub use descriptor::{Descriptor, DescriptorError, RoleDescriptor};
pub(crate) use field::Field;
pub use field::FieldError;
pub use permissions::{Grant, Grants, Kind};
pub use registry::{Registry, RegistryError, Version, Workflow};
pub use similar::{closest, closest_beginning, first_few};
pub use size::{InvalidSize, parse_size};
