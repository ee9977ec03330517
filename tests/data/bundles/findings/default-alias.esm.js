const descriptor = { description: "default", roles: {} };
async function* run() {}
export { descriptor, run, run as default };
