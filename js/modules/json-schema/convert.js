/**
 * From a zod 4 schema to JSON Schema, over its definition tree.
 *
 * First every schema in reach is visited once and gets its own keywords, with
 * places held for the schemas inside it. Then the ones that must have a name
 * are found: those in a cycle, and those whose metadata has an `id`. At last
 * the places are filled, by the schema's body or by a reference to its name.
 *
 * @module uncaged:json-schema/convert
 *
 * @typedef {object} Entry
 * @property {Record<string, unknown>} own its keywords
 * @property {object | null} base the schema whose keywords it adds to (of a
 *   wrapper, what it wraps; of a copy, the original)
 * @property {boolean} cyclic whether it was met inside itself
 * @property {string | null} ref how others refer to it, when not by its body
 * @property {string | null} name its name below `$defs`
 */
import { defaultOf, keywordsOf } from "uncaged:json-schema/types.js";
import { isTransforming } from "uncaged:json-schema/transforming.js";
import { metadataOf } from "uncaged:json-schema/metadata.js";

/** Holds the place of a schema within another's keywords. */
class Place {
  /** @param {object} schema */
  constructor(schema) {
    this.schema = schema;
  }
}

/**
 * @param {object} root
 * @param {import("uncaged:json-schema.js").Side} side
 * @returns {Record<string, unknown>} not yet plain: values may be shared
 */
export function convertZod(root, side) {
  const entries = new Map();
  visit(root, [], entries, side);
  nameEntries(root, entries);
  const defs = {};
  for (const entry of entries.values()) {
    if (entry.name !== null) {
      defs[entry.name] = body(entry, entries);
    }
  }
  const json = body(entries.get(root), entries);
  return Object.keys(defs).length === 0 ? json : { ...json, $defs: defs };
}

/**
 * @param {any} schema
 * @param {object[]} path the schemas around it, outermost first
 * @param {Map<object, Entry>} entries
 * @param {import("uncaged:json-schema.js").Side} side
 */
function visit(schema, path, entries, side) {
  const known = entries.get(schema);
  if (known !== undefined) {
    known.cyclic ||= path.includes(schema);
    return;
  }
  const entry = { own: {}, base: null, cyclic: false, ref: null, name: null };
  entries.set(schema, entry);
  const within = [...path, schema];
  const enter = (inner) => {
    visit(inner, within, entries, side);
    return inner;
  };
  const custom = schema._zod.toJSONSchema?.();
  if (custom) {
    entry.own = { ...custom };
  } else if (isPlainCopy(schema)) {
    entry.base = enter(schema._zod.parent);
  } else {
    const described = keywordsOf(schema, side, {
      place: (inner) => new Place(enter(inner)),
      ownOf: (inner) => entries.get(inner).own,
    });
    entry.own = described.own;
    entry.base = described.base === null ? null : enter(described.base);
  }
  Object.assign(entry.own, metadataOf(schema));
  if (side === "input") {
    settleInput(schema, entry.own);
  }
}

/**
 * Whether a schema is its parent with other metadata. Since 4.3 the parent of a
 * schema with more checks is remembered as well: such a one speaks for itself.
 *
 * @param {any} schema
 * @returns {boolean}
 */
function isPlainCopy(schema) {
  const { parent, def } = schema._zod;
  return (
    parent !== undefined && (parent._zod.def.checks ?? []).length === (def.checks ?? []).length
  );
}

/**
 * Examples and defaults describe the output of what transforms; a prefault is
 * the default of the input.
 *
 * @param {object} schema
 * @param {Record<string, unknown>} own
 */
function settleInput(schema, own) {
  if (isTransforming(schema)) {
    delete own.examples;
    delete own.default;
  }
  if (schema._zod.def.type === "prefault") {
    Object.assign(own, { ...defaultOf(() => schema._zod.def.defaultValue), ...own });
  }
}

/**
 * @param {object} root
 * @param {Map<object, Entry>} entries
 */
function nameEntries(root, entries) {
  let unnamed = 0;
  for (const [schema, entry] of entries) {
    if (schema === root) {
      entry.ref = "#";
      continue;
    }
    const { id } = metadataOf(schema);
    if (entry.own.$ref === undefined && (id || entry.cyclic)) {
      entry.name = id || `__schema${unnamed++}`;
      entry.ref = `#/$defs/${entry.name}`;
    }
  }
}

/**
 * The keywords of an entry, over those of its base.
 *
 * @param {Entry} entry
 * @param {Map<object, Entry>} entries
 * @returns {Record<string, unknown>}
 */
function body(entry, entries) {
  const base = entry.base === null ? {} : fill(new Place(entry.base), entries);
  return { ...base, ...fill(entry.own, entries) };
}

/**
 * @param {any} value
 * @param {Map<object, Entry>} entries
 * @returns {any}
 */
function fill(value, entries) {
  if (value instanceof Place) {
    const entry = entries.get(value.schema);
    return entry.ref === null ? body(entry, entries) : { $ref: entry.ref };
  }
  if (Array.isArray(value)) {
    return value.map((item) => fill(item, entries));
  }
  if (
    value !== null &&
    typeof value === "object" &&
    Object.getPrototypeOf(value) === Object.prototype
  ) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fill(item, entries)]),
    );
  }
  return value;
}
