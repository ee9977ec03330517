#!/usr/bin/env node
export const descriptor = { description: "Windows", roles: {} };

export function* run() {
  return { returnCode: 0, summary: "" };
}
