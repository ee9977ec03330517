//! `init`: from an empty folder to a bundle that runs.

use std::process::Command;

use crate::support::env::{TestEnv, output};
use crate::support::npm;

#[test]
fn a_new_workspace_builds_into_a_bundle_that_is_checked_and_run() {
    // zod and esbuild as another test has them installed; the workspace asks for
    // versions that these satisfy.
    let Some(package) = npm::package("bundles-zod-4.6") else { return };
    let env = TestEnv::new();
    let said = env.run(["init", "workspace", "say-hello"]).ok();
    assert_eq!(said, "made say-hello; next: cd say-hello && npm install && npm run build\n");
    let folder = env.work().join("say-hello");
    std::os::unix::fs::symlink(package.join("node_modules"), folder.join("node_modules")).unwrap();
    let built = output(Command::new("npm").args(["run", "build"]).current_dir(&folder));
    assert_eq!(built.code, Some(0), "{built:?}");

    let bundle = "say-hello/dist/say-hello.esm.js";
    let checked = env.run(["check", bundle]);
    assert!(checked.stdout.ends_with("is a valid bundle (roles: greeter)\n"), "{checked:?}");
    let ran = env.run(["run", bundle, "--prompt", "you", "--wait"]);
    let lines: Vec<&str> = ran.stdout.lines().skip(2).collect();
    let expected = ["  Hello, you!", "  meta: {\"words\":2}", "completed: returnCode=0 — greeted"];
    assert_eq!(lines, expected, "{ran:?}");

    let again = env.run(["init", "workspace", "say-hello"]);
    assert_eq!(
        again.stderr,
        "error: say-hello is there already and not empty\nhint: choose another name, or empty it first\n"
    );
    assert_eq!(again.code, Some(1));
}

#[test]
fn the_types_of_all_host_modules_can_be_written_anew() {
    let env = TestEnv::new();
    assert_eq!(env.run(["init", "types"]).ok(), "wrote 15 declarations into types\n");
    let shipped = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("js/types");
    for entry in std::fs::read_dir(shipped).unwrap() {
        let entry = entry.unwrap();
        let written = env.work().join("types").join(entry.file_name());
        assert_eq!(
            std::fs::read_to_string(written).unwrap(),
            std::fs::read_to_string(entry.path()).unwrap()
        );
    }
}
