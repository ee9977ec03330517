// A workflow with what bundlers have to translate: packages of both kinds,
// JSON, modules in a cycle, classes, top-level await and renamed exports.
import { readFileSync } from "fs";
import * as path from "node:path";
import { z } from "zod";
import data from "./data.json" with { type: "json" };
import legacy, { named } from "./legacy.cjs";
import { first } from "./first.mjs";

const Plan = z.object({ title: z.string().min(1), steps: z.array(z.string()).default([]) });

class Registry {
  static #entries = new Map();
  static names;
  static {
    for (const [name, value] of Object.entries(data.entries)) this.#entries.set(name, value);
    this.names = [...this.#entries.keys()];
  }
  #count = 0;
  get count() {
    return ++this.#count + Registry.#entries.size;
  }
}

const late = await Promise.resolve("awaited");
const { default: fallback = "nothing", ...rest } = { other: 1 };
let unset = null;
unset ??= `${late} ${fallback} ${JSON.stringify(rest)}`;

async function* go(thread, { cas }) {
  const own = readFileSync(import.meta.filename, "utf8");
  const lines = [
    Plan.parse({ title: thread.start.content }),
    Plan.safeParse({ title: "" }).error.issues[0].code,
    [Registry.names, new Registry().count, data.text],
    [legacy.join("a", "..", "b"), named, legacy.loads, legacy.strict],
    [first(3), unset, 2n ** 70n > 0n, "a\u2028b\u00fc\ud83c\udf89".length, /(?<y>\d{4})/u.exec("in 2020").groups.y],
    [import.meta.url === `file://${import.meta.filename}`, path.dirname(import.meta.filename) === import.meta.dirname, own.includes("descriptor")],
  ];
  const contentHash = await cas.put(lines.map((line) => JSON.stringify(line)).join("\n"));
  yield { role: "worker", contentHash, meta: {}, refs: [contentHash] };
  return { returnCode: 0, summary: "done" };
}

const described = { description: "from a bundler", roles: { worker: { description: "works", schema: z.toJSONSchema(Plan) } } };

export { go as run, described as descriptor };
