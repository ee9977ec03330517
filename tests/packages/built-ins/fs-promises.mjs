import fs from "node:fs/promises";
import { constants, createReadStream } from "node:fs";
import path from "node:path";
import { caught } from "../workflow.mjs";

export default {
  async "files"(print) {
    await fs.writeFile("a", "text");
    await fs.appendFile("a", " more");
    await fs.writeFile("parts", (function* () { yield "one "; yield "two" })());
    print(await fs.readFile("a", "utf8"), await fs.readFile("parts", { encoding: "utf8" }), await fs.readFile("a"));
    await fs.copyFile("a", "b", constants.COPYFILE_EXCL);
    await fs.rename("b", "c");
    await fs.chmod("c", 0o600);
    await fs.utimes("c", 5, new Date(7000));
    await fs.truncate("c", 2);
    await fs.link("c", "hard");
    await fs.symlink("c", "soft");
    print((await fs.stat("c")).mode.toString(8), (await fs.lstat("soft")).isSymbolicLink(), await fs.readlink("soft"), (await fs.realpath("soft")) === path.resolve("c"), (await fs.stat("c", { bigint: true })).size);
    await fs.unlink("hard");
    print(await fs.access("a").then(() => "there"), await caught(() => fs.access("none")), typeof fs.constants.R_OK);
    const controller = new AbortController();
    controller.abort();
    print(await fs.readFile("a", { signal: controller.signal }).catch((error) => [error.name, error.code]));
  },
  async "folders"(print) {
    print(path.basename(await fs.mkdir("d/e", { recursive: true })), await fs.mkdir("d/e", { recursive: true }));
    await fs.writeFile("d/e/f", "");
    print((await fs.readdir("d", { recursive: true })).sort(), (await fs.readdir("d", { withFileTypes: true })).map((entry) => [entry.name, entry.isDirectory()]));
    const names = [];
    for await (const entry of await fs.opendir("d")) names.push(entry.name);
    print(names, (await fs.mkdtemp("t-")).length);
    await fs.cp("d", "copy", { recursive: true });
    await fs.rm("copy", { recursive: true });
    await fs.rmdir("d/none").catch((error) => print(error.code, error.syscall));
  },
  async "file handles"(print) {
    const file = await fs.open("h", "w+");
    print(typeof file.fd, (await file.write("hello")).bytesWritten, (await file.write(Buffer.from("XY"), 0, 2, 1)).bytesWritten, (await file.stat()).size);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    print(bytesRead, buffer, await file.readFile("utf8"));
    await file.truncate(3);
    await file.appendFile("!");
    await file.sync();
    await file.datasync();
    await file.chmod(0o644);
    await file.utimes(1, 2);
    await file.close();
    print(await fs.readFile("h", "utf8"), await caught(() => file.read(Buffer.alloc(1))).then((text) => text.includes("EBADF")));
    await fs.writeFile("lines", "one\ntwo\r\nthree");
    const lines = [];
    const opened = await fs.open("lines");
    for await (const line of opened.readLines()) lines.push(line);
    print(lines);
    const reading = await fs.open("lines");
    let text = "";
    for await (const chunk of reading.createReadStream({ encoding: "utf8", start: 4 })) text += chunk;
    print(JSON.stringify(text));
    const writing = await fs.open("out", "w");
    const stream = writing.createWriteStream();
    createReadStream("lines").pipe(stream);
    await new Promise((resolve) => stream.once("close", resolve));
    print(await fs.readFile("out", "utf8").then((all) => all.length));
  },
  async "errors"(print) {
    for (const [name, ...args] of [["readFile", "none"], ["stat", "none"], ["lstat", "none"], ["mkdir", "d"], ["rmdir", "d"], ["unlink", "none"], ["rename", "none", "x"], ["open", "none", "r"], ["readdir", "none"], ["readdir", "a"], ["rm", "none"], ["copyFile", "none", "x"], ["symlink", "x", "soft"], ["readlink", "a"], ["chmod", "none", 0o600], ["truncate", "none"], ["utimes", "none", 1, 1], ["opendir", "none"], ["link", "none", "x"], ["writeFile", "none/x", ""], ["cp", "none", "x"]]) {
      print(name, await fs[name](...args).then(() => "no error", (error) => [error.name, error.code, error.syscall ?? null, error.path ?? null, error.message]));
    }
    for (const [name, path] of [["readFile", "d"], ["realpath", "none"], ["mkdtemp", "none/x"]]) print(name, await fs[name](path).catch((error) => [error.name, error.code]));
  },
  async "watching"(print) {
    const controller = new AbortController();
    await fs.mkdir("watched");
    const again = setInterval(() => fs.writeFile("watched/x", String(Date.now())), 20);
    for await (const { eventType, filename } of fs.watch("watched", { signal: controller.signal })) {
      print(["change", "rename"].includes(eventType), filename);
      break;
    }
    clearInterval(again);
  },
};
