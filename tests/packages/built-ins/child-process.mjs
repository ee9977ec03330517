import { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { promisify } from "node:util";
import { caught, once } from "../workflow.mjs";

// Events in order, all output, and how it ended.
function watch(child) {
  const seen = { events: [], out: "", err: "" };
  for (const event of ["spawn", "error", "exit", "close", "disconnect"]) child.on(event, (...args) => seen.events.push([event, ...args.map((arg) => (arg instanceof Error ? arg.message : arg))]));
  child.stdout?.on("data", (data) => (seen.out += data));
  child.stderr?.on("data", (data) => (seen.err += data));
  return new Promise((resolve) => {
    child.on("close", () => resolve(seen));
    child.on("error", () => setTimeout(resolve, 20, seen));
  });
}

const sh = (script, options) => spawn("sh", ["-c", script], options);
const told = (error) => [error.name, error.code ?? null, error.errno ?? null, error.syscall ?? null, error.path ?? null, error.spawnargs ?? null, error.killed ?? null, error.signal ?? null, error.cmd ?? null, error.status ?? null, error.message.split("\n")[0]];

export default {
  async "spawn with folder, environment and streams"(print) {
    fs.mkdirSync("sub");
    print(await watch(sh("pwd; echo $MINE-$HOME; echo err >&2; exit 3", { cwd: "sub", env: { PATH: process.env.PATH, MINE: "x" } })));
    print(await watch(spawn("printf", ["%s|", "a b", "", "'q'", "$HOME", "ü"])), await watch(spawn("echo $((1+1)) | cat", { shell: true })), await watch(spawn("sh", ["-c", "echo $0"], { argv0: "renamed" })).then(({ events }) => events));
    const cat = spawn("cat");
    cat.stdin.write("one ");
    cat.stdin.end("two");
    print(await watch(cat), typeof cat.pid, cat.exitCode, cat.signalCode, cat.killed, cat.spawnfile, cat.spawnargs, cat.connected);
    print(await watch(spawn("cat", { stdio: "ignore" })), await watch(spawn("cat", { stdio: ["ignore", "pipe", "inherit"] })));
    const none = spawn("true", { stdio: ["pipe", "ignore", "ignore"] });
    print(none.stdout, none.stderr, none.stdio.length, typeof none.stdin.write, (await watch(none)).events);
    const [to, from] = [fs.openSync("to", "w"), fs.openSync("sub/../to", "r")];
    print((await watch(sh("echo into a file; echo and errors >&2", { stdio: ["ignore", to, to] }))).events, fs.readFileSync("to", "utf8"));
    print((await watch(spawn("cat", { stdio: [from, "pipe", "pipe"] }))).out);
    const more = sh("echo three >&3; cat <&4", { stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"] });
    more.stdio[4].end("four");
    const three = once(more.stdio[3], "data");
    print(String(await three), (await watch(more)).out);
    const detached = sh("echo detached", { detached: true });
    detached.unref();
    detached.ref();
    print(await watch(detached));
  },
  async "twenty megabytes on each stream, read late"(print) {
    const child = sh("head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2; echo end");
    await new Promise((resolve) => setTimeout(resolve, 100));
    let [out, err] = [0, 0];
    child.stdout.on("data", (data) => (out += data.length));
    child.stderr.on("data", (data) => (err += data.length));
    const order = [];
    child.stdout.on("end", () => order.push("end"));
    child.on("close", () => order.push("close"));
    await once(child, "close");
    print(out, err, order);
    const big = spawn("cat");
    const text = "0123456789".repeat(1_000_000);
    big.stdin.end(text);
    let back = "";
    for await (const chunk of big.stdout.setEncoding("utf8")) back += chunk;
    print(back === text);
  },
  async "what cannot be started"(print) {
    fs.writeFileSync("plain", "");
    for (const [command, options] of [["no-such-program-here"], ["./plain"], ["true", { cwd: "/no/such" }], ["/no/such/program"]]) {
      const child = spawn(command, ["arg"], options);
      const error = await once(child, "error");
      child.stdin.on("error", () => {}).end("nobody reads");
      let text = "";
      for await (const chunk of child.stdout) text += chunk;
      print(told(error), child.pid, JSON.stringify(text), child.exitCode, child.kill());
    }
    print(await caught(() => spawn("")), await caught(() => spawn(5)), await caught(() => spawn("a\0b")), await caught(() => spawn("true", [], { cwd: 5 })), await caught(() => spawn("true", { stdio: "nonsense" })));
  },
  async "killing and timeouts"(print) {
    const first = spawn("sleep", ["60"]);
    print(first.kill("SIGINT"), first.killed, (await watch(first)).events.slice(-2), first.kill(), first.signalCode);
    const trapped = sh('trap "echo caught; exit 7" TERM; echo ready; while :; do sleep 0.01; done');
    await once(trapped.stdout, "data");
    trapped.kill();
    print(await watch(trapped));
    print((await watch(spawn("sleep", ["60"], { timeout: 30, killSignal: "SIGKILL" }))).events);
    const controller = new AbortController();
    const aborted = watch(spawn("sleep", ["60"], { signal: controller.signal }));
    controller.abort();
    print((await aborted).events.filter(([name]) => name === "error"));
    const numbered = spawn("sleep", ["60"]);
    numbered.kill(9);
    print((await watch(numbered)).events.at(-1), await caught(() => numbered.kill("SIGNONE")), sh("true").kill(0));
  },
  async "exec and execFile"(print) {
    print(await new Promise((resolve) => exec("echo out; echo err >&2; exit 3", (error, out, err) => resolve([told(error), out, err]))), await promisify(exec)("echo ü | cat").then(({ stdout, stderr }) => [stdout, stderr]));
    print(await promisify(execFile)("printf", ["%s", "$HOME"]), await promisify(execFile)("no-such-program-here").catch(told), await promisify(execFile)("sh", ["-c", "kill -9 $$"]).catch(told));
    print(await promisify(execFile)("sleep", ["60"], { timeout: 30 }).catch(told), await promisify(exec)("head -c 5000 /dev/zero", { maxBuffer: 100 }).catch((error) => [error.code, error.stdout.length]), (await promisify(exec)("pwd", { cwd: "/", shell: "/bin/sh" })).stdout);
    const pending = promisify(exec)("cat");
    pending.child.stdin.end("through the promise");
    print(await pending);
    const controller = new AbortController();
    const aborted = promisify(execFile)("sleep", ["60"], { signal: controller.signal });
    controller.abort();
    print(await aborted.catch((error) => [error.name, error.code]), (await promisify(execFile)("printf", ["\\377"], { encoding: "latin1" })).stdout, (await promisify(execFile)("printf", ["\\377"], { encoding: "buffer" })).stdout);
  },
  async "the sync forms"(print) {
    print(execSync("cat", { input: "in", encoding: "utf8" }), execSync("echo bytes"), execFileSync("printf", ["%s", "a b"], { encoding: "utf8" }), execSync("echo $MINE", { env: { MINE: "x" }, encoding: "utf8", cwd: "/" }));
    print(execFileSync("env", { env: { MINE: "x", PATH: "/usr/bin:/bin" }, encoding: "utf8" }), execFileSync("sh", ["-c", "echo $MINE-$HOME"], { env: { MINE: "x" }, encoding: "utf8" }));
    const { status, signal, stdout, stderr, output, pid, error } = spawnSync("sh", ["-c", "echo out; echo err >&2; exit 4"], { encoding: "utf8" });
    print(status, signal, stdout, stderr, output, typeof pid, error);
    print(spawnSync("sh", ["-c", "kill -15 $$"]).signal, spawnSync("cat", { stdio: ["ignore", "pipe", "inherit"] }).stdout, spawnSync("cat", { stdio: "ignore" }).stdout, spawnSync("head", ["-c", "20000000", "/dev/zero"], { maxBuffer: 3e7 }).stdout.length, spawnSync("echo a; echo b", { shell: true, encoding: "utf8" }).stdout);
    const works = [() => execSync("echo out; echo bad >&2; exit 5", { stdio: "pipe" }), () => execFileSync("no-such-program-here"), () => execFileSync("sleep", ["60"], { timeout: 30 }), () => execFileSync("./plain"), () => execFileSync("true", { cwd: "/no/such" }), () => execSync("exec yes", { maxBuffer: 100 }), () => execFileSync("sh", ["-c", "kill -9 $$"])];
    for (const work of works) {
      try { print(String(work), "no error", work().length) } catch (error) { print(String(work), told(error), String(error.stderr ?? ""), (error.stdout?.length ?? 0) >= 100) }
    }
    print(told(spawnSync("no-such-program-here", ["x"]).error), told(spawnSync("sleep", ["60"], { timeout: 30 }).error), spawnSync("sleep", ["60"], { timeout: 30 }).signal);
  },
  async "messages with another Node"(print) {
    fs.writeFileSync("child.cjs", `process.on("message", (m) => { if (m === "end") process.disconnect(); else process.send({ got: m, argv: process.argv.slice(2), mine: process.env.MINE }) }); process.send("ready"); console.log("printed")`);
    const child = fork("./child.cjs", ["a", "b"], { env: { ...process.env, MINE: "x" }, silent: true });
    const watched = watch(child);
    print(await once(child, "message"), child.connected);
    child.send({ n: 1, text: "ü", list: [null] });
    print(await once(child, "message"));
    child.send("end");
    print((await watched).events, (await watched).out, child.connected);
    fs.writeFileSync("script.mjs", "console.log(process.argv.slice(2), typeof Deno)");
    print(execFileSync(process.execPath, ["script.mjs", "--flag", "x"], { encoding: "utf8" }), execFileSync(process.execPath, ["-p", "1+1"], { encoding: "utf8" }), execFileSync("node", ["-e", "console.log(process.argv0 !== '')"], { encoding: "utf8" }));
  },
};
