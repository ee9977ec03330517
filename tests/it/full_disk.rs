//! A full disk fails the thread with a message and leaves the store valid.

use std::process::Command;

use crate::support::env::{TestEnv, output};
use crate::support::report;

const BUNDLE: &str = r#"
export const descriptor = { description: "fills the disk", roles: {} };
export async function* run(thread, { cas }) {
  for (let number = 1; ; number++) {
    const contentHash = await cas.put(`${number} `.repeat(40000));
    yield { role: "filler", contentHash, meta: { number }, refs: [] };
  }
}
"#;

/// In a mount namespace of its own, the store on a small file system.
const SCRIPT: &str = r#"
mkdir -p "$ROOT" && mount -t tmpfs -o size=2m tmpfs "$ROOT" || exit 99
"$PROGRAM" add filler "$FILE" >/dev/null || exit 98
"$PROGRAM" run filler --max-rounds 1000 --wait | sed '1d;/^[0-9]/d;/^  /d'
"$PROGRAM" cas verify
"$PROGRAM" threads | wc -l
"#;

#[test]
fn a_full_disk_fails_the_thread_and_leaves_the_store_valid() {
    let env = TestEnv::new();
    let allowed = Command::new("unshare").args(["--mount", "true"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        return report("SKIPPED: no small file system without the right to mount one");
    }
    let file = env.write("filler.esm.js", BUNDLE);
    let shown = output(
        Command::new("unshare")
            .args(["--mount", "sh", "-c", SCRIPT])
            .env("ROOT", env.root())
            .env("PROGRAM", env!("CARGO_BIN_EXE_uncaged-workflow"))
            .env("FILE", &file)
            .env("UNCAGED_WORKFLOW_STORAGE_ROOT", env.root()),
    );
    if shown.code == Some(99) {
        return report("SKIPPED: no small file system could be mounted");
    }
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{shown:?}");
    assert!(lines[0].starts_with("completed: returnCode=1 — failed: cannot "), "{shown:?}");
    assert!(lines[0].contains("No space left on device"), "{shown:?}");
    assert!(lines[1].ends_with("and 1 threads: 0 problems"), "{shown:?}");
    assert_eq!(lines[2].trim(), "1", "{shown:?}");
}
