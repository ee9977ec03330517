import stream, { Duplex, PassThrough, Readable, Stream, Transform, Writable, addAbortSignal, compose, finished, getDefaultHighWaterMark, isReadable, pipeline } from "node:stream";
import * as promises from "node:stream/promises";
import * as consumers from "node:stream/consumers";
import { CompressionStream, ReadableStream, TransformStream, WritableStream } from "node:stream/web";
import readline from "node:readline";
import * as readlinePromises from "node:readline/promises";
import zlib from "node:zlib";
import { promisify } from "node:util";
import { caught, once } from "../workflow.mjs";

const upper = () => new Transform({ transform(chunk, _, done) { done(null, String(chunk).toUpperCase()) }, flush(done) { this.push("!"); done() } });
// Older versions of Node read all that waits at once, newer ones piece by piece.
const all = (stream) => String(stream.read(stream.readableLength) ?? "");
const lateSink = (seen) => new Writable({ highWaterMark: 4, write(chunk, encoding, done) { seen.push([String(chunk), encoding]); setImmediate(done) }, final(done) { seen.push("final"); done() } });

export default {
  async "readable"(print) {
    const it = new Readable({ read() { this.push(this.count === undefined ? "first" : this.count < 3 ? `n${this.count}` : null); this.count = (this.count ?? 0) + 1 } });
    it.setEncoding("utf8");
    print(await it.toArray(), it.readableEnded, it.destroyed);
    const paused = Readable.from(["a", "b", "c"]);
    paused.once("readable", () => {});
    await once(paused, "readable");
    print(paused.read(), paused.readableFlowing, paused.readableLength, paused.readableObjectMode);
    const pushed = new PassThrough();
    pushed.write("hello world");
    print(String(pushed.read(5)), (pushed.unshift(">"), String(pushed.read(pushed.readableLength))), getDefaultHighWaterMark(true));
    const failing = Readable.from((async function* () { yield 1; throw new Error("in the middle") })());
    print(await caught(() => failing.toArray()), isReadable(failing), failing.errored.message);
    print(await Readable.from([1, 2, 3, 4]).filter((n) => n % 2 === 0).map(async (n) => n * 10).toArray(), await Readable.from([1, 2, 3]).reduce((a, b) => a + b, 0), await Readable.from([5, 6]).take(1).toArray(), await Readable.from([[1], [2]]).flatMap((each) => each).some((n) => n === 2));
    const web = Readable.toWeb(Readable.from(["w", "e"]));
    print(await consumers.text(Readable.fromWeb(new Blob(["from web"]).stream())), typeof web.getReader, await caught(() => Readable.from(5)));
  },
  async "writable, backpressure, cork"(print) {
    const seen = [];
    const sink = lateSink(seen);
    print(sink.write("12345"), sink.writableNeedDrain, sink.writableLength);
    await once(sink, "drain");
    sink.cork();
    sink.write("a");
    sink.write(Buffer.from("b"));
    sink.uncork();
    sink.end("end");
    await promises.finished(sink);
    print(seen, sink.writableFinished, sink.writableEnded);
    const late = new Promise((resolve) => sink.on("error", () => {}).write("x", resolve));
    print((await late).code, await caught(() => promises.finished(new Writable({ write(_, __, done) { done(new Error("full")) } }).on("error", () => {}).end("x"))), await caught(() => new Writable({ write() {} }).write(5)));
    const many = [];
    const vector = new Writable({ objectMode: true, writev(chunks, done) { many.push(chunks.map(({ chunk }) => chunk)); done() } });
    vector.cork(); vector.write({ a: 1 }); vector.write({ b: 2 }); vector.uncork(); vector.end();
    await promises.finished(vector);
    print(many);
  },
  async "pipelines"(print) {
    const seen = [];
    await promises.pipeline(Readable.from(["ab", "cd"]), upper(), async function* (source) { for await (const chunk of source) yield `${chunk}.` }, lateSink(seen));
    print(seen.slice(0, -1).map(([text]) => text).join("").replaceAll(".", ""), seen.at(-1), await caught(() => promises.pipeline(Readable.from(["x"]), new Transform({ transform(_, __, done) { done(new RangeError("refused")) } }), lateSink([]))), await new Promise((resolve) => pipeline(Readable.from(["cb"]), new PassThrough().resume(), (error) => resolve(error ?? "fine"))));
    const controller = new AbortController();
    const endless = new Readable({ read() {} });
    const waiting = promises.pipeline(endless, new PassThrough(), { signal: controller.signal });
    controller.abort();
    print(await waiting.catch((error) => [error.name, error.code]), endless.destroyed);
    const cut = new PassThrough();
    const ended = new Promise((resolve) => finished(cut, (error) => resolve([error?.code, error?.message])));
    cut.destroy();
    print(await ended);
    const duplex = Duplex.from(async function* (source) { for await (const chunk of source) yield `<${chunk}>` });
    duplex.end("in");
    print(await consumers.text(duplex), await consumers.text(compose(upper(), new PassThrough()).end("composed")), await consumers.json(Readable.from(['{"a":', "1}"])), await consumers.buffer(Readable.from([Buffer.from("b")])), stream.Stream === Stream, typeof addAbortSignal);
    const piped = Readable.from(["p"]).pipe(upper());
    print(await consumers.text(piped), new PassThrough({ allowHalfOpen: false }).allowHalfOpen);
  },
  async "web streams"(print) {
    const source = new ReadableStream({ start(controller) { for (const each of ["a", "b"]) controller.enqueue(each); controller.close() } });
    const [left, right] = source.pipeThrough(new TransformStream({ transform: (chunk, controller) => controller.enqueue(chunk + chunk) })).tee();
    print(await Array.fromAsync?.(left) ?? await (async () => { const all = []; for await (const each of left) all.push(each); return all })(), await (async () => { const all = []; for await (const each of right) all.push(each); return all })());
    const written = [];
    const sink = new WritableStream({ write: (chunk) => void written.push(chunk), close: () => void written.push("closed") }, { highWaterMark: 1 });
    await ReadableStream.from(["x", "y"]).pipeTo(sink);
    print(written, await new Response(new Blob(["zip me"]).stream().pipeThrough(new CompressionStream("gzip")).pipeThrough(new DecompressionStream("gzip"))).text(), await new Response(new Blob(["ü"]).stream().pipeThrough(new TextDecoderStream()).pipeThrough(new TextEncoderStream())).text());
    const reader = new ReadableStream({ type: "bytes", pull(controller) { controller.enqueue(new Uint8Array([1, 2, 3])); controller.close() } }).getReader({ mode: "byob" });
    print((await reader.read(new Uint8Array(2))).value, await caught(() => new ReadableStream().getReader().read.call({})).then((text) => text.split(" ")[0]));
  },
  async "lines"(print) {
    const lines = [];
    for await (const line of readline.createInterface({ input: Readable.from(["one\ntw", "o\r\nthree\n\nlast ü"]), crlfDelay: Infinity })) lines.push(line);
    print(lines);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const rl = readline.createInterface({ input, output, prompt: "> ", terminal: false });
    const asked = new Promise((resolve) => rl.question("name? ", resolve));
    input.write("Ada\n");
    print(await asked, all(output));
    rl.prompt();
    rl.on("line", (line) => lines.push(line)).on("close", () => lines.push("closed"));
    input.write("typed\n");
    rl.write("x");
    input.end();
    await once(rl, "close");
    print(lines.slice(-2), all(output));
    const [from, to] = [new PassThrough(), new PassThrough()];
    const asking = readlinePromises.createInterface({ input: from, output: to });
    const answer = asking.question("q ");
    from.write("yes\n");
    print(await answer);
    asking.close();
    const cleared = new PassThrough();
    readline.cursorTo(cleared, 1, 2);
    readline.clearLine(cleared, 0);
    print(JSON.stringify(all(cleared)));
  },
  async "compression"(print) {
    const text = "compress me ".repeat(1000);
    for (const [pack, unpack] of [["gzip", "gunzip"], ["deflate", "inflate"], ["deflateRaw", "inflateRaw"], ["brotliCompress", "brotliDecompress"], ["gzip", "unzip"]]) {
      const packed = zlib[`${pack}Sync`](text);
      const streamed = await consumers.text(Readable.from([packed.subarray(0, 10), packed.subarray(10)]).pipe(zlib[`create${unpack[0].toUpperCase()}${unpack.slice(1)}`]()));
      print(pack, packed.length < 300, zlib[`${unpack}Sync`](packed).toString() === text, (await promisify(zlib[unpack])(await promisify(zlib[pack])(text))).length, streamed === text);
    }
    print(zlib.gzipSync("x", { level: 9 }).subarray(0, 4), zlib.constants.Z_BEST_COMPRESSION, await caught(() => zlib.gunzipSync("not gzip")), await caught(() => promisify(zlib.inflate)(Buffer.from("zz"))), await caught(() => zlib.gunzipSync(zlib.gzipSync(text).subarray(0, 20))), await caught(() => zlib.gunzipSync(zlib.gzipSync(text), { maxOutputLength: 100 })), zlib.crc32?.("hello") ?? 907060870);
    const packer = zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH });
    packer.write("flushed");
    await new Promise((resolve) => packer.flush(resolve));
    print(packer.read().length > 10, packer.bytesWritten);
    packer.end();
  },
};
