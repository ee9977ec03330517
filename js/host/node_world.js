// Makes the isolate's global object look like Node's.

import { core, primordials } from "ext:core/mod.js";
const { op_uncaged_exit, op_uncaged_is_internal_caller, op_uncaged_log } = core.ops;
const {
  ObjectDefineProperty,
  ObjectGetPrototypeOf,
  ObjectSetPrototypeOf,
  Proxy,
  ReflectGet,
  ReflectHas,
  StringPrototypeEndsWith,
  StringPrototypeSlice,
} = primordials;

const os = core.loadExtScript("ext:deno_os/30_os.js");
const { Console } = core.loadExtScript("ext:deno_web/01_console.js");

// On Deno's global object and not on Node's.
const FOREIGN = [
  "Cache",
  "CacheStorage",
  "CSSStyleSheet",
  "FileReader",
  "GPU",
  "ImageBitmap",
  "ImageData",
  "Location",
  "NavigatorUAData",
  "Notification",
  "OffscreenCanvas",
  "PromiseRejectionEvent",
  "ProgressEvent",
  "WebSocketStream",
  "Window",
  "Worker",
  "alert",
  "caches",
  "close",
  "closed",
  "confirm",
  "createImageBitmap",
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
];

// The `Deno` global stays reachable for Deno's own polyfills, which name it in
// scripts that are loaded on first use, and does not exist for anyone else:
// the global object inherits from a proxy that asks who is looking.
function hideDeno(global) {
  const deno = global.Deno;
  delete global.Deno;
  const visible = () => op_uncaged_is_internal_caller();
  ObjectSetPrototypeOf(
    global,
    new Proxy(ObjectGetPrototypeOf(global), {
      __proto__: null,
      has(target, key) {
        return key === "Deno" ? visible() : ReflectHas(target, key);
      },
      get(target, key, receiver) {
        if (key === "Deno") {
          return visible() ? deno : undefined;
        }
        return ReflectGet(target, key, receiver);
      },
    }),
  );
}

// Console levels as Deno numbers them: 0 debug, 1 log and info, 2 warn, 3 error.
function logToThread(global) {
  const console = new Console((message, level) => {
    const line = StringPrototypeEndsWith(message, "\n")
      ? StringPrototypeSlice(message, 0, -1)
      : message;
    op_uncaged_log(level, line, null);
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

function becomeNode(internals) {
  const global = globalThis;
  const args = internals.__nodeBootstrapArgs;
  args.denoVersion = { __proto__: null, v8: args.denoVersion.v8 };
  exitEndsTheRun();
  logToThread(global);
  for (let i = 0; i < FOREIGN.length; i++) {
    delete global[FOREIGN[i]];
  }
  hideDeno(global);
}

export { becomeNode };
