//! Deno's polyfills that are loaded on first use, with faults of theirs mended.

use std::borrow::Cow;
use std::sync::LazyLock;

use deno_snapshots::RESIDUAL_LAZY_JS;

type Sources = [(&'static str, &'static str)];

/// A text in a polyfill and what it should be.
struct Fix {
    specifier: &'static str,
    from: &'static str,
    to: &'static str,
}

const FIXES: [Fix; 1] = [
    // The sync forms of child_process tell of no error but ENOENT.
    Fix {
        specifier: "ext:deno_node/internal/child_process.ts",
        from: r#"result.error = _createSpawnError("ENOENT", command, args, true);
      }"#,
        to: r#"result.error = _createSpawnError("ENOENT", command, args, true);
      } else { result.error = err; }"#,
    },
];

/// The scripts that `loadExtScript` finds, for the life of the process.
pub(super) fn lazy_scripts() -> &'static Sources {
    static SCRIPTS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        RESIDUAL_LAZY_JS.iter().map(|(name, source)| (*name, mended(name, source))).collect()
    });
    &SCRIPTS
}

fn mended(specifier: &str, source: &'static str) -> &'static str {
    let mut text = Cow::Borrowed(source);
    for fix in FIXES.iter().filter(|fix| fix.specifier == specifier) {
        debug_assert_eq!(text.matches(fix.from).count(), 1, "{specifier} is not as it was");
        text = Cow::Owned(text.replace(fix.from, fix.to));
    }
    match text {
        Cow::Borrowed(_) => source,
        Cow::Owned(text) => Box::leak(text.into_boxed_str()),
    }
}
