export const version = 1;
export { version as main };
