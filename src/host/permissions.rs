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
        Permissions::None => DenoPermissions::none_without_prompt(),
        Permissions::Limited(grants) => {
            DenoPermissions::from_options(parser.as_ref(), &options(grants))
                .map_err(|error| HostError::Permissions(error.to_string()))?
        }
    };
    Ok(PermissionsContainer::new(parser, granted))
}

fn options(grants: &Grants) -> PermissionsOptions {
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
