/**
 * The JSON Schema (draft 2020-12, without `$schema`) of whatever schema a
 * bundle brings along.
 *
 * Newer copies of zod convert themselves, by `toJSONSchema` or the Standard
 * JSON Schema interface. Older and smaller ones do not; their definition tree
 * is converted here, to what that version's own converter would have given.
 *
 * @module uncaged:json-schema
 *
 * @typedef {"input" | "output"} Side which side of defaults, pipes and
 *   transforms the schema is to describe
 */
import { convertZod } from "uncaged:json-schema/convert.js";

const KEYWORDS = ["type", "properties", "anyOf", "oneOf", "allOf", "enum", "const", "$ref"];

/**
 * Describes `schema`. What JSON cannot represent (dates, maps, transforms)
 * becomes `{}`. A plain object that is a JSON Schema already is taken as it is.
 *
 * @param {object} schema
 * @param {Side} [side]
 * @returns {Record<string, unknown>}
 */
export function toJsonSchema(schema, side = "output") {
  const json = byItself(schema, side) ?? byDefinition(schema, side) ?? asItIs(schema);
  if (json === null) {
    throw new TypeError(
      "not a schema: expected one of zod 4, one that implements Standard JSON Schema, or a JSON Schema",
    );
  }
  const { $schema: _, ...rest } = JSON.parse(JSON.stringify(json));
  return rest;
}

/**
 * @param {any} schema
 * @param {Side} side
 * @returns {object | null}
 */
function byItself(schema, side) {
  const standard = schema?.["~standard"]?.jsonSchema?.[side];
  const ways = [
    typeof schema?.toJSONSchema === "function" &&
      (() => schema.toJSONSchema({ io: side, unrepresentable: "any" })),
    typeof standard === "function" &&
      (() => standard({ target: "draft-2020-12", libraryOptions: { unrepresentable: "any" } })),
  ];
  for (const way of ways.filter(Boolean)) {
    try {
      return way();
    } catch {
      // A copy that gives up on some part is no reason to give up here: the next way may do.
    }
  }
  return null;
}

/**
 * @param {any} schema
 * @param {Side} side
 * @returns {object | null}
 */
function byDefinition(schema, side) {
  return schema?._zod?.def === undefined ? null : convertZod(schema, side);
}

/**
 * @param {any} schema
 * @returns {object | null}
 */
function asItIs(schema) {
  if (schema === null || typeof schema !== "object" || typeof schema.safeParse === "function") {
    return null;
  }
  const keys = Object.keys(schema);
  return keys.length === 0 || KEYWORDS.some((keyword) => keys.includes(keyword)) ? schema : null;
}
