//! What a host is made from.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;

use super::services::{LocalFuture, Services};
use crate::bundle::{Grant, Grants};

/// The heap limit when nothing else is asked for: 512 MB.
pub const DEFAULT_HEAP_LIMIT: usize = 512 * 1024 * 1024;

/// What a bundle may do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Permissions {
    /// Whatever the user may.
    #[default]
    All,
    /// Nothing, while a bundle is only described: no files, network or processes,
    /// and no variable is set.
    None,
    /// What these name; everything else is refused.
    Limited(Grants),
}

impl Permissions {
    /// Which programs may be started.
    pub(super) fn run(&self) -> Grant {
        match self {
            Permissions::All => Grant::All,
            Permissions::None => Grant::None,
            Permissions::Limited(grants) => grants.run.clone(),
        }
    }
}

impl From<Option<Grants>> for Permissions {
    /// As the registry has it: without limits, whatever the user may.
    fn from(limits: Option<Grants>) -> Permissions {
        limits.map_or(Permissions::All, Permissions::Limited)
    }
}

/// What [`Host::new`](super::Host::new) needs.
pub struct HostOptions {
    /// The bundle's file. `import.meta.url` is its URL, also where the source
    /// was not read from there.
    pub bundle_path: PathBuf,
    /// The bundle's text.
    pub source: String,
    /// The program around the bundle.
    pub services: Rc<dyn Services>,
    /// In bytes, for objects and once more for buffers; reaching it fails the
    /// bundle with `HostError::HeapLimit`.
    pub heap_limit: usize,
    /// What the bundle may do.
    pub permissions: Permissions,
    /// Waits for a debugger before the bundle's first line.
    pub inspect: Option<Inspect>,
}

/// Where a debugger shall find the bundle. One host of a process may have it.
pub struct Inspect {
    /// Where to listen; port 0 takes any.
    pub address: SocketAddr,
    /// Told the `ws://` URL before the debugger is waited for.
    pub tell: Box<dyn Fn(String) -> LocalFuture<()>>,
}

impl HostOptions {
    /// All permissions and the default heap limit.
    pub fn new(bundle_path: PathBuf, source: String, services: Rc<dyn Services>) -> Self {
        Self {
            bundle_path,
            source,
            services,
            heap_limit: DEFAULT_HEAP_LIMIT,
            permissions: Permissions::All,
            inspect: None,
        }
    }
}
