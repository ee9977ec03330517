/**
 * Holds a value against a schema of whichever library, and says what is wrong
 * in words that a model can act on.
 *
 * @module uncaged:validate
 */

/**
 * Refuses a schema that no answer could be held against, before a model is asked.
 *
 * @param {any} schema
 */
export function mustValidate(schema) {
  if (typeof schema?.safeParse !== "function" && typeof schema?.["~standard"]?.validate !== "function") {
    throw new TypeError(
      "extract: the schema cannot validate an answer, as a plain JSON Schema cannot: give a " +
        "zod 4 schema, or an object with `~standard: { validate, jsonSchema }` (Standard Schema)",
    );
  }
}

/**
 * @param {any} schema with `safeParse`, `safeParseAsync` or the Standard Schema interface
 * @param {unknown} value
 * @returns {Promise<{ ok: true, value: any } | { ok: false, problem: string }>}
 */
export async function validate(schema, value) {
  if (typeof schema.safeParse === "function") {
    const result = await parse(schema, value);
    return result.success ? { ok: true, value: result.data } : refused(result.error.issues ?? []);
  }
  mustValidate(schema);
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined ? { ok: true, value: result.value } : refused(result.issues);
}

/**
 * @param {any} schema
 * @param {unknown} value
 */
async function parse(schema, value) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    // A schema with asynchronous checks refuses to be asked synchronously.
    if (typeof schema.safeParseAsync !== "function") {
      throw error;
    }
    return schema.safeParseAsync(value);
  }
}

/**
 * @param {readonly { message: string, path?: readonly unknown[] }[]} issues
 */
function refused(issues) {
  const lines = issues.map(({ message, path = [] }) =>
    path.length === 0 ? `- ${message}` : `- ${pathText(path)}: ${message}`,
  );
  return { ok: false, problem: lines.length === 0 ? "- the value is not valid" : lines.join("\n") };
}

/**
 * `phases[0].title`
 *
 * @param {readonly unknown[]} path
 */
function pathText(path) {
  return path
    .map((part) => (part !== null && typeof part === "object" && "key" in part ? part.key : part))
    .map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${String(key)}`))
    .join("");
}
