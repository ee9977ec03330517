// Schemas for the differential test of the JSON Schema converter. Each is made
// with the copy of zod that it is given, so that all versions see the same ones.
import { basics, checks, choices } from "./cases_simple.mjs";
import { composites, metadata, wrappers } from "./cases_composed.mjs";

/**
 * All schemas by name. What a version does not know yet is left out.
 *
 * @param {any} z
 * @returns {[string, object][]}
 */
export function schemas(z) {
  const groups = { basics, checks, choices, composites, wrappers, metadata };
  return Object.entries(groups).flatMap(([group, makers]) =>
    Object.entries(makers).flatMap(([name, make]) => {
      try {
        return [[`${group}: ${name}`, make(z)]];
      } catch (error) {
        // Not all versions refuse what they do not know in the same way.
        if (error instanceof TypeError || error.constructor === Error) {
          return [];
        }
        throw error;
      }
    }),
  );
}
