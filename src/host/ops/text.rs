//! Hashes and YAML.

use deno_core::op2;

use super::errors::OpError;
use crate::object::{Hash, normalize_blob, yaml};

#[op2]
#[string]
pub(super) fn op_uncaged_hash_text(#[string] text: &str) -> String {
    Hash::of(text).to_string()
}

#[op2]
#[string]
pub(super) fn op_uncaged_hash_bytes(#[buffer] bytes: &[u8]) -> String {
    Hash::of(bytes).to_string()
}

#[op2]
#[string]
pub(super) fn op_uncaged_normalize_blob(#[string] text: &str) -> String {
    normalize_blob(text)
}

/// JSON text to YAML text.
#[op2]
#[string]
pub(super) fn op_uncaged_yaml_stringify(
    #[string] json: &str,
    quoted: bool,
) -> Result<String, OpError> {
    let value = super::service::json(json)?;
    Ok(if quoted { yaml::encode_quoted(&value) } else { yaml::encode(&value) })
}

/// YAML text to JSON text.
#[op2]
#[string]
pub(super) fn op_uncaged_yaml_parse(#[string] text: &str) -> Result<String, OpError> {
    let value = yaml::decode(text).map_err(|error| OpError::Syntax(error.to_string()))?;
    Ok(value.to_string())
}
