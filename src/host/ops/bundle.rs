//! Other bundles and the registry.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use deno_core::{OpState, op2};

use super::errors::OpError;
use super::{allow, services};
use crate::bundle::{self, Registry};
use crate::host::describe::descriptor_of;
use crate::store::Layout;

/// `workflow.yaml` as JSON text. A bundle that may not read files sees its own
/// root's names and settings, but no provider: those have keys.
#[op2]
#[string]
pub(super) fn op_uncaged_read_registry(
    state: &mut OpState,
    #[string] root: &str,
) -> Result<String, OpError> {
    let path = Layout::new(root).registry();
    let store = services(state).store();
    let own = store.is_some_and(|store| store.layout().root() == Path::new(root));
    let allowed = allow::read(state, &path, "readWorkflowRegistry()");
    if !own {
        allowed?;
        let registry = Registry::load(&path).map_err(|error| OpError::Plain(error.to_string()))?;
        return Ok(registry.to_value().to_string());
    }
    let registry = Registry::load(&path).map_err(|error| OpError::Plain(error.to_string()))?;
    let mut value = registry.to_value();
    if allowed.is_err()
        && let Some(config) = value.get_mut("config").and_then(|config| config.as_object_mut())
    {
        config.shift_remove("providers");
    }
    Ok(value.to_string())
}

/// The first thing for which `add` would refuse a bundle.
#[op2]
#[string]
pub(super) fn op_uncaged_check_bundle(
    #[string] file: &str,
    #[string] source: &str,
) -> Option<String> {
    bundle::check(file, source.as_bytes()).refusal()
}

/// The descriptor of the bundle in a file, as JSON text.
#[op2]
#[string]
pub(super) async fn op_uncaged_describe_bundle(
    state: Rc<RefCell<OpState>>,
    #[string] path: String,
) -> Result<String, OpError> {
    let path = PathBuf::from(path);
    allow::read(&mut state.borrow_mut(), &path, "extractBundleExports()")?;
    let failed = |error: &dyn std::fmt::Display| OpError::Plain(error.to_string());
    let source = tokio::fs::read_to_string(&path)
        .await
        .map_err(|error| OpError::Plain(format!("{}: {error}", path.display())))?;
    let path = std::path::absolute(&path).map_err(|error| failed(&error))?;
    let descriptor = descriptor_of(path, source).await.map_err(|error| failed(&error))?;
    Ok(descriptor.to_string())
}
