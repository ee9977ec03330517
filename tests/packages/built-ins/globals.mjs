import { createServer } from "node:net";
import { caught } from "../workflow.mjs";

// A port that nobody listens on.
const unused = () => new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

export default {
  "what is there"(print) {
    const names = ["AbortController", "AbortSignal", "Blob", "BroadcastChannel", "Buffer", "ByteLengthQueuingStrategy", "CompressionStream", "CountQueuingStrategy", "Crypto", "CryptoKey", "CustomEvent", "DOMException", "DecompressionStream", "Event", "EventTarget", "File", "FormData", "Headers", "MessageChannel", "MessageEvent", "MessagePort", "Performance", "PerformanceEntry", "PerformanceMark", "PerformanceObserver", "ReadableStream", "ReadableStreamDefaultReader", "Request", "Response", "SubtleCrypto", "TextDecoder", "TextDecoderStream", "TextEncoder", "TextEncoderStream", "TransformStream", "URL", "URLSearchParams", "WebAssembly", "WritableStream", "atob", "btoa", "clearImmediate", "clearInterval", "clearTimeout", "console", "crypto", "fetch", "global", "performance", "process", "queueMicrotask", "setImmediate", "setInterval", "setTimeout", "structuredClone", "Intl", "escape", "unescape", "FinalizationRegistry", "WeakRef", "SharedArrayBuffer", "Atomics"];
    print(names.filter((name) => typeof globalThis[name] === "undefined"), global === globalThis, Object.prototype.toString.call(globalThis));
    const foreign = ["Deno", "window", "self", "document", "localStorage", "location", "alert", "Worker", "require", "module", "exports", "__dirname", "__filename"];
    print(foreign.filter((name) => name in globalThis), foreign.map((name) => (0, eval)(`typeof ${name}`)));
  },
  async "fetch and its classes"(print, { http }) {
    print(await (await fetch(`${http}/echo?q=ü`, { method: "POST", body: JSON.stringify({ a: 1 }), headers: { "content-type": "application/json" } })).json());
    print(await (await fetch(`${http}/echo`, { method: "POST", body: new URLSearchParams("a=1") })).json(), await (await fetch(`${http}/echo`, { method: "POST", body: new Blob(["b"], { type: "x/y" }) })).json());
    const form = new FormData();
    form.set("f", new File(["file"], "n.txt"), "other.txt");
    form.append("a", "1");
    print([...form.keys()], form.get("f").name, (await (await fetch(`${http}/echo`, { method: "POST", body: form })).json()).headers);
    print((await fetch(`${http}/redirect`)).redirected, (await fetch(`${http}/redirect`, { redirect: "manual" })).status, await caught(() => fetch(`${http}/redirect`, { redirect: "error" })).then((text) => text.split(":")[0]), (await fetch(`${http}/missing`)).ok, (await fetch(`${http}/empty`)).body, (await (await fetch(`${http}/see-other`, { method: "POST", body: "x" })).json()).method);
    for (const kind of ["gzip", "br"]) print((await (await fetch(`${http}/${kind}`)).text()).length);
    print((await (await fetch(`${http}/big`)).arrayBuffer()).byteLength, (await fetch(`${http}/cookies`)).headers.getSetCookie());
    const parts = [];
    for await (const chunk of (await fetch(`${http}/slow`)).body) parts.push(Buffer.from(chunk).toString());
    print(parts.join("").match(/part \d/g));
    print(await (await fetch(`${http}/echo`, { method: "POST", duplex: "half", body: new ReadableStream({ start(controller) { controller.enqueue(new TextEncoder().encode("streamed")); controller.close() } }) })).json().then(({ body }) => body));
    const text = (await fetch(`${http}/cut`)).text();
    print(await text.then(() => "no error", (error) => error.name), await fetch(`http://127.0.0.1:${await unused()}/`).catch((error) => [error.name, error.message, error.cause.code]), await fetch("http://no.such.name.invalid/").catch((error) => [error.message, error.cause.code]), await fetch("http://127.0.0.1:1/").catch((error) => [error.name, error.message, error.cause.code]), await caught(() => fetch("nonsense")).then((text) => text.split(":")[0]));
    print(await fetch(`${http}/never`, { signal: AbortSignal.timeout(10) }).catch((error) => [error.name, error.code]), await fetch(`${http}/never`, { signal: AbortSignal.abort(new RangeError("own reason")) }).catch((error) => error.message));
    const request = new Request(`${http}/echo`, { method: "put", body: "b", headers: [["X-A", "1"]] });
    print(request.method, request.headers.get("x-a"), await request.clone().text(), request.bodyUsed, request.url.endsWith("/echo"));
    const response = new Response("text", { status: 201, statusText: "Made", headers: { a: "b" } });
    print(response.status, response.statusText, response.ok, [...response.headers], await response.text(), response.bodyUsed, Response.error().type, Response.redirect("http://x/", 307).headers.get("location"), await caught(() => new Response("", { status: 5 })).then((text) => text.split(":")[0]), await caught(() => response.text()).then((text) => text.split(":")[0]));
    const headers = new Headers({ b: "2", A: "1" });
    headers.append("b", "3");
    print([...headers], headers.has("a"), await caught(() => headers.set("bad name", "")).then((text) => text.split(":")[0]));
  },
  async "aborting, events, clones"(print) {
    const controller = new AbortController();
    controller.signal.addEventListener("abort", (event) => print(event.type, controller.signal.aborted));
    controller.abort();
    print(controller.signal.reason.name, controller.signal.reason.code, controller.signal.reason.message, controller.signal.reason instanceof DOMException, await caught(() => controller.signal.throwIfAborted()), AbortSignal.abort("own").reason, AbortSignal.abort().reason.message, AbortSignal.any([controller.signal, new AbortController().signal]).aborted);
    print(await new Promise((resolve) => { const signal = AbortSignal.timeout(2); signal.onabort = () => resolve([signal.reason.name, signal.reason.message]) }));
    const cloned = structuredClone({ map: new Map([[{ a: 1 }, new Set([1])]]), date: new Date(1), error: new RangeError("r"), nested: [undefined, 1n, /x/g] });
    print(cloned.map, cloned.date, cloned.error.name, cloned.nested, await caught(() => structuredClone(() => {})).then((text) => text.split(" ")[0]), await caught(() => structuredClone(Symbol("x"))).then((text) => text.split(" ")[0]));
    const bytes = new Uint8Array([1, 2]);
    print(structuredClone({ buffer: bytes.buffer }, { transfer: [bytes.buffer] }).buffer.byteLength, bytes.length);
    const event = new CustomEvent("c", { detail: 5, cancelable: true });
    new EventTarget().dispatchEvent(event);
    event.preventDefault();
    print(event.detail, event.defaultPrevented, new DOMException("m", "DataError").code, new DOMException("m", "NotFoundError").name);
  },
  async "WebAssembly, Intl and the language"(print) {
    const bytes = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
    const { instance, module } = await WebAssembly.instantiate(bytes);
    print(instance.exports.add(2, 3), WebAssembly.Module.exports(module), WebAssembly.validate(bytes), await caught(() => WebAssembly.compile(new Uint8Array(4))).then((text) => text.split(":")[0]), new WebAssembly.Memory({ initial: 1 }).buffer.byteLength);
    print(new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" }).format(1234.5), new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "Asia/Tokyo" }).format(0), new Intl.PluralRules("ar").select(3), ["ä", "z", "a"].sort(new Intl.Collator("sv").compare), new Intl.ListFormat("en").format(["a", "b", "c"]), [...new Intl.Segmenter("en", { granularity: "word" }).segment("Hi there")].length, new Intl.RelativeTimeFormat("fr").format(-1, "day"), "ı".toLocaleUpperCase("tr"), new Date(0).toLocaleString("ja-JP", { timeZone: "UTC" }), Intl.DateTimeFormat().resolvedOptions().timeZone);
    print([3, 1, 2].toSorted(), "a-b".replaceAll("-", "+"), [1, 2, 3].findLast((n) => n < 3), new Function("a", "return a * 2")(4), eval("1 + 1"), new Error("e", { cause: 1 }).cause, [1, [2, [3]]].flat(Infinity), "x".isWellFormed(), Array.prototype.at.call("abc", -1));
    print(new Error("with stack").stack.split("\n")[0], typeof Error.captureStackTrace, Error.stackTraceLimit, escape("ü"), ({}).__proto__ === Object.prototype, encodeURIComponent("ü/"), Number("0x1f"), (0.1 + 0.2).toFixed(20), 2n ** 64n, new Date("2020-02-30").getTime(), Date.UTC(2020, 1, 29));
  },
};
