// Half of a cycle.
import { second } from "./second.mjs";

export function first(n) {
  return n === 0 ? "end" : `first ${second(n - 1)}`;
}
