// Prints, as JSON, how many schemas were compared and where what we make of
// them differs from what zod's own converter makes of them.
// Usage: node compare.mjs <folder with node_modules/zod> <js/modules>
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { schemas } from "./cases.mjs";

const [npmFolder, modules] = process.argv.slice(2);
register("../loader.mjs", import.meta.url, {
  data: { modules: pathToFileURL(`${modules}/`).href },
});

const require = createRequire(pathToFileURL(`${npmFolder}/package.json`));
const z = await import(pathToFileURL(require.resolve("zod")));
const zMini = await import(pathToFileURL(require.resolve("zod/mini")));
const { toJsonSchema } = await import("uncaged:json-schema");

/** Where zod itself is wrong: before 4.2 it calls a choice of booleans strings. */
const CORRECTED = { "choices: literal booleans": { type: "boolean" } };

const compared = schemas(z, zMini);
const differences = [];
for (const [name, schema] of compared) {
  for (const io of ["output", "input"]) {
    const { $schema: _, ...given } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
    const theirs = { ...given, ...CORRECTED[name] };
    const ours = toJsonSchema(schema, io);
    if (!isDeepStrictEqual(ours, theirs)) {
      differences.push({ name, io, ours, theirs });
    }
  }
}
const { version } = require("zod/package.json");
const converted = compared.filter(([, schema]) => typeof schema.toJSONSchema !== "function").length;
console.log(JSON.stringify({ version, schemas: compared.length, converted, differences }));
