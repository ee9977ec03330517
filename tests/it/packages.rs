//! Real npm packages in bundles: each program of `tests/packages/npm` uses one
//! widely, is built by esbuild into one file, and prints the same here and under
//! Node. `make packages` prints the table.

use crate::support::programs::compare_all;

const PACKAGES: [&str; 17] = [
    "ajv",
    "commander",
    "date-fns",
    "execa",
    "fast-glob",
    "hono",
    "lru-cache",
    "marked",
    "openai",
    "p-queue",
    "pino",
    "undici",
    "uuid",
    "ws",
    "xxhashjs",
    "yaml",
    "zod",
];

#[test]
fn npm_packages_print_the_same_as_under_node() {
    let Some(built) = compare_all("npm", "packages") else { return };
    let names: Vec<&str> = built.iter().map(|built| built.name.as_str()).collect();
    assert_eq!(names, PACKAGES);
}
