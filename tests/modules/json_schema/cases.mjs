// Schemas for the differential test of the JSON Schema converter. Each is made
// with the copy of zod that it is given, so that all versions see the same ones.
import { basics, checks, choices } from "./cases_simple.mjs";
import { composites, metadata, wrappers } from "./cases_composed.mjs";
import { mini } from "./cases_mini.mjs";

/**
 * All schemas by name. What a version does not know yet is left out.
 *
 * @param {any} z
 * @param {any} zMini
 * @returns {[string, object][]}
 */
export function schemas(z, zMini) {
  const groups = { basics, checks, choices, composites, wrappers, metadata };
  return [
    ...Object.entries(groups).flatMap(([name, makers]) => made(name, makers, z)),
    ...made("mini", mini, zMini),
  ];
}

/**
 * @param {string} group
 * @param {Record<string, (z: any) => object>} makers
 * @param {any} z
 */
function made(group, makers, z) {
  return Object.entries(makers).flatMap(([name, make]) => {
    try {
      return [[`${group}: ${name}`, make(z)]];
    } catch {
      return [];
    }
  });
}
