// Reads a JSON value a line, writes a JSON line for each: what npm `yaml` makes of
// it and the hash of that, both as our stores have them.
//
// Two faults of npm `yaml` that we do not copy are named in `fault`: a line cut
// between the halves of a surrogate pair, and the word "undefined" in strings
// that are nested too deep.
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import XXH from "xxhashjs";

const styles = { plain: { indent: 2 }, quoted: { indent: 2, defaultStringType: "QUOTE_DOUBLE" } };

for await (const line of createInterface({ input: process.stdin })) {
  const value = JSON.parse(line);
  const answer = {};
  for (const [style, options] of Object.entries(styles)) {
    const text = stringify(value, options);
    if (!text.isWellFormed()) answer[style] = { fault: "surrogates" };
    else if (text.includes("undefined\\\n")) answer[style] = { fault: "undefined" };
    else answer[style] = { text, hash: XXH.h64(Buffer.from(text), 0).toString(16) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
