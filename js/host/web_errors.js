// Lets fetch and AbortController fail in Node's words: programs look for them
// to tell what may be tried again.

import { core, primordials } from "ext:core/mod.js";
const {
  Error,
  ObjectDefineProperty,
  ObjectPrototypeIsPrototypeOf,
  ReflectApply,
  RegExpPrototypeExec,
  SafeRegExp,
  StringPrototypeIncludes,
  StringPrototypeStartsWith,
  TypeError,
  TypeErrorPrototype,
} = primordials;

const OS_ERROR = new SafeRegExp("\\(os error ([0-9]+)\\)");

// The code that the cause of a failed fetch has in Node, where the text tells.
function codeOf(message) {
  const found = RegExpPrototypeExec(OS_ERROR, message);
  if (found !== null) {
    const uv = core.loadExtScript("ext:deno_node/internal_binding/uv.ts");
    return uv.errname(uv.mapSysErrnoToUvErrno(+found[1]));
  }
  if (StringPrototypeIncludes(message, "dns error")) {
    return "ENOTFOUND";
  }
  return StringPrototypeIncludes(message, "connection closed") ? "UND_ERR_SOCKET" : undefined;
}

function asInNode(error) {
  if (!ObjectPrototypeIsPrototypeOf(TypeErrorPrototype, error)) {
    return error;
  }
  if (StringPrototypeStartsWith(error.message, "Fetch failed: Requests to port")) {
    return new TypeError("fetch failed", { __proto__: null, cause: new Error("bad port") });
  }
  const { cause, message } = error;
  if (message === "fetch failed" && core.isNativeError(cause) && cause.code === undefined) {
    const code = codeOf(cause.message);
    if (code !== undefined) {
      cause.code = code;
    }
  }
  return error;
}

function define(object, name, value) {
  ObjectDefineProperty(object, name, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function failAsInNode(global) {
  const { AbortController, AbortSignal, DOMException, fetch: send } = global;
  define(global, "fetch", async function fetch(input, init = undefined) {
    try {
      return await send(input, init);
    } catch (error) {
      throw asInNode(error);
    }
  });
  const aborted = () => new DOMException("This operation was aborted", "AbortError");
  const { abort } = AbortController.prototype;
  define(AbortController.prototype, "abort", {
    abort(reason = aborted()) {
      ReflectApply(abort, this, [reason]);
    },
  }.abort);
  const { abort: abortedSignal } = AbortSignal;
  define(AbortSignal, "abort", {
    abort(reason = aborted()) {
      return ReflectApply(abortedSignal, AbortSignal, [reason]);
    },
  }.abort);
}

export { failAsInNode };
