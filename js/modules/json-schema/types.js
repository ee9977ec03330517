/**
 * The keywords of one zod schema, by the type of its definition.
 *
 * @module uncaged:json-schema/types
 *
 * @typedef {object} Walk
 * @property {(schema: object) => object} place visits an inner schema and holds its place
 * @property {(schema: object) => Record<string, unknown>} ownOf the keywords of
 *   a schema visited before
 */
import { limitsOf } from "uncaged:json-schema/checks.js";

/** The names that JSON Schema has for formats, where zod's differ. */
const FORMATS = { guid: "uuid", url: "uri", datetime: "date-time", json_string: "json-string" };

/** Wrappers that say nothing of their own: the definition's field with what they wrap. */
const PASS_THROUGH = ["optional", "nonoptional", "promise", "prefault"];

/**
 * @param {any} schema
 * @param {import("uncaged:json-schema.js").Side} side
 * @param {Walk} walk
 * @returns {{ own: Record<string, unknown>, base: object | null }}
 */
export function keywordsOf(schema, side, walk) {
  const { def } = schema._zod;
  if (PASS_THROUGH.includes(def.type)) {
    return { own: {}, base: def.innerType };
  }
  switch (def.type) {
    case "default":
      return { own: defaultOf(() => def.defaultValue), base: def.innerType };
    case "catch":
      return { own: defaultOf(() => def.catchValue(undefined)), base: def.innerType };
    case "readonly":
      return { own: { readOnly: true }, base: def.innerType };
    case "lazy":
      return { own: {}, base: schema._zod.innerType };
    case "pipe": {
      const readsOut = side === "output" || def.in._zod.def.type === "transform";
      return { own: {}, base: readsOut ? def.out : def.in };
    }
    default: {
      const describe = TYPES[def.type];
      return { own: describe === undefined ? {} : describe(schema, side, walk), base: null };
    }
  }
}

/**
 * Types that are not here (dates, maps, transforms, custom checks ...) have no
 * keyword: any value goes.
 *
 * @type {Record<string, (schema: any, side: string, walk: Walk) => Record<string, unknown>>}
 */
const TYPES = {
  boolean: () => ({ type: "boolean" }),
  success: () => ({ type: "boolean" }),
  null: () => ({ type: "null" }),
  never: () => ({ not: {} }),
  string: stringKeywords,
  number: numberKeywords,
  template_literal: (schema) => ({ type: "string", pattern: schema._zod.pattern.source }),
  file: fileKeywords,
  enum: (schema) => listKeywords(enumValues(schema._zod.def.entries)),
  literal: literalKeywords,
  array: (schema, side, walk) => ({
    ...itemLimits(schema),
    type: "array",
    items: walk.place(schema._zod.def.element),
  }),
  tuple: tupleKeywords,
  object: objectKeywords,
  record: ({ _zod: { def } }, side, walk) => ({
    type: "object",
    propertyNames: walk.place(def.keyType),
    additionalProperties: walk.place(def.valueType),
  }),
  union: unionKeywords,
  intersection: intersectionKeywords,
  nullable: ({ _zod: { def } }, side, walk) => ({
    anyOf: [walk.place(def.innerType), { type: "null" }],
  }),
};

/**
 * The default that `read` gives, as a keyword.
 *
 * @param {() => unknown} read
 * @returns {{ default?: unknown }}
 */
export function defaultOf(read) {
  try {
    return { default: JSON.parse(JSON.stringify(read())) };
  } catch {
    // Made anew for each value, or not plain data: there is nothing to write down.
    return {};
  }
}

/** @param {any} schema */
function stringKeywords(schema) {
  const { minimum, maximum, format, contentEncoding, patterns } = limitsOf(schema);
  const own = { type: "string" };
  put(own, "minLength", minimum);
  put(own, "maxLength", maximum);
  put(own, "format", format === "regex" ? undefined : (FORMATS[format] ?? format));
  put(own, "contentEncoding", contentEncoding);
  if (patterns.length === 1) {
    own.pattern = patterns[0].source;
  } else if (patterns.length > 1) {
    own.allOf = patterns.map(({ source }) => ({ pattern: source }));
  }
  return own;
}

/** @param {any} schema */
function numberKeywords(schema) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, isInt } =
    limitsOf(schema);
  const own = { type: isInt ? "integer" : "number" };
  // Of two limits on one side only the tighter is written.
  if (exclusiveMinimum >= (minimum ?? -Infinity)) {
    own.exclusiveMinimum = exclusiveMinimum;
  } else {
    put(own, "minimum", minimum);
  }
  if (exclusiveMaximum <= (maximum ?? Infinity)) {
    own.exclusiveMaximum = exclusiveMaximum;
  } else {
    put(own, "maximum", maximum);
  }
  put(own, "multipleOf", multipleOf);
  return own;
}

/** @param {any} schema */
function fileKeywords(schema) {
  const { minimum, maximum, mime } = limitsOf(schema);
  const own = { type: "string", format: "binary", contentEncoding: "binary" };
  put(own, "minLength", minimum);
  put(own, "maxLength", maximum);
  if (mime === undefined) {
    return own;
  }
  const kinds = mime.map((contentMediaType) => ({ ...own, contentMediaType }));
  return kinds.length === 1 ? kinds[0] : { anyOf: kinds };
}

/** @param {any} schema */
function literalKeywords(schema) {
  const values = schema._zod.def.values
    .filter((value) => value !== undefined)
    .map((value) => (typeof value === "bigint" ? Number(value) : value));
  if (values.length === 1) {
    return { type: values[0] === null ? "null" : typeof values[0], const: values[0] };
  }
  return values.length === 0 ? {} : listKeywords(values);
}

/**
 * A choice of values; the type is named where they share one.
 *
 * @param {unknown[]} values
 */
function listKeywords(values) {
  const types = new Set(values.map((value) => (value === null ? "null" : typeof value)));
  return { ...(types.size === 1 ? { type: [...types][0] } : {}), enum: values };
}

/**
 * The values of an enum. TypeScript's numeric enums hold the names of their
 * values as well, which are left out.
 *
 * @param {Record<string, string | number>} entries
 */
function enumValues(entries) {
  const numbers = Object.values(entries).filter((value) => typeof value === "number");
  return Object.entries(entries)
    .filter(([key]) => !numbers.includes(Number(key)))
    .map(([, value]) => value);
}

/** @param {any} schema */
function itemLimits(schema) {
  const { minimum, maximum } = limitsOf(schema);
  const own = {};
  put(own, "minItems", minimum);
  put(own, "maxItems", maximum);
  return own;
}

/** @type {(schema: any, side: string, walk: Walk) => Record<string, unknown>} */
function tupleKeywords(schema, side, walk) {
  const { items, rest } = schema._zod.def;
  const own = { type: "array", prefixItems: items.map(walk.place) };
  if (rest) {
    own.items = walk.place(rest);
  }
  return { ...own, ...itemLimits(schema) };
}

/** @type {(schema: any, side: string, walk: Walk) => Record<string, unknown>} */
function objectKeywords(schema, side, walk) {
  const { shape, catchall } = schema._zod.def;
  const keys = Object.keys(shape);
  const properties = Object.fromEntries(keys.map((key) => [key, walk.place(shape[key])]));
  const own = { type: "object", properties };
  const mayMiss = side === "input" ? "optin" : "optout";
  const required = keys.filter((key) => shape[key]._zod[mayMiss] === undefined);
  if (required.length > 0) {
    own.required = required;
  }
  if (catchall && catchall._zod.def.type !== "never") {
    own.additionalProperties = walk.place(catchall);
  } else if (catchall || side === "output") {
    own.additionalProperties = false;
  }
  return own;
}

/** @type {(schema: any, side: string, walk: Walk) => Record<string, unknown>} */
function unionKeywords(schema, side, walk) {
  const { options, discriminator } = schema._zod.def;
  const { minor = 0, patch = 0 } = schema._zod.version ?? {};
  const exclusive = discriminator !== undefined && (minor > 1 || (minor === 1 && patch >= 13));
  return { [exclusive ? "oneOf" : "anyOf"]: options.map(walk.place) };
}

/** @type {(schema: any, side: string, walk: Walk) => Record<string, unknown>} */
function intersectionKeywords(schema, side, walk) {
  const { left, right } = schema._zod.def;
  const members = [left, right].map((member) => [member, walk.place(member)]);
  // An intersection of intersections is written as one.
  return {
    allOf: members.flatMap(([member, held]) => {
      const own = walk.ownOf(member);
      return "allOf" in own && Object.keys(own).length === 1 ? own.allOf : [held];
    }),
  };
}

/**
 * @param {Record<string, unknown>} own
 * @param {string} keyword
 * @param {unknown} value nothing is written when undefined
 */
function put(own, keyword, value) {
  if (value !== undefined) {
    own[keyword] = value;
  }
}
