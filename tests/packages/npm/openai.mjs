import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, AuthenticationError, BadRequestError, toFile } from "openai";
import { zodResponseFormat, zodFunction } from "openai/helpers/zod";
import { z } from "zod";

const failing = async (work) => {
  try {
    return ["no error", await work];
  } catch (error) {
    return [error.constructor.name, error.status ?? null, error.code ?? null, error.message, error instanceof APIError];
  }
};

const say = (content, more = {}) => ({ model: "small", messages: [{ role: "user", content }], ...more });

export default {
  async "a completion"(print, { http }) {
    const client = new OpenAI({ baseURL: `${http}/v1`, apiKey: "key-7" });
    const answer = await client.chat.completions.create(say("hello ünï"));
    print(answer.choices[0].message, answer.usage, answer.model, answer.id);
    const { data, response, request_id } = await client.chat.completions.create(say("raw")).withResponse();
    print(data.choices[0].message.content, response.status, response.headers.get("content-type"), request_id ?? null);
    print((await client.chat.completions.create(say("as is")).asResponse()).ok);
    const models = [];
    for await (const model of client.models.list()) models.push(model.id);
    print(models, (await client.embeddings.create({ model: "small", input: ["four", "x"] })).data.map(({ embedding }) => embedding));
    print(await client.get("/models").then(({ data }) => data.length), await client.post("/../echo", { body: { any: 1 }, query: { q: "1" } }).then(({ body, query }) => [body, query]));
  },
  async "streams"(print, { http }) {
    const client = new OpenAI({ baseURL: `${http}/v1`, apiKey: "key-7" });
    const parts = [];
    for await (const chunk of await client.chat.completions.create(say("streamed", { stream: true }))) parts.push(chunk.choices[0].delta.content ?? chunk.choices[0].finish_reason);
    print(parts);
    const runner = client.chat.completions.stream(say("events"));
    const seen = [];
    runner.on("content", (delta, snapshot) => seen.push(delta.length, snapshot.length));
    print((await runner.finalChatCompletion()).choices[0].message.content, seen);
    const stream = await client.chat.completions.create(say("cut short", { stream: true }));
    for await (const chunk of stream) { print(chunk.choices[0].delta); break }
    print(stream.controller.signal.aborted);
    const [left, right] = (await client.chat.completions.create(say("tee", { stream: true }))).tee();
    const count = async (side) => { let n = 0; for await (const _ of side) n++; return n };
    print(await count(left) === await count(right));
    const lines = await new Response((await client.chat.completions.create(say("web", { stream: true }))).toReadableStream()).text();
    print(lines.trim().split("\n").length);
  },
  async "tools and parsed answers"(print, { http }) {
    const client = new OpenAI({ baseURL: `${http}/v1`, apiKey: "key-7" });
    const tools = [zodFunction({ name: "add", parameters: z.object({ a: z.number(), b: z.number() }) })];
    print(tools[0].function);
    const called = await client.chat.completions.parse(say("sum", { tools }));
    print(called.choices[0].message.tool_calls[0].function);
    const streamed = client.chat.completions.stream(say("sum", { tools }));
    const call = (await streamed.finalChatCompletion()).choices[0].message.tool_calls[0];
    print(call.function.name, call.function.arguments);
    const calls = [];
    const runner = client.chat.completions.runTools(say("sum", {
      tools: [{ type: "function", function: { name: "add", parse: JSON.parse, parameters: { type: "object" }, function: ({ a, b }) => { calls.push(a + b); return String(a + b) } } }],
    }));
    print(await runner.finalContent(), calls, runner.messages.map(({ role }) => role));
    const person = await client.chat.completions.parse(say("who", { response_format: zodResponseFormat(z.object({ name: z.string(), age: z.number() }), "person") }));
    print(person.choices[0].message.parsed);
  },
  async "errors and retries"(print, { http }) {
    const client = new OpenAI({ baseURL: `${http}/v1`, apiKey: "key-7", maxRetries: 3 });
    print(await failing(new OpenAI({ baseURL: `${http}/v1`, apiKey: "wrong" }).chat.completions.create(say("x"))), AuthenticationError.name);
    print(await failing(client.chat.completions.create(say("bad"))), BadRequestError.name);
    print(await failing(client.get("/nothing-here")));
    print((await client.chat.completions.create(say(`flaky ${process.pid}`))).choices[0].message.content);
    print(await failing(client.chat.completions.create(say(`flaky too ${process.pid}`), { maxRetries: 0 })));
    print(await failing(client.chat.completions.create(say("never"), { timeout: 30, maxRetries: 0 })), APIConnectionTimeoutError.name);
    const controller = new AbortController();
    const aborted = client.chat.completions.create(say("never"), { signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    print(await failing(aborted));
    const nobody = new OpenAI({ baseURL: "http://127.0.0.1:1/v1", apiKey: "key-7", maxRetries: 0 });
    print(await failing(nobody.models.list().then(() => null)), APIConnectionError.name);
    try { new OpenAI({}) } catch (error) { print(error.constructor.name, error.message.split("\n")[0]) }
  },
  async "files, own fetch and own headers"(print, { http }) {
    const file = await toFile(Buffer.from("content"), "f.txt", { type: "text/plain" });
    print(file.name, file.size, file.type, await file.text());
    const seen = [];
    const client = new OpenAI({
      baseURL: `${http}/v1`, apiKey: async () => "key-7", organization: "o", project: "p", defaultHeaders: { "x-mine": "1" }, defaultQuery: { v: "2" },
      fetch: async (url, init) => { seen.push([new URL(url).pathname + new URL(url).search, init.method, new Headers(init.headers).get("openai-organization")]); return fetch(url, init) },
    });
    await client.chat.completions.create(say("x"));
    print(seen);
    const { headers } = await client.post("/../echo", { body: {}, headers: { "x-other": "2" } });
    print(headers.filter(([name]) => /^(x-|openai|authorization)/.test(name)));
    print(client.withOptions({ maxRetries: 9 }).maxRetries, OpenAI.DEFAULT_TIMEOUT);
  },
};
