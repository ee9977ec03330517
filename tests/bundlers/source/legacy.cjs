"use strict";
const path = require("path");
const { EventEmitter } = require("node:events");

exports.join = path.join;
exports.named = typeof EventEmitter;
exports.loads = typeof module === "object" && typeof exports === "object" && typeof require === "function";
exports.strict = (function () {
  return this === undefined;
})();
Object.defineProperty(exports, "__esModule", { value: false });
