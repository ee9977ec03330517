/**
 * A blob of the store: the text of a node, with the hashes in it as links.
 *
 * @module dashboard/blob
 */
import { get } from "./api.js";
import { blobLink, el, fill } from "./dom.js";

/** Texts are shown up to here until somebody wants the rest. */
const SHOWN = 20_000;

/**
 * @param {string} hash
 * @returns {Promise<HTMLElement[]>} what is shown
 */
export async function blobPage(hash) {
  const blob = await get(`api/cas/${encodeURIComponent(hash)}`);
  const title = el("h2", {}, "Blob ", el("span", { class: "hash" }, blob.hash));
  return [title, long(blob.content, linked)];
}

/**
 * A text in its own lines, cut where it is very long.
 *
 * @param {string} text
 * @param {(text: string) => (Node | string)[]} parts
 * @returns {HTMLElement}
 */
export function long(text, parts = (whole) => [whole]) {
  const pre = el("pre", { class: "text" }, ...parts(text.slice(0, SHOWN)));
  if (text.length <= SHOWN) return pre;
  const label = `Show all ${text.length.toLocaleString()} characters`;
  const button = el("button", { type: "button" }, label);
  button.addEventListener("click", () => {
    fill(pre, ...parts(text));
    button.remove();
  });
  return el("div", {}, pre, button);
}

/**
 * @param {string} text
 * @returns {(Node | string)[]} the same, with links where hashes stand
 */
function linked(text) {
  const parts = text.split(/\b([0-9A-HJKMNP-TV-Z]{13})\b/);
  // Thirteen digits are a moment in milliseconds, and hardly ever a hash.
  const isHash = (part, index) => index % 2 === 1 && /[A-Z]/.test(part);
  return parts.map((part, index) => (isHash(part, index) ? blobLink(part) : part));
}
