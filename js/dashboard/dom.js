/**
 * Making parts of the page. Every text goes in as a text node: it may come from
 * a model, and must never be read as HTML.
 *
 * @module dashboard/dom
 */

/**
 * An element. `props` are properties of it, but for `class`, `data-*` and
 * `aria-*`, which are attributes. Children that are null are left out.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} props
 * @param {...(Node | string | number | null)} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "class" || name.includes("-")) element.setAttribute(name, String(value));
    else element[name] = value;
  }
  fill(element, ...children);
  return element;
}

/**
 * Replaces what is in an element.
 *
 * @param {Element} element
 * @param {...(Node | string | number | null)} children
 */
export function fill(element, ...children) {
  const present = children.filter((child) => child !== null);
  element.replaceChildren(...present.map((c) => (c instanceof Node ? c : String(c))));
}

/**
 * Sets a text only where it is another one: a reader of the screen would say it
 * again.
 *
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A list whose items keep their elements, so that focus and scrolling stay.
 *
 * @template Item
 * @param {Element} list
 * @param {Item[]} items
 * @param {(item: Item) => string} key
 * @param {(item: Item, old: HTMLElement | null) => HTMLElement} render gives the
 *   old element, changed, or a new one
 */
export function keyed(list, items, key, render) {
  const old = new Map([...list.children].map((child) => [child.dataset.key, child]));
  const now = items.map((item) => {
    const element = render(item, old.get(key(item)) ?? null);
    element.dataset.key = key(item);
    return element;
  });
  const kept = new Set(now);
  for (const child of [...list.children]) if (!kept.has(child)) child.remove();
  now.forEach((element, index) => {
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
  });
}

/**
 * A button that does what cannot be undone: pressed once it asks, and acts when
 * it is pressed again soon.
 *
 * @param {HTMLButtonElement} button
 * @param {string} question
 * @param {() => void} action
 */
export function twice(button, question, action) {
  const label = button.textContent;
  let timer = 0;
  const rest = () => {
    clearTimeout(timer);
    timer = 0;
    button.textContent = label;
    button.classList.remove("armed");
  };
  button.addEventListener("click", () => {
    if (timer !== 0) {
      rest();
      action();
      return;
    }
    button.textContent = question;
    button.classList.add("armed");
    timer = setTimeout(rest, 4000);
  });
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * When a thread was started, by its id.
 *
 * @param {string} id
 * @returns {number | null} milliseconds since 1970; null for ids that do not say
 */
export function startOf(id) {
  if (id.length !== 26) return null;
  let ms = 0;
  for (const c of id.slice(0, 10).toUpperCase()) {
    const digit = ALPHABET.indexOf(c);
    if (digit < 0) return null;
    ms = ms * 32 + digit;
  }
  // Ids of older stores look alike and lead anywhere.
  return ms > Date.UTC(2016) && ms < Date.UTC(2200) ? ms : null;
}

/**
 * A moment, as people here write it.
 *
 * @param {number} ms
 */
export function when(ms) {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return String(ms);
  const today = new Date().toDateString() === date.toDateString();
  return today ? date.toLocaleTimeString() : date.toLocaleString();
}

/**
 * @param {string} hash
 * @returns {HTMLElement} a link to the blob
 */
export function blobLink(hash) {
  return el("a", { href: `#/blobs/${encodeURIComponent(hash)}`, class: "hash" }, hash);
}

/**
 * @param {string} id
 * @param {string} text
 * @returns {HTMLElement} a link to the thread
 */
export function threadLink(id, text = id) {
  return el("a", { href: `#/threads/${encodeURIComponent(id)}`, class: "hash" }, text);
}

/**
 * How a thread stands, as a word with a colour.
 *
 * @param {string} state
 * @param {number | null} returnCode
 * @param {HTMLElement} badge
 */
export function badge(state, returnCode, badge = el("span")) {
  const failed = state === "completed" && returnCode !== null && returnCode !== 0;
  badge.className = `badge ${failed ? "failed" : state}`;
  const code = state === "completed" && returnCode !== null ? ` (${returnCode})` : "";
  say(badge, `${state}${code}`);
  return badge;
}
