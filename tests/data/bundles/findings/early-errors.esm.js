export const descriptor = { description: "early errors", roles: {} };
export const descriptor = { description: "twice", roles: {} };
export { nowhere };
export function run() {
  with (descriptor) return await 5;
}
@decorated class Steps { accessor count = 010 }
