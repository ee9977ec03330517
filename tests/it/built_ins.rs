//! Node's built-ins as bundles use them: each program of
//! `tests/packages/built-ins` prints the same here and under Node.

use crate::support::programs::compare_all;

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

#[test]
fn built_ins_do_the_same_as_under_node() {
    let Some(built) = compare_all("built-ins", "groups of built-ins") else { return };
    let names: Vec<&str> = built.iter().map(|built| built.name.as_str()).collect();
    assert_eq!(names, BUILT_INS);
}
