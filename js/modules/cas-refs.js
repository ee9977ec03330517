/**
 * Which hashes a meta object refers to: the values of the schema fields that
 * are marked with `.meta({ casRef: true })`, wherever in the schema they stand.
 *
 * @module uncaged:cas-refs
 */

/**
 * @param {Record<string, any>} schema a JSON Schema, where the mark is the keyword `casRef`
 * @param {unknown} value what it describes
 * @returns {string[]} each hash once, in the order of the value
 */
export function casRefsOf(schema, value) {
  const refs = new Set();
  collect(schema, value, schema, refs);
  return [...refs];
}

/**
 * @param {any} schema
 * @param {any} value
 * @param {Record<string, any>} root where `$ref` points into
 * @param {Set<string>} refs
 */
function collect(schema, value, root, refs) {
  if (schema === null || typeof schema !== "object") {
    return;
  }
  if (typeof value === "string") {
    if (schema.casRef === true && value !== "") {
      refs.add(value);
    }
  }
  if (typeof schema.$ref === "string") {
    // References among themselves never end; those that reach into a value end with it.
    const target = resolve(schema.$ref, root);
    if (target?.$ref === undefined) {
      collect(target, value, root, refs);
    }
  }
  for (const member of schema.allOf ?? []) {
    collect(member, value, root, refs);
  }
  for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    if (fits(choice, value, root)) {
      collect(choice, value, root, refs);
    }
  }
  if (Array.isArray(value)) {
    value.forEach((item, i) => {
      // A mark on the list marks its items.
      const inherited = schema.casRef === true ? { casRef: true } : null;
      collect(inherited, item, root, refs);
      collect(schema.prefixItems?.[i] ?? schema.items, item, root, refs);
    });
  } else if (value !== null && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) {
      const declared = Object.hasOwn(schema.properties ?? {}, key);
      collect(declared ? schema.properties[key] : schema.additionalProperties, item, root, refs);
    }
  }
}

/**
 * Whether a member of a union can be the one that describes `value`: its kind
 * is right, its required fields are there, its constants are met.
 *
 * @param {any} schema
 * @param {any} value
 * @param {Record<string, any>} root
 * @returns {boolean}
 */
function fits(schema, value, root) {
  const known = typeof schema?.$ref === "string" ? resolve(schema.$ref, root) : schema;
  if (known === null || typeof known !== "object") {
    return false;
  }
  if (known.type !== undefined && ![known.type].flat().includes(kindOf(value))) {
    return false;
  }
  if (Object.hasOwn(known, "const") && known.const !== value) {
    return false;
  }
  if (Array.isArray(known.enum) && !known.enum.includes(value)) {
    return false;
  }
  if (known.type !== "object") {
    return true;
  }
  const properties = Object.entries(known.properties ?? {});
  return (
    (known.required ?? []).every((key) => Object.hasOwn(value, key)) &&
    properties.every(
      ([key, field]) =>
        !Object.hasOwn(field, "const") || !Object.hasOwn(value, key) || field.const === value[key],
    )
  );
}

/** @param {unknown} value */
function kindOf(value) {
  if (value === null) {
    return "null";
  }
  return Array.isArray(value) ? "array" : typeof value;
}

/**
 * @param {string} ref `#` or `#/$defs/<name>`
 * @param {Record<string, any>} root
 * @returns {any}
 */
function resolve(ref, root) {
  return ref === "#" ? root : root.$defs?.[ref.slice("#/$defs/".length)];
}
