//! The golden vectors, made with the npm packages `yaml` and `xxhashjs`.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A file of golden vectors: of the contract beside this project where it is
/// there, else of the copy in it.
pub fn golden(name: &str) -> Value {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// The entries of a file that is a list.
pub fn golden_list(name: &str) -> Vec<Value> {
    match golden(name) {
        Value::Array(entries) if !entries.is_empty() => entries,
        other => panic!("{name} is not a list with entries: {other}"),
    }
}

fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let contract = root.join("../shared/golden");
    if contract.is_dir() { contract } else { root.join("tests/data/golden") }
}
