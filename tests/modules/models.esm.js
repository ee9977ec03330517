// Claims about asking models. The prompt names the one to hold; the variable
// MODEL_URL names a server that answers as the first user message scripts it:
// a JSON list with the answers in their order.
import assert from "node:assert/strict";
import { chatCompletionText, createLlmAdapter } from "@uncaged/workflow-agent-llm";
import { createReactAdapter } from "@uncaged/workflow-agent-react";
import { createExtract, llmErrorToCause, llmExtract } from "@uncaged/workflow-execute";
import { createLlmFn, createThreadReactor } from "@uncaged/workflow-reactor";
import { coderMetaSchema, reviewerMetaSchema } from "@uncaged/workflow-template-develop";

export const descriptor = { description: "claims about models", roles: {} };

const provider = { baseUrl: process.env.MODEL_URL, apiKey: "key-7", model: "small" };
const nobody = { ...provider, baseUrl: "http://127.0.0.1:9" };
const script = (...answers) => JSON.stringify(answers);
const call = (name, args) => ({ call: [name, args] });
const echo = { echo: true };
const coder = { completedPhase: "A", filesChanged: ["x.rs"], summary: "done" };
const context = (content) => ({
  threadId: "THREAD",
  depth: 0,
  bundleHash: "BUNDLE",
  start: { role: "__start__", content, meta: { maxRounds: 9 }, timestamp: 1, parentState: null },
  steps: [],
  currentRole: { name: "coder", systemPrompt: "You are the coder." },
});
const reactor = (options) =>
  createThreadReactor({
    llm: createLlmFn(provider),
    staticTools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }],
    structuredToolFromSchema: (schema) => ({
      type: "function",
      function: { name: "finish", description: "Ends.", parameters: schema.toJSONSchema() },
    }),
    systemPromptForStructuredTool: (name) => `End with ${name}.`,
    toolHandler: async (name, args, thread) => `${name} ${JSON.stringify(args)} ${thread.id}`,
    maxRounds: 3,
    ...options,
  });

const claims = {
  async the_llm_agent_asks_once() {
    const prompt = script(echo);
    const asked = JSON.parse(await createLlmAdapter(provider)(context(prompt)));
    assert.deepEqual(asked, {
      authorization: "Bearer key-7",
      body: {
        model: "small",
        messages: [
          { role: "system", content: "You are the coder." },
          { role: "user", content: prompt },
        ],
      },
    });
    const text = await createLlmAdapter(provider)(context(script({ text: "hello" })));
    assert.equal(text, "hello");
  },

  async a_failed_question_throws_json() {
    const ask = (from, prompt) =>
      createLlmAdapter(from)(context(prompt)).catch(({ message }) => message);
    const refused = await ask(provider, script({ status: 400, message: "no such model" }));
    assert.match(refused, /^llm: \{/);
    const error = JSON.parse(refused.slice("llm: ".length));
    assert.deepEqual([error.kind, error.status], ["http_error", 400]);
    assert.match(error.body, /no such model/);
    assert.ok(!refused.includes("key-7"));
    assert.match(await ask(nobody, "x"), /^llm: \{"kind":"network_error","message":"/);
    const empty = await chatCompletionText({
      provider,
      messages: [{ role: "user", content: script({ text: "" }) }],
    });
    assert.deepEqual(empty, {
      ok: false,
      error: { kind: "invalid_response", message: "the model's reply has no text" },
    });
  },

  async an_llm_function_gives_the_body_or_says_why_not() {
    const messages = (...answers) => [{ role: "user", content: script(...answers) }];
    const ask = createLlmFn(provider);
    const told = await ask({ messages: messages({ text: "hi" }), tools: [] });
    assert.equal(JSON.parse(told.value).choices[0].message.content, "hi");
    const tools = [{ name: "t", description: "T", parameters: { type: "object" } }];
    const echoed = JSON.parse((await ask({ messages: messages(echo), tools })).value);
    assert.deepEqual(JSON.parse(echoed.choices[0].message.content).body.tools, [
      { type: "function", function: tools[0] },
    ]);
    const refused = await ask({ messages: messages({ status: 401, message: "who?" }), tools: [] });
    assert.match(refused.error, /^http_error:401:.*who\?/);
    const alone = await createLlmFn(nobody)({ messages: messages(), tools: [] });
    assert.match(alone.error, /^network_error:/);
  },

  async a_reactor_calls_tools_until_the_answer_fits() {
    const seen = [];
    const ask = reactor({
      toolHandler: async (name, args, thread) => {
        seen.push([name, args, thread]);
        return "looked";
      },
    });
    const input = script(
      call("look", { at: 1 }),
      call("finish", { status: "maybe" }),
      call("finish", { status: "approved" }),
    );
    const thread = { id: "T1" };
    assert.deepEqual(await ask({ thread, input, schema: reviewerMetaSchema }), {
      ok: true,
      value: { status: "approved" },
    });
    assert.deepEqual(seen, [["look", { at: 1 }, thread]]);
  },

  async a_reactor_gives_up_after_its_rounds() {
    const look = call("look", {});
    const given = { thread: { id: "T1" }, schema: reviewerMetaSchema };
    assert.deepEqual(await reactor()({ ...given, input: script(look, look, look, look) }), {
      ok: false,
      error: "max_react_rounds_exceeded",
    });
    const failed = await reactor()({ ...given, input: script({ status: 400, message: "bad" }) });
    assert.match(failed.error, /^http_error:400:/);
  },

  async what_a_tool_throws_is_told_to_the_model() {
    const ask = reactor({
      toolHandler: async () => {
        throw new Error("it is dark");
      },
      structuredToolFromSchema: () => ({
        name: "finish",
        description: "",
        parameters: { type: "object" },
      }),
    });
    const seen = { safeParse: (data) => ({ success: true, data }) };
    const { value } = await ask({
      thread: {},
      input: script(call("look", {}), echo),
      schema: seen,
    });
    const told = value.body.messages.find(({ role }) => role === "tool");
    assert.equal(told.content, "ERROR: it is dark");
  },

  async text_alone_is_extracted() {
    const bad = { ...coder, filesChanged: "x.rs" };
    const text = script(call("extract", bad), { text: `Here: ${JSON.stringify(coder)}` });
    const extracted = await llmExtract({ text: `${text}`, schema: coderMetaSchema, provider });
    assert.deepEqual(extracted, { ok: true, value: coder });
    const refused = await llmExtract({
      text: script({ status: 400, message: "x" }),
      schema: coderMetaSchema,
      provider,
    });
    assert.deepEqual([refused.error.kind, refused.error.status], ["http_error", 400]);
    const cause = llmErrorToCause(refused.error);
    assert.ok(cause instanceof Error);
    assert.match(cause.message, /status 400/);
    assert.equal(cause.kind, "http_error");
  },

  async an_extract_of_ones_own_reads_the_store(thread, { cas }) {
    const extract = createExtract(provider, { cas });
    const note = await cas.put("the summary is: done");
    const agentContent = "see the note";
    const prompt = script(call("cas_get", { hash: note.toLowerCase() }), call("extract", coder));
    const answer = await extract(coderMetaSchema, prompt, { ...context("task"), agentContent });
    assert.deepEqual(answer, coder);
    assert.deepEqual([answer.meta, answer.contentPayload, answer.refs], [coder, agentContent, []]);
    await assert.rejects(extract(coderMetaSchema, "0000000000000"), {
      message: 'extract failed: "0000000000000" is not the hash of a content node',
    });
  },

  async a_react_adapter_gives_the_meta() {
    const seen = [];
    const adapter = createReactAdapter({
      llm: createLlmFn(provider),
      tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }],
      toolHandler: async (...args) => (seen.push(args), "fine"),
      maxRounds: 4,
    });
    const work = adapter("Review it.", reviewerMetaSchema);
    const task = script(
      call("look", { n: 1 }),
      call("extract", { status: "rejected", issues: ["a"] }),
    );
    assert.deepEqual(await work(context(task), {}), {
      meta: { status: "rejected", issues: ["a"] },
      childThread: null,
    });
    assert.deepEqual(seen, [["look", { n: 1 }]]);
    const look = call("look", {});
    await assert.rejects(work(context(script(look, look, look, look)), {}), {
      message: "react: max_react_rounds_exceeded",
    });
  },
};

export async function* run(thread, runtime) {
  await claims[thread.start.content](thread, runtime);
  return { returnCode: 0, summary: "held" };
}
