import { LRUCache } from "lru-cache";
import { caught } from "../workflow.mjs";

export default {
  "order, size and what is thrown out"(print) {
    const gone = [];
    const cache = new LRUCache({ max: 3, dispose: (value, key, reason) => gone.push([key, value, reason]) });
    for (const key of ["a", "b", "c"]) cache.set(key, key.toUpperCase());
    cache.get("a");
    cache.set("d", "D").set("a", "A2");
    print([...cache.entries()], [...cache.rkeys()], cache.size, gone, cache.has("b"), cache.peek("c"), cache.get("b"));
    cache.delete("c");
    cache.set("u", undefined);
    print(cache.pop(), cache.find((value) => value === "D"), cache.dump().map(([key]) => key), gone);
    cache.clear();
    print(gone.at(-1), cache.size, cache.info("x"));
    const sized = new LRUCache({ maxSize: 10, maxEntrySize: 6, sizeCalculation: (value) => value.length });
    sized.set("a", "xxxx").set("b", "yyyyy").set("c", "zzz").set("too big", "w".repeat(7));
    print([...sized.keys()], sized.calculatedSize);
    const copy = new LRUCache({ maxSize: 50 });
    copy.load(sized.dump());
    copy.forEach((value, key) => gone.push([key, value]));
    print([...copy], gone.at(-1), Object.prototype.toString.call(copy));
  },
  async "time"(print) {
    let now = 1_000;
    const cache = new LRUCache({ max: 5, ttl: 100, perf: { now: () => now }, ttlResolution: 0, updateAgeOnGet: true, allowStale: false });
    cache.set("a", 1).set("b", 2, { ttl: 500 });
    now += 90;
    print(cache.get("a"), cache.getRemainingTTL("b"));
    now += 90;
    print(cache.get("a"), cache.get("b"), cache.getRemainingTTL("none"));
    now += 1000;
    const status = {};
    print(cache.get("a", { status }), status.get ?? null, cache.purgeStale(), cache.size);
    const timed = new LRUCache({ max: 5, ttl: 10, ttlAutopurge: true });
    await new Promise((resolve) => { timed.set("x", 1); const look = () => (timed.size === 0 ? resolve() : setTimeout(look, 2)); look() });
    print(timed.size);
  },
  async "fetching"(print) {
    const calls = [];
    const cache = new LRUCache({
      max: 5,
      fetchMethod: async (key, stale, { signal, context }) => {
        calls.push([key, stale ?? null, context ?? null]);
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (key === "bad") throw new Error("could not fetch");
        return signal.aborted ? undefined : `fetched ${key}`;
      },
      memoMethod: (key) => key.length,
    });
    print(await Promise.all([cache.fetch("a", { context: "x" }), cache.fetch("a"), cache.fetch("b")]), calls);
    print(await caught(() => cache.fetch("bad")), cache.memo("four"), await cache.forceFetch("a"));
    const controller = new AbortController();
    const aborted = cache.fetch("c", { signal: controller.signal });
    controller.abort(new Error("stop"));
    print(await caught(() => aborted));
  },
  async "what is wrong is said"(print) {
    for (const options of [{}, { max: -1 }, { max: 1.5 }, { maxSize: "x" }, { max: 1, sizeCalculation: () => 1 }, { ttl: "x", max: 1 }, { max: 1, fetchMethod: 5 }]) print(await caught(() => new LRUCache(options).size));
  },
};
