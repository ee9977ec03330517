const limit = 5;
let alias = limit;
export const descriptor = "a text";
export { alias as run };
