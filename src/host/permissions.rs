//! Permissions as deno_permissions wants them.

use std::sync::Arc;

use deno_runtime::deno_permissions::{
    Permissions as DenoPermissions, PermissionsContainer, PermissionsOptions,
};
use deno_runtime::permissions::RuntimePermissionDescriptorParser;
use sys_traits::impls::RealSys;

use super::HostError;
use super::options::{Grants, Permissions};

/// The container that every op asks.
pub(super) fn container(permissions: &Permissions) -> Result<PermissionsContainer, HostError> {
    let parser = Arc::new(RuntimePermissionDescriptorParser::new(RealSys));
    let granted = match permissions {
        Permissions::All => return Ok(PermissionsContainer::allow_all(parser)),
        Permissions::None => nothing(),
        Permissions::Limited(grants) => limited(grants),
    };
    let granted = DenoPermissions::from_options(parser.as_ref(), &granted)
        .map_err(|error| HostError::Permissions(error.to_string()))?;
    Ok(PermissionsContainer::new(parser, granted))
}

/// Nothing. But modules look at the environment and at the kind of system while
/// they are evaluated, to find out about colours for example, and take an answer
/// for granted: variables are not set, and the kind of system may be known.
fn nothing() -> PermissionsOptions {
    PermissionsOptions {
        ignore_env: Some(Vec::new()),
        allow_sys: Some(Vec::new()),
        prompt: false,
        ..PermissionsOptions::default()
    }
}

fn limited(grants: &Grants) -> PermissionsOptions {
    PermissionsOptions {
        allow_read: grants.read.clone(),
        allow_write: grants.write.clone(),
        allow_net: grants.net.clone(),
        allow_run: grants.run.clone(),
        allow_env: grants.env.clone(),
        allow_sys: Some(Vec::new()),
        prompt: false,
        ..PermissionsOptions::default()
    }
}
