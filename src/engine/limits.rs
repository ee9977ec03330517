use std::io;

use serde_json::{Map, Value, json};

use super::EngineError;
use crate::bundle::{Field, FieldError, Grants, Registry, parse_size};
use crate::host::DEFAULT_HEAP_LIMIT;
use crate::object::{Hash, ThreadId};
use crate::store::{Store, StoreError, durable};

/// The limits that a thread was started with, and keeps: through pause, crash and
/// resume, whatever becomes of the registry meanwhile. A fork takes them over.
///
/// They are no part of the thread's nodes, which are the same for everybody, but
/// lie beside the index in `bundles/<HASH>/limits/<THREAD>.json`:
/// `{ "permissions": { "read": ["/data"] }, "heapLimit": 268435456 }`, each key
/// only where there is such a limit, and no file where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// What the bundle may do; none: whatever the user may.
    pub permissions: Option<Grants>,
    /// Bytes of memory, where the one who started the thread named an amount.
    pub heap_limit: Option<u64>,
}

impl Limits {
    /// Keeps the limits of a thread that is about to be made; durable when this
    /// returns.
    pub(super) fn write(
        &self,
        store: &Store,
        bundle: &Hash,
        thread: &ThreadId,
    ) -> Result<(), EngineError> {
        let mut object = Map::new();
        if let Some(permissions) = &self.permissions {
            object.insert("permissions".into(), permissions.to_value());
        }
        if let Some(bytes) = self.heap_limit {
            object.insert("heapLimit".into(), json!(bytes));
        }
        if object.is_empty() {
            return Ok(());
        }
        let path = store.layout().limits(bundle, thread);
        let text = serde_json::to_string_pretty(&object).expect("plain data") + "\n";
        durable::write_atomic(&path, text).map_err(StoreError::from)?;
        Ok(())
    }

    /// The limits of a thread. A file that makes no sense is an error, never "none".
    pub fn read(store: &Store, bundle: &Hash, thread: &ThreadId) -> Result<Limits, EngineError> {
        let path = store.layout().limits(bundle, thread);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Limits::default()),
            Err(source) => return Err(EngineError::Io { action: "read", path, source }),
        };
        parse(&bytes).map_err(|message| EngineError::Limits { path, message })
    }

    /// The amount of memory: the thread's own, else that of the config, else the
    /// default.
    pub fn heap_limit(&self, store: &Store) -> Result<usize, EngineError> {
        let bytes = match self.heap_limit {
            Some(bytes) => Some(bytes),
            None => {
                let config = Registry::load(&store.layout().registry())?.config()?;
                config.and_then(|config| config.heap_limit)
            }
        };
        Ok(bytes.map_or(DEFAULT_HEAP_LIMIT, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX)))
    }
}

/// Strict: what was meant to limit must not be nothing through a slip.
fn parse(bytes: &[u8]) -> Result<Limits, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    read(&value).map_err(|error| error.to_string())
}

fn read(value: &Value) -> Result<Limits, FieldError> {
    let mut limits = Limits::default();
    for (key, field) in Field::root(value).entries()? {
        match key {
            "permissions" => limits.permissions = Some(Grants::from_value(&value[key])?),
            "heapLimit" => limits.heap_limit = Some(heap_limit(&field)?),
            _ => {
                let wrong = field.wrong("permissions or heapLimit");
                return Err(FieldError { found: "not a limit", ..wrong });
            }
        }
    }
    Ok(limits)
}

fn heap_limit(field: &Field<'_>) -> Result<u64, FieldError> {
    let wrong = field.wrong("a number of bytes from 32MB to 64GB");
    let bytes = field.count().map_err(|_| wrong.clone())?;
    parse_size(&bytes.to_string()).map_err(|_| FieldError { found: "another number", ..wrong })
}
