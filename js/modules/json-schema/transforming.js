/**
 * Whether a schema changes what it validates.
 *
 * @module uncaged:json-schema/transforming
 */

/** The parts of a definition that decide it, by its type. */
const PARTS = {
  array: ["element"],
  set: ["valueType"],
  record: ["keyType", "valueType"],
  map: ["keyType", "valueType"],
  intersection: ["left", "right"],
  pipe: ["in", "out"],
  promise: ["innerType"],
  optional: ["innerType"],
  nonoptional: ["innerType"],
  nullable: ["innerType"],
  readonly: ["innerType"],
  default: ["innerType"],
  prefault: ["innerType"],
};

/**
 * @param {any} schema
 * @param {Set<object>} [seen] schemas that are being looked at
 * @returns {boolean}
 */
export function isTransforming(schema, seen = new Set()) {
  if (seen.has(schema)) {
    return false;
  }
  seen.add(schema);
  const { def } = schema._zod;
  return def.type === "transform" || partsOf(def).some((part) => isTransforming(part, seen));
}

/**
 * @param {any} def
 * @returns {object[]}
 */
function partsOf(def) {
  switch (def.type) {
    case "object":
      return Object.values(def.shape);
    case "union":
      return def.options;
    case "tuple":
      return def.rest ? [...def.items, def.rest] : def.items;
    case "lazy":
      return [def.getter()];
    default:
      return (PARTS[def.type] ?? []).map((name) => def[name]);
  }
}
