import fs from "node:fs";
import glob from "fast-glob";
import { caught } from "../workflow.mjs";

function plant() {
  for (const file of ["a.js", "b.ts", "A.md", ".hidden/x.js", ".dot.js", "src/index.js", "src/deep/er/file.js", "src/deep/er/file.test.js", "src/[id].js", "src/ünï.js", "lib/a b.js", "node_modules/p/i.js"]) {
    fs.mkdirSync(`tree/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
    fs.writeFileSync(`tree/${file}`, file);
  }
  fs.symlinkSync("src", "tree/link");
  fs.symlinkSync("nowhere", "tree/broken");
}

const sorted = (list) => list.sort();

export default {
  async "patterns"(print) {
    plant();
    const cwd = `${process.cwd()}/tree`;
    for (const pattern of ["*.js", "**/*.js", "{a,b}.*", "src/**/!(*.test).js", "[ab].?s", "**/er/*", "src/\\[id\\].js", "!(a).js", "**/*[^s].js", "lib/a b.js", "./a.js", "src/../a.js", "+(a|b).@(js|ts)", "**/{deep,none}/**", "*.JS", "nothing*", "/none/*"]) {
      print(pattern, sorted(await glob(pattern, { cwd })), sorted(glob.sync(pattern, { cwd })).length);
    }
    print(sorted(await glob(["**/*.js", "!**/node_modules/**", "!**/*.test.js"], { cwd })));
  },
  async "options"(print) {
    const cwd = "tree";
    print(sorted(await glob("**/*.js", { cwd, dot: true, followSymbolicLinks: false, ignore: ["node_modules"] })));
    print(sorted(await glob("*", { cwd, onlyFiles: false, markDirectories: true })), sorted(await glob("*", { cwd, onlyDirectories: true, deep: 1 })));
    print(sorted(await glob("**/*.js", { cwd, deep: 2 })), sorted(await glob("a*", { cwd, caseSensitiveMatch: false })), sorted(await glob("*.js", { cwd, absolute: true })));
    print(sorted(await glob("index.js", { cwd, baseNameMatch: true })), sorted(await glob(["a.js", "*.js"], { cwd, unique: false })));
    const [entry] = await glob("a.js", { cwd, stats: true });
    print(entry.name, entry.path, entry.stats.size, entry.stats.isFile(), entry.dirent.isFile());
    const [object] = await glob("a.js", { cwd, objectMode: true });
    print(Object.keys(object).sort(), object.dirent.isSymbolicLink());
    print(sorted(await glob("**/*", { cwd, fs: { ...fs, lstat: fs.lstat }, extglob: false, braceExpansion: false, suppressErrors: true })).length);
  },
  async "streams"(print) {
    const seen = [];
    for await (const entry of glob.stream("**/*.js", { cwd: "tree" })) seen.push(entry);
    print(sorted(seen));
    const events = [];
    await new Promise((resolve) => glob.globStream("*.js", { cwd: "tree" }).on("data", (each) => events.push(String(each))).once("end", resolve));
    print(events.sort());
  },
  async "words about patterns"(print) {
    print(glob.escapePath("a [b] (c) {d}*"), glob.isDynamicPattern("a*"), glob.isDynamicPattern("a"), glob.convertPathToPattern("x/(y)"));
    print(JSON.stringify(glob.generateTasks(["a/*", "b/**", "!a/x"])));
    print(await caught(() => glob(5)), await caught(() => glob([""])), await caught(() => glob("x", { cwd: "no-such-folder" })));
    print(await caught(() => glob("*", { cwd: "tree/a.js" })));
  },
};
