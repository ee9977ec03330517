import process, { argv, cwd, env, nextTick } from "node:process";
import fs from "node:fs";
import { caught } from "../workflow.mjs";

export default {
  "what it is"(print) {
    print(process === globalThis.process, typeof process.pid, typeof process.ppid, process.platform, process.arch, process.title !== undefined, process.argv.length >= 2, argv === process.argv, process.execArgv, process.execPath.startsWith("/"), process.exitCode, process.release.name, Object.keys(process.versions).includes("v8"), /^v\d+\.\d+\.\d+$/.test(process.version));
    print(process.features.inspector !== undefined, process.config !== undefined, process.allowedNodeEnvironmentFlags instanceof Set, process.report === undefined ? "none" : typeof process.report, Object.prototype.toString.call(process));
    print(typeof process.uptime(), process.hrtime().length, process.hrtime([0, 0]).length, typeof process.hrtime.bigint(), Object.keys(process.memoryUsage()).sort(), process.memoryUsage.rss() > 0, Object.keys(process.cpuUsage()).sort(), Object.keys(process.resourceUsage()).includes("maxRSS"), process.getuid() === process.geteuid(), process.getgid() >= 0, process.getgroups().length >= 0, process.umask().toString(8).length > 0, process.constrainedMemory() >= 0);
  },
  "environment"(print) {
    env.MINE = 5;
    env.EMPTY = "";
    print(process.env.MINE, "MINE" in env, env.NONE, "NONE" in env, Object.keys(env).includes("MINE"), delete env.MINE, env.MINE, { ...env }.EMPTY, Object.getOwnPropertyDescriptor(env, "EMPTY").value, JSON.stringify(env).includes("EMPTY"), env.hasOwnProperty("EMPTY"), Object.entries(env).length === Object.keys(env).length);
    env.UNDEF = undefined;
    print(env.UNDEF, typeof env.PATH);
  },
  async "folder"(print) {
    const before = cwd();
    fs.mkdirSync("inner");
    process.chdir("inner");
    print(process.cwd() === `${before}/inner`, fs.existsSync("../inner"));
    process.chdir("..");
    print(await caught(() => process.chdir("none")).then((text) => text.includes("ENOENT")));
  },
  async "ticks, events and warnings"(print) {
    const order = [];
    await new Promise((resolve) => { nextTick((a, b) => { order.push(a, b); resolve() }, 1, 2); order.push("first") });
    print(order);
    const warned = new Promise((resolve) => process.once("warning", (warning) => resolve([warning.name, warning.code, warning.message])));
    process.emitWarning("careful", { type: "Own", code: "W1" });
    print(await warned);
    const heard = new Promise((resolve) => process.once("SIGUSR2", (name, number) => resolve([name, number])));
    process.kill(process.pid, "SIGUSR2");
    print(await heard, process.kill(process.pid, 0), await caught(() => process.kill(process.pid, "SIGNONE")), await caught(() => process.kill(999999999, 0)));
    process.once("own", (value) => order.push(value));
    print(process.emit("own", "event"), order.at(-1), process.listenerCount("own"), await caught(() => nextTick(5)));
    const handled = new Promise((resolve) => process.once("unhandledRejection", (reason, promise) => resolve([reason.message, promise instanceof Promise])));
    Promise.reject(new Error("nobody caught me"));
    print(await handled);
  },
  async "standard streams"(print) {
    print(process.stdout.writable, typeof process.stdout.fd, process.stderr.writable, process.stdout.isTTY ?? false, process.stdin.isTTY ?? false, typeof process.stdin.on);
    let text = "";
    for await (const chunk of process.stdin) text += chunk;
    print(JSON.stringify(text), fs.readFileSync(0, "utf8") === "");
    await new Promise((resolve) => process.stderr.write("to the log\n", resolve));
    print(process.stderr.write(Buffer.from("bytes\n")), typeof process.binding, process.abort.length, typeof process.getBuiltinModule);
  },
};
