/**
 * The schemas of the host modules themselves, with the part of zod's surface
 * that their users reach for. A field may be a schema of the bundle's own zod,
 * so that a template's role can be extended with one.
 *
 * @module uncaged:schema
 */
import { Schema } from "uncaged:schema/base.js";
import { ObjectSchema } from "uncaged:schema/object.js";
import { UnionSchema } from "uncaged:schema/union.js";

export { SchemaError } from "uncaged:schema/base.js";

/**
 * An object; keys that `shape` does not name are dropped.
 *
 * @param {Record<string, object>} shape
 */
export function object(shape) {
  return new ObjectSchema({ kind: "object", shape });
}

/** Any text. Narrowed by `min`, `max` and `regex`. */
export function string() {
  return new Schema({ kind: "string" });
}

/** Any finite number. Narrowed by `int`, `min` and `max`. */
export function number() {
  return new Schema({ kind: "number" });
}

/** `true` or `false`. */
export function boolean() {
  return new Schema({ kind: "boolean" });
}

/** Anything. */
export function unknown() {
  return new Schema({ kind: "unknown" });
}

/**
 * A list. Narrowed by `min` and `max`.
 *
 * @param {object} element
 */
export function array(element) {
  return new Schema({ kind: "array", element });
}

/**
 * One certain value.
 *
 * @param {string | number | boolean | null} value
 */
export function literal(value) {
  return new Schema({ kind: "literal", value });
}

/**
 * One of some texts.
 *
 * @param {readonly string[]} values
 */
function enumeration(values) {
  return new Schema({ kind: "enum", values: [...values] });
}
export { enumeration as enum };

/**
 * The first option that takes the value.
 *
 * @param {readonly object[]} options
 */
export function union(options) {
  return new UnionSchema({ kind: "union", options: [...options], discriminator: null });
}

/**
 * Objects told apart by the literal in one field.
 *
 * @param {string} discriminator
 * @param {readonly object[]} options
 */
export function discriminatedUnion(discriminator, options) {
  return new UnionSchema({ kind: "union", options: [...options], discriminator });
}
