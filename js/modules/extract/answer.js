/**
 * The one answer of `extract` that bundles of all ages can read.
 *
 * @module uncaged:extract/answer
 */

const SIDE_NAMES = ["meta", "contentPayload", "refs"];

/**
 * The oldest bundles take the answer for the meta itself; later ones read its
 * `meta`, `contentPayload` and `refs`. So these three are put on the meta, out
 * of sight of copies and comparisons. A schema that has a field of one of these
 * names, or gives no object at all, leaves no room: its answer is the plain
 * `{ meta, contentPayload, refs }`.
 *
 * @param {object} options
 * @param {any} options.value what the schema made of the model's answer
 * @param {string} options.text what it was extracted from
 * @param {string[]} options.refs the hashes that it refers to
 * @param {Record<string, any>} options.json the JSON Schema
 * @returns {object}
 */
export function makeAnswer({ value, text, refs, json }) {
  const plain = { meta: value, contentPayload: text, refs };
  const isObject = value !== null && typeof value === "object";
  if (!isObject || SIDE_NAMES.some((name) => name in value || declares(json, name, json, []))) {
    return plain;
  }
  const meta = Array.isArray(value) ? [...value] : { ...value };
  const answer = Object.isExtensible(value) ? value : meta;
  return Object.defineProperties(answer, {
    meta: { value: Array.isArray(value) ? [...value] : { ...value } },
    contentPayload: { value: text },
    refs: { value: refs },
  });
}

/**
 * Whether an object that the schema describes can have a field of this name.
 *
 * @param {any} schema
 * @param {string} name
 * @param {Record<string, any>} root where `$ref` points into
 * @param {object[]} seen
 * @returns {boolean}
 */
function declares(schema, name, root, seen) {
  if (schema === null || typeof schema !== "object" || seen.includes(schema)) {
    return false;
  }
  if (Object.hasOwn(schema.properties ?? {}, name)) {
    return true;
  }
  const target = typeof schema.$ref === "string" ? referred(schema.$ref, root) : null;
  const parts = [target, schema.anyOf, schema.oneOf, schema.allOf].flat();
  return parts.some((part) => declares(part, name, root, [...seen, schema]));
}

/**
 * @param {string} ref
 * @param {Record<string, any>} root
 */
function referred(ref, root) {
  return ref === "#" ? root : (root.$defs?.[ref.slice("#/$defs/".length)] ?? null);
}
