import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Readable, Transform, Writable } from "node:stream";
import { $, ExecaError, execa, execaCommand, execaNode, execaSync, parseCommandString } from "execa";

const brief = (result) => [result.stdout, result.stderr, result.exitCode ?? null, result.signal ?? null, result.failed, result.timedOut, result.isCanceled, result.isTerminated];
const failing = async (child) => {
  try {
    return ["no error", brief(await child)];
  } catch (error) {
    return [error.name, error instanceof ExecaError, error.shortMessage, error.code ?? null, ...brief(error)];
  }
};

export default {
  async "output, status and failures"(print) {
    print(brief(await execa("echo", ["two words", "", "'quoted'"])));
    print(await failing(execa("sh", ["-c", "echo out; echo err >&2; exit 3"])));
    print(brief(await execa({ reject: false })`sh -c ${"exit 4"}`));
    print(await failing(execa("no-such-program-here", ["x"])));
    print(await failing(execa("sh", ["-c", "kill -9 $$"])));
    print(await failing(execa("true", { cwd: "/no/such/folder" })).then(([name, , message]) => [name, message.split("\n")[0]]));
    writeFileSync("plain.txt", "");
    print((await failing(execa("./plain.txt")))[3]);
  },
  async "input, environment, folder"(print) {
    print((await execa("cat", { input: "given\n" })).stdout, (await execa("cat", { input: Buffer.from("bytes") })).stdout);
    writeFileSync("in.txt", "from a file");
    print((await execa("cat", { inputFile: "in.txt" })).stdout, (await execa("cat", { stdin: [Readable.from(["stream", "ed"]), "pipe"] })).stdout);
    print((await execa("cat", { stdin: "ignore" })).stdout === "", (await execa("cat", { stdin: ["a", "b"].values() })).stdout);
    print((await execa("sh", ["-c", "echo $MINE $HOME"], { env: { MINE: "x", HOME: "h" } })).stdout, (await execa("sh", ["-c", "echo [$HOME]"], { env: { PATH: process.env.PATH }, extendEnv: false })).stdout);
    mkdirSync("sub");
    print((await execa("pwd", { cwd: "sub" })).stdout, (await execa("sh", ["-c", "echo $0"], { argv0: "other" })).stdout !== "");
    print((await execa("echo a && echo b | tr b c", { shell: true })).stdout, (await execaCommand("echo one  two\\ three")).stdout, parseCommandString("a b\\ c"));
  },
  async "output in every form"(print) {
    print((await execa("printf", ["a\nb\n\n"], { lines: true })).stdout, (await execa("printf", ["x\n"], { stripFinalNewline: false })).stdout);
    print((await execa("printf", ["\\377\\000"], { encoding: "buffer" })).stdout, (await execa("printf", ["hi"], { encoding: "hex" })).stdout);
    print((await execa("sh", ["-c", "echo out; echo err >&2"], { all: true })).all.split("\n").sort());
    print((await execa("sh", ["-c", "echo three >&3"], { stdio: ["ignore", "pipe", "pipe", "pipe"] })).stdio[3]);
    await execa("echo", ["to a file"], { stdout: { file: "out.txt" } });
    print(readFileSync("out.txt", "utf8"), (await execa("echo", ["both"], { stdout: ["pipe", { file: "both.txt" }] })).stdout, readFileSync("both.txt", "utf8"));
    const lines = [];
    for await (const line of execa("printf", ["1\n2\n3"])) lines.push(line);
    print(lines, (await execa("printf", ["a\nb"], { stdout: function* (line) { yield `${line}!`; yield "+" } })).stdout);
    const upper = new Transform({ objectMode: true, transform: (chunk, _, done) => done(null, String(chunk).toUpperCase()) });
    print((await execa("printf", ["up"], { stdout: { transform: upper } })).stdout);
    print((await execa("head", ["-c", "20000000", "/dev/zero"])).stdout.length, await failing(execa("head", ["-c", "5000", "/dev/zero"], { maxBuffer: 100, reject: false })).then(([, rest]) => [rest[0].length, rest[4]]));
    const chunks = [];
    const sink = new Writable({ write(chunk, _, done) { chunks.push(String(chunk)); done() } });
    const child = execa("echo", ["piped by hand"]);
    child.stdout.pipe(sink);
    await child;
    print(chunks.join(""));
  },
  async "pipes between programs"(print) {
    print((await execa("printf", ["b\na\n"]).pipe("sort").pipe("tr", ["a-z", "A-Z"])).stdout);
    const joined = await $`echo ${["a", "b"]} -n`.pipe`cat -`;
    print(joined.stdout, joined.pipedFrom.map((each) => each.command));
    print(await failing(execa("sh", ["-c", "exit 5"]).pipe("cat")).then(([name, , message]) => [name, message]));
    const web = await new Response(execa("echo", ["web"]).readable()).text().catch((error) => error.name);
    print(web);
  },
  async "ends before their time"(print) {
    print(await failing(execa("sleep", ["60"], { timeout: 50 })));
    const controller = new AbortController();
    const aborted = execa("sleep", ["60"], { cancelSignal: controller.signal });
    controller.abort();
    print((await failing(aborted)).slice(0, 3));
    const killed = execa("sleep", ["60"]);
    killed.kill("SIGINT");
    print((await failing(killed)).slice(2));
    const stubborn = execa("sh", ["-c", 'trap "" TERM; echo ready; while :; do sleep 1; done'], { forceKillAfterDelay: 50 });
    await new Promise((resolve) => stubborn.stdout.once("data", resolve));
    stubborn.kill();
    print((await failing(stubborn)).slice(7, 9));
    print((await failing(execa("sh", ["-c", "kill -TERM $$"])))[2]);
  },
  async "messages and Node"(print) {
    writeFileSync("child.mjs", `process.on("message", (m) => { process.send({ twice: m * 2 }, () => process.disconnect()) })`);
    const child = execaNode("child.mjs", [], { ipc: true, serialization: "json" });
    const answer = child.getOneMessage();
    await child.sendMessage(21);
    print(await answer, (await child).exitCode);
    writeFileSync("args.mjs", "console.log(process.argv.slice(2).join('|'))");
    print((await execaNode("args.mjs", ["a b", "c"])).stdout);
  },
  "the sync forms"(print) {
    print(brief(execaSync("sh", ["-c", "echo out; echo err >&2"])), execaSync("cat", { input: "in" }).stdout);
    try { execaSync("sh", ["-c", "exit 7"]) } catch (error) { print(error.shortMessage, error.exitCode) }
    try { execaSync("no-such-program-here") } catch (error) { print(error.code, error.shortMessage) }
    print(execaSync("sleep", ["60"], { timeout: 50, reject: false }).timedOut, $.sync`echo ${"sync"}`.stdout);
  },
};
