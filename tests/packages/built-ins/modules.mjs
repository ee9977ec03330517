import module, { builtinModules, isBuiltin } from "node:module";
import vm from "node:vm";
import v8 from "node:v8";
import tty from "node:tty";
import constants from "node:constants";
import consoleModule, { Console } from "node:console";
import punycode from "node:punycode";
import dgram from "node:dgram";
import http2 from "node:http2";
import { MessageChannel, isMainThread, parentPort, receiveMessageOnPort, threadId, workerData } from "node:worker_threads";
import { PassThrough } from "node:stream";
import { caught, once } from "../workflow.mjs";

// esbuild's banner has taken the name of the import.
const makeRequire = module.createRequire;

export default {
  async "require of built-ins"(print) {
    const require = makeRequire(import.meta.url);
    const wanted = ["assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns", "dns/promises", "domain", "events", "fs", "fs/promises", "http", "http2", "https", "inspector", "module", "net", "os", "path", "path/posix", "perf_hooks", "process", "punycode", "querystring", "readline", "readline/promises", "repl", "stream", "stream/consumers", "stream/promises", "stream/web", "string_decoder", "sys", "timers", "timers/promises", "tls", "trace_events", "tty", "url", "util", "util/types", "v8", "vm", "wasi", "worker_threads", "zlib"];
    for (const name of wanted) print(name, typeof require(name), require(`node:${name}`) === require(name), builtinModules.includes(name), isBuiltin(name));
    print(isBuiltin("left-pad"), isBuiltin("node:test"), isBuiltin("test"), require.resolve("fs"), typeof require.cache, typeof module.Module, await caught(() => makeRequire("relative")).then((text) => text.includes("ERR_INVALID_ARG_VALUE")));
    try { require("left-pad") } catch (error) { print(error.code, error.message.split("\n")[0]) }
    print(process.getBuiltinModule?.("path") === undefined || process.getBuiltinModule("path") === require("path"));
  },
  async "scripts in contexts"(print) {
    print(vm.runInThisContext("1 + 1"), vm.runInNewContext("x * 2", { x: 21 }), new vm.Script("typeof globalThis", { filename: "a.js" }).runInThisContext());
    const context = vm.createContext({ n: 1, log: [] });
    vm.runInContext("n += 1; log.push(n); var made = [1]", context);
    print(context.n, context.made.length, vm.isContext(context), context.made instanceof Array, await caught(() => vm.runInNewContext("throw new TypeError('inside')")), await caught(() => new vm.Script("syntax error here")), vm.compileFunction("return a + b", ["a", "b"])(1, 2), await caught(() => vm.runInNewContext("for (;;);", {}, { timeout: 20 })).then((text) => text.includes("ERR_SCRIPT_EXECUTION_TIMEOUT")));
  },
  "copies and measures of V8"(print) {
    const value = { a: [1, , 3], date: new Date(0), map: new Map([[1, { b: 2 }]]), bytes: new Uint8Array([1, 2]), big: 5n, re: /x/g, undef: undefined };
    value.self = value;
    const back = v8.deserialize(v8.serialize(value));
    print(back.self === back, back.map, back.bytes, back.date, 1 in back.a, Object.keys(v8.getHeapStatistics()).includes("heap_size_limit"), typeof v8.cachedDataVersionTag());
    print(structuredClone(value).map, structuredClone(new Error("cloned")).message);
  },
  async "consoles, terminals, constants"(print) {
    const out = new PassThrough();
    const own = new Console({ stdout: out, stderr: out, inspectOptions: { depth: 0 } });
    own.log("a %d", 1, { b: { c: 1 } });
    own.error("bad");
    own.group("g"); own.info("in"); own.groupEnd();
    own.table([{ x: 1, y: "z" }]);
    own.count(); own.count("n"); own.countReset(); own.assert(false, "asserted"); own.dir({ a: 1 });
    print(String(out.read(out.readableLength)), consoleModule === console, tty.isatty(0), constants.O_RDONLY, constants.SIGKILL, constants.ENOENT, typeof tty.WriteStream);
    print(punycode.toASCII("mañana.com"), punycode.decode("maana-pta"), punycode.ucs2.decode("🎉"));
  },
  async "message ports and datagrams"(print) {
    const { port1, port2 } = new MessageChannel();
    port1.postMessage({ a: new Map([[1, 2]]) });
    print(isMainThread, parentPort, typeof threadId, workerData, receiveMessageOnPort(port2)?.message, receiveMessageOnPort(port2));
    const next = once(port2, "message");
    port1.postMessage("later");
    print(await next);
    port1.close();
    const [one, two] = [dgram.createSocket("udp4"), dgram.createSocket("udp4")];
    one.bind(0, "127.0.0.1");
    await once(one, "listening");
    const got = new Promise((resolve) => one.once("message", (data, from) => resolve([String(data), from.address, from.family])));
    two.send("datagram", one.address().port, "127.0.0.1");
    print(await got);
    one.close();
    two.close();
  },
  async "http2"(print) {
    const server = http2.createServer();
    server.on("stream", (stream, headers) => { stream.respond({ ":status": 200, "x-path": headers[":path"] }); stream.end(`over http2: ${headers[":method"]}`) });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = http2.connect(`http://127.0.0.1:${server.address().port}`);
    const stream = client.request({ ":path": "/p", ":method": "POST" });
    stream.end("body");
    const headers = await once(stream, "response");
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += chunk;
    print(headers[":status"], headers["x-path"], text, http2.constants.HTTP2_HEADER_STATUS);
    client.close();
    server.close();
  },
};
