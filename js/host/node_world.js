// Makes the isolate's global object look like Node's.

import { core, primordials } from "ext:core/mod.js";
import { failAsInNode } from "ext:uncaged_host/web_errors.js";
const {
  op_uncaged_child_env,
  op_uncaged_exit,
  op_uncaged_explain_refusal,
  op_uncaged_is_internal_caller,
  op_uncaged_is_limited,
  op_uncaged_log,
  op_uncaged_mark_own_scripts,
} = core.ops;
const {
  Error,
  Function,
  ObjectDefineProperty,
  ObjectGetOwnPropertyDescriptor,
  ObjectGetPrototypeOf,
  ObjectPrototype,
  ObjectSetPrototypeOf,
  Proxy,
  ReflectGet,
  ReflectHas,
  ReflectOwnKeys,
  ReflectSet,
  SafeSet,
  SetPrototypeHas,
  StringPrototypeEndsWith,
  StringPrototypeSlice,
  StringPrototypeStartsWith,
  SymbolToStringTag,
} = primordials;

const os = core.loadExtScript("ext:deno_os/30_os.js");
const { Console } = core.loadExtScript("ext:deno_web/01_console.js");
const { errors } = core.loadExtScript("ext:runtime/01_errors.js");

// On Deno's global object and not on Node's, beside all that begins with GPU.
const FOREIGN = new SafeSet([
  "Deno",
  "Cache",
  "CacheStorage",
  "CSSStyleSheet",
  "DOMMatrix",
  "DOMMatrixReadOnly",
  "DOMPoint",
  "DOMPointReadOnly",
  "DOMQuad",
  "DOMRect",
  "DOMRectReadOnly",
  "EventSource",
  "FileReader",
  "ImageBitmap",
  "ImageBitmapRenderingContext",
  "ImageData",
  "Location",
  "NavigatorUAData",
  "Notification",
  "OffscreenCanvas",
  "PromiseRejectionEvent",
  "ProgressEvent",
  "Storage",
  "WebSocketStream",
  "Window",
  "Worker",
  "alert",
  "caches",
  "close",
  "closed",
  "confirm",
  "createImageBitmap",
  "localStorage",
  "location",
  "name",
  "onbeforeunload",
  "onerror",
  "onload",
  "onunhandledrejection",
  "onunload",
  "prompt",
  "reportError",
  "self",
  "sessionStorage",
]);

// What Deno's own scripts look up on the global object must be there for them,
// as some are loaded only when first used: `Deno` itself, the foreign names,
// and that the global object is an EventTarget. Nobody else is to see it. So
// the global object inherits from a proxy that asks who is looking.
function hideForeign(global) {
  new Function("mark", "mark()")(op_uncaged_mark_own_scripts);
  const prototype = ObjectGetPrototypeOf(global);
  const hidden = { __proto__: prototype };
  const names = ReflectOwnKeys(global);
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    if (typeof name === "string" && (SetPrototypeHas(FOREIGN, name) || isGpu(name))) {
      const descriptor = ObjectGetOwnPropertyDescriptor(global, name);
      ObjectDefineProperty(hidden, name, { __proto__: null, ...descriptor });
      delete global[name];
    }
  }
  const outsider = (key) => ReflectHas(ObjectPrototype, key) || !op_uncaged_is_internal_caller();
  ObjectSetPrototypeOf(
    global,
    new Proxy({}, {
      __proto__: null,
      has(_target, key) {
        return ReflectHas(outsider(key) ? ObjectPrototype : hidden, key);
      },
      get(_target, key, receiver) {
        return ReflectGet(outsider(key) ? ObjectPrototype : hidden, key, receiver);
      },
      getPrototypeOf() {
        return prototype; // an EventTarget's, which Deno checks before it listens
      },
      set(_target, key, value, receiver) {
        // What node:module leaves behind for Deno's worker threads.
        return key === "nodeBootstrap" || ReflectSet(ObjectPrototype, key, value, receiver);
      },
    }),
  );
  ObjectDefineProperty(global, SymbolToStringTag, {
    __proto__: null,
    value: "global",
    configurable: true,
  });
}

function isGpu(name) {
  return StringPrototypeStartsWith(name, "GPU");
}

// Console levels as Deno numbers them: 0 debug, 1 log and info, 2 warn, 3 error.
function logToThread(global) {
  let pending = "";
  const console = new Console((message, level) => {
    pending += message;
    if (StringPrototypeEndsWith(pending, "\n")) {
      op_uncaged_log(level, StringPrototypeSlice(pending, 0, -1), null);
      pending = "";
    }
  });
  ObjectDefineProperty(console, "Console", {
    __proto__: null,
    get: () => core.loadExtScript("ext:deno_node/internal/console/constructor.mjs").Console,
    enumerable: true,
    configurable: true,
  });
  ObjectDefineProperty(global, "console", {
    __proto__: null,
    value: console,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

// `process.exit` must not be caught, so it never comes back: V8 looks for the
// termination that the op asked for at the loop's back edge.
function exitEndsTheRun() {
  os.setExitHandler((code) => {
    op_uncaged_exit(code);
    for (;;);
  });
}

// Node's `process` is made on first use. Its versions come from here; the
// getter is how to learn of that moment, to take out the names of Deno.
function nameOnlyNode(args) {
  const v8 = args.denoVersion.v8;
  args.denoVersion = {
    __proto__: null,
    get v8() {
      const { versions } = core.loadExtScript("ext:deno_node/_process/process.ts");
      delete versions.deno;
      delete versions.typescript;
      return v8;
    },
  };
}

// What hides `Deno` is a courtesy to programs and can be got around. Behind it,
// permissions hold; behind `Deno[Deno.internal]` they would not.
function forgetInternals(deno) {
  delete deno[deno.internal];
  delete deno.internal;
}

// Deno takes it away; programs for Node use it.
const protoAccessor = ObjectGetOwnPropertyDescriptor(ObjectPrototype, "__proto__");

// Deno's refusals name its own command line. The class calls its parent's
// constructor with the message, so a parent in between can change it.
function sayHowToGrant() {
  class Refusal extends Error {
    constructor(message) {
      super(op_uncaged_explain_refusal(`${message}`));
    }
  }
  ObjectSetPrototypeOf(errors.NotCapable, Refusal);
}

function becomeNode(internals) {
  const global = globalThis;
  ObjectDefineProperty(ObjectPrototype, "__proto__", { __proto__: null, ...protoAccessor });
  nameOnlyNode(internals.__nodeBootstrapArgs);
  // See src/host/polyfill_fixes.rs.
  internals.uncagedChildEnv = op_uncaged_child_env;
  internals.uncagedIsLimited = op_uncaged_is_limited;
  forgetInternals(global.Deno);
  sayHowToGrant();
  exitEndsTheRun();
  logToThread(global);
  failAsInNode(global);
  hideForeign(global);
}

export { becomeNode };
