/**
 * Holds a value against a schema of whichever library, and says what is wrong
 * in words that a model can act on.
 *
 * @module uncaged:validate
 */

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
  const standard = schema["~standard"];
  if (typeof standard?.validate !== "function") {
    throw new TypeError("not a schema that can validate: it has neither safeParse nor ~standard");
  }
  const result = await standard.validate(value);
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
