//! Node's built-ins as bundles use them: each program of
//! `tests/packages/built-ins` prints the same here and under Node.

use crate::support::programs::compare_all;
use crate::support::report;

const BUILT_INS: [&str; 13] = [
    "buffer",
    "child-process",
    "crypto",
    "events-timers",
    "fs",
    "fs-promises",
    "globals",
    "http",
    "modules",
    "path-os-url",
    "process",
    "stream",
    "util",
];

/// What the contract names (SPEC section 9).
const PROMISED: [&str; 24] = [
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "crypto",
    "events",
    "fs",
    "fs/promises",
    "http",
    "https",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "querystring",
    "readline",
    "stream",
    "string_decoder",
    "timers",
    "url",
    "util",
    "zlib",
];

#[test]
fn built_ins_do_the_same_as_under_node() {
    let Some(built) = compare_all("built-ins", "groups of built-ins") else { return };
    let names: Vec<&str> = built.iter().map(|built| built.name.as_str()).collect();
    assert_eq!(names, BUILT_INS);
    let used = |name: &&&str| built.iter().any(|it| it.built_ins.iter().any(|own| own == **name));
    let covered = PROMISED.iter().filter(used).count();
    report(&format!("{covered} of {} built-ins of the contract are used there", PROMISED.len()));
    assert_eq!(covered, PROMISED.len());
}
