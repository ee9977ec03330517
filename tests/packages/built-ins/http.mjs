import http, { Agent, METHODS, STATUS_CODES, createServer, get, request } from "node:http";
import https from "node:https";
import net, { connect, isIP, isIPv4, isIPv6 } from "node:net";
import tls from "node:tls";
import dns, { promises as dnsPromises } from "node:dns";
import fs from "node:fs";
import { gzipSync } from "node:zlib";
import { caught, once } from "../workflow.mjs";

async function listening(server, ...where) {
  server.listen(...(where.length ? where : [0, "127.0.0.1"]));
  await once(server, "listening");
  return server.address().port;
}

function ask(options, body, use = request) {
  return new Promise((resolve, reject) => {
    const req = use(options, async (res) => {
      let text = "";
      try { for await (const chunk of res.setEncoding("utf8")) text += chunk } catch (error) { return resolve([res.statusCode, text, error.code, error.message]) }
      resolve([res.statusCode, res.statusMessage, text, res.headers["x-seen"] ?? null, res.complete]);
    });
    req.on("error", (error) => reject(error));
    req.end(body);
  });
}

async function echoing(req, res) {
  let text = "";
  try {
    for await (const chunk of req) text += chunk;
  } catch {
    return; // the client has left
  }
  const { pathname, searchParams } = new URL(req.url, "http://x");
  if (pathname === "/cut") { res.writeHead(200, { "content-length": 50 }); res.write("partial"); setTimeout(() => req.socket.destroy(), 10); return }
  if (pathname === "/chunks") { for (const each of ["a", "b", "c"]) { res.write(each); await new Promise((resolve) => setTimeout(resolve, 2)) } res.addTrailers({ "x-trailer": "t" }); return res.end() }
  if (pathname === "/never") return;
  if (pathname === "/gzip") return res.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("unzipped"));
  res.statusCode = Number(searchParams.get("status") ?? 200);
  res.setHeader("x-seen", `${req.method} ${req.httpVersion} ${req.headers["x-a"] ?? ""} ${req.rawHeaders.filter((each) => each === "X-A").length}`);
  res.end(`${pathname} ${text.length > 100 ? text.length : text}`);
}

export default {
  async "a server and its clients"(print) {
    const server = createServer(echoing);
    const port = await listening(server);
    print(await ask({ port, host: "127.0.0.1", path: "/p?q=1", method: "POST", headers: { "X-A": ["1", "2"], "content-length": 4 } }, "body"), await ask(`http://127.0.0.1:${port}/get?status=404`), await ask(new URL(`http://127.0.0.1:${port}/u`), undefined, get), await ask({ port, host: "127.0.0.1", method: "PUT", path: "/" }, "x".repeat(100_000)), await ask({ port, host: "127.0.0.1", method: "HEAD" }));
    print(await ask({ port, host: "127.0.0.1", path: "/chunks" }), await ask({ port, host: "127.0.0.1", path: "/cut" }), await caught(() => ask({ port: 1, host: "127.0.0.1" })));
    const response = await fetch(`http://127.0.0.1:${port}/fetched`, { method: "PATCH", body: "b", headers: { "x-a": "f" } });
    print(response.status, await response.text(), response.headers.get("x-seen"), await (await fetch(`http://127.0.0.1:${port}/gzip`)).text());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const all = await Promise.all([1, 2, 3].map((n) => ask({ port, host: "127.0.0.1", path: `/${n}`, agent })));
    print(all.map(([, , text]) => text), Object.keys(agent.freeSockets).length);
    agent.destroy();
    const timed = request({ port, host: "127.0.0.1", path: "/never", timeout: 20 });
    timed.on("timeout", () => timed.destroy(new Error("too late"))).end();
    print((await once(timed, "error")).message);
    const controller = new AbortController();
    const aborted = request({ port, host: "127.0.0.1", path: "/never", signal: controller.signal }).end();
    setTimeout(() => controller.abort(), 5);
    const error = await once(aborted, "error");
    print(error.name, error.code);
    const destroyed = get(`http://127.0.0.1:${port}/never`);
    setTimeout(() => destroyed.destroy(), 5);
    print((await once(destroyed, "error")).code);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    print(server.listening, await caught(() => ask({ port, host: "127.0.0.1" })).then((text) => text.replace(/\d{4,}/, "<port>")));
  },
  async "headers, methods, refusals"(print) {
    const server = createServer((req, res) => {
      res.setHeader("Set-Cookie", ["a=1", "b=2"]).appendHeader("x-list", "1").appendHeader("x-list", "2");
      print(res.hasHeader("set-cookie"), res.getHeaderNames(), res.headersSent, req.complete, req.url);
      res.flushHeaders();
      res.end();
    });
    const port = await listening(server);
    const req = request({ port, host: "127.0.0.1", path: "/x" });
    req.setHeader("x-later", "1");
    req.removeHeader("x-none");
    print(req.getHeader("x-later"), req.method, req.path, req.host, await caught(() => req.setHeader("bad name", "1")), await caught(() => req.setHeader("x", "a\nb")), await caught(() => request({ path: "/a b" })), await caught(() => request({ method: "BAD METHOD" })), await caught(() => request("ftp://x")), await caught(() => http.validateHeaderName("")));
    req.end();
    const res = await once(req, "response");
    print(res.headers["set-cookie"], res.headersDistinct["x-list"], res.headers["x-list"], res.rawHeaders.length > 4);
    res.resume();
    await once(res, "end");
    const posted = request({ port, host: "127.0.0.1", method: "POST", headers: { expect: "100-continue" } });
    const going = once(posted, "continue");
    const answered = once(posted, "response");
    posted.flushHeaders();
    await going;
    posted.end("after continue");
    (await answered).resume();
    const raw = connect(port, "127.0.0.1");
    raw.end("nonsense\r\n\r\n");
    let answer = "";
    for await (const chunk of raw) answer += chunk;
    print(answer.split("\r\n")[0], STATUS_CODES[418], METHODS.includes("GET"), http.maxHeaderSize, typeof http.globalAgent);
    server.closeAllConnections();
    server.close();
  },
  async "upgrades"(print) {
    const server = createServer().on("upgrade", (req, socket, head) => { socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${req.headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`); socket.on("data", (data) => socket.end(`echo ${data}`)) });
    server.on("connect", (req, socket) => socket.end(`HTTP/1.1 200 Connected\r\n\r\ntunnel to ${req.url}`));
    const port = await listening(server);
    const req = request({ port, host: "127.0.0.1", headers: { connection: "Upgrade", upgrade: "own" } }).end();
    const socket = await new Promise((resolve) => req.on("upgrade", (res, socket) => { print(res.statusCode, res.headers.upgrade); resolve(socket) }));
    socket.write("hi");
    print(String(await once(socket, "data")));
    socket.destroy();
    const tunnel = request({ port, host: "127.0.0.1", method: "CONNECT", path: "there:443" }).end();
    const [res, stream, head] = await new Promise((resolve) => tunnel.on("connect", (...args) => resolve(args)));
    let text = String(head);
    for await (const chunk of stream) text += chunk;
    print(res.statusCode, text);
    server.close();
  },
  async "https"(print, { cert, key }) {
    const server = https.createServer({ cert, key }, echoing);
    const port = await listening(server);
    const where = { port, host: "localhost", path: "/secure" };
    print(await ask({ ...where, ca: cert }, undefined, https.request), await ask({ ...where, rejectUnauthorized: false }, undefined, https.get), (await ask(where, undefined, https.request).catch((error) => [error.code]))[0]);
    const agent = new https.Agent({ ca: cert, keepAlive: true });
    print(await ask({ ...where, agent, method: "POST" }, "over tls", https.request));
    agent.destroy();
    const socket = tls.connect({ port, host: "localhost", ca: cert, servername: "localhost", ALPNProtocols: ["http/1.1"] });
    await once(socket, "secureConnect");
    print(socket.authorized, socket.encrypted, socket.getProtocol(), socket.alpnProtocol, socket.getPeerCertificate().subjectaltname);
    socket.destroy();
    print(tls.rootCertificates.length > 50, typeof tls.createSecureContext({ ca: cert }), tls.DEFAULT_MIN_VERSION);
    server.closeAllConnections();
    server.close();
  },
  async "sockets"(print) {
    const server = net.createServer({ allowHalfOpen: true }, (socket) => { socket.setNoDelay(true).setKeepAlive(true).on("data", (data) => socket.write(`> ${data}`)).on("end", () => socket.end("bye")) });
    const port = await listening(server);
    const socket = connect({ port, host: "127.0.0.1" });
    await once(socket, "connect");
    socket.write("hello");
    print(String(await once(socket, "data")), socket.remoteAddress, socket.remotePort === port, socket.remoteFamily, socket.readyState, socket.bytesWritten, typeof socket.localPort, socket.connecting);
    socket.end();
    let text = "";
    for await (const chunk of socket) text += chunk;
    print(text, socket.destroyed, server.address().family);
    const big = connect(port, "127.0.0.1");
    big.end(Buffer.alloc(3_000_000, 65));
    let length = 0;
    for await (const chunk of big) length += chunk.length;
    print(length > 3_000_000);
    const idle = connect(port, "127.0.0.1").setTimeout(10);
    await once(idle, "timeout");
    idle.destroy(new Error("idle"));
    print((await once(idle, "error")).message, await new Promise((resolve) => server.getConnections((_, count) => resolve(typeof count))));
    server.close();
    const refused = await once(connect(1, "127.0.0.1"), "error");
    print(refused.code, refused.syscall, refused.address, refused.port, refused.message);
    const again = net.createServer();
    const taken = await listening(again);
    print((await once(net.createServer().listen(taken, "127.0.0.1"), "error")).code);
    again.close();
    const unix = net.createServer((peer) => peer.end("over a path"));
    unix.listen("s.sock");
    await once(unix, "listening");
    let said = "";
    for await (const chunk of connect("s.sock")) said += chunk;
    print(said, unix.address() === "s.sock" || fs.existsSync("s.sock"), (await once(connect("none.sock"), "error")).code);
    unix.close();
    print(isIP("::1"), isIPv4("1.2.3.4"), isIPv6("x"), new net.BlockList().check("1.1.1.1"), new net.SocketAddress({ address: "1.2.3.4", port: 5 }).port, (await caught(() => connect({ port: 99999 }))).split(":")[0]);
  },
  async "names"(print) {
    print(await dnsPromises.lookup("127.0.0.1"), await new Promise((resolve) => dns.lookup("::1", (_, address, family) => resolve([address, family]))), ["127.0.0.1", "::1"].includes((await dnsPromises.lookup("localhost")).address), (await dnsPromises.lookup("localhost", { all: true, family: 4 })), await dnsPromises.lookup("no.such.name.invalid").catch((error) => [error.code, error.syscall, error.hostname]), typeof dns.getServers());
  },
};
