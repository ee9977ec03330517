// The other half.
import { first } from "./first.mjs";

export const second = (n) => (n === 0 ? "end" : `second ${first(n - 1)}`);
