export const descriptor = { description: "café", roles: {} };
