// A workflow in one file: no npm, no build, no model. `descriptor` says what it
// is; `run` makes its steps, and each is in the store before the next is asked for.
import { getContentMerklePayload, putContentMerkleNode } from "@uncaged/workflow-cas";

/** JSON Schema of an object with these properties, all of them required. */
const object = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});

export const descriptor = {
  description: "Greets whoever the prompt names, and counts the words",
  roles: {
    greeter: { description: "Writes the greeting", schema: object({ name: { type: "string" } }) },
    counter: { description: "Counts its words", schema: object({ words: { type: "integer" } }) },
  },
};

export async function* run(thread, { cas }) {
  // Steps that are in the store already, after a crash or in a fork, are not repeated.
  let greeting = thread.steps.find((step) => step.role === "greeter");
  if (greeting === undefined) {
    const name = thread.start.content.trim() || "world";
    const contentHash = await putContentMerkleNode(cas, `Hello, ${name}!`);
    greeting = { role: "greeter", contentHash, meta: { name }, refs: [contentHash] };
    yield greeting;
  }
  if (!thread.steps.some((step) => step.role === "counter")) {
    const text = await getContentMerklePayload(cas, greeting.contentHash);
    const words = text.split(" ").length;
    const contentHash = await putContentMerkleNode(cas, `The greeting has ${words} words.`);
    yield { role: "counter", contentHash, meta: { words }, refs: [contentHash] };
  }
  return { returnCode: 0, summary: "greeted" };
}
