//! What models are told of a bundle's schema is what its own copy of zod says
//! of it, whether that copy can say so itself or not.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::npm;

/// Compares all schemas of `tests/modules/json_schema` under Node.
fn compare(package: &'static str) -> Option<Value> {
    let package = npm::package(package)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("node")
        .arg(root.join("tests/modules/json_schema/compare.mjs"))
        .arg(package)
        .arg(root.join("js/modules"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[track_caller]
fn agrees(package: &'static str, version: &str, schemas: u64, converted: u64) {
    let Some(result) = compare(package) else { return };
    let expected = json!({
        "version": version, "schemas": schemas, "converted": converted, "differences": [],
    });
    assert_eq!(result, expected, "{result:#}");
}

#[test]
fn zod_4_0_0_is_converted_as_by_itself() {
    agrees("zod-4.0.0", "4.0.0", 257, 257);
}

#[test]
fn zod_4_0_17_is_converted_as_by_itself() {
    agrees("zod-4.0.17", "4.0.17", 257, 257);
}

#[test]
fn zod_4_1_13_is_converted_as_by_itself() {
    agrees("zod-4.1.13", "4.1.13", 258, 258);
}

/// From here on schemas convert themselves, but for those of zod/mini.
#[test]
fn zod_4_2_1_is_converted_as_by_itself() {
    agrees("zod-4.2.1", "4.2.1", 258, 25);
}

#[test]
fn zod_4_6_7_is_converted_as_by_itself() {
    agrees("zod-4.6.7", "4.6.7", 260, 25);
}
