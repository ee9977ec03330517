//! Limits on what a bundle may touch.

use serde_json::json;
use uncaged_workflow::bundle::{Grant, Grants};
use uncaged_workflow::host::{HostError, Permissions};

use crate::support::services::{bundle, run_with};

const CAUGHT: &str = "import fs from 'node:fs'; import { execFileSync } from 'node:child_process';
const caught = async (work) => {
  try { await work(); return 'allowed' } catch (e) { return e.message }
};";

const ATTEMPTS: &str = "return {
  read: await caught(() => fs.readFileSync('/etc/passwd')),
  write: await caught(() => fs.writeFileSync('/tmp/uncaged-refused', '')),
  net: await caught(() => fetch('http://127.0.0.1:65000/')),
  run: (await caught(() => execFileSync('true'))).includes('--allow-run'),
  env: process.env.PATH ?? null,
  store: await runtime.cas.get(await runtime.cas.put('x')) !== null,
};";

/// What a refused permission says.
fn refused(kind: &str, value: &str) -> String {
    format!(
        "Requires {kind} access to \"{value}\": grant it with `uncaged-workflow add \
         --allow-{kind}={value}`, or with `{kind}: [\"{value}\"]` in the workflow's permissions \
         in workflow.yaml"
    )
}

#[test]
fn without_permission_each_kind_of_access_is_refused_with_advice() {
    let outcome = run_with(&bundle(CAUGHT, ATTEMPTS), |options| {
        options.permissions = Permissions::None;
    });
    assert_eq!(
        outcome.value(),
        &json!({
            "read": refused("read", "/etc/passwd"),
            "write": refused("write", "/tmp/uncaged-refused"),
            "net": refused("net", "127.0.0.1:65000"),
            "run": true,
            "env": null,
            "store": true,
        })
    );
}

#[test]
fn grants_allow_what_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::write(&inside, "inside").unwrap();
    std::fs::write(&outside, "outside").unwrap();
    let outside = outside.to_str().unwrap().to_owned();
    let script = format!(
        "return [fs.readFileSync({inside:?}, 'utf8'), await caught(() => fs.readFileSync({outside:?})),
                 process.env.HOME !== undefined];"
    );
    let grants = Grants {
        read: Grant::Only(vec![inside.to_str().unwrap().to_string()]),
        env: Grant::All,
        ..Grants::default()
    };
    let outcome = run_with(&bundle(CAUGHT, &script), |options| {
        options.permissions = Permissions::Limited(grants);
    });
    let refused = refused("read", &outside);
    assert_eq!(outcome.value(), &json!(["inside", refused, true]));
}

#[test]
fn another_store_needs_permission() {
    let source = bundle(
        &format!("{CAUGHT} import {{ createCasStore }} from '@uncaged/workflow-cas';"),
        "return [await caught(() => createCasStore('/tmp/other').put('x')),
                 await caught(() => createCasStore('/tmp/other').list())];",
    );
    let outcome = run_with(&source, |options| options.permissions = Permissions::None);
    let refused = refused("read", "/tmp/other");
    assert_eq!(outcome.value(), &json!([refused, refused]));
}

#[test]
fn a_grant_that_is_no_grant_is_an_error() {
    let grants = Grants { net: Grant::Only(vec!["http://x/".into()]), ..Grants::default() };
    let outcome = run_with(&bundle("", ""), |options| {
        options.permissions = Permissions::Limited(grants);
    });
    assert!(matches!(outcome.error(), HostError::Permissions(_)), "{outcome:?}");
}
