/**
 * One thread: its parameters, its steps as they come, and what can be done.
 *
 * @module dashboard/thread
 *
 * @typedef {import("./api.js").ThreadRow} ThreadRow
 */
import { get, post, threadPath } from "./api.js";
import { long } from "./blob.js";
import { badge, blobLink, el, fill, say, startOf, threadLink, twice, when } from "./dom.js";

/** What can be done to a thread in a state. */
const VERBS = {
  running: ["pause", "kill"],
  paused: ["resume", "kill"],
  interrupted: ["resume", "kill"],
  completed: [],
};

export class ThreadView {
  /**
   * @param {string} id
   * @param {() => ThreadRow[]} rows all threads that are known
   * @param {(what: string) => void} told called when the thread was told something
   */
  constructor(id, rows, told) {
    this.id = id;
    this.rows = rows;
    this.told = told;
    /** Ids of the events that are shown: a new connection gives all again. */
    this.seen = new Set();
    this.ended = false;
    /** The server will not give the steps; asking again would not help. */
    this.refused = false;
    this.badge = el("span", { class: "badge" });
    this.problem = el("p", { class: "error", role: "alert", hidden: true });
    this.steps = el("ol", { class: "steps", "aria-live": "polite", "aria-label": "Steps" });
    this.result = el("div");
    this.children = el("p", { hidden: true });
    this.parent = el("dd", {}, "none");
    this.buttons = Object.fromEntries(
      ["pause", "resume", "kill"].map((verb) => [verb, this.button(verb)]),
    );
  }

  /**
   * Loads what does not change.
   *
   * @returns {Promise<HTMLElement[]>} what is shown
   */
  async load() {
    const thread = await get(`${threadPath(this.id)}?last=0`);
    this.id = thread.threadId;
    this.start = thread.start;
    this.state = thread.source === "history" ? "completed" : "running";
    this.returnCode = null;
    const started = startOf(this.id);
    const fact = (name, ...value) => [el("dt", {}, name), el("dd", {}, ...value)];
    return [
      el("h2", {}, thread.start.name, " ", this.badge),
      el("div", { class: "row buttons" }, ...Object.values(this.buttons)),
      this.problem,
      el(
        "dl",
        {},
        ...fact("Thread", el("span", { class: "hash" }, this.id)),
        ...fact("Started", started === null ? "unknown" : when(started)),
        ...fact("Bundle", el("span", { class: "hash" }, thread.bundleHash)),
        ...fact("Start node", blobLink(thread.start.hash)),
        ...fact("Max rounds", thread.start.maxRounds ?? "not said"),
        ...(thread.start.parentState === null ? [] : [el("dt", {}, "Parent"), this.parent]),
      ),
      el("h3", {}, "Prompt"),
      thread.start.prompt === "" ? el("p", { class: "quiet" }, "none") : long(thread.start.prompt),
      this.children,
      el("h3", {}, "Steps"),
      this.steps,
      this.result,
    ];
  }

  /** Follows the steps, once it is on the page. */
  begin() {
    if (this.state === undefined) return;
    this.update();
    this.follow();
    // Where the state cannot be read, its own link stays.
    if (this.start.parentState !== null) this.findParent(this.start.parentState).catch(() => {});
  }

  /** @param {"pause" | "resume" | "kill"} verb */
  button(verb) {
    const label = { pause: "Pause", resume: "Resume", kill: "Kill" }[verb];
    const button = el("button", { type: "button", "data-verb": verb }, label);
    const act = async () => {
      this.problem.hidden = true;
      try {
        const { outcome } = await post(`${threadPath(this.id)}/${verb}`);
        this.told(outcome === "sent" ? `${label} sent.` : `${label}: that was done already.`);
      } catch (error) {
        this.complain(error);
      }
    };
    if (verb === "kill") twice(button, "Really kill?", act);
    else button.addEventListener("click", act);
    return button;
  }

  /** @param {Error} error */
  complain(error) {
    this.problem.hidden = false;
    say(this.problem, error.message);
  }

  /** Shows how the thread stands, by the newest rows. */
  update() {
    if (this.state === undefined) return;
    const row = this.rows().find((known) => known.threadId === this.id);
    if (row !== undefined && !this.ended) {
      this.state = row.state;
      this.returnCode = row.returnCode;
    }
    badge(this.state, this.returnCode, this.badge);
    for (const [verb, button] of Object.entries(this.buttons)) {
      button.hidden = !(VERBS[this.state] ?? []).includes(verb);
    }
    this.linkChildren();
  }

  /** Links the threads that this one started, also those that still run. */
  linkChildren() {
    const children = this.rows().filter(
      (row) => row.threadId !== this.id && row.parentState !== null && this.seen.has(row.parentState),
    );
    this.children.hidden = children.length === 0;
    const key = children.map((row) => row.threadId).join();
    if (this.children.dataset.key === key) return;
    this.children.dataset.key = key;
    const links = children.flatMap((row) => [" ", threadLink(row.threadId, row.name)]);
    fill(this.children, "Child threads:", ...links);
  }

  /** @param {string} state the parent's state that asked for this thread */
  async findParent(state) {
    fill(this.parent, blobLink(state));
    // A state names the start of its thread; the canonical layout is one line.
    const { content } = await get(`api/cas/${state}`);
    const start = /^ {2}start: "?([0-9A-Z]{13})"?$/m.exec(content)?.[1] ?? state;
    const parents = this.rows().filter((row) => row.start === start && row.threadId !== this.id);
    if (parents.length > 0) {
      fill(this.parent, ...parents.flatMap((row) => [threadLink(row.threadId, row.name), " "]));
    }
  }

  /** Opens the stream of records; a broken one is opened again by the browser. */
  follow() {
    if (this.ended || this.refused || this.events !== undefined || this.state === undefined) return;
    const events = new EventSource(`${threadPath(this.id)}/live`);
    this.events = events;
    events.onmessage = ({ data, lastEventId }) => {
      if (this.seen.has(lastEventId)) return;
      this.seen.add(lastEventId);
      this.take(JSON.parse(data));
    };
    events.onerror = () => {
      if (events.readyState !== EventSource.CLOSED) return;
      // For good, with a status that events do not tell; the thread itself does.
      this.leave();
      this.refused = true;
      get(threadPath(this.id)).catch((error) => this.complain(error));
    };
  }

  /** Lets the stream go; browsers allow six to a server. */
  leave() {
    this.events?.close();
    this.events = undefined;
  }

  /** @param {any} record */
  take(record) {
    const page = document.scrollingElement;
    const atEnd = page.scrollTop > 0 && page.scrollTop + innerHeight > page.scrollHeight - 80;
    if (record.type === "role") {
      this.steps.append(this.step(record));
    } else if (record.type === "workflow-result") {
      this.ended = true;
      this.state = "completed";
      this.returnCode = record.returnCode;
      const kind = record.returnCode === 0 ? "good" : "bad";
      const code = el("strong", {}, `Return code ${record.returnCode}`);
      fill(this.result, el("div", { class: `result ${kind}` }, code, long(record.summary)));
      this.leave();
    }
    this.update();
    // Whoever has gone to the end stays there.
    if (atEnd) page.scrollTop = page.scrollHeight;
  }

  /** @param {any} record */
  step(record) {
    const refs = record.refs.filter((ref) => ref !== record.contentHash);
    return el(
      "li",
      { class: "card step", "data-hash": record.hash },
      el(
        "div",
        { class: "row" },
        el("strong", { class: "role" }, record.role),
        el("time", { class: "quiet", dateTime: iso(record.timestamp) }, when(record.timestamp)),
        record.childThread === null ? null : this.child(record.childThread),
      ),
      long(record.content),
      meta(record.meta),
      el(
        "p",
        { class: "quiet refs" },
        "state ",
        blobLink(record.hash),
        " content ",
        blobLink(record.contentHash),
        refs.length === 0 ? null : " refs",
        ...refs.flatMap((ref) => [" ", blobLink(ref)]),
      ),
    );
  }

  /** @param {string} head the child's last state */
  child(head) {
    const row = this.rows().find((known) => known.head === head);
    if (row === undefined) return el("span", {}, "child ", blobLink(head));
    return threadLink(row.threadId, `child ${row.name}`);
  }
}

/**
 * @param {object} value a step's meta
 * @returns {HTMLElement | null} in one line where it fits
 */
function meta(value) {
  if (Object.keys(value).length === 0) return null;
  const line = JSON.stringify(value);
  if (line.length < 90) return el("p", { class: "quiet" }, "meta ", el("code", {}, line));
  const text = JSON.stringify(value, null, 2);
  return el(
    "details",
    { open: text.length < 1500 },
    el("summary", {}, "meta"),
    el("pre", {}, text),
  );
}

/** @param {number} ms */
function iso(ms) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}
