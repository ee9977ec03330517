// The server that programs talk to as clients: HTTP, WebSocket and
// chat/completions on one port, which it prints.
// Usage: node server.mjs <folder with node_modules>
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

const [packages] = process.argv.slice(2);
const { WebSocketServer } = createRequire(`${packages}/package.json`)("ws");

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function json(response, value, status = 200, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

/** Headers that differ from client to client and say nothing of ours. */
const PRIVATE = /^(host|connection|keep-alive|user-agent|accept.*|sec-fetch-.*|x-stainless-.*|priority)$/;

const tries = new Map();

const routes = {
  async "/echo"(request, response, url) {
    const body = await bodyOf(request);
    // The boundaries of forms have a length of their own in every client.
    const form = /form-data/.test(request.headers["content-type"]);
    const headers = Object.entries(request.headers).filter(([name]) => !PRIVATE.test(name));
    json(response, {
      method: request.method,
      query: [...url.searchParams],
      headers: headers.map(([name, value]) => [name, value.replace(/boundary=.*/, "boundary=…")]).filter(([name]) => !form || name !== "content-length").sort(),
      length: form ? null : body.length,
      body: body.length > 500 || form ? null : body.toString(),
    });
  },
  "/gzip": (_, response) => encoded(response, "gzip", gzipSync),
  "/deflate": (_, response) => encoded(response, "deflate", deflateSync),
  "/br": (_, response) => encoded(response, "br", brotliCompressSync),
  "/redirect": (_, response) => response.writeHead(302, { location: "/echo?redirected=1" }).end(),
  "/see-other": (_, response) => response.writeHead(303, { location: "/echo" }).end(),
  "/loop": (_, response) => response.writeHead(302, { location: "/loop" }).end(),
  "/cookies": (_, response) => response.writeHead(200, { "set-cookie": ["a=1", "b=2; Path=/"], "x-many": "3" }).end("cookies"),
  "/empty": (_, response) => response.writeHead(204).end(),
  "/missing": (_, response) => json(response, { error: "not here" }, 404),
  "/never": () => {},
  "/cut": (_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("only this");
    setTimeout(() => response.destroy(), 20);
  },
  "/big": (_, response) => response.writeHead(200).end(Buffer.alloc(5_000_000, "0123456789")),
  async "/slow"(_, response) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let i = 0; i < 5; i++) {
      response.write(`data: part ${i}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  },
  async "/v1/chat/completions"(request, response) {
    chat(JSON.parse(await bodyOf(request)), request, response);
  },
  "/v1/models": (_, response) => json(response, { object: "list", data: [{ id: "small", object: "model", created: 1, owned_by: "us" }] }),
  async "/v1/embeddings"(request, response) {
    const { input } = JSON.parse(await bodyOf(request));
    // What the client asks for: base64 of little-endian floats.
    const data = [].concat(input).map((text, index) => ({
      object: "embedding",
      index,
      embedding: Buffer.from(Float32Array.of(text.length, 0.5, -1).buffer).toString("base64"),
    }));
    json(response, { object: "list", model: "small", data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  },
};

function encoded(response, name, compress) {
  response.writeHead(200, { "content-encoding": name, "content-type": "text/plain; charset=utf-8" });
  response.end(compress(`${name}: äöü `.repeat(50)));
}

/** The last message says what the answer is to be. */
function chat(body, request, response) {
  const last = body.messages.at(-1).content;
  const message = (fields, finish_reason = "stop") => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1700000000,
    model: body.model,
    choices: [{ index: 0, message: { role: "assistant", content: null, refusal: null, ...fields }, finish_reason, logprobs: null }],
    usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  });
  if (request.headers.authorization !== "Bearer key-7") {
    json(response, { error: { message: "no such key", type: "auth", code: "invalid_api_key", param: null } }, 401);
  } else if (last === "bad") {
    json(response, { error: { message: "bad request", type: "invalid_request_error", code: "bad", param: "messages" } }, 400);
  } else if (last.startsWith("flaky")) {
    const count = (tries.get(last) ?? 0) + 1;
    tries.set(last, count);
    if (count < 3) json(response, { error: { message: "try again" } }, 503, { "retry-after-ms": "1" });
    else json(response, message({ content: `answered at try ${count}` }));
  } else if (last === "never") {
    // No answer.
  } else if (body.stream) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: body.model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    chunk({ role: "assistant", content: "" });
    if (body.tools) {
      chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "add", arguments: "" } }] });
      for (const part of ['{"a":', "2,", '"b":3}']) chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] });
      chunk({}, "tool_calls");
    } else {
      for (const word of `you said ${last} — ünïcödé`.split(/(?= )/)) chunk({ content: word });
      chunk({}, "stop");
    }
    response.end("data: [DONE]\n\n");
  } else if (body.tools && body.messages.at(-1).role !== "tool") {
    json(response, message({ tool_calls: [{ id: "call_1", type: "function", function: { name: body.tools[0].function.name, arguments: '{"a":2,"b":3}' } }] }, "tool_calls"));
  } else if (body.response_format) {
    json(response, message({ content: '{"name":"Ada","age":36}' }));
  } else {
    json(response, message({ content: `you said ${last}` }));
  }
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://local");
  const route = routes[url.pathname];
  if (route === undefined) json(response, { error: `no route ${url.pathname}` }, 404);
  else await route(request, response, url);
});

const sockets = new WebSocketServer({ server, handleProtocols: (offered) => offered.has("v2") ? "v2" : false });
sockets.on("connection", (socket, request) => {
  socket.send(`hello ${request.url}`);
  socket.on("message", (data, isBinary) => {
    if (!isBinary && data.toString() === "close") socket.close(4001, "as you wish");
    else if (!isBinary && data.toString() === "terminate") socket.terminate();
    else if (!isBinary && data.toString() === "ping") socket.ping("are you there");
    else socket.send(data, { binary: isBinary });
  });
  socket.on("pong", (data) => socket.send(`pong ${data}`));
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
