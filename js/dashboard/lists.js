/**
 * The left side: the form, the workflows, the threads.
 *
 * @module dashboard/lists
 *
 * @typedef {import("./api.js").ThreadRow} ThreadRow
 * @typedef {import("./api.js").WorkflowRow} WorkflowRow
 */
import { get, post } from "./api.js";
import { badge, el, keyed, say, startOf, when } from "./dom.js";

const byId = (id) => document.getElementById(id);

/**
 * @param {WorkflowRow[]} rows
 * @param {string} current path of what is shown
 */
export function showWorkflows(rows, current) {
  byId("no-workflows").hidden = rows.length > 0;
  byId("start").hidden = rows.length === 0;
  keyed(byId("workflow"), rows, (row) => row.name, (row, old) => {
    return old ?? el("option", { value: row.name }, row.name);
  });
  keyed(byId("workflows"), rows, (row) => row.name, (row, old) => {
    const path = `#/workflows/${row.name}`;
    const item = old ?? el("li", {}, el("a", { href: path }, row.name));
    mark(item.firstElementChild, current === path);
    return item;
  });
}

/**
 * @param {ThreadRow[]} rows newest first
 * @param {string} current path of what is shown
 * @param {boolean} more whether there may be older ones
 */
export function showThreads(rows, current, more) {
  byId("no-threads").hidden = rows.length > 0;
  byId("more").hidden = !more;
  keyed(byId("threads"), rows, (row) => row.threadId, (row, old) => {
    const item = old ?? threadItem(row);
    const link = item.firstElementChild;
    badge(row.state, row.returnCode, link.querySelector(".badge"));
    mark(link, current === link.getAttribute("href"));
    return item;
  });
}

/** @param {ThreadRow} row */
function threadItem(row) {
  const started = startOf(row.threadId);
  const link = el(
    "a",
    { href: `#/threads/${encodeURIComponent(row.threadId)}`, title: row.threadId },
    el("span", { class: "name" }, row.parentState === null ? row.name : `\u21b3 ${row.name}`),
    badge(row.state, row.returnCode),
    el("span", { class: "quiet" }, started === null ? row.threadId : when(started)),
    el("span", { class: "quiet hash" }, row.threadId.slice(-6)),
  );
  return el("li", {}, link);
}

/** @param {Element} link @param {boolean} current */
function mark(link, current) {
  if (current) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

/**
 * Makes the form start threads.
 *
 * @param {(thread: string) => void} started
 */
export function useForm(started) {
  const form = byId("start");
  const problem = byId("start-error");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    byId("start-button").disabled = true;
    problem.hidden = true;
    try {
      const { threadId } = await post("api/threads", {
        workflow: byId("workflow").value,
        prompt: byId("prompt").value,
        maxRounds: byId("max-rounds").valueAsNumber,
      });
      byId("prompt").value = "";
      started(threadId);
    } catch (error) {
      problem.hidden = false;
      say(problem, error.message);
    } finally {
      byId("start-button").disabled = false;
    }
  });
  byId("prompt").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}

/**
 * One workflow, with what its bundle says of itself.
 *
 * @param {string} name
 * @returns {Promise<HTMLElement[]>} what is shown
 */
export async function workflowPage(name) {
  const path = `api/workflows/${encodeURIComponent(name)}`;
  const [workflow, versions] = await Promise.all([get(path), get(`${path}/history`)]);
  const descriptor = workflow.descriptor ?? {};
  const roles = Object.entries(descriptor.roles ?? {});
  const start = el("button", { type: "button", class: "primary" }, "Start a thread");
  start.addEventListener("click", () => {
    byId("workflow").value = name;
    byId("prompt").focus();
  });
  return [
    el("h2", {}, workflow.name),
    el("p", {}, descriptor.description ?? "The descriptor cannot be read."),
    el("p", {}, start),
    el("h3", {}, roles.length === 1 ? "1 role" : `${roles.length} roles`),
    el("ul", { class: "cards" }, ...roles.map(([role, about]) => roleCard(role, about))),
    el("h3", {}, "Versions"),
    el("ul", { class: "plain" }, ...versions.map(versionItem)),
  ];
}

/** @param {string} role @param {any} about the role's part of the descriptor */
function roleCard(role, about) {
  const schema = JSON.stringify(about?.schema ?? null, null, 2);
  return el(
    "li",
    { class: "card" },
    el("strong", { class: "role" }, role),
    el("p", {}, String(about?.description ?? "")),
    el("details", {}, el("summary", {}, "Schema of its meta"), el("pre", {}, schema)),
  );
}

/** @param {{ hash: string, timestamp: number, current: boolean }} version */
function versionItem({ hash, timestamp, current }) {
  const mark = current ? el("span", { class: "badge completed" }, "current") : null;
  return el("li", {}, el("span", { class: "hash" }, hash), " ", when(timestamp), " ", mark);
}
