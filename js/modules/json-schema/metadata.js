/**
 * What authors wrote about a schema: title, description, `casRef` and the like.
 *
 * @module uncaged:json-schema/metadata
 */

/**
 * The metadata of a zod schema. Classic schemas tell it themselves; those of
 * zod/mini do not, but newer copies share their registry as a global.
 *
 * @param {any} schema
 * @returns {Record<string, unknown>}
 */
export function metadataOf(schema) {
  if (typeof schema.meta === "function") {
    return schema.meta() ?? {};
  }
  return globalThis.__zod_globalRegistry?.get(schema) ?? {};
}
