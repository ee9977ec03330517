/**
 * The function whose arguments a model gives as its answer, built from a schema.
 *
 * @module uncaged:extract/tool
 */
import { toJsonSchema } from "uncaged:json-schema.js";

const DESCRIPTION = "Hand over the result. Call this once, with every required field filled in.";

/**
 * @param {object} schema
 * @returns {{ tool: import("uncaged:react.js").Tool, json: Record<string, any>,
 *   unwrap: (args: unknown) => unknown }} the function, the JSON Schema of what
 *   it gives, and how to get at that in its arguments
 */
export function schemaTool(schema) {
  const json = toJsonSchema(schema, "output");
  const { title, description, ...described } = parametersOf(schema, json);
  const isObject = asObject(described);
  const tool = {
    name: functionName(title),
    description: typeof description === "string" && description !== "" ? description : DESCRIPTION,
    parameters: isObject ?? wrapped(described),
  };
  return { tool, json, unwrap: isObject === null ? unwrapValue : asGiven };
}

/**
 * A model's arguments are the schema's input. Where input and output differ in
 * nothing but strictness, the stricter description keeps models to the fields.
 *
 * @param {object} schema
 * @param {Record<string, any>} output
 * @returns {Record<string, any>}
 */
function parametersOf(schema, output) {
  const input = toJsonSchema(schema, "input");
  const same =
    JSON.stringify(withoutStrictness(input)) === JSON.stringify(withoutStrictness(output));
  return withoutMarks(same ? output : input);
}

/** @param {any} json */
function withoutStrictness(json) {
  return mapObjects(json, ([key, value]) => key !== "additionalProperties" || value !== false);
}

/** Marks for us are no business of the model's server. @param {any} json */
function withoutMarks(json) {
  return mapObjects(json, ([key, value]) => key !== "casRef" || typeof value !== "boolean");
}

/**
 * @param {any} json
 * @param {(entry: [string, unknown]) => boolean} keep
 * @returns {any}
 */
function mapObjects(json, keep) {
  if (Array.isArray(json)) {
    return json.map((item) => mapObjects(item, keep));
  }
  if (json === null || typeof json !== "object") {
    return json;
  }
  const kept = Object.entries(json).filter(keep);
  return Object.fromEntries(kept.map(([key, value]) => [key, mapObjects(value, keep)]));
}

/**
 * The parameters of a function must be an object. A choice of objects becomes
 * one by saying so; null for what is no object.
 *
 * @param {Record<string, any>} json
 * @returns {Record<string, any> | null}
 */
function asObject(json) {
  if (json.type === "object" || typeof json.$ref === "string") {
    return json;
  }
  const options = json.anyOf ?? json.oneOf ?? json.allOf;
  if (json.type === undefined && options?.every((option) => asObject(option) !== null)) {
    return { type: "object", ...json };
  }
  return null;
}

/** @param {unknown} args */
function asGiven(args) {
  return args;
}

/** @param {Record<string, any>} json */
function wrapped({ $defs, ...value }) {
  const parameters = { type: "object", properties: { value }, required: ["value"] };
  return $defs === undefined ? parameters : { ...parameters, $defs };
}

/**
 * Takes the value out of the object around it; a model that answered without
 * that object is understood as well.
 *
 * @param {any} args
 */
function unwrapValue(args) {
  const isWrapped =
    args !== null && typeof args === "object" && Object.keys(args).join() === "value";
  return isWrapped ? args.value : args;
}

/**
 * Servers take letters, digits, `_` and `-` only, and 64 of them.
 *
 * @param {unknown} title
 */
function functionName(title) {
  const name =
    typeof title === "string"
      ? title
          .trim()
          .replace(/[^A-Za-z0-9_-]+/g, "_")
          .slice(0, 64)
      : "";
  return /[A-Za-z0-9]/.test(name) ? name : "extract";
}
