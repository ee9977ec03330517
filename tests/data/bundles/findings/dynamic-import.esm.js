export const descriptor = { description: "dynamic", roles: {} };
export async function* run() {
  const fs = await import("node:fs");
  if (false) await import(`./${fs.name}.js`, { with: { type: "json" } });
  const source = import.source("x.wasm"), text = "import('in a string')"; // import("in a comment")
  return { returnCode: 0, summary: text + source };
}
