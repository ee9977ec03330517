//! Permissions as deno_permissions wants them.

use std::sync::Arc;

use deno_runtime::deno_permissions::{
    Permissions as DenoPermissions, PermissionsContainer, PermissionsOptions,
};
use deno_runtime::permissions::RuntimePermissionDescriptorParser;
use sys_traits::impls::RealSys;

use super::HostError;
use super::options::Permissions;
use crate::bundle::{Grant, Grants};

/// What everybody may know of the system: libraries look at it to find out about
/// colours, for example. What changes something (users, priorities) or opens the
/// inspector is missing.
const FACTS: [&str; 16] = [
    "ca",
    "hostname",
    "osRelease",
    "osUptime",
    "loadavg",
    "networkInterfaces",
    "systemMemoryInfo",
    "uid",
    "gid",
    "getegid",
    "username",
    "userInfo",
    "cpus",
    "homedir",
    "getPriority",
    "statfs",
];

/// Variables that Node's own modules look at, or nearly every library while it is
/// evaluated, and that hold no secrets.
const PLAIN_VARIABLES: [&str; 9] = [
    "NODE_ENV",
    "NODE_EXTRA_CA_CERTS",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "NODE_USE_SYSTEM_CA",
    "NODE_V8_COVERAGE",
    "TEMP",
    "TMP",
    "TMPDIR",
    "__MINIMATCH_TESTING_PLATFORM__",
];

/// Whether these grants can be given; the error names what cannot be read.
pub fn check_grants(grants: &Grants) -> Result<(), HostError> {
    container(&Permissions::Limited(grants.clone())).map(drop)
}

/// The container that every op asks.
pub(super) fn container(permissions: &Permissions) -> Result<PermissionsContainer, HostError> {
    let parser = Arc::new(RuntimePermissionDescriptorParser::new(RealSys));
    let granted = match permissions {
        Permissions::All => return Ok(PermissionsContainer::allow_all(parser)),
        // Modules look at the environment while they are evaluated and take an
        // answer for granted: variables are not set.
        Permissions::None => PermissionsOptions { ignore_env: Some(Vec::new()), ..facts() },
        Permissions::Limited(grants) => limited(grants),
    };
    let granted = DenoPermissions::from_options(parser.as_ref(), &granted)
        .map_err(|error| HostError::Permissions(error.to_string()))?;
    Ok(PermissionsContainer::new(parser, granted))
}

fn facts() -> PermissionsOptions {
    PermissionsOptions {
        allow_sys: Some(FACTS.map(String::from).to_vec()),
        prompt: false,
        ..PermissionsOptions::default()
    }
}

fn limited(grants: &Grants) -> PermissionsOptions {
    // Deno takes an empty list for all.
    let list = |grant: &Grant| match grant {
        Grant::None => None,
        Grant::All => Some(Vec::new()),
        Grant::Only(list) => Some(list.clone()),
    };
    PermissionsOptions {
        allow_read: list(&grants.read),
        allow_write: list(&grants.write),
        allow_net: list(&grants.net),
        allow_run: list(&grants.run),
        allow_env: Some(variables(&grants.env)),
        ..facts()
    }
}

fn variables(grant: &Grant) -> Vec<String> {
    let granted = match grant {
        Grant::All => return Vec::new(),
        Grant::None => &[][..],
        Grant::Only(list) => list,
    };
    PLAIN_VARIABLES.map(String::from).into_iter().chain(granted.iter().cloned()).collect()
}
