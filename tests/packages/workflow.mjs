// Makes a bundle of a program. A program is an object of sections,
// `{ "name of the section"(print, context) { … } }`; what they print becomes the
// text of the one step. A section that throws prints what it threw, and the
// next one follows.

/** Any value as one line that says the same on every engine. */
export function show(value, depth = 0) {
  if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return value.name === "" ? "function" : `function ${value.name}`;
  if (typeof value === "symbol") return String(value);
  if (value === null || typeof value !== "object") return Object.is(value, -0) ? "-0" : String(value);
  if (value instanceof Error) return showError(value);
  if (value instanceof Date) return `Date ${Number.isNaN(value.getTime()) ? "invalid" : value.toISOString()}`;
  if (value instanceof RegExp) return String(value);
  if (value instanceof URL) return `URL ${value.href}`;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return `${value.constructor.name} ${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
  }
  if (depth > 8) return "…";
  const inner = (each) => show(each, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inner).join(", ")}]`;
  if (value instanceof Map) return `Map {${[...value].map(([k, v]) => `${inner(k)} => ${inner(v)}`).join(", ")}}`;
  if (value instanceof Set) return `Set {${[...value].map(inner).join(", ")}}`;
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  const fields = Object.keys(value).map((key) => `${key}: ${inner(value[key])}`).join(", ");
  return `${name === undefined || name === "Object" ? "" : `${name} `}{${fields}}`;
}

/** Class, code and message of what was thrown. */
export function showError(error) {
  if (!(error instanceof Error)) return `thrown ${show(error)}`;
  const code = error.code === undefined || error.code === null ? "" : ` [${String(error.code)}]`;
  return `${error.name}${code}: ${error.message}`;
}

/** What the work throws or rejects with; what it gives, where it does not. */
export async function caught(work) {
  try {
    return `no error: ${show(await work())}`;
  } catch (error) {
    return showError(error);
  }
}

/** The promise of the next event, and its first argument. */
export function once(emitter, event) {
  return new Promise((resolve) => emitter.once(event, resolve));
}

/** The work's end, or an error after half a minute: nothing here takes so long. */
async function bounded(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("the section does not end")), 30_000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** `run` for a program. The prompt is JSON: `{ http: "http://127.0.0.1:<port>", cert, key }`. */
export function workflow(program) {
  return async function* run(thread, runtime) {
    const context = JSON.parse(thread.start.content);
    const lines = [];
    // Folders and ports differ from run to run.
    const stable = (text) => text.replaceAll(process.cwd(), "<cwd>").replaceAll(context.http, "<server>");
    const print = (...values) => lines.push(stable(values.map((value) => show(value)).join(" ")));
    for (const [name, section] of Object.entries(program)) {
      lines.push(`## ${name}`);
      try {
        await bounded(section(print, context));
      } catch (error) {
        print("threw", showError(error), error?.stack ?? "");
      }
    }
    const contentHash = await runtime.cas.put(lines.join("\n"));
    yield { role: "program", contentHash, meta: {}, refs: [contentHash] };
    return { returnCode: 0, summary: "printed" };
  };
}
