//! What a host is made from.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;

use super::services::{LocalFuture, Services};

/// The heap limit when nothing else is asked for: 512 MB.
pub const DEFAULT_HEAP_LIMIT: usize = 512 * 1024 * 1024;

/// What a bundle may do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Permissions {
    /// Whatever the user may.
    #[default]
    All,
    /// Nothing: no files, network, processes or environment.
    None,
    /// What the lists name.
    Limited(Grants),
}

/// Lists in the forms that Deno's `--allow-*` flags take. `None` grants nothing
/// of its kind, an empty list grants all of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    /// Paths that may be read.
    pub read: Option<Vec<String>>,
    /// Paths that may be written.
    pub write: Option<Vec<String>>,
    /// Hosts, with or without a port.
    pub net: Option<Vec<String>>,
    /// Programs that may be started.
    pub run: Option<Vec<String>>,
    /// Environment variables.
    pub env: Option<Vec<String>>,
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
    /// In bytes; reaching it fails the bundle with `HostError::HeapLimit`.
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
