//! Lets a debugger in: V8's inspector over a WebSocket.

use std::error::Error;
use std::net::SocketAddr;

use deno_core::ModuleSpecifier;
use deno_runtime::deno_inspector_server::{
    InspectPublishUid, InspectorServerUrl, create_inspector_server, get_inspector_server,
};
use deno_runtime::worker::MainWorker;

use super::error::HostError;
use crate::bundle;

/// The module that evaluates what a bundle imports.
pub(super) const IMPORTS: &str = "uncaged:imports-of-the-bundle";

/// Listens for debuggers of this isolate and gives its `ws://` URL.
pub(super) fn listen(
    address: SocketAddr,
    bundle: &ModuleSpecifier,
    worker: &MainWorker,
) -> Result<String, HostError> {
    let failed = |reason: String| HostError::Inspector { address, reason };
    if get_inspector_server().is_some() {
        return Err(failed("this process has one already".to_owned()));
    }
    let silent = InspectPublishUid { console: false, http: true };
    let server = create_inspector_server(address, "uncaged-workflow", silent);
    let server = server.map_err(|error| {
        failed(error.source().map_or_else(|| error.to_string(), ToString::to_string))
    })?;
    let inspector = worker.js_runtime.inspector();
    let InspectorServerUrl(url) = server.register_inspector(bundle.to_string(), inspector, true);
    Ok(url)
}

/// A module that imports what the bundle imports, and does nothing.
pub(super) fn imports_alone(source: &str) -> (ModuleSpecifier, String) {
    let url = ModuleSpecifier::parse(IMPORTS).expect("a URL");
    let import = |name: &String| format!("import {};\n", serde_json::Value::from(name.as_str()));
    (url, bundle::imports(source).iter().map(import).collect())
}
