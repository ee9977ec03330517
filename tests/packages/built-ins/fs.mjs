import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { caught, once } from "../workflow.mjs";

const call = (name, ...args) => new Promise((resolve, reject) => fs[name](...args, (error, ...rest) => (error ? reject(error) : resolve(rest.length > 1 ? rest : rest[0]))));

export default {
  "reading and writing at once"(print) {
    fs.writeFileSync("a.txt", "one\nünï 🎉");
    fs.appendFileSync("a.txt", Buffer.from(" more"));
    print(fs.readFileSync("a.txt", "utf8"), fs.readFileSync("a.txt").length, fs.readFileSync("a.txt", { encoding: "base64" }), fs.readFileSync(pathToFileURL(path.resolve("a.txt")), "latin1").length, fs.readFileSync(Buffer.from("a.txt"), "hex").length);
    fs.writeFileSync("mode", new Uint8Array([1, 2, 3]), { mode: 0o640, flag: "wx" });
    print(fs.statSync("mode").mode.toString(8), fs.readFileSync("mode"));
    fs.truncateSync("a.txt", 3);
    fs.copyFileSync("a.txt", "b.txt", fs.constants.COPYFILE_EXCL);
    fs.renameSync("b.txt", "c.txt");
    fs.chmodSync("c.txt", 0o600);
    fs.utimesSync("c.txt", 1000, new Date(2000 * 1000));
    print(fs.readFileSync("c.txt", "utf8"), fs.statSync("c.txt").mtime, fs.existsSync("b.txt"), fs.existsSync(""));
    fs.unlinkSync("c.txt");
    fs.writeFileSync("lone", "\ud800x");
    print(fs.readFileSync("lone"));
  },
  "stat in all forms"(print) {
    fs.symlinkSync("a.txt", "link");
    fs.symlinkSync("nowhere", "broken");
    fs.linkSync("a.txt", "hard");
    for (const name of ["a.txt", ".", "link", "/dev/null"]) {
      const [stat, lstat] = [fs.statSync(name), fs.lstatSync(name)];
      print(name, stat.isFile(), stat.isDirectory(), stat.isCharacterDevice(), stat.isFIFO(), stat.isSocket(), stat.isBlockDevice(), lstat.isSymbolicLink(), typeof stat.ino, stat.birthtime instanceof Date);
    }
    print(fs.statSync("a.txt").size, fs.statSync("a.txt", { bigint: true }).size, typeof fs.statSync("a.txt", { bigint: true }).mtimeNs, fs.statSync("a.txt").nlink, fs.statSync("a.txt").uid === process.getuid());
    print(fs.statSync("none", { throwIfNoEntry: false }), fs.readlinkSync("link"), fs.realpathSync("link") === path.resolve("a.txt"), fs.realpathSync.native("link") === path.resolve("a.txt"), "mtimeMs" in fs.statSync("a.txt"));
    print(fs.statSync("a.txt") instanceof fs.Stats, typeof fs.statfsSync("/").bsize);
  },
  "folders"(print) {
    print(path.basename(fs.mkdirSync("d/e/f", { recursive: true })), fs.mkdirSync("d/e", { recursive: true }));
    for (const name of ["d/x", "d/e/y", "d/e/f/z", "d/ü"]) fs.writeFileSync(name, name);
    print(fs.readdirSync("d").sort(), fs.readdirSync("d", { recursive: true }).sort(), fs.readdirSync("d", { withFileTypes: true }).map((each) => [each.name, each.isDirectory(), each.isFile()]).sort(), fs.readdirSync("d", "buffer").length);
    const folder = fs.opendirSync("d");
    const names = [];
    for (let entry; (entry = folder.readSync());) names.push(entry.name);
    folder.closeSync();
    print(names.sort(), path.basename(fs.mkdtempSync(path.join(process.cwd(), "tmp-"))).length);
    fs.cpSync("d", "copy", { recursive: true, filter: (from) => !from.endsWith("x") });
    print(fs.readdirSync("copy", { recursive: true }).sort());
    fs.rmSync("copy", { recursive: true });
    fs.rmSync("none", { force: true });
    fs.rmdirSync(fs.mkdtempSync("gone-"));
    print(fs.existsSync("copy"));
  },
  async "errors carry their code, call and path"(print) {
    const works = [
      () => fs.readFileSync("none"), () => fs.writeFileSync("none/x", ""), () => fs.mkdirSync("d"), () => fs.rmdirSync("d"), () => fs.readdirSync("a.txt"), () => fs.readdirSync("none"),
      () => fs.unlinkSync("none"), () => fs.renameSync("none", "x"), () => fs.statSync("none"), () => fs.lstatSync("none"), () => fs.accessSync("none"), () => fs.openSync("a.txt", "wx"), () => fs.copyFileSync("none", "x"), () => fs.copyFileSync("a.txt", "hard", 1),
      () => fs.symlinkSync("x", "link"), () => fs.readlinkSync("a.txt"), () => fs.chmodSync("none", 0o600), () => fs.truncateSync("none"), () => fs.rmSync("none"), () => fs.rmSync("d"), () => fs.linkSync("none", "x"), () => fs.utimesSync("none", 1, 1), () => fs.mkdtempSync("none/x"), () => fs.closeSync(9999), () => fs.readSync(9999, Buffer.alloc(1)), () => fs.statSync("a.txt/x"),
      () => fs.readFileSync({}), () => fs.writeFileSync("x", {}), () => fs.readFileSync("a.txt", "nonsense"), () => fs.mkdirSync(null), () => fs.cpSync("d", "x"), () => fs.openSync("a.txt", "nonsense"),
    ];
    for (const work of works) {
      try {
        print(String(work), "no error", await work());
      } catch (error) {
        print(String(work), error.name, error.code, error.syscall ?? null, error.path ?? null, error.dest ?? null, typeof error.errno, error.message);
      }
    }
    for (const work of [() => fs.readFileSync("d"), () => fs.realpathSync("none"), () => fs.readFileSync("a\0b")]) print((await caught(work)).split(":")[0]);
    print(await call("readFile", "none").catch((error) => [error.code, error.syscall, error.errno, error.message]));
  },
  async "callbacks"(print) {
    await call("writeFile", "cb", "text");
    await call("appendFile", "cb", "+");
    print(await call("readFile", "cb", "utf8"), (await call("stat", "cb")).size, (await call("lstat", "link")).isSymbolicLink(), await call("readdir", "d").then((list) => list.sort()));
    await call("mkdir", "cbd/e", { recursive: true });
    await call("copyFile", "cb", "cbd/f");
    await call("rename", "cbd/f", "cbd/g");
    await call("chmod", "cbd/g", 0o644);
    await call("access", "cbd/g", fs.constants.R_OK);
    await call("symlink", "g", "cbd/l");
    print(await call("readlink", "cbd/l"), (await call("realpath", "cbd/l")) === path.resolve("cbd/g"), (await call("mkdtemp", "t-")).length);
    await call("cp", "cbd", "cbd2", { recursive: true });
    await call("unlink", "cbd/g");
    await call("rm", "cbd", { recursive: true, force: true });
    await call("truncate", "cb", 2);
    print(await call("readFile", "cb", { encoding: "utf8" }), await new Promise((resolve) => fs.exists("cbd", resolve)), fs.readdirSync("cbd2").sort());
  },
  async "descriptors"(print) {
    const fd = fs.openSync("fd", "w+", 0o600);
    print(typeof fd, fs.writeSync(fd, "hello world"), fs.writeSync(fd, Buffer.from("HEY"), 0, 3, 6), fs.fstatSync(fd).size);
    const into = Buffer.alloc(8);
    print(fs.readSync(fd, into, 0, 5, 0), into, fs.readSync(fd, into, { position: 6 }), into, fs.readSync(fd, into, 0, 8, 100));
    fs.ftruncateSync(fd, 4);
    fs.fsyncSync(fd);
    fs.fdatasyncSync(fd);
    fs.futimesSync(fd, 5, 6);
    fs.fchmodSync(fd, 0o644);
    print(fs.fstatSync(fd).mtimeMs, fs.readvSync(fd, [Buffer.alloc(2), Buffer.alloc(5)], 0), fs.writevSync(fd, [Buffer.from("a"), Buffer.from("bc")], 0));
    fs.closeSync(fd);
    print(fs.readFileSync("fd", "utf8"), (() => { const file = fs.openSync("fd", "a"); fs.writeFileSync(file, "appended"); fs.closeSync(file); return fs.readFileSync("fd", "utf8") })());
    const open = await call("open", "fd", "r");
    print(await call("read", open, Buffer.alloc(4), 0, 4, 1).then(([count, buffer]) => [count, buffer]), (await call("fstat", open)).isFile());
    await call("close", open);
  },
  async "streams"(print) {
    const write = fs.createWriteStream("big", { highWaterMark: 1000 });
    for (let i = 0; i < 5000; i++) if (!write.write(`line ${i}\n`)) await once(write, "drain");
    write.end("end");
    await once(write, "finish");
    print(write.bytesWritten, fs.statSync("big").size, write.path);
    let length = 0, chunks = 0;
    for await (const chunk of fs.createReadStream("big", { encoding: "utf8", highWaterMark: 10_000 })) { length += chunk.length; chunks++ }
    print(length, chunks);
    const part = [];
    for await (const chunk of fs.createReadStream("big", { start: 5, end: 14 })) part.push(String(chunk));
    print(part);
    const missing = fs.createReadStream("none");
    print((await once(missing, "error")).message);
    fs.createReadStream("big", { start: 0, end: 9 }).pipe(fs.createWriteStream("small", { flags: "a" })).on("open", (fd) => print("opened", typeof fd));
    while (!fs.existsSync("small") || fs.statSync("small").size < 10) await new Promise((resolve) => setTimeout(resolve, 2));
    print(fs.readFileSync("small", "utf8"));
    const cut = fs.createReadStream("big");
    cut.destroy(new Error("enough"));
    print((await once(cut, "error")).message, cut.destroyed);
  },
  async "watching"(print) {
    fs.mkdirSync("watched");
    const watcher = fs.watch("watched");
    const seen = once(watcher, "change");
    const again = setInterval(() => fs.writeFileSync("watched/new", String(Date.now())), 20);
    print(["change", "rename"].includes(await seen));
    clearInterval(again);
    watcher.close();
    fs.writeFileSync("polled", "1");
    const changed = new Promise((resolve) => fs.watchFile("polled", { interval: 10 }, (now, before) => resolve([now.size, before.size])));
    await new Promise((resolve) => setTimeout(resolve, 50));
    fs.writeFileSync("polled", "123");
    print(await changed);
    fs.unwatchFile("polled");
  },
};
