use std::path::Path;

use serde_json::Value;

use super::{EngineError, EvaluationError};
use crate::bundle::{self, CheckReport, Descriptor, DescriptorError, Grants, Registry};
use crate::object::{Hash, WorkflowName};
use crate::store::{Store, StoreError, durable};

/// Evaluates the bundle in this file, whose text is given, and gives its
/// `descriptor`: [`super::describe`] in a process of its own, which the bundle
/// may end or scribble over.
pub type Evaluate<'a> = dyn Fn(&Path, &[u8]) -> Result<Value, EvaluationError> + 'a;

/// A bundle to be registered.
#[derive(Debug)]
pub struct AddOptions {
    /// The name to register it under.
    pub name: WorkflowName,
    /// The file's name as the user gave it, for messages and the check of its ending.
    pub file_name: String,
    /// The bundle, byte for byte.
    pub source: Vec<u8>,
    /// Its type declarations, kept beside it.
    pub types: Option<Vec<u8>>,
    /// What the bundle may do.
    pub permit: Permit,
    /// Milliseconds since 1970.
    pub now_ms: i64,
}

/// What a bundle that is registered may do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Permit {
    /// What the name's earlier bundle might do; with a new name, whatever the user
    /// may.
    #[default]
    Keep,
    /// Whatever the user may.
    Everything,
    /// This much.
    Only(Grants),
}

/// What was registered.
#[derive(Debug)]
pub struct Added {
    /// The bundle's version.
    pub hash: Hash,
    /// What works but may surprise.
    pub report: CheckReport,
    /// What it may do now; none: whatever the user may.
    pub permissions: Option<Grants>,
}

/// Why a bundle was refused. Nothing of it is in the store then.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The source breaks a rule of SPEC section 6.
    #[error("the bundle breaks the contract")]
    Check(CheckReport),
    /// Evaluating its top level failed.
    #[error("evaluating the bundle failed")]
    Evaluate(#[source] EvaluationError),
    /// Its descriptor has the wrong shape.
    #[error("the bundle's descriptor has the wrong shape")]
    Descriptor(#[source] DescriptorError),
    /// The store, the registry or a file refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Checks a bundle, stores it with its descriptor and names it; the name moves
/// last, so a crash leaves at most files that nothing points at.
pub fn add(store: &Store, options: AddOptions, evaluate: &Evaluate<'_>) -> Result<Added, AddError> {
    let AddOptions { name, file_name, source, types, permit, now_ms } = options;
    let (report, descriptor) = inspect(store, &file_name, &source, evaluate)?;
    let hash = Hash::of(&source);
    let layout = store.layout();
    write(layout.bundle(&hash), &source)?;
    write(layout.descriptor(&hash), descriptor.to_text().as_bytes())?;
    if let Some(types) = types {
        write(layout.types(&hash), &types)?;
    }
    let permissions = Registry::update(&layout.registry(), |registry| {
        registry.register(&name, hash, now_ms)?;
        match permit {
            Permit::Keep => {}
            Permit::Everything => registry.set_permissions(&name, None)?,
            Permit::Only(grants) => registry.set_permissions(&name, Some(grants))?,
        }
        Ok(registry.get(&name).and_then(|workflow| workflow.permissions.clone()))
    });
    Ok(Added { hash, report, permissions: permissions.map_err(EngineError::from)? })
}

/// Everything `add` checks, without storing.
pub fn inspect(
    store: &Store,
    file_name: &str,
    source: &[u8],
    evaluate: &Evaluate<'_>,
) -> Result<(CheckReport, Descriptor), AddError> {
    let mut report = bundle::check(file_name, source);
    if !report.is_accepted() {
        return Err(AddError::Check(report));
    }
    // Not where it will be stored: errors name the file that the user has.
    let path =
        std::path::absolute(file_name).unwrap_or_else(|_| store.layout().bundle(&Hash::of(source)));
    let value = evaluate(&path, source).map_err(AddError::Evaluate)?;
    let descriptor = Descriptor::from_value(value).map_err(AddError::Descriptor)?;
    report.findings.extend(bundle::check_evaluated(file_name, source, &descriptor));
    Ok((report, descriptor))
}

fn write(path: std::path::PathBuf, bytes: &[u8]) -> Result<(), EngineError> {
    if std::fs::read(&path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    durable::write_atomic(&path, bytes).map_err(StoreError::from)?;
    Ok(())
}
