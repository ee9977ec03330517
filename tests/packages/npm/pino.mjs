import { readFileSync } from "node:fs";
import { Writable } from "node:stream";
import pino from "pino";
import { caught, once } from "../workflow.mjs";

function memory() {
  const lines = [];
  const sink = new Writable({ write(chunk, _, done) { lines.push(...String(chunk).trimEnd().split("\n")); done() } });
  return { lines, sink };
}

const stable = { base: { app: "x" }, timestamp: () => ',"time":0' };
const stackless = (line) => line.replace(/"stack":"(?:[^"\\]|\\.)*"/g, '"stack":"…"');

export default {
  "levels, children and bindings"(print) {
    const { lines, sink } = memory();
    const log = pino({ ...stable, level: "debug", customLevels: { notice: 35 } }, sink);
    log.trace("not seen");
    log.debug("%s %d %j %o %%", "a", 5, { x: 1 }, { y: [1] });
    log.notice({ n: 1n === 1n }, "object and text");
    log.error(new TypeError("bad", { cause: new Error("why") }));
    log.warn({ err: Object.assign(new Error("e"), { code: "E" }), other: undefined, nan: NaN, date: new Date(0), buffer: Buffer.from("x") });
    const child = log.child({ request: 7 }, { level: "error", msgPrefix: "[child] " });
    child.info("not seen");
    child.fatal("fatal");
    child.level = "info";
    child.setBindings({ more: 1 });
    child.info({ request: 8 }, "seen");
    print(lines.map(stackless).join("\n"));
    print(child.bindings(), log.isLevelEnabled("trace"), log.levelVal, pino.levels, log.levels.values.notice);
  },
  "redaction, serializers and formatters"(print) {
    const { lines, sink } = memory();
    const log = pino({
      ...stable, redact: { paths: ["password", "user.key", "list[*].secret", "*.deep"], censor: "[gone]" },
      serializers: { user: (user) => ({ name: user.name, key: user.key }), req: pino.stdSerializers.req, err: (error) => `${error.name}!` },
      formatters: { level: (label) => ({ severity: label.toUpperCase() }), bindings: () => ({ bound: true }), log: (object) => ({ ...object, formatted: 1 }) },
      mixin: (_, level) => ({ mixed: level }), messageKey: "message", errorKey: "problem", nestedKey: "payload",
      hooks: { logMethod(args, method) { method.apply(this, args.length > 2 ? [args[0], args.slice(1).join(" + ")] : args) } },
    }, sink);
    log.info({ password: "x", user: { name: "ada", key: "k", more: 1 }, list: [{ secret: 1, open: 2 }], a: { deep: 1 } }, "one", "two");
    log.info({ err: new RangeError("r") }, "with error");
    log.error(new Error("plain"));
    const circle = { name: "c" };
    circle.self = circle;
    log.info({ circle, big: 5n, fn() {}, symbol: Symbol("s"), map: new Map([[1, 2]]) });
    print(lines.map(stackless).join("\n"));
  },
  async "files, many streams and times"(print) {
    const destination = pino.destination({ dest: "log/deep/app.log", mkdir: true, sync: false, minLength: 100 });
    const log = pino(stable, destination);
    for (let i = 0; i < 50; i++) log.info({ i }, "to a file");
    await new Promise((resolve, reject) => log.flush((error) => (error ? reject(error) : resolve())));
    destination.end();
    await once(destination, "close");
    print(readFileSync("log/deep/app.log", "utf8").trimEnd().split("\n").length);
    const sync = pino(stable, pino.destination({ dest: "sync.log", sync: true, append: false }));
    sync.warn("at once");
    print(readFileSync("sync.log", "utf8"));
    const [one, two] = [memory(), memory()];
    const many = pino({ ...stable, level: "debug" }, pino.multistream([{ stream: one.sink, level: "debug" }, { stream: two.sink, level: "error" }], { dedupe: false }));
    many.debug("low");
    many.error("high");
    print(one.lines.length, two.lines);
    const timed = memory();
    pino({ timestamp: pino.stdTimeFunctions.isoTime, base: null }, timed.sink).info("when");
    print(timed.lines[0].replace(/\d{4}-[^"]*Z/, "<time>"));
    const own = memory();
    pino({}, own.sink).info("mine");
    print(JSON.parse(own.lines[0]).pid === process.pid, typeof JSON.parse(own.lines[0]).hostname);
  },
  async "what is wrong is said"(print) {
    print(await caught(() => pino({ level: "nonsense" })), await caught(() => pino({ customLevels: { info: 1 } })), await caught(() => pino({ redact: { paths: ["a..b"] } })), await caught(() => pino({ serializers: 5 }) && "taken"));
    const broken = pino.destination({ dest: "/no/such/folder/x.log", sync: false });
    print((await once(broken, "error")).code);
  },
};
