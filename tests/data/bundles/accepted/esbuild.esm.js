import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __require = /* @__PURE__ */ ((x) => typeof require !== "undefined" ? require : typeof Proxy !== "undefined" ? new Proxy(x, {
  get: (a, b) => (typeof require !== "undefined" ? require : a)[b]
}) : x)(function(x) {
  if (typeof require !== "undefined") return require.apply(this, arguments);
  throw Error('Dynamic require of "' + x + '" is not supported');
});
var __commonJS = (cb, mod) => function __require2() {
  return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// node_modules/old-package/index.js
var require_old_package = __commonJS({
  "node_modules/old-package/index.js"(exports, module) {
    "use strict";
    var fs = require("fs");
    var path2 = __require("path");
    module.exports = { read: (p) => fs.readFileSync(path2.resolve(p), "utf8") };
  }
});

// src/roles.ts
var roles_exports = {};
__export(roles_exports, {
  planner: () => planner
});
var planner;
var init_roles = () => {
  planner = { description: "plans", schema: { type: "object" } };
};

// src/index.ts
import { createHash } from "crypto";
import * as fsp from "node:fs/promises";
var import_old_package = require_old_package();
init_roles();
var descriptor = { description: "esbuild", roles: { planner } };
async function* run(thread, runtime) {
  // import("nothing") and require("nothing") in a comment
  const text = 'import("nothing"); require("nothing")';
  const contentHash = await runtime.cas.put(createHash("sha256").update(text).digest("hex"));
  yield { role: "planner", contentHash, meta: {}, refs: [] };
  return { returnCode: 0, summary: String(await fsp.readFile("/dev/null")) };
}
export {
  descriptor,
  run
};
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozfQ==
