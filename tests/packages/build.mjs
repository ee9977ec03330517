// Builds every program of a folder into one bundle with esbuild, as the authors
// of workflows do, and prints what it built: a JSON line for each with the
// program's name, the version of the package of that name, and the built-ins
// that the bundle imports.
// Usage: node build.mjs <folder with node_modules> <folder of programs> <output folder>
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, programs, outdir] = process.argv.slice(2);
const { build } = createRequire(`${packages}/package.json`)("esbuild");
const workflow = join(import.meta.dirname, "workflow.mjs");

/** Optional parts that packages look for and can do without. */
const OPTIONAL = ["bufferutil", "utf-8-validate"];

function version(name) {
  try {
    return JSON.parse(readFileSync(join(packages, "node_modules", name, "package.json"), "utf8")).version;
  } catch {
    return null; // a program about a built-in
  }
}

async function bundle(name) {
  const entry = `
    import program from ${JSON.stringify(join(programs, `${name}.mjs`))};
    import { workflow } from ${JSON.stringify(workflow)};
    export const descriptor = { description: ${JSON.stringify(name)}, roles: {} };
    export const run = workflow(program);`;
  const { metafile } = await build({
    stdin: { contents: entry, resolveDir: programs },
    outfile: join(outdir, `${name}.esm.js`),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: { js: 'import { createRequire } from "module"; const require = createRequire(import.meta.url);' },
    external: OPTIONAL,
    nodePaths: [join(packages, "node_modules")],
    metafile: true,
    logLevel: "error",
  });
  const [output] = Object.values(metafile.outputs);
  const imported = output.imports.filter(({ external, path }) => external && !OPTIONAL.includes(path));
  const builtIns = new Set(imported.map(({ path }) => path.replace(/^node:/, "")));
  return { name, version: version(name), builtIns: [...builtIns].sort() };
}

// Node takes the ending `.js` for what the nearest package says.
writeFileSync(join(outdir, "package.json"), '{"type":"module"}');

const names = readdirSync(programs).filter((file) => file.endsWith(".mjs")).map((file) => file.slice(0, -4));
for (const built of await Promise.all(names.sort().map(bundle))) {
  console.log(JSON.stringify(built));
}
