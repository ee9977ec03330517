import util from "node:util";
import types from "node:util/types";
import assert from "node:assert/strict";
import loose from "node:assert";
import { caught } from "../workflow.mjs";

class Point { constructor() { this.x = 1; this.y = [2] } get sum() { return 3 } }
class Named extends Map {}

export default {
  async "inspect"(print) {
    const circle = { name: "c" };
    circle.self = circle;
    const values = [null, undefined, true, -0, 5n, "it's", 'a "b"', Symbol("s"), () => 1, function named() {}, class A {}, class B extends Point {}, [1, , 3], [], {}, { a: { b: { c: { d: 1 } } } }, new Point(), new Named([[1, { a: 2 }]]), new Set(["a"]), new Date(0), new Date(NaN), /x/gi, circle,
      Buffer.from("hi"), new Uint8Array(3), new ArrayBuffer(2), Promise.resolve(1), new Proxy({ a: 1 }, {}), Object.create(null), Object.create({ inherited: 1 }), new (class extends Array {})(3), [..."x".repeat(120)], "long ".repeat(30), { get a() { return 1 }, set a(v) {} }, { "quoted-key": 2, 3: 4 }, [1.5, -2, NaN], new WeakMap(), (function () { return arguments })(1), new Boolean(false), Object("s"), [undefined, null], new Map([["a", new Map()]]), globalThis.process === undefined, { f() {}, async g() {}, *h() {} }, [[[[[]]]]], { a: 1n, b: "x\ny" }];
    for (const value of values) print(util.inspect(value));
    print(util.inspect({ a: { b: { c: { d: 1 } } } }, { depth: 0 }), util.inspect({ a: [1, 2], b: "x" }, { compact: false }), util.inspect({ b: 1, a: 2 }, { sorted: true, breakLength: 3 }), util.inspect("x".repeat(50), { maxStringLength: 5 }), util.inspect([1, 2, 3], { maxArrayLength: 1 }), util.inspect({ a: 1 }, { colors: true }), util.inspect(new Point(), { getters: true, showHidden: true }));
    print(util.inspect({ [util.inspect.custom]: (depth, options, inspect) => `custom ${depth} ${typeof options.stylize} ${typeof inspect}` }));
    print(util.inspect(Object.assign(new Error("e"), { stack: "Error: e\n    at x", code: "C" })), util.inspect(new Error("outer", { cause: "why" })).includes("[cause]: 'why'"));
  },
  "format"(print) {
    print(util.format("%s %d %i %f %j %o %O %c %% %x", "a", "5.5", "5.5", "1.25", { a: 1 }, [1], { b: {} }, "css"), util.format("a", "b", { c: 1 }, 5n, null), util.format(1, 2), util.format("%s", Symbol("x"), "rest"), util.format("%s %s", new Point(), [1, [2, [3]]]), util.format("%d", 5n), util.formatWithOptions({ colors: true }, "%O", 1), util.stripVTControlCharacters("\u001b[31mred\u001b[0m"));
  },
  async "promisify, callbackify, deprecate, inherits"(print) {
    const work = (a, done) => setTimeout(() => (a < 0 ? done(new RangeError("negative")) : done(null, a * 2)), 1);
    print(await util.promisify(work)(4), await caught(() => util.promisify(work)(-1)), await util.promisify(setTimeout)(1, "v"));
    print(await new Promise((resolve) => util.callbackify(async (a) => a + 1)(1, (error, value) => resolve([error, value]))), await new Promise((resolve) => util.callbackify(async () => { throw null })((error) => resolve([error.code, error.message]))));
    const own = Object.assign(() => {}, { [util.promisify.custom]: async () => "custom" });
    print(await util.promisify(own)(), util.promisify.custom === Symbol.for("nodejs.util.promisify.custom"));
    function Old() {}
    util.inherits(Old, Point);
    print(new Old() instanceof Point, Old.super_ === Point, typeof util.deprecate(() => 1, "old"), util.inspect.defaultOptions.depth);
    print(await caught(() => util.promisify(5)), new util.TextDecoder("utf-16le").decode(new Uint8Array([65, 0])), new util.TextEncoder().encode("ü"));
    const { signal, abort } = (() => { const controller = new AbortController(); return { signal: controller.signal, abort: () => controller.abort() } })();
    const aborted = util.aborted(signal, {});
    abort();
    print(await aborted.then(() => "told"), util.debuglog("none").enabled, util.toUSVString("a\ud800"));
  },
  async "parseArgs"(print) {
    const options = { verbose: { type: "boolean", short: "v", multiple: true }, name: { type: "string", default: "n" }, list: { type: "string", multiple: true }, no: { type: "boolean" } };
    print(util.parseArgs({ args: ["-vv", "--name=x", "pos", "--list", "1", "--list", "2", "--", "--rest"], options, allowPositionals: true }));
    print(util.parseArgs({ args: ["--unknown", "-x", "--name"], options, strict: false, allowPositionals: true }), util.parseArgs({ args: ["-v"], options, tokens: true }).tokens);
    for (const args of [["--unknown"], ["pos"], ["--name"], ["--verbose=1"]]) print(await caught(() => util.parseArgs({ args, options })));
  },
  "equality and types"(print) {
    const pairs = [[{ a: 1 }, { a: 1 }], [[1, 2], [1, "2"]], [new Set([{ a: 1 }]), new Set([{ a: 1 }])], [new Map([[1, 2]]), new Map([[1, 3]])], [NaN, NaN], [0, -0], [new Date(1), new Date(1)], [/a/g, /a/i], [new Error("a"), new Error("b")], [Buffer.from("a"), Buffer.from("a")], [[, 1], [undefined, 1]], [Object.create(null), {}], [new Point(), { x: 1, y: [2] }]];
    print(pairs.map(([a, b]) => util.isDeepStrictEqual(a, b)));
    print([types.isPromise(Promise.resolve()), types.isRegExp(/x/), types.isDate(new Date()), types.isProxy(new Proxy({}, {})), types.isGeneratorFunction(function* () {}), types.isAsyncFunction(async () => {}), types.isMap(new Named()), types.isTypedArray(Buffer.alloc(1)), types.isNativeError(new TypeError()), types.isBoxedPrimitive(Object(1n)), types.isArgumentsObject((function () { return arguments })()), types.isModuleNamespaceObject({}), types.isUint8Array(Buffer.alloc(0)), util.isArray([])]);
  },
  async "assertions"(print) {
    const works = [() => assert.equal(1, 2), () => assert.deepEqual({ a: 1 }, { a: 1 }), () => assert(0, "own words"), () => assert.ok(""), () => assert.notEqual(1, 1), () => assert.throws(() => { throw new TypeError("x") }, TypeError), () => assert.throws(() => {}), () => assert.throws(() => { throw new Error("abc") }, /xyz/), () => assert.match("abc", /d/), () => assert.fail("failed"), () => assert.ifError(null), () => assert.ifError(new Error("given")), () => assert.rejects(Promise.resolve(1)), () => assert.rejects(Promise.reject(new Error("no")), { message: "no" }), () => assert.doesNotReject(async () => 1), () => loose.equal(1, "1"), () => loose.deepEqual([1], ["1"]), () => assert.strictEqual("a", "a"), () => assert.doesNotMatch("a", /a/), () => assert.throws(() => { throw new Error("e") }, { name: "Error", message: "f" })];
    for (const work of works) {
      try { print(String(work), "holds", await work()) } catch (error) { print(String(work), error.name, error.code ?? null, error.operator ?? null, error.generatedMessage ?? null, error.message.split("\n")[0]) }
    }
    print(new assert.AssertionError({ actual: 1, expected: 2, operator: "strictEqual" }).actual, assert.strict === assert, loose.AssertionError === assert.AssertionError);
  },
};
