//! What is wrong in Deno's polyfills of Node, and what it should be: what programs
//! of `tests/packages` print otherwise under Node, and what permissions did not
//! hold or nobody could catch. `build.rs` includes this file, and stops where a text
//! does not stand there once. One table, and so longer than other files.

/// A text that stands once in a polyfill, and what is to stand there.
pub(super) struct Fix {
    pub specifier: &'static str,
    pub from: &'static str,
    pub to: &'static str,
}

const CHILD_PROCESS: &str = "ext:deno_node/internal/child_process.ts";
const CIPHER: &str = "ext:deno_node/internal/crypto/cipher.ts";
const COPY: &str = "ext:deno_node/_fs/_fs_copy.ts";
const FS: &str = "ext:deno_node/fs.ts";
const FS_PROMISES: &str = "ext:deno_node/internal/fs/promises.ts";
const WASI: &str = "ext:deno_node/wasi.ts";
const READDIR: &str = "ext:deno_node/_fs/_fs_readdir.ts";

pub(super) const FIXES: &[Fix] = &[
    // The sync forms of child_process tell of no error but ENOENT.
    Fix {
        specifier: CHILD_PROCESS,
        from: r#"result.error = _createSpawnError("ENOENT", command, args, true);
      }"#,
        to: r#"result.error = _createSpawnError("ENOENT", command, args, true);
      } else {
        result.error = codeMap.has(err.code) ? _createSpawnError(err.code, command, args, true) : err;
      }
      if (result.error) {
        Object.assign(result, { status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null });
      }"#,
    },
    // The streams of a child that could not be started end; they do not break.
    Fix {
        specifier: CHILD_PROCESS,
        from: "this.stdout = new Readable({
              read () {}",
        to: "this.stdout = new Readable({
              read () { this.push(null); }",
    },
    Fix {
        specifier: CHILD_PROCESS,
        from: "this.stderr = new Readable({
              read () {}",
        to: "this.stderr = new Readable({
              read () { this.push(null); }",
    },
    Fix {
        specifier: CHILD_PROCESS,
        from: "nextTick(()=>{
            if (this.stdout) {
              this.stdout.destroy();
            }
            if (this.stderr) {
              this.stderr.destroy();",
        to: "this.exitCode = e.errno ?? null;
          nextTick(()=>{
            if (this.stdout) {
              this.stdout.resume();
            }
            if (this.stderr) {
              this.stderr.resume();",
    },
    Fix {
        specifier: CHILD_PROCESS,
        from: "notImplemented(`normalizeStdioOption stdio=${typeof stdio} (${stdio})`);",
        to: r#"throw new ERR_INVALID_ARG_VALUE("stdio", stdio);"#,
    },
    // A child without a channel for messages is not connected.
    Fix {
        specifier: CHILD_PROCESS,
        from: "    disconnect;
    #process;",
        to: "    disconnect;
    connected = false;
    #process;",
    },
    // Errors of the file system name the call, the paths and the number.
    Fix {
        specifier: FS,
        from: "PromisePrototypeThen(Deno.utime(path, atime, mtime), ()=>callback(null), callback);",
        to: r#"PromisePrototypeThen(Deno.utime(path, atime, mtime), ()=>callback(null),
      (err)=>callback(denoErrorToNodeError(err, { syscall: "utime", path })));"#,
    },
    Fix {
        specifier: FS,
        from: "    Deno.utimeSync(path, atime, mtime);",
        to: r#"    try {
      Deno.utimeSync(path, atime, mtime);
    } catch (err) {
      throw denoErrorToNodeError(err, { syscall: "utime", path });
    }"#,
    },
    Fix {
        specifier: FS,
        from: r#"      type: linkType ?? "file"
    }), ()=>callback(null), callback);"#,
        to: r#"      type: linkType ?? "file"
    }), ()=>callback(null),
      (err)=>callback(denoErrorToNodeError(err, { syscall: "symlink", path: target, dest: path })));"#,
    },
    Fix {
        specifier: FS,
        from: r#"    Deno.symlinkSync(target, path, {
      type: type ?? "file"
    });"#,
        to: r#"    try {
      Deno.symlinkSync(target, path, { type: type ?? "file" });
    } catch (err) {
      throw denoErrorToNodeError(err, { syscall: "symlink", path: target, dest: path });
    }"#,
    },
    Fix {
        specifier: FS,
        from: "    fd = getValidatedFd(fd);
    op_node_fs_close(fd);
  }",
        to: r#"    fd = getValidatedFd(fd);
    try {
      op_node_fs_close(fd);
    } catch (err) {
      throw denoErrorToNodeError(err, { syscall: "close" });
    }
  }"#,
    },
    Fix {
        specifier: FS,
        from: r#"error = ObjectPrototypeIsPrototypeOf(ErrorPrototype, err) ? err : new Error("[non-error thrown]");
      }
      callback(error);
    });
  }
  function closeSync"#,
        to: r#"error = denoErrorToNodeError(err, { syscall: "close" });
      }
      callback(error);
    });
  }
  function closeSync"#,
    },
    Fix {
        specifier: FS,
        from: r#"      err = denoErrorToNodeError(error, {
        syscall: "opendir"
"#,
        to: r#"      err = denoErrorToNodeError(error, {
        path,
        syscall: "opendir"
"#,
    },
    Fix {
        specifier: FS,
        from: r#"      throw denoErrorToNodeError(err, {
        syscall: "opendir"
"#,
        to: r#"      throw denoErrorToNodeError(err, {
        path,
        syscall: "opendir"
"#,
    },
    Fix {
        specifier: READDIR,
        from: r#"        callback(denoErrorToNodeError(err, {
          syscall: "readdir","#,
        to: r#"        callback(denoErrorToNodeError(err, {
          syscall: "scandir","#,
    },
    Fix {
        specifier: READDIR,
        from: r#"      throw denoErrorToNodeError(e, {
        syscall: "readdir","#,
        to: r#"      throw denoErrorToNodeError(e, {
        syscall: "scandir","#,
    },
    Fix {
        specifier: COPY,
        from: r#"const { codeMap } ="#,
        to: r#"const { denoErrorToNodeError, uvException } = core.loadExtScript("ext:deno_node/internal/errors.ts");
const { codeMap } ="#,
    },
    Fix {
        specifier: COPY,
        from: r#"  const cb = makeCallback(callback);
"#,
        to: r#"  const told = makeCallback(callback);
  const cb = (err)=>told(err && denoErrorToNodeError(err, { syscall: "copyfile", path: srcStr, dest: destStr }));
"#,
    },
    Fix {
        specifier: COPY,
        from: r#"      e.code = "EEXIST";
"#,
        to: r#"      e.code = "EEXIST";
      e.path = srcStr;
      e.dest = destStr;
"#,
    },
    Fix {
        specifier: COPY,
        from: r#"  const modeNum = getValidMode(mode, "copyFile");
  if ((modeNum & fs.COPYFILE_EXCL) === fs.COPYFILE_EXCL) {
    try {
      Deno.lstatSync(destStr);
      throw new Error(`A file exists at the destination: ${destStr}`);
    } catch (e) {
      if (ObjectPrototypeIsPrototypeOf(Deno.errors.NotFound.prototype, e)) {
        Deno.copyFileSync(srcStr, destStr);
      } else {
        throw e;
      }
    }
  } else {
    Deno.copyFileSync(srcStr, destStr);
  }"#,
        to: r#"  const modeNum = getValidMode(mode, "copyFile");
  const context = { syscall: "copyfile", path: srcStr, dest: destStr };
  let exists = (modeNum & fs.COPYFILE_EXCL) === fs.COPYFILE_EXCL;
  try {
    if (exists) {
      try {
        Deno.lstatSync(destStr);
      } catch (e) {
        if (!ObjectPrototypeIsPrototypeOf(Deno.errors.NotFound.prototype, e)) throw e;
        exists = false;
      }
    }
    if (!exists) Deno.copyFileSync(srcStr, destStr);
  } catch (e) {
    throw denoErrorToNodeError(e, context);
  }
  if (exists) throw uvException({ errno: codeMap.get("EEXIST"), ...context });"#,
    },
    // Who aborts a read or a write gets Node's AbortError.
    Fix {
        specifier: FS_PROMISES,
        from: "    if (opts.signal?.aborted) opts.signal.throwIfAborted();
    const fh = await openPromise(pathOrRid, flag, mode);",
        to: r#"    if (opts.signal?.aborted) {
      const { AbortError } = core.loadExtScript("ext:deno_node/internal/errors.ts");
      throw new AbortError(undefined, { cause: opts.signal.reason });
    }
    const fh = await openPromise(pathOrRid, flag, mode);"#,
    },
    Fix {
        specifier: FS_PROMISES,
        from: "    if (opts.signal?.aborted) opts.signal.throwIfAborted();
    const fh = await openPromise(path, flag);",
        to: r#"    if (opts.signal?.aborted) {
      const { AbortError } = core.loadExtScript("ext:deno_node/internal/errors.ts");
      throw new AbortError(undefined, { cause: opts.signal.reason });
    }
    const fh = await openPromise(path, flag);"#,
    },
    // `isReadable` and its like of node:stream ask web streams through these;
    // without them undici's fetch waits for ever for a body that was cut off.
    Fix {
        specifier: "ext:deno_web/06_streams.js",
        from: "    webidl.assertBranded(this, ReadableStreamPrototype);
    return isReadableStreamLocked(this);
  }
",
        to: r#"    webidl.assertBranded(this, ReadableStreamPrototype);
    return isReadableStreamLocked(this);
  }

  get [__bootstrap.primordials.SymbolFor("nodejs.stream.disturbed")]() {
    return this[_disturbed];
  }

  get [__bootstrap.primordials.SymbolFor("nodejs.stream.errored")]() {
    return this[_state] === "errored";
  }

  get [__bootstrap.primordials.SymbolFor("nodejs.stream.readable")]() {
    return this[_state] === "readable";
  }
"#,
    },
    // A listener to a signal gets its number too.
    Fix {
        specifier: "node:process",
        from: "wrapper = ()=>listener(event);",
        to: "wrapper = ()=>listener(event, constants.os.signals[event]);",
    },
    // Node knows digests by the names of their signatures as well.
    Fix {
        specifier: "ext:deno_node/internal/crypto/util.ts",
        from: "const blockSize = hashBlockSizes[algorithm];",
        to: r#"const blockSize = hashBlockSizes[algorithm] ?? hashBlockSizes[algorithm.replace(/^rsa-/, "")];"#,
    },
    Fix {
        specifier: CIPHER,
        from: "this._context = op_node_create_cipheriv(cipher, toU8(key), toU8(iv), authTagLength);
      } catch (e) {",
        to: r#"this._context = op_node_create_cipheriv(cipher, toU8(key), toU8(iv), authTagLength);
      } catch (e) {
        if (e.message === "Invalid key length") e.code = "ERR_CRYPTO_INVALID_KEYLEN";"#,
    },
    // A bundle is no program that could be started again as its own worker.
    Fix {
        specifier: "ext:deno_node/internal/cluster/primary.ts",
        from: "cluster.fork = function(env) {",
        to: r#"cluster.fork = function(env) {
      throw new Error("cluster.fork is not supported here: use child processes, or more workflow threads");"#,
    },
    // `import console from "node:console"` is the console that there is.
    Fix {
        specifier: "node:console",
        from: r#"const console = typeof _consoleDesc.get === "function" ? _consoleDesc.get() : _consoleDesc.value;"#,
        to: "const console = globalThis.console;",
    },
    Fix {
        specifier: "node:console",
        from: "ObjectAssign(console, {
  Console
});",
        to: "",
    },
    // A child's variables are not read by the bundle: it may need no permission
    // for them. Host modules add theirs as `uncagedEnv`. (The last one is Deno's own, for measuring coverage.)
    Fix {
        specifier: CHILD_PROCESS,
        from: "const env = options.env || Deno.env.toObject();",
        to: "const env = options.env ||
        { ...__bootstrap.internals.uncagedChildEnv(), ...options.uncagedEnv };",
    },
    Fix {
        specifier: CHILD_PROCESS,
        from: "const { env = Deno.env.toObject(), input,",
        to: "const { env = __bootstrap.internals.uncagedChildEnv(), input,",
    },
    Fix {
        specifier: CHILD_PROCESS,
        from: r#"copyProcessEnvToEnv(env, "NODE_V8_COVERAGE", options.env);"#,
        to: "",
    },
    // The sync forms gave a child the variables of this process beside those that
    // it was to have alone. A program is found without a search path too; the
    // system's own one is for that.
    Fix {
        specifier: CHILD_PROCESS,
        from: "clearEnv: false,",
        to: "clearEnv: true,
        env: { PATH: \"/bin:/usr/bin\", ...mapValues(env, (value)=>value.toString()) },",
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
    // A link could lead out of the folders that are granted (node:fs asks for
    // everything before it makes one). 63 is EPERM.
    Fix {
        specifier: WASI,
        from: "return ctx.pathSymlink(",
        to: "if (__bootstrap.internals.uncagedIsLimited()) return 63;
        return ctx.pathSymlink(",
    },
    Fix {
        specifier: WASI,
        from: "return ctx.pathLink(",
        to: "if (__bootstrap.internals.uncagedIsLimited()) return 63;
        return ctx.pathLink(",
    },
];
