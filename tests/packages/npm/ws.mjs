import { createServer } from "node:http";
import WebSocket, { WebSocketServer, createWebSocketStream } from "ws";
import { caught, once } from "../workflow.mjs";

// A socket with what it was sent, one after the other.
async function open(url, ...rest) {
  const socket = new WebSocket(url, ...rest);
  const queue = [];
  let wake = () => {};
  socket.on("message", (data, isBinary) => { queue.push(isBinary ? data : data.toString()); wake() });
  await once(socket, "open");
  const next = async () => {
    while (queue.length === 0) await new Promise((resolve) => { wake = resolve });
    return queue.shift();
  };
  return { socket, next };
}

const closed = (socket) => new Promise((resolve) => socket.once("close", (code, reason) => resolve([code, reason.toString()])));

export default {
  async "messages of all kinds"(print, { http }) {
    const { socket, next } = await open(`${http.replace("http", "ws")}/path?q=1`, { headers: { "x-mine": "1" } });
    print(await next(), socket.readyState === WebSocket.OPEN, socket.protocol, socket.extensions, socket.url.endsWith("/path?q=1"));
    for (const text of ["hello", "", "ünïcödé 🎉", "x".repeat(125), "y".repeat(126), "z".repeat(70_000)]) {
      socket.send(text);
      const back = await next();
      print(text.length, back === text);
    }
    for (const bytes of [Buffer.from([0, 255, 128]), new Uint8Array([1, 2]), new Float64Array([0.5]).buffer, Buffer.alloc(1_000_000, 7)]) {
      socket.send(bytes);
      const back = await next();
      print(back.length, back.subarray(0, 8));
    }
    socket.send(123);
    print(await next());
    await new Promise((resolve) => socket.send("with a callback", resolve));
    print(await next(), socket.bufferedAmount);
    socket.close(1000, "enough");
    print(await closed(socket), socket.readyState);
  },
  async "pings, closes and breaks"(print, { http }) {
    const url = http.replace("http", "ws");
    const first = await open(url);
    await first.next();
    first.socket.ping("are you", true);
    print(String(await once(first.socket, "pong")));
    first.socket.send("ping");
    print(await first.next());
    first.socket.send("close");
    print(await closed(first.socket));
    const second = await open(url);
    second.socket.send("terminate");
    print(await closed(second.socket));
    const third = await open(url);
    third.socket.terminate();
    print(await closed(third.socket), await caught(() => third.socket.send("x")), await caught(() => third.socket.close(5)));
    const protocols = await open(url, ["v1", "v2"]);
    print(protocols.socket.protocol);
    protocols.socket.close();
    await closed(protocols.socket);
  },
  async "what goes wrong"(print, { http }) {
    const error = async (url, options) => {
      const socket = new WebSocket(url, options);
      const thrown = await once(socket, "error");
      return [thrown.code ?? null, thrown.message.replace(/:\d+$/, "")];
    };
    print(await error("ws://127.0.0.1:1/"), await error(`${http.replace("http", "ws")}/`, ["v9"]).catch(String));
    print(await caught(() => new WebSocket("ftp://x")), await caught(() => new WebSocket("nonsense")));
    const plain = createServer((_, response) => response.writeHead(403).end("no")).listen(0, "127.0.0.1");
    await once(plain, "listening");
    print(await error(`ws://127.0.0.1:${plain.address().port}/`));
    plain.close();
    const silent = createServer().on("upgrade", () => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    print(await error(`ws://127.0.0.1:${silent.address().port}/`, { handshakeTimeout: 30 }));
    silent.closeAllConnections();
    silent.close();
  },
  async "the browser's interface and streams"(print, { http }) {
    const url = http.replace("http", "ws");
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    const events = [];
    await new Promise((resolve) => {
      socket.onopen = () => socket.send(new Uint8Array([9]));
      socket.addEventListener("message", ({ data, type }) => {
        events.push([type, typeof data === "string" ? data : new Uint8Array(data)]);
        if (events.length === 2) socket.close(4000, "done");
      });
      socket.onclose = ({ code, reason, wasClean }) => { events.push([code, reason, wasClean]); resolve() };
    });
    print(events);
    const { socket: inner } = await open(url);
    const duplex = createWebSocketStream(inner, { encoding: "utf8" });
    const echoed = [];
    duplex.on("data", (text) => { echoed.push(text); if (text === "line 2") duplex.end() });
    duplex.write("line 1");
    duplex.write("line 2");
    await once(duplex, "end");
    print(echoed.slice(-2));
  },
  async "a server of its own, compressed"(print) {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: { threshold: 10 }, maxPayload: 5_000 });
    await once(server, "listening");
    server.on("connection", (socket, request) => {
      socket.on("error", (error) => { failed.push(error.code, error.message) });
      socket.on("message", (data) => { for (const each of server.clients) each.send(`${request.headers["x-name"]}: ${data}`) });
    });
    const failed = [];
    const url = `ws://127.0.0.1:${server.address().port}`;
    const ada = await open(url, { headers: { "x-name": "ada" } });
    const bob = await open(url, { headers: { "x-name": "bob" } });
    print(ada.socket.extensions, server.clients.size);
    ada.socket.send("compress me ".repeat(50));
    print((await ada.next()).length, (await bob.next()).slice(0, 20));
    bob.socket.send("x".repeat(6_000));
    print(await closed(bob.socket), failed);
    ada.socket.close();
    await closed(ada.socket);
    await new Promise((resolve) => server.close(resolve));
    print(server.clients.size);
  },
};
