import { createServer } from "node:http";
import { Readable, Writable } from "node:stream";
import {
  Agent, Client, EventSource, FormData, Headers, MockAgent, Pool, ProxyAgent, Request, Response, RetryAgent, WebSocket,
  cacheStores, errors, fetch, getCookies, getGlobalDispatcher, interceptors, parseMIMEType, pipeline, request, setCookie, setGlobalDispatcher, stream, upgrade,
} from "undici";
import { caught, once } from "../workflow.mjs";

export default {
  async "request in all forms"(print, { http }) {
    const { statusCode, headers, body } = await request(`${http}/echo?a=1`, { method: "POST", body: "text ü", headers: { "x-one": "1", "content-type": "text/plain" } });
    print(statusCode, headers["content-type"], await body.json());
    print((await (await request(`${http}/echo`, { query: { a: [1, 2], b: "x y" } })).body.json()).query);
    for (const payload of [Buffer.from("bytes"), Readable.from(["a", "b"]), (async function* () { yield "gen"; yield "erated" })(), new Blob(["blob"])]) {
      print((await (await request(`${http}/echo`, { method: "PUT", body: payload })).body.json()).body);
    }
    print((await (await request(`${http}/big`)).body.arrayBuffer()).byteLength, (await request(`${http}/missing`)).statusCode);
    const form = new FormData();
    form.append("a", "1");
    form.append("f", new File(["content"], "f.txt", { type: "text/plain" }));
    print((await (await request(`${http}/echo`, { method: "POST", body: form })).body.json()).headers);
    const partial = await request(`${http}/slow`);
    const parts = [];
    for await (const chunk of partial.body) parts.push(String(chunk).trim());
    print(parts.join(" ").match(/part \d/g));
    await (await request(`${http}/big`)).body.dump();
    print((await request(`${http}/cookies`)).headers["set-cookie"]);
  },
  async "fetch of its own"(print, { http }) {
    const response = await fetch(`${http}/redirect`);
    print(response.status, response.redirected, response.url, (await response.json()).query, response instanceof Response);
    for (const kind of ["gzip", "deflate", "br"]) print(await (await fetch(`${http}/${kind}`)).text().then((text) => [text.length, text.slice(0, 9)]));
    print((await fetch(`${http}/redirect`, { redirect: "manual" })).status, await caught(() => fetch(`${http}/loop`)), await caught(() => fetch(`${http}/redirect`, { redirect: "error" })));
    print(await (await fetch(new Request(`${http}/echo`, { method: "POST", body: new URLSearchParams({ a: "b c" }) }))).json());
    const controller = new AbortController();
    const never = fetch(`${http}/never`, { signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    print(await caught(() => never), await caught(() => fetch(`${http}/never`, { signal: AbortSignal.timeout(10) })));
    const cut = await fetch(`${http}/cut`);
    print(await cut.text().catch((error) => [error.name, error.message, error.cause?.code ?? error.cause?.name]));
    const refused = await fetch("http://127.0.0.1:1/").catch((error) => [error.name, error.message, error.cause.code]);
    print(refused);
    const copy = (await fetch(`${http}/slow`)).clone();
    let text = "";
    for await (const chunk of copy.body.pipeThrough(new TextDecoderStream())) text += chunk;
    print(text.length, new Headers([["A", "1"], ["a", "2"]]).get("a"), Response.json({ x: 1 }).headers.get("content-type"));
  },
  async "clients, pools and agents"(print, { http }) {
    const client = new Client(http, { pipelining: 4 });
    const many = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => client.request({ path: `/echo?n=${n}`, method: "GET" }).then(({ body }) => body.json())));
    print(many.map(({ query }) => query[0][1]), client.stats.connected, client.closed);
    await client.close();
    print(client.destroyed, await caught(() => client.request({ path: "/", method: "GET" })));
    const pool = new Pool(http, { connections: 2 });
    print((await Promise.all([1, 2, 3].map(() => pool.request({ path: "/empty", method: "GET" })))).map(({ statusCode }) => statusCode));
    await pool.close();
    const agent = new Agent({ headersTimeout: 50, connect: { timeout: 1000 } });
    print(await caught(() => request(`${http}/never`, { dispatcher: agent })), errors.HeadersTimeoutError.name);
    await agent.destroy();
    const retry = new RetryAgent(new Agent(), { maxRetries: 2, minTimeout: 1, statusCodes: [404] });
    print(await caught(() => request(`${http}/missing`, { dispatcher: retry })));
    await retry.close();
    const followed = getGlobalDispatcher().compose(interceptors.redirect({ maxRedirections: 2 }));
    print((await (await request(`${http}/redirect`, { dispatcher: followed })).body.json()).query);
    const cached = new Agent().compose(interceptors.cache({ store: new cacheStores.MemoryCacheStore() }));
    print((await request(`${http}/echo`, { dispatcher: cached })).statusCode);
  },
  async "streams, pipelines and upgrades"(print, { http }) {
    const chunks = [];
    const opaque = {};
    await stream(`${http}/slow`, { method: "GET", opaque }, ({ statusCode, opaque: same }) => {
      chunks.push(statusCode, same === opaque);
      return new Writable({ write(chunk, _, done) { chunks.push(chunk.length > 0); done() } });
    });
    print(chunks.slice(0, 3));
    const piped = Readable.from(["up", "per"]).pipe(pipeline(`${http}/echo`, { method: "PUT" }, ({ body }) => body));
    let text = "";
    for await (const chunk of piped) text += chunk;
    print(JSON.parse(text).body);
    const { socket } = await upgrade(`${http}/`, { protocol: "websocket", headers: { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13" } });
    print(String(await once(socket, "data")).slice(2));
    socket.destroy();
  },
  async "mocks"(print) {
    const before = getGlobalDispatcher();
    const mock = new MockAgent();
    mock.disableNetConnect();
    setGlobalDispatcher(mock);
    mock.get("http://mocked").intercept({ path: "/x", method: "POST", body: /a/ }).reply(201, { made: true }, { headers: { "content-type": "application/json" } }).times(2);
    print(await (await fetch("http://mocked/x", { method: "POST", body: "abc" })).json(), (await request("http://mocked/x", { method: "POST", body: "a" })).statusCode);
    print(await caught(() => request("http://mocked/y")), mock.pendingInterceptors().length);
    setGlobalDispatcher(before);
    await mock.close();
  },
  async "sockets, events and proxies"(print, { http }) {
    const socket = new WebSocket(http.replace("http", "ws"), ["v2"]);
    const seen = await new Promise((resolve) => {
      const messages = [];
      socket.onopen = () => socket.send("over undici");
      socket.onmessage = ({ data }) => { messages.push(data); if (messages.length === 2) socket.close(1000, "bye") };
      socket.onclose = ({ code }) => resolve([...messages, code, socket.protocol]);
    });
    print(seen);
    const events = new EventSource(`${http}/slow`);
    print(await new Promise((resolve) => { const data = []; events.onmessage = (event) => { data.push(event.data); if (data.length === 5) { events.close(); resolve(data) } } }));
    const proxy = createServer((_, response) => response.end()).on("connect", (req, socket) => { asked.push(req.url.replace(/:\d+$/, "")); socket.end("HTTP/1.1 407 No\r\n\r\n") }).listen(0, "127.0.0.1");
    const asked = [];
    await once(proxy, "listening");
    const dispatcher = new ProxyAgent({ uri: `http://127.0.0.1:${proxy.address().port}`, proxyTunnel: true });
    print(await request(`${http}/echo`, { dispatcher }).catch((error) => [error.name, error.message]), asked);
    await dispatcher.close();
    proxy.close();
    const headers = new Headers({ cookie: "a=1; b=2" });
    setCookie(headers, { name: "c", value: "3", httpOnly: true });
    print(getCookies(headers), headers.getSetCookie(), parseMIMEType('text/html; charset="utf-8"').essence);
  },
};
