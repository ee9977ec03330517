// Prints, as JSON, where our converter and zod's own differ.
// Usage: node compare.mjs <folder with node_modules/zod> <js/modules>
import { createRequire, register } from "node:module";
import { isDeepStrictEqual } from "node:util";
import { pathToFileURL } from "node:url";
import { schemas } from "./cases.mjs";

const [npmFolder, modules] = process.argv.slice(2);
register("./loader.mjs", import.meta.url, { data: { modules: pathToFileURL(`${modules}/`).href } });

const require = createRequire(pathToFileURL(`${npmFolder}/package.json`));
const z = await import(pathToFileURL(require.resolve("zod")));
const { toJsonSchema } = await import("uncaged:json-schema");
const { convertZod } = await import("uncaged:json-schema/convert");

const converted = (schema, io) => JSON.parse(JSON.stringify(convertZod(schema, io)));
const differences = [];
let compared = 0;
let ownMethods = 0;
for (const [name, schema] of schemas(z)) {
  ownMethods += typeof schema.toJSONSchema === "function" ? 1 : 0;
  for (const io of ["output", "input"]) {
    const { $schema: _, ...theirs } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
    compared += 1;
    for (const [way, ours] of [
      ["whole", toJsonSchema(schema, io)],
      ["converter", converted(schema, io)],
    ]) {
      if (!isDeepStrictEqual(ours, { ...theirs })) {
        differences.push({ name, io, way, ours, theirs });
      }
    }
  }
}
const { version } = require("zod/package.json");
console.log(JSON.stringify({ version, compared, ownMethods, differences }));
