import os from "os";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import constants from "node:constants" with { type: "builtin" };
export * from "@uncaged/workflow";
export * as util from "node:util";
export { sep as separator } from "path";

class Cache {
  static #entries = new Map();
  static {
    this.#entries.set("started", 0n);
  }
  get #size() {
    return Cache.#entries.size;
  }
  static has = (value) => #size in value;
}

const word = /^(?<first>\p{Lu})(?i:[a-z]+)[\p{L}--[a-z]]$/v;
const either = /(?<year>\d{4})-|-(?<year>\d{4})/d;
const big = 1_000_000n ** 2n;
let settings = null;
settings ??= await Promise.resolve({ a: { b: [1, , 2] } });
settings.count ||= settings?.a?.["b"]?.at?.(-1) ?? 0;
label: for (const { a: [first = 1, ...rest], ...others } of [settings]) {
  if (!rest.length) continue label;
}
try {
  using handle = { [Symbol.dispose]() {} };
  await using later = { async [Symbol.asyncDispose]() {} };
  throw new AggregateError([handle, later], "x", { cause: word });
} catch {
  // nothing
}
const html = b --> c;
var b, c;
export const run = async function* named(thread, { cas }) {
  for await (const line of [thread.start.content]) {
    const contentHash = await cas.put(`${line} ${`nested ${os.EOL}`}`);
    yield* [{ role: "any", contentHash, meta: {}, refs: [] }];
  }
  return { returnCode: 0, summary: String.raw`\u` + either + big + html + readFile + test };
};
export const descriptor = { description: "today", roles: {} };
export { Cache as "a name with spaces", DatabaseSync, constants };
