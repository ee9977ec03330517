const descriptor = { description: "default", roles: {} };
async function* run() {}
export { descriptor };
export default { run, descriptor };
