//! Deno's polyfills that are loaded on first use, with faults of theirs mended.

use std::borrow::Cow;
use std::sync::LazyLock;

use deno_snapshots::{RESIDUAL_LAZY_ESM, RESIDUAL_LAZY_JS};

use super::polyfill_fixes::FIXES;

type Sources = [(&'static str, &'static str)];

/// The scripts that `loadExtScript` finds, for the life of the process.
pub(super) fn lazy_scripts() -> &'static Sources {
    static SCRIPTS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| all_mended(RESIDUAL_LAZY_JS));
    &SCRIPTS
}

/// The modules that `createLazyLoader` finds, for the life of the process.
pub(super) fn lazy_modules() -> &'static Sources {
    static MODULES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| all_mended(RESIDUAL_LAZY_ESM));
    &MODULES
}

fn all_mended(sources: &'static Sources) -> Vec<(&'static str, &'static str)> {
    sources.iter().map(|(name, source)| (*name, mended(name, source))).collect()
}

fn mended(specifier: &str, source: &'static str) -> &'static str {
    let mut text = Cow::Borrowed(source);
    for fix in FIXES.iter().filter(|fix| fix.specifier == specifier) {
        debug_assert_eq!(text.matches(fix.from).count(), 1, "{specifier}: {:?}", fix.from);
        text = Cow::Owned(text.replace(fix.from, fix.to));
    }
    match text {
        Cow::Borrowed(_) => source,
        Cow::Owned(text) => Box::leak(text.into_boxed_str()),
    }
}
