export const descriptor = { description: "broken", roles: {};
export async function* run() {}
