// Runs a bundle of a program under Node and prints the text of its step.
// Usage: node under-node.mjs <bundle> <prompt>
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [file, prompt] = process.argv.slice(2);
const { run } = await import(pathToFileURL(file).href);
const texts = [];
const cas = { put: async (text) => String(texts.push(text) - 1) };
const thread = { start: { content: prompt }, steps: [] };
for await (const { contentHash } of run(thread, { cas })) {
  const bytes = Buffer.from(texts[contentHash]);
  for (let written = 0; written < bytes.length;) written += writeSync(1, bytes, written);
}
process.exit(0);
