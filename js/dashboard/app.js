/**
 * The dashboard: what is shown follows the address (`#/threads/ID`,
 * `#/workflows/NAME`, `#/blobs/HASH`), and the lists follow the server.
 *
 * @module dashboard/app
 *
 * @typedef {import("./api.js").ThreadRow} ThreadRow
 */
import { Unreachable, get, post, warnings } from "./api.js";
import { blobPage } from "./blob.js";
import { el, fill, say, twice } from "./dom.js";
import { showThreads, showWorkflows, useForm, workflowPage } from "./lists.js";
import { ThreadView } from "./thread.js";

/** How often the lists are asked for. */
const POLL = 1000;
/** Threads that are listed, and by how many more at a time. */
const PAGE = 100;

const main = document.getElementById("main");
const gone = document.getElementById("gone");
const notice = document.getElementById("notice");

const shown = {
  /** @type {ThreadRow[]} newest first */
  threads: [],
  /** @type {import("./api.js").WorkflowRow[]} */
  workflows: [],
  last: PAGE,
  more: false,
  /** @type {ThreadView | null} */
  view: null,
  /** How often the address has changed. */
  turn: 0,
};

warnings.tell = (text) => say(notice, text);

/** Asks for the lists, shows them, and comes back. */
async function poll() {
  if (!document.hidden) await refresh();
  setTimeout(poll, POLL);
}

async function refresh() {
  try {
    const [workflows, newest, running] = await Promise.all([
      get("api/workflows"),
      get(`api/threads?last=${shown.last}`),
      get("api/threads/running"),
    ]);
    const rows = new Map([...running, ...newest].map((row) => [row.threadId, row]));
    shown.threads = [...rows.values()].sort((a, b) => (a.threadId < b.threadId ? 1 : -1));
    shown.workflows = workflows;
    shown.more = newest.length === shown.last;
    const back = !gone.hidden;
    gone.hidden = true;
    document.body.classList.remove("offline");
    showLists();
    if (back && shown.view !== null) shown.view.refused = false;
    shown.view?.update();
    shown.view?.follow();
    // What could not be loaded meanwhile, or what to do first.
    if (main.dataset.page === "home") home();
    else if (back && (shown.view === null || shown.view.state === undefined)) await route();
  } catch (error) {
    if (error instanceof Unreachable) {
      gone.hidden = false;
      document.body.classList.add("offline");
    } else {
      say(notice, error.message);
    }
  }
}

function showLists() {
  showWorkflows(shown.workflows, location.hash);
  showThreads(shown.threads, location.hash, shown.more);
}

/** Shows what the address names. */
async function route() {
  const [, kind = "", text = ""] = location.hash.split("/");
  const name = decode(text);
  document.title = name === "" ? "uncaged-workflow" : `${name} - uncaged-workflow`;
  say(notice, "");
  shown.view?.leave();
  shown.view = null;
  delete main.dataset.page;
  showLists();
  scrollTo(0, 0);
  // Another address may come while this one is loaded.
  const turn = ++shown.turn;
  let parts;
  try {
    parts = await page(kind, name);
  } catch (error) {
    parts = [el("p", { class: "error", role: "alert" }, error.message)];
  }
  if (turn !== shown.turn) return;
  if (parts === null) return home();
  fill(main, ...parts);
  // On a narrow screen it stands below the lists.
  if (text !== "" && main.offsetTop > innerHeight / 2) main.scrollIntoView();
  shown.view?.begin();
}

/**
 * @param {string} kind
 * @param {string} name
 * @returns {Promise<HTMLElement[] | null>} null for the first page
 */
function page(kind, name) {
  if (kind === "workflows") return workflowPage(name);
  if (kind === "blobs") return blobPage(name);
  if (kind !== "threads") return null;
  shown.view = new ThreadView(name, () => shown.threads, (what) => {
    say(notice, what);
    refresh();
  });
  return shown.view.load();
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function home() {
  main.dataset.page = "home";
  const counts = shown.threads.filter((row) => row.state !== "completed").length;
  const todo =
    shown.workflows.length === 0
      ? "The store is empty. Register a workflow with `uncaged-workflow add <file.esm.js>`; then start a thread here."
      : shown.threads.length === 0
        ? "Choose a workflow and start the first thread."
        : `${counts} of ${shown.threads.length} threads listed have not ended. Choose one to see its steps.`;
  if (main.textContent !== todo) fill(main, el("p", { class: "quiet hello" }, todo));
}

function collectGarbage() {
  say(notice, "Collecting garbage ...");
  post("api/cas/gc").then(
    (report) => {
      const { scannedThreads, activeRefs, deletedEntries } = report;
      say(notice, `Deleted ${deletedEntries} blobs; ${scannedThreads} threads keep ${activeRefs}.`);
    },
    (error) => say(notice, error.message),
  );
}

useForm((thread) => {
  location.hash = `#/threads/${encodeURIComponent(thread)}`;
  main.focus();
  refresh();
});
twice(document.getElementById("gc"), "Really delete?", collectGarbage);
document.getElementById("more").addEventListener("click", () => {
  shown.last += PAGE;
  refresh();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", route);
document.addEventListener("visibilitychange", () => {
  // A page that nobody looks at holds no connection.
  if (document.hidden) shown.view?.leave();
  else refresh();
});
addEventListener("pagehide", () => shown.view?.leave());
await refresh();
await route();
setTimeout(poll, POLL);
