import EventEmitter, { EventEmitter as Named, errorMonitor, getEventListeners, on, once } from "node:events";
import { clearImmediate, clearInterval, setImmediate, setInterval, setTimeout } from "node:timers";
import * as later from "node:timers/promises";
import { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } from "node:async_hooks";
import { performance, PerformanceObserver, monitorEventLoopDelay } from "node:perf_hooks";
import { channel, subscribe, tracingChannel, unsubscribe } from "node:diagnostics_channel";
import { caught } from "../workflow.mjs";

export default {
  async "emitters"(print) {
    const it = new EventEmitter();
    const seen = [];
    it.on("a", function (...args) { seen.push(this === it, args) }).once("a", () => seen.push("once")).prependListener("a", () => seen.push("first"));
    print(it.emit("a", 1, 2), it.emit("a"), it.emit("none"), seen, it.listenerCount("a"), it.eventNames(), it.rawListeners("a").length);
    const off = () => seen.push("off");
    it.on("b", off).off("b", off).removeAllListeners("a");
    print(it.eventNames(), await caught(() => it.emit("error", new TypeError("unheard"))), await caught(() => it.emit("error", "text")), await caught(() => it.on("x", 5)));
    it.on(errorMonitor, (error) => seen.push(error.message)).on("error", () => {});
    it.emit("error", new Error("heard"));
    print(seen.at(-1), EventEmitter.defaultMaxListeners, it.setMaxListeners(1).getMaxListeners(), Named === EventEmitter, getEventListeners(it, "error").length);
    it.on("newListener", (name) => seen.push(`new ${String(name)}`)).on("removeListener", (name) => seen.push(`gone ${String(name)}`));
    it.once("c", () => {});
    it.emit("c");
    print(seen.slice(-2));
    setTimeout(() => it.emit("later", 1, 2), 1);
    print(await once(it, "later"), await caught(() => { setTimeout(() => it.emit("error", new Error("instead")), 1); return once(it, "never") }));
    const iterator = on(it, "tick", { close: ["stop"] });
    it.emit("tick", 1);
    it.emit("tick", 2);
    setTimeout(() => it.emit("stop"), 1);
    const ticks = [];
    for await (const [n] of iterator) ticks.push(n);
    print(ticks);
    const controller = new AbortController();
    const waiting = once(it, "never", { signal: controller.signal });
    controller.abort();
    print(await waiting.catch((error) => [error.name, error.code]));
    const rejecting = new EventEmitter({ captureRejections: true });
    rejecting.on("x", async () => { throw new Error("captured") });
    const captured = once(rejecting, "error");
    rejecting.emit("x");
    print((await captured.catch((error) => [error]))[0].message);
    const target = new EventTarget();
    target.addEventListener("e", (event) => seen.push(event.type, event instanceof Event), { once: true });
    print(target.dispatchEvent(new Event("e", { cancelable: true })), seen.slice(-2));
  },
  async "timers and their order"(print) {
    const order = [];
    await new Promise((resolve) => {
      setTimeout(() => order.push("timeout 0"), 0);
      setTimeout(() => { order.push("timeout 20"); resolve() }, 20);
      setTimeout(() => order.push("timeout 5"), 5);
      process.nextTick(() => order.push("tick"));
      queueMicrotask(() => order.push("microtask"));
      Promise.resolve().then(() => order.push("promise"));
      order.push("now");
    });
    print(order);
    const immediate = [];
    await new Promise((resolve) => { setImmediate((x) => immediate.push(x), "arg"); clearImmediate(setImmediate(() => immediate.push("never"))); setTimeout(resolve, 10) });
    print(immediate);
    const timer = setTimeout(() => {}, 1000);
    print(typeof timer, timer.hasRef(), timer.unref().hasRef(), timer.ref() === timer, typeof timer[Symbol.toPrimitive]());
    timer.refresh();
    timer.close();
    let count = 0;
    await new Promise((resolve) => { const interval = setInterval(() => { if (++count === 3) { clearInterval(interval); resolve() } }, 1) });
    clearTimeout(undefined);
    clearTimeout(Number(setTimeout(() => order.push("never"), 1)));
    print(count, await caught(() => setTimeout("text", 1)));
    print(await later.setTimeout(1, "value"), await later.setImmediate("now"), await later.scheduler.wait(1));
    let turns = 0;
    for await (const value of later.setInterval(1, "v")) { if (++turns === 3) { print(value); break } }
    const controller = new AbortController();
    const waiting = later.setTimeout(10_000, null, { signal: controller.signal });
    controller.abort();
    print(await waiting.catch((error) => [error.name, error.code, error.message]));
  },
  async "context that follows asynchronous work"(print) {
    const storage = new AsyncLocalStorage();
    const read = () => storage.getStore() ?? null;
    const results = await Promise.all([1, 2].map((n) => storage.run({ n }, async () => {
      await later.setTimeout(3 - n);
      const inTick = await new Promise((resolve) => process.nextTick(() => resolve(read())));
      const inImmediate = await new Promise((resolve) => setImmediate(() => resolve(read())));
      const inner = storage.run("inner", read);
      return [read(), inTick, inImmediate, inner, storage.exit(read)];
    })));
    print(results, read());
    const snapshot = storage.run("kept", () => AsyncLocalStorage.snapshot());
    const bound = storage.run("bound", () => AsyncResource.bind(() => read()));
    storage.enterWith("entered");
    print(snapshot(read), bound(), read());
    storage.disable();
    class Job extends AsyncResource { work(fn) { return this.runInAsyncScope(fn, this, 1) } }
    print(new Job("JOB").work(function (n) { return [n, this instanceof Job] }), read(), typeof executionAsyncId(), typeof createHook({ init() {} }).enable().disable);
    const emitter = new EventEmitter();
    const heard = storage.run("emitted", () => new Promise((resolve) => emitter.once("x", AsyncResource.bind(() => resolve(read())))));
    emitter.emit("x");
    print(await heard);
  },
  async "measuring"(print) {
    const start = performance.now();
    performance.mark("a");
    await later.setTimeout(2);
    performance.mark("b", { detail: { x: 1 } });
    const measure = performance.measure("between", "a", "b");
    print(measure.name, measure.entryType, measure.duration > 0, performance.getEntriesByName("b")[0].detail, performance.getEntriesByType("mark").map(({ name }) => name), performance.now() > start, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000);
    const observed = new Promise((resolve) => new PerformanceObserver((list, observer) => { observer.disconnect(); resolve(list.getEntries().map(({ name }) => name)) }).observe({ entryTypes: ["mark"] }));
    performance.mark("seen");
    print(await observed, typeof performance.eventLoopUtilization().utilization, typeof performance.timerify(() => 1), typeof process.hrtime.bigint(), typeof monitorEventLoopDelay().enable);
    performance.clearMarks();
    print(performance.getEntriesByType("mark"), await caught(() => performance.measure("x", "none")).then((text) => text.split(":")[0]));
  },
  async "diagnostics channels"(print) {
    const seen = [];
    const listener = (message, name) => seen.push([name, message]);
    subscribe("ours", listener);
    print(channel("ours").hasSubscribers);
    channel("ours").publish({ a: 1 });
    print(unsubscribe("ours", listener), channel("ours").hasSubscribers, seen);
    const traced = tracingChannel("work");
    traced.subscribe({ start: () => seen.push("start"), end: () => seen.push("end"), asyncStart: () => seen.push("asyncStart"), asyncEnd: () => seen.push("asyncEnd"), error: ({ error }) => seen.push(error.message) });
    print(await traced.tracePromise(async (n) => n + 1, {}, null, 1), await caught(() => traced.traceSync(() => { throw new Error("traced") })), seen.slice(1));
  },
};
