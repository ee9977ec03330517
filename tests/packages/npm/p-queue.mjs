import PQueue, { TimeoutError } from "p-queue";
import { caught } from "../workflow.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export default {
  async "at most so many at once, by priority"(print) {
    const queue = new PQueue({ concurrency: 2 });
    let running = 0, most = 0;
    const order = [];
    const work = (name, priority) => queue.add(async () => {
      most = Math.max(most, ++running);
      order.push(name);
      await sleep(2);
      running--;
      return name;
    }, { priority });
    const done = await Promise.all([work("a"), work("b"), work("c"), work("d", 1), work("e", -1), work("f", 5)]);
    print(done, order, most, queue.size, queue.pending);
    print(await queue.addAll([() => 1, async () => 2]));
  },
  async "pausing, idling and events"(print) {
    const queue = new PQueue({ concurrency: 1, autoStart: false });
    const events = [];
    for (const name of ["add", "active", "next", "completed", "error", "empty", "idle"]) queue.on(name, () => events.push(name));
    const one = queue.add(() => "one");
    const bad = queue.add(() => { throw new Error("bad") }).catch((error) => error.message);
    print(queue.isPaused, queue.size, events);
    queue.start();
    print(await one, await bad);
    await queue.onIdle();
    await sleep(1);
    print(events);
    queue.pause();
    const never = queue.add(() => "never");
    queue.clear();
    print(queue.size, await Promise.race([never, sleep(5).then(() => "cleared")]));
    queue.start();
    await queue.onEmpty();
    await queue.onSizeLessThan(1);
    print(queue.sizeBy({ priority: 1 }));
  },
  async "timeouts and aborts"(print) {
    const queue = new PQueue({ concurrency: 1 });
    print(await caught(() => queue.add(() => sleep(10_000), { timeout: 5 })), TimeoutError.name);
    const controller = new AbortController();
    const aborted = queue.add(({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))), { signal: controller.signal });
    controller.abort(new Error("stop it"));
    print(await caught(() => aborted));
    print(await caught(() => new PQueue({ concurrency: 0 })), await caught(() => new PQueue({ interval: -1 })));
  },
  async "so many in an interval"(print) {
    const queue = new PQueue({ intervalCap: 2, interval: 30 });
    const times = [];
    const begin = performance.now();
    await Promise.all([1, 2, 3, 4, 5].map((n) => queue.add(() => { times.push(performance.now() - begin); return n })));
    print(times.length, times[2] - times[1] > 10, times[4] - times[3] > 10, queue.concurrency);
    queue.concurrency = 3;
    const moved = new PQueue({ concurrency: 1 });
    const order = [];
    moved.add(() => sleep(2), { id: "first" });
    moved.add(() => order.push("x"), { id: "x" });
    moved.add(() => order.push("y"), { id: "y" });
    moved.setPriority("y", 9);
    await moved.onIdle();
    print(queue.concurrency, order);
  },
};
