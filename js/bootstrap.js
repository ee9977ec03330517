// The entry point of the host's extension. Runs once in each isolate, before
// Deno's own bootstrap and before any code of a bundle, captures what it needs
// and gives Rust the functions that drive a bundle.

import { core, internals, primordials } from "ext:core/mod.js";
import { encode, encodeOrThrow } from "ext:uncaged_host/values.js";
import { fillImportMeta } from "ext:uncaged_host/import_meta.js";
import { becomeNode } from "ext:uncaged_host/node_world.js";
import { connect } from "uncaged:host.js";
import { makeExtract } from "uncaged:extract.js";
const {
  op_uncaged_cas_delete,
  op_uncaged_cas_get,
  op_uncaged_cas_list,
  op_uncaged_cas_put,
  op_uncaged_register,
  op_set_format_exception_callback,
} = core.ops;
const { inspectArgs } = core.loadExtScript("ext:deno_web/01_console.js");
const {
  ErrorPrototype,
  JSONParse,
  JSONStringify,
  ObjectHasOwn,
  ObjectKeys,
  ObjectPrototypeIsPrototypeOf,
  ReflectApply,
  StringPrototypeStartsWith,

  SymbolAsyncIterator,
  SymbolIterator,
  TypeError,
} = primordials;

function text(value, what) {
  if (typeof value !== "string") {
    throw new TypeError(`${what} must be a string, not ${value === null ? "null" : typeof value}`);
  }
  return value;
}

// The CAS as `run` gets it; hashes that are none are simply not there.
const cas = {
  async put(content) {
    return await op_uncaged_cas_put(null, text(content, "cas.put: content"));
  },
  async get(hash) {
    return await op_uncaged_cas_get(null, text(hash, "cas.get: hash"));
  },
  async delete(hash) {
    await op_uncaged_cas_delete(null, text(hash, "cas.delete: hash"));
  },
  async list() {
    return await op_uncaged_cas_list(null);
  },
};

// Only our own ops: Deno's would do for a host module what a bundle may not.
const ownOps = { __proto__: null };
for (const name of ObjectKeys(core.ops)) {
  if (StringPrototypeStartsWith(name, "op_uncaged_")) {
    ownOps[name] = core.ops[name];
  }
}
connect(encodeOrThrow, ownOps);

const extract = makeExtract({ cas });

const runtime = { cas, extract };

// Answers to Rust are JSON text behind one letter: (v)alue, (d)one, (r)efused.
function answer(letter, value, path) {
  const { text, reason, path: where } = encode(value, path);
  return text === undefined ? "r" + JSONStringify({ path: where, reason }) : letter + text;
}

function kindOf(value) {
  return value === null ? "null" : typeof value;
}

function refuse(name, problem) {
  return "r" + JSONStringify({ path: name, reason: problem });
}

/// "" when the exports are as they must be; the problem else.
function checkExports(namespace) {
  if (!ObjectHasOwn(namespace, "run")) {
    return refuse("run", "is missing");
  }
  if (typeof namespace.run !== "function") {
    return refuse("run", `must be a function, not ${kindOf(namespace.run)}`);
  }
  return "";
}

function describe(namespace) {
  if (!ObjectHasOwn(namespace, "descriptor")) {
    return refuse("descriptor", "is missing");
  }
  return answer("v", namespace.descriptor, "descriptor");
}

let generator;
let advance;

/// Calls `run`; "" when it gave a generator, "n" and what it gave else.
async function start(namespace, thread) {
  const made = await ReflectApply(namespace.run, undefined, [JSONParse(thread), runtime]);
  generator = iteratorOf(made);
  if (generator === undefined) {
    return "n" + kindOf(made);
  }
  advance = generator.next;
  return "";
}

function iteratorOf(value) {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) {
    return undefined;
  }
  if (typeof value.next === "function") {
    return value;
  }
  const method = value[SymbolAsyncIterator] ?? value[SymbolIterator];
  const iterator = typeof method === "function" ? ReflectApply(method, value, []) : undefined;
  return typeof iterator?.next === "function" ? iterator : undefined;
}

async function next() {
  const result = await ReflectApply(advance, generator, []);
  return result.done ? answer("d", result.value, "result") : answer("v", result.value, "step");
}

/// Runs the generator's `finally` blocks, however often they yield.
async function finish() {
  const leave = generator?.return;
  if (typeof leave !== "function") {
    return "";
  }
  let result = await ReflectApply(leave, generator, []);
  while (!result.done) {
    result = await ReflectApply(advance, generator, []);
  }
  return "";
}

// How a thrown value that is no Error reads in Rust.
function showThrown(value) {
  if (core.isNativeError(value) || ObjectPrototypeIsPrototypeOf(ErrorPrototype, value)) {
    return null;
  }
  return typeof value === "string" ? value : inspectArgs([value], { colors: false });
}

function prepare() {
  op_set_format_exception_callback(showThrown);
  becomeNode(internals);
}

op_uncaged_register(prepare, checkExports, describe, start, next, finish, fillImportMeta);

