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

const FIXES: &[Fix] = &[
    // The sync forms of child_process tell of no error but ENOENT.
    Fix {
        specifier: "ext:deno_node/internal/child_process.ts",
        from: r#"result.error = _createSpawnError("ENOENT", command, args, true);
      }"#,
        to: r#"result.error = _createSpawnError("ENOENT", command, args, true);
      } else { result.error = err; }"#,
    },
    // A child's variables are not read by the bundle: it may need no permission
    // for them. (The last one is Deno's own, for measuring coverage.)
    Fix {
        specifier: "ext:deno_node/internal/child_process.ts",
        from: "const env = options.env || Deno.env.toObject();",
        to: "const env = options.env || __bootstrap.internals.uncagedChildEnv();",
    },
    Fix {
        specifier: "ext:deno_node/internal/child_process.ts",
        from: "const { env = Deno.env.toObject(), input,",
        to: "const { env = __bootstrap.internals.uncagedChildEnv(), input,",
    },
    Fix {
        specifier: "ext:deno_node/internal/child_process.ts",
        from: r#"copyProcessEnvToEnv(env, "NODE_V8_COVERAGE", options.env);"#,
        to: "",
    },
    // Refusals that nobody could catch, because they were thrown where no caller is
    // left, or that did not say what was refused.
    Fix {
        specifier: "ext:deno_node/net.ts",
        from: "function _setupListenHandle(address, port, addressType, backlog, fd, flags) {",
        to: "function _setupListenHandle(...args) {
    try { return primordials.ReflectApply(_listen, this, args); }
    catch (refusal) { nextTick(_emitErrorNT, this, refusal); }
  }
  function _listen(address, port, addressType, backlog, fd, flags) {",
    },
    Fix {
        specifier: "ext:deno_node/dgram.ts",
        from: "const err = state.handle.bind(ip, port || 0, flags);",
        to: "let err;
        try { err = state.handle.bind(ip, port || 0, flags); }
        catch (refusal) {
          state.bindState = BIND_STATE_UNBOUND;
          this.emit(\"error\", refusal);
          return;
        }",
    },
    Fix {
        specifier: "ext:deno_node/dgram.ts",
        from: r#"ex = exceptionWithHostPort(err, "send", this.address, this.port);
    } else {"#,
        to: r#"ex = typeof err === "object" ? err
        : exceptionWithHostPort(err, "send", this.address, this.port);
    } else {"#,
    },
    Fix {
        specifier: "ext:deno_node/internal_binding/udp_wrap.ts",
        from: r#"if (ObjectPrototypeIsPrototypeOf(Deno.errors.BadResource.prototype, e)) {
            err = codeMap.get("EBADF");"#,
        to: r#"if (ObjectPrototypeIsPrototypeOf(Deno.errors.NotCapable.prototype, e)) {
            err = e;
          } else if (ObjectPrototypeIsPrototypeOf(Deno.errors.BadResource.prototype, e)) {
            err = codeMap.get("EBADF");"#,
    },
    Fix {
        specifier: "ext:deno_node/internal_binding/cares_wrap.ts",
        from: r#"error = codeMap.get("EPERM");"#,
        to: "error = e;",
    },
    Fix {
        specifier: "ext:deno_node/internal_binding/cares_wrap.ts",
        from: "// TODO(cmorten): map errors to appropriate error codes.
            code = codeMap.get(\"UNKNOWN\");",
        to: "code = ObjectPrototypeIsPrototypeOf(Deno.errors.NotCapable.prototype, e)
              ? e : codeMap.get(\"UNKNOWN\");",
    },
    Fix {
        specifier: "ext:deno_node/internal/errors.ts",
        from: "const dnsException = hideStackFrames(function(code, syscall, hostname) {",
        to: "const dnsException = hideStackFrames(function(code, syscall, hostname) {
    if (typeof code === \"object\") return code;",
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
