// Builds `source/workflow.mjs` with one bundler, in the ways that it is used in,
// and prints the files.
// Usage: node build.mjs <esbuild|rollup|tsup|bun> <folder with node_modules> <output folder>
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [bundler, packages, outdir] = process.argv.slice(2);
const require = createRequire(`${packages}/package.json`);
const load = async (name) => await import(pathToFileURL(require.resolve(name)));

// As in a project: the sources beside their node_modules.
const source = join(outdir, "source");
cpSync(join(import.meta.dirname, "source"), source, { recursive: true });
symlinkSync(join(packages, "node_modules"), join(outdir, "node_modules"));
const entry = join(source, "workflow.mjs");
const out = (name) => join(outdir, `${name}.esm.js`);
const BANNER = 'import { createRequire } from "module"; const require = createRequire(import.meta.url);';

const builders = {
  async esbuild() {
    const { build } = require("esbuild");
    const ways = {
      plain: {},
      minified: { minify: true },
      "inline-map": { sourcemap: "inline", target: "es2020", supported: { "top-level-await": true } },
      "external-map": { sourcemap: "linked", minify: true, keepNames: true, charset: "utf8" },
    };
    for (const [name, options] of Object.entries(ways)) {
      await build({ entryPoints: [entry], outfile: out(`esbuild-${name}`), bundle: true, format: "esm", platform: "node", banner: { js: BANNER }, logLevel: "error", ...options });
    }
  },
  async rollup() {
    const { rollup } = await load("rollup");
    const { default: commonjs } = await load("@rollup/plugin-commonjs");
    const { default: resolve } = await load("@rollup/plugin-node-resolve");
    const json = { name: "json", transform: (code, id) => (id.endsWith(".json") ? `export default ${code}` : null) };
    const bundle = await rollup({ input: entry, external: /^node:|^(fs|path|events)$/, plugins: [json, resolve({ preferBuiltins: true }), commonjs()], onwarn() {} });
    await bundle.write({ file: out("rollup-plain"), format: "es" });
    await bundle.write({ file: out("rollup-map"), format: "es", sourcemap: "inline", strict: true, compact: true });
    const { code } = await require("esbuild").transform(readFileSync(out("rollup-plain"), "utf8"), { minify: true, format: "esm" });
    writeFileSync(out("rollup-minified"), code);
  },
  async tsup() {
    const { build } = require("tsup");
    for (const [name, minify] of [["plain", false], ["minified", true]]) {
      await build({ entry: { [`tsup-${name}`]: entry }, outDir: outdir, format: ["esm"], platform: "node", target: "es2022", outExtension: () => ({ js: ".esm.js" }), noExternal: [/.*/], minify, shims: true, splitting: false, silent: true, config: false, clean: false, banner: { js: BANNER } });
    }
  },
  async bun() {
    const [folder] = readdirSync(join(packages, "node_modules/@oven")).filter((name) => name.startsWith("bun-"));
    const program = join(packages, "node_modules/@oven", folder, "bin/bun");
    const ways = { "for-bun": ["--target=bun"], "for-node": ["--target=node"], minified: ["--target=bun", "--minify"], "inline-map": ["--target=bun", "--sourcemap=inline"] };
    for (const [name, args] of Object.entries(ways)) {
      execFileSync(program, ["build", entry, "--format=esm", `--outdir=${join(outdir, name)}`, ...args], { stdio: "pipe" });
      renameSync(join(outdir, name, "workflow.js"), out(`bun-${name}`));
    }
  },
};

await builders[bundler]();
for (const file of readdirSync(outdir).sort()) {
  if (file.endsWith(".esm.js")) console.log(join(outdir, file));
}
