/**
 * Holds a value against a schema.
 *
 * @module uncaged:schema/check
 *
 * @typedef {import("uncaged:schema/base.js").Path} Path
 * @typedef {import("uncaged:schema/base.js").Issue} Issue
 * @typedef {import("uncaged:schema/base.js").Checked} Checked
 */

/**
 * @param {any} schema ours, or any other that has `safeParse`
 * @param {unknown} value
 * @param {Path} path where in the whole value this one stands
 * @returns {Checked}
 */
export function check(schema, value, path) {
  const known = schema.def === undefined ? undefined : CHECKS[schema.def.kind];
  return known === undefined ? byItself(schema, value, path) : known(schema.def, value, path);
}

/** @type {Record<string, (def: any, value: any, path: Path) => Checked>} */
const CHECKS = {
  unknown: (def, value) => good(value),
  boolean: (def, value, path) =>
    typeof value === "boolean" ? good(value) : wrongType("boolean", value, path),
  string: checkString,
  number: checkNumber,
  literal: ({ value: wanted }, value, path) =>
    value === wanted
      ? good(value)
      : bad("invalid_value", path, `expected ${JSON.stringify(wanted)}`),
  enum: ({ values }, value, path) =>
    values.includes(value)
      ? good(value)
      : bad(
          "invalid_value",
          path,
          `expected one of ${values.map((v) => JSON.stringify(v)).join(", ")}`,
        ),
  array: checkArray,
  object: checkObject,
  union: checkUnion,
  optional: ({ inner }, value, path) =>
    value === undefined ? good(value) : check(inner, value, path),
  nullable: ({ inner }, value, path) => (value === null ? good(value) : check(inner, value, path)),
  default: ({ inner, value: fallback }, value, path) =>
    value === undefined ? good(structuredClone(fallback)) : check(inner, value, path),
};

/** @type {(def: any, value: any, path: Path) => Checked} */
function checkString({ min, max, pattern }, value, path) {
  if (typeof value !== "string") {
    return wrongType("string", value, path);
  }
  if (pattern !== undefined && value.search(pattern) === -1) {
    return bad("invalid_format", path, `must match ${pattern}`);
  }
  return checkSize("characters", value.length, { min, max }, path) ?? good(value);
}

/** @type {(def: any, value: any, path: Path) => Checked} */
function checkNumber({ min, max, int }, value, path) {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    return wrongType("number", value, path);
  }
  if (int === true && !Number.isSafeInteger(value)) {
    return bad("invalid_type", path, "expected a whole number");
  }
  return checkSize("", value, { min, max }, path) ?? good(value);
}

/** @type {(def: any, value: any, path: Path) => Checked} */
function checkArray({ element, min, max }, value, path) {
  if (!Array.isArray(value)) {
    return wrongType("array", value, path);
  }
  const checked = value.map((item, i) => check(element, item, [...path, i]));
  const issues = checked.flatMap((item) => (item.ok ? [] : item.issues));
  if (issues.length > 0) {
    return { ok: false, issues };
  }
  const items = checked.map((item) => item.value);
  return checkSize("items", value.length, { min, max }, path) ?? good(items);
}

/** @type {(def: any, value: any, path: Path) => Checked} */
function checkObject({ shape }, value, path) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return wrongType("object", value, path);
  }
  const result = {};
  const issues = [];
  for (const [key, field] of Object.entries(shape)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    const checked = check(field, given, [...path, key]);
    if (!checked.ok) {
      issues.push(...checked.issues);
    } else if (checked.value !== undefined || Object.hasOwn(value, key)) {
      result[key] = checked.value;
    }
  }
  return issues.length === 0 ? good(result) : { ok: false, issues };
}

/** @type {(def: any, value: any, path: Path) => Checked} */
function checkUnion({ options, discriminator }, value, path) {
  const chosen =
    discriminator === null
      ? options
      : options.filter((option) => claims(option, discriminator, value));
  const refused = [];
  for (const option of chosen) {
    const checked = check(option, value, path);
    if (checked.ok) {
      return checked;
    }
    refused.push(checked);
  }
  // One candidate's own complaints say more than that none of several fits.
  if (refused.length === 1) {
    return refused[0];
  }
  if (discriminator !== null) {
    return bad("invalid_union", [...path, discriminator], "no option has this value");
  }
  return bad("invalid_union", path, "fits none of the options");
}

/**
 * @param {any} option
 * @param {string} discriminator
 * @param {any} value
 */
function claims(option, discriminator, value) {
  return check(option.shape[discriminator], value?.[discriminator], []).ok;
}

/**
 * Schemas of another library, as fields of ours.
 *
 * @param {any} schema
 * @param {unknown} value
 * @param {Path} path
 * @returns {Checked}
 */
function byItself(schema, value, path) {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    return good(parsed.data);
  }
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  return { ok: false, issues };
}

/**
 * @param {string} unit
 * @param {number} size
 * @param {{ min?: number, max?: number }} limits
 * @param {Path} path
 * @returns {Checked | null}
 */
function checkSize(unit, size, { min, max }, path) {
  if (min !== undefined && size < min) {
    return bad("too_small", path, `expected at least ${min} ${unit}`.trimEnd());
  }
  if (max !== undefined && size > max) {
    return bad("too_big", path, `expected at most ${max} ${unit}`.trimEnd());
  }
  return null;
}

/**
 * @param {string} wanted
 * @param {unknown} value
 * @param {Path} path
 * @returns {Checked}
 */
function wrongType(wanted, value, path) {
  const given = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return bad("invalid_type", path, `expected ${wanted}, received ${given}`);
}

/** @type {(code: string, path: Path, message: string) => Checked} */
function bad(code, path, message) {
  return { ok: false, issues: [{ code, path, message }] };
}

/** @type {(value: unknown) => Checked} */
function good(value) {
  return { ok: true, value };
}
