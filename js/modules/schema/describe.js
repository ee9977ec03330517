/**
 * The JSON Schema of a schema of ours, written as zod writes its own.
 *
 * @module uncaged:schema/describe
 */
import { toJsonSchema } from "uncaged:json-schema.js";

/**
 * @param {any} schema
 * @param {"input" | "output"} side
 * @returns {Record<string, unknown>}
 */
export function describe(schema, side) {
  const keywords = schema.def === undefined ? undefined : KEYWORDS[schema.def.kind];
  if (keywords === undefined) {
    return toJsonSchema(schema, side);
  }
  return { ...keywords(schema.def, side), ...schema.meta() };
}

/** @type {Record<string, (def: any, side: "input" | "output") => Record<string, unknown>>} */
const KEYWORDS = {
  unknown: () => ({}),
  boolean: () => ({ type: "boolean" }),
  string: ({ min, max, pattern }) =>
    given({ type: "string", minLength: min, maxLength: max, pattern: pattern?.source }),
  number: ({ min, max, int }) =>
    given({ type: int === true ? "integer" : "number", minimum: min, maximum: max }),
  literal: ({ value }) => ({ type: value === null ? "null" : typeof value, const: value }),
  enum: ({ values }) => ({ type: "string", enum: values }),
  array: ({ element, min, max }, side) =>
    given({ minItems: min, maxItems: max, type: "array", items: describe(element, side) }),
  object: ({ shape }, side) => {
    const fields = Object.entries(shape);
    const required = fields.filter(([, field]) => !mayMiss(field, side)).map(([key]) => key);
    return given({
      type: "object",
      properties: Object.fromEntries(fields.map(([key, field]) => [key, describe(field, side)])),
      required: required.length > 0 ? required : undefined,
      additionalProperties: side === "output" ? false : undefined,
    });
  },
  union: ({ options, discriminator }, side) => ({
    [discriminator === null ? "anyOf" : "oneOf"]: options.map((option) => describe(option, side)),
  }),
  optional: ({ inner }, side) => describe(inner, side),
  nullable: ({ inner }, side) => ({ anyOf: [describe(inner, side), { type: "null" }] }),
  default: ({ inner, value }, side) => ({ ...describe(inner, side), default: value }),
};

/**
 * Whether a field may be missing from an object.
 *
 * @param {any} field
 * @param {"input" | "output"} side
 */
function mayMiss(field, side) {
  if (field._zod !== undefined) {
    return field._zod[side === "input" ? "optin" : "optout"] !== undefined;
  }
  return field.def?.kind === "optional" || (field.def?.kind === "default" && side === "input");
}

/** @param {Record<string, unknown>} record */
function given(record) {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
