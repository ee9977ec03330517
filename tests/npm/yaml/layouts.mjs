// Reads a JSON value a line, writes for each a JSON line with a YAML text of it in
// another layout, or null where npm `yaml` does not read its own text as the value.
// Only for lists and mappings: bare strings are no documents that anyone keeps.
// The layout depends on the line's number alone.
import { createInterface } from "node:readline";
import { parse, stringify } from "yaml";

let number = 0;
for await (const line of createInterface({ input: process.stdin })) {
  let rest = number++ * 2654435761;
  const pick = (...choices) => {
    rest = (rest * 48271 + 11) % 2147483647;
    return choices[rest % choices.length];
  };
  const value = JSON.parse(line);
  const options = {
    indent: pick(1, 2, 3, 4, 8),
    indentSeq: pick(true, false),
    lineWidth: pick(0, 20, 40, 80),
    collectionStyle: pick("any", "flow", "block"),
    flowCollectionPadding: pick(true, false),
    blockQuote: pick(true, "folded", "literal", false),
    defaultStringType: pick("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"),
    defaultKeyType: pick("PLAIN", "QUOTE_SINGLE", null),
    doubleQuotedAsJSON: pick(false, true),
    singleQuote: pick(null, true, false),
  };
  let text = stringify(value, options);
  text = pick("", "", "# a comment\n", "%YAML 1.2\n---\n", "---\n", "\uFEFF") + text + pick("", "", "...\n", "# end\n");
  if (!text.includes("\r")) text = text.replaceAll("\n", pick("\n", "\n", "\r\n"));
  process.stdout.write(JSON.stringify(reads(text, line) ? text : null) + "\n");
}

function reads(text, line) {
  try {
    if (!/^[[{]/.test(line)) return false;
    return text.isWellFormed() && JSON.stringify(parse(text)) === JSON.stringify(JSON.parse(line));
  } catch {
    return false;
  }
}
