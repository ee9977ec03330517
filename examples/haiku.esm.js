// A workflow written by hand: no bundler, no npm, no model. Three roles pass a
// text on, and the store keeps what each of them said.
import { getContentMerklePayload, putContentMerkleNode } from "@uncaged/workflow-cas";
import { START } from "@uncaged/workflow-runtime";

export const descriptor = {
  description: "Writes a haiku about the prompt, then counts its vowels",
  roles: {
    poet: {
      description: "Writes three lines about the prompt",
      schema: {
        type: "object",
        properties: { lines: { type: "integer" } },
        required: ["lines"],
      },
    },
    critic: {
      description: "Counts the vowels of each line",
      schema: {
        type: "object",
        properties: { vowels: { type: "array", items: { type: "integer" } } },
        required: ["vowels"],
      },
    },
    editor: {
      description: "Accepts or refuses",
      schema: {
        type: "object",
        properties: { accepted: { type: "boolean" } },
        required: ["accepted"],
      },
    },
  },
};

/** One step: the text goes into the store, its hash and the typed answer to the engine. */
async function step(cas, role, text, meta, refs = []) {
  const contentHash = await putContentMerkleNode(cas, text);
  return { role, contentHash, meta, refs: [...refs, contentHash] };
}

export async function* run(thread, runtime) {
  const { cas } = runtime;
  const subject = thread.start.role === START && thread.start.content.trim();
  const done = (role) => thread.steps.some((s) => s.role === role);

  // Steps that are in the store already, after a crash or in a fork, are not repeated.
  let poem = thread.steps.find((s) => s.role === "poet");
  if (poem === undefined) {
    const lines = [
      `${subject || "an empty page"} waits`,
      "a cursor blinks in the dark",
      "one key, then the next",
    ];
    poem = await step(cas, "poet", lines.join("\n"), { lines: lines.length });
    yield poem;
  }
  if (!done("critic")) {
    const lines = (await getContentMerklePayload(cas, poem.contentHash)).split("\n");
    const vowels = lines.map((line) => line.match(/[aeiouy]+/gi)?.length ?? 0);
    const text = `Vowel groups: ${vowels.join(", ")}`;
    yield await step(cas, "critic", text, { vowels }, [poem.contentHash]);
  }
  if (!done("editor")) {
    yield await step(cas, "editor", "Good enough to print.", { accepted: true });
  }
  return { returnCode: 0, summary: "the haiku is ready" };
}
