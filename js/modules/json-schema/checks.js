/**
 * The limits, formats and patterns that the checks of a zod schema set.
 *
 * Older copies gather them in the schema's `bag`; newer ones leave them in the
 * definitions of the checks. Both are read: where both have them, they agree.
 *
 * @module uncaged:json-schema/checks
 *
 * @typedef {{ minimum?: number, maximum?: number, exclusiveMinimum?: number,
 *   exclusiveMaximum?: number, multipleOf?: number, format?: string, isInt: boolean,
 *   contentEncoding?: string, patterns: RegExp[], mime?: string[] }} Limits
 */

const RANGES = {
  safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  int32: [-2147483648, 2147483647],
  uint32: [0, 4294967295],
  float32: [-3.4028234663852886e38, 3.4028234663852886e38],
  float64: [-Number.MAX_VALUE, Number.MAX_VALUE],
};

/** Checks that call themselves formats and are patterns only. */
const NO_FORMATS = ["includes", "starts_with", "ends_with"];

/**
 * @param {any} schema
 * @returns {Limits}
 */
export function limitsOf(schema) {
  const { bag = {}, def } = schema._zod;
  const limits = {};
  for (const name of ["minimum", "exclusiveMinimum"]) {
    raise(limits, name, bag[name]);
  }
  for (const name of ["maximum", "exclusiveMaximum"]) {
    lower(limits, name, bag[name]);
  }
  const patterns = new Set(bag.patterns ?? []);
  Object.assign(limits, definedOnly({ multipleOf: bag.multipleOf, mime: bag.mime }));
  Object.assign(limits, definedOnly({ contentEncoding: bag.contentEncoding }));
  let { format } = bag;
  // A format such as z.email() is a check of its own, the first.
  for (const check of [...(def.check === undefined ? [] : [schema]), ...(def.checks ?? [])]) {
    const rule = check._zod.def;
    narrow(limits, rule);
    if (rule.check.endsWith("_format") && !NO_FORMATS.includes(rule.format)) {
      format = rule.format ?? format;
    }
    if (rule.pattern instanceof RegExp) {
      patterns.add(rule.pattern);
    }
  }
  const isInt = [bag.format, format].some(
    (name) => typeof name === "string" && name.includes("int"),
  );
  return { ...limits, format, isInt, patterns: [...patterns] };
}

/**
 * @param {Record<string, any>} limits
 * @param {any} rule the definition of one check
 */
function narrow(limits, rule) {
  switch (rule.check) {
    case "greater_than":
      raise(limits, rule.inclusive ? "minimum" : "exclusiveMinimum", rule.value);
      break;
    case "less_than":
      lower(limits, rule.inclusive ? "maximum" : "exclusiveMaximum", rule.value);
      break;
    case "multiple_of":
      limits.multipleOf ??= rule.value;
      break;
    case "number_format": {
      const [minimum, maximum] = RANGES[rule.format] ?? [];
      raise(limits, "minimum", minimum);
      lower(limits, "maximum", maximum);
      break;
    }
    case "min_length":
    case "min_size":
      raise(limits, "minimum", rule.minimum);
      break;
    case "max_length":
    case "max_size":
      lower(limits, "maximum", rule.maximum);
      break;
    case "length_equals":
    case "size_equals":
      raise(limits, "minimum", rule.length ?? rule.size);
      lower(limits, "maximum", rule.length ?? rule.size);
      break;
    case "mime_type":
      limits.mime ??= rule.mime;
      break;
    case "string_format":
      if (rule.format === "base64" || rule.format === "base64url") {
        limits.contentEncoding = rule.format;
      }
      break;
    default:
  }
}

/**
 * @param {Record<string, any>} limits
 * @param {string} name
 * @param {unknown} value
 */
function raise(limits, name, value) {
  if (value !== undefined && (limits[name] === undefined || value > limits[name])) {
    limits[name] = value;
  }
}

/**
 * @param {Record<string, any>} limits
 * @param {string} name
 * @param {unknown} value
 */
function lower(limits, name, value) {
  if (value !== undefined && (limits[name] === undefined || value < limits[name])) {
    limits[name] = value;
  }
}

/** @param {Record<string, unknown>} record */
function definedOnly(record) {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
