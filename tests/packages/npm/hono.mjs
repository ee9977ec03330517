import { Hono } from "hono";
import { hc } from "hono/client";
import { getCookie, setCookie, setSignedCookie } from "hono/cookie";
import { basicAuth } from "hono/basic-auth";
import { bearerAuth } from "hono/bearer-auth";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import { HTTPException } from "hono/http-exception";
import { sign, verify } from "hono/jwt";
import { secureHeaders } from "hono/secure-headers";
import { stream, streamSSE, streamText } from "hono/streaming";
import { timeout } from "hono/timeout";
import { validator } from "hono/validator";
import { html, raw } from "hono/html";
import { caught } from "../workflow.mjs";

const told = async (response) => [response.status, response.headers.get("content-type"), await response.text()];

export default {
  async "the typed client against a real server"(print, { http }) {
    const client = hc(http, { headers: { "x-client": "ours" } });
    print(client.echo.$url().pathname);
    const got = await client.echo.$get({ query: { a: "1", b: ["x", "y z"] } });
    print(got.status, got.ok, await got.json());
    print(await (await client.echo.$post({ json: { text: "ünï", list: [1] } })).json());
    print(await (await client.echo.$put({ form: { field: "value", file: new File(["bytes"], "f.txt") } })).json());
    print((await client.missing.$get()).status, await (await client.redirect.$get()).json());
    print(await (await client.echo.$delete({ header: { "x-one": "1" }, cookie: { c: "d" } }, { init: { keepalive: false } })).json());
    const custom = hc(http, { fetch: (input, init) => app().request(new URL(input).pathname, init) });
    print(await (await custom.json.$get()).json());
    print(await (await client.gzip.$get()).text().then((text) => text.length));
  },
  async "routes of many kinds"(print) {
    const it = app();
    for (const path of ["/text", "/json", "/html", "/user/ada/posts/7", "/date/2020", "/date/x", "/opt", "/opt/y", "/files/a/b/c", "/none", "/throw", "/http", "/moved", "/sub/inner", "/query?q=a&q=b"]) {
      print(path, await told(await it.request(path)));
    }
    print(await told(await it.request("/text", { method: "POST" })), await told(await it.request("/all", { method: "PURGE" })));
    print(it.routes.slice(0, 3).map(({ method, path }) => [method, path]));
  },
  async "bodies and validation"(print) {
    const it = app();
    const send = (path, body, type) => it.request(path, { method: "POST", body, headers: type ? { "content-type": type } : {} });
    print(await told(await send("/body/json", '{"a":1}', "application/json")));
    print(await told(await send("/body/form", new URLSearchParams("a=1&b=2&b=3"))));
    const form = new FormData();
    form.append("name", "x");
    form.append("file", new File(["hello"], "h.txt", { type: "text/plain" }));
    print(await told(await send("/body/form", form)));
    print(await told(await send("/checked", '{"n":5}', "application/json")), await told(await send("/checked", '{"n":"x"}', "application/json")));
  },
  async "middleware"(print) {
    const it = app();
    print(await told(await it.request("/secret/x")), await told(await it.request("/secret/x", { headers: { authorization: `Basic ${btoa("u:p")}` } })));
    print((await it.request("/token/x", { headers: { authorization: "Bearer t" } })).status, (await it.request("/token/x", { headers: { authorization: "Bearer f" } })).status);
    const shared = await it.request("/shared/x", { method: "OPTIONS", headers: { origin: "http://o", "access-control-request-method": "PUT" } });
    print(shared.status, [...shared.headers].sort());
    const tagged = await it.request("/tagged/x");
    print(tagged.headers.get("etag"), (await it.request("/tagged/x", { headers: { "if-none-match": tagged.headers.get("etag") } })).status);
    const packed = await it.request("/packed/x", { headers: { "accept-encoding": "gzip" } });
    print(packed.headers.get("content-encoding"), await new Response(packed.body.pipeThrough(new DecompressionStream("gzip"))).text().then((text) => text.length));
    print([...(await it.request("/safe/x")).headers].sort());
    print(await told(await it.request("/late/x")));
    print((await it.request("/order")).headers.get("x-order"), await told(await it.request("/vars")));
  },
  async "streams, cookies and tokens"(print) {
    const it = app();
    print(await told(await it.request("/stream")), await told(await it.request("/stream-text")), await told(await it.request("/sse")));
    const cookies = await it.request("/cookies", { headers: { cookie: "a=1; b=%20x" } });
    print(cookies.headers.getSetCookie(), await cookies.text());
    const token = await sign({ sub: "ada", exp: 4102444800 }, "secret", "HS256");
    print(token, await verify(token, "secret", "HS256"), await caught(() => verify(token, "wrong", "HS256")));
    print(String(html`<p>${"<&>"} ${raw("<b>")}</p>`));
  },
};

function app() {
  const it = new Hono();
  it.use("/order", async (c, next) => { await next(); c.header("x-order", `${c.res.headers.get("x-order")}1`) });
  it.use("/order", async (c, next) => { await next(); c.header("x-order", "2") });
  it.get("/order", (c) => c.body(null));
  it.use("/vars", async (c, next) => { c.set("who", "ada"); await next() });
  it.get("/vars", (c) => c.json({ who: c.get("who"), path: c.req.path, method: c.req.method, ua: c.req.header("x-none") ?? null }));
  it.get("/text", (c) => c.text("plain", 201, { "x-a": "b" }));
  it.get("/json", (c) => c.json({ a: [1, null] }));
  it.get("/html", (c) => c.html("<p>x</p>"));
  it.get("/user/:name/posts/:id", (c) => c.json(c.req.param()));
  it.get("/date/:year{[0-9]+}", (c) => c.text(c.req.param("year")));
  it.get("/opt/:it?", (c) => c.text(c.req.param("it") ?? "left out"));
  it.get("/files/*", (c) => c.text(c.req.path));
  it.get("/throw", () => { throw new Error("thrown") });
  it.get("/http", () => { throw new HTTPException(418, { message: "short and stout" }) });
  it.get("/moved", (c) => c.redirect("/text"));
  it.get("/query", (c) => c.json([c.req.query("q"), c.req.queries("q")]));
  it.all("/all", (c) => c.text(c.req.method));
  it.route("/sub", new Hono().get("/inner", (c) => c.text("inner")));
  it.post("/body/json", async (c) => c.json(await c.req.json()));
  it.post("/body/form", async (c) => {
    const body = await c.req.parseBody({ all: true });
    return c.json(Object.fromEntries(Object.entries(body).map(([k, v]) => [k, v instanceof File ? [v.name, v.type, v.size] : v])));
  });
  it.post("/checked", validator("json", (value, c) => (typeof value.n === "number" ? value : c.text("no number", 422))), (c) => c.json(c.req.valid("json")));
  it.use("/secret/*", basicAuth({ username: "u", password: "p" }));
  it.use("/token/*", bearerAuth({ token: "t" }));
  it.use("/shared/*", cors({ origin: "http://o", allowMethods: ["PUT"], maxAge: 5 }));
  it.use("/tagged/*", etag());
  it.use("/packed/*", compress());
  it.use("/safe/*", secureHeaders());
  it.use("/late/*", timeout(5));
  it.get("/late/x", () => new Promise(() => {}));
  for (const path of ["/secret/x", "/token/x", "/shared/x", "/tagged/x", "/safe/x"]) it.get(path, (c) => c.text("let in"));
  it.get("/packed/x", (c) => c.text("packed ".repeat(500)));
  it.get("/stream", (c) => stream(c, async (out) => { await out.write(new Uint8Array([104, 105])); await out.sleep(1); await out.write("!") }));
  it.get("/stream-text", (c) => streamText(c, async (out) => { await out.writeln("one"); await out.write("two") }));
  it.get("/sse", (c) => streamSSE(c, async (out) => { for (const id of ["1", "2"]) await out.writeSSE({ data: `d${id}\nmore`, event: "e", id }) }));
  it.get("/cookies", async (c) => {
    setCookie(c, "plain", "v ä", { path: "/", httpOnly: true, maxAge: 10, sameSite: "Lax" });
    await setSignedCookie(c, "signed", "v", "secret");
    return c.json(getCookie(c));
  });
  it.notFound((c) => c.text("nothing here", 404));
  it.onError((error, c) => (error instanceof HTTPException ? error.getResponse() : c.text(`failed: ${error.message}`, 500)));
  return it;
}
