// @bun
import { createRequire } from "node:module";
var __create = Object.create;
var __getProtoOf = Object.getPrototypeOf;
var __toESM = (mod, isNodeMode, target) => {
  target = mod != null ? __create(__getProtoOf(mod)) : {};
  return target;
};
var __require = /* @__PURE__ */ createRequire(import.meta.url);

// src/workflow.ts
import { readFileSync } from "fs";
import path from "path";
var { env } = process;
var { run, other } = makeAll({ env, path });
var descriptor = buildDescriptor({ description: "bun", roles: {} });
function makeAll(options) {
  const { join } = options.path;
  return {
    run: async function* () {
      return { returnCode: 0, summary: join(readFileSync(0, "utf8"), typeof __require) };
    },
    other: null
  };
}
function buildDescriptor(definition) {
  return definition;
}
export {
  run,
  other,
  descriptor
};
