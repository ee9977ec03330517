//! Bundles that try what they may do.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use uncaged_workflow::object::ThreadId;

use super::env::{TestEnv, output};

/// A bundle with one step, whose meta is what `body` makes of `caught`, and
/// which may wait for files.
pub fn bundle(body: &str) -> String {
    format!(
        r#"
import fs from "node:fs"; import net from "node:net"; import {{ execFileSync }} from "node:child_process";
import {{ workflowAsAgent }} from "@uncaged/workflow-execute";
import {{ createLlmFn }} from "@uncaged/workflow-reactor";
export const descriptor = {{ description: "", roles: {{ probe: {{ description: "", schema: {{}} }} }} }};
const caught = async (work) => {{
  try {{ return await work(); }} catch (error) {{ return `${{error.name}}: ${{error.message}}`; }}
}};
export async function* run(thread, runtime) {{
  const {{ cas }} = runtime;
  const step = async (meta) => ({{ role: "probe", contentHash: await cas.put("probed"), meta, refs: [] }});
  {body}
  return {{ returnCode: 0, summary: "probed" }};
}}
"#
    )
}

/// What the refusal of `kind` says, with the value that grants it.
pub fn refused(kind: &str, shown: &str, granted: &str) -> String {
    format!(
        "NotCapable: Requires {kind} access to \"{shown}\": grant it with `uncaged-workflow add \
         --allow-{kind}={granted}`, or with `{kind}: [\"{granted}\"]` in the workflow's permissions \
         in workflow.yaml"
    )
}

/// Runs the workflow and gives the meta of its first step.
#[track_caller]
pub fn probed(env: &TestEnv, name: &str) -> Value {
    let thread = env.start(name, &[]);
    meta_of(env, &thread)
}

/// The meta of the first step of a thread, which must end well.
#[track_caller]
pub fn meta_of(env: &TestEnv, thread: &ThreadId) -> Value {
    let end = env.ended(thread);
    assert_eq!(end, json!({ "returnCode": 0, "summary": "probed" }));
    env.show(thread)["steps"][0]["meta"].clone()
}

/// Registers a bundle with these flags.
#[track_caller]
pub fn add(env: &TestEnv, name: &str, source: &str, flags: &[&str]) -> String {
    let file = env.write(&format!("{name}.esm.js"), source);
    let output = env.run([&["add", name, file.to_str().unwrap()], flags].concat());
    output.ok().trim().rsplit(' ').next().unwrap().to_owned()
}

/// Runs the workflow with a folder of programs first in the search path and one
/// more variable, and gives the meta of its first step.
#[track_caller]
pub fn probed_with(env: &TestEnv, name: &str, variable: (&str, &str)) -> Value {
    let path = format!("{}:{}", env.work().join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = env.command();
    command.env("PATH", path).env(variable.0, variable.1);
    let thread = output(command.args(["run", name])).ok();
    meta_of(env, &thread.trim().parse().unwrap())
}

/// A program that says for whom it works and what it sees.
pub fn program(env: &TestEnv, name: &str) {
    let file = env.write(
        &format!("bin/{name}"),
        "#!/bin/sh\nprintf '%s for %s, sees %s%s' \"${0##*/}\" \"$UNCAGED_WORKFLOW_ROLE\" \"$SEEN\" \"$LD_SEEN\"\n",
    );
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}
