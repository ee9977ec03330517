export const descriptior = { description: "typing", roles: {} };
export async function* Run() {}
