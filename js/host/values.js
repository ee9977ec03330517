// What a bundle may hand over, as JSON text: plain JSON data.
//
// One rule, for yielded steps, results, descriptors and what host modules pass
// to Rust:
//   - null, booleans, finite numbers and strings are themselves;
//   - arrays and plain objects (prototype Object.prototype or null, from any
//     realm) are taken apart; only own enumerable string keys count;
//   - a field that is undefined is left out, in an array it becomes null;
//   - a Date becomes its ISO text; an object with a toJSON() of its own or of
//     its class what that returns;
//   - everything else is refused with the path of the field: BigInt, NaN and
//     the infinities, functions, symbols, cycles, instances of classes, Map,
//     Set and so on, and nesting deeper than 100 levels.
// Lone surrogates become U+FFFD, as they would in a file.
//
// Everything is captured before the bundle runs, and copies have no prototype,
// so that a bundle which changes prototypes changes nothing here.

import { core, primordials } from "ext:core/mod.js";
const {
  ArrayIsArray,
  ArrayPrototypeIncludes,
  ArrayPrototypePop,
  ArrayPrototypePush,
  DatePrototypeToISOString,
  DatePrototypeGetTime,
  JSONStringify,
  NumberIsFinite,
  NumberIsNaN,
  ObjectGetPrototypeOf,
  ObjectHasOwn,
  ObjectKeys,
  ObjectSetPrototypeOf,
  ReflectApply,
  RegExpPrototypeTest,
  SafeRegExp,
  StringPrototypeToWellFormed,
  TypeError,
} = primordials;

const MAX_DEPTH = 100;
const IDENTIFIER = new SafeRegExp("^[A-Za-z_$][A-Za-z0-9_$]*$");

// Thrown inside this file only.
class Refusal {
  constructor(path, reason) {
    this.path = path;
    this.reason = reason;
  }
}

function child(path, key) {
  return RegExpPrototypeTest(IDENTIFIER, key)
    ? `${path}.${key}`
    : `${path}[${JSONStringify(key)}]`;
}

function className(value) {
  try {
    const name = ObjectGetPrototypeOf(value)?.constructor?.name;
    if (typeof name === "string" && name !== "") {
      return name;
    }
  } catch {
    // A getter or a proxy of the bundle's.
  }
  return "object without a constructor";
}

function isPlain(value) {
  const prototype = ObjectGetPrototypeOf(value);
  return prototype === null || ObjectGetPrototypeOf(prototype) === null;
}

function copyNumber(value, path) {
  if (NumberIsFinite(value)) {
    return value;
  }
  throw new Refusal(path, `${NumberIsNaN(value) ? "NaN" : "an infinite number"} is not JSON data`);
}

function copyDate(value, path) {
  if (NumberIsNaN(DatePrototypeGetTime(value))) {
    throw new Refusal(path, "an invalid Date is not JSON data");
  }
  return DatePrototypeToISOString(value);
}

function copyObject(value, path, parents) {
  if (core.isDate(value)) {
    return copyDate(value, path);
  }
  if (ArrayPrototypeIncludes(parents, value)) {
    throw new Refusal(path, "contains itself");
  }
  if (parents.length === MAX_DEPTH) {
    throw new Refusal(path, `is nested deeper than ${MAX_DEPTH} levels`);
  }
  ArrayPrototypePush(parents, value);
  const plain = copyFields(value, path, parents);
  ArrayPrototypePop(parents);
  return plain;
}

function copyFields(value, path, parents) {
  if (ArrayIsArray(value)) {
    const array = ObjectSetPrototypeOf([], null);
    for (let i = 0; i < value.length; i++) {
      array[i] = copy(value[i], `${path}[${i}]`, parents) ?? null;
    }
    return array;
  }
  const plain = isPlain(value);
  const toJSON = !plain || ObjectHasOwn(value, "toJSON") ? value.toJSON : undefined;
  if (typeof toJSON === "function") {
    return copy(ReflectApply(toJSON, value, []), path, parents);
  }
  if (!plain) {
    throw new Refusal(path, `an instance of ${className(value)} is not plain data`);
  }
  const object = { __proto__: null };
  const keys = ObjectKeys(value);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const field = copy(value[key], child(path, key), parents);
    if (field !== undefined) {
      object[StringPrototypeToWellFormed(key)] = field;
    }
  }
  return object;
}

function copy(value, path, parents) {
  switch (typeof value) {
    case "undefined":
    case "boolean":
      return value;
    case "string":
      return StringPrototypeToWellFormed(value);
    case "number":
      return copyNumber(value, path);
    case "bigint":
      throw new Refusal(path, "a BigInt is not JSON data: convert it with String() or Number()");
    case "object":
      return value === null ? null : copyObject(value, path, parents);
    default:
      throw new Refusal(path, `a ${typeof value} is not JSON data`);
  }
}

/// `{ text }` with JSON, or `{ path, reason }`. What the value's own getters
/// and toJSON throw passes through.
function encode(value, path) {
  try {
    return { text: JSONStringify(copy(value, path, ObjectSetPrototypeOf([], null)) ?? null) };
  } catch (error) {
    if (error instanceof Refusal) {
      return { path: error.path, reason: error.reason };
    }
    throw error;
  }
}

/// The JSON text of a value; a TypeError for what is not plain data.
function encodeOrThrow(value, path) {
  const { text, reason, path: where } = encode(value, path);
  if (text === undefined) {
    throw new TypeError(`${where}: ${reason}`);
  }
  return text;
}

export { encode, encodeOrThrow };
