import os from "node:os";
import path from "node:path";
import posix from "node:path/posix";
import win32 from "node:path/win32";
import url, { URL, URLSearchParams, domainToASCII, domainToUnicode, fileURLToPath, format, parse, pathToFileURL, resolve, urlToHttpOptions } from "node:url";
import querystring from "node:querystring";
import { caught } from "../workflow.mjs";

const paths = ["", "/", "a", "/a/b/../c.txt", "a//b/", "./.hidden", "../../x.tar.gz", "C:\\a\\b.txt", "a.b/", "//server/share/x", "ü/🎉.js", ".", ".."];

export default {
  async "path"(print) {
    for (const each of paths) {
      print(JSON.stringify(each), path.normalize(each), path.dirname(each), path.basename(each), path.basename(each, ".txt"), path.extname(each), path.isAbsolute(each), path.parse(each), path.format(path.parse(each)), win32.normalize(each), win32.parse(each), win32.isAbsolute(each));
    }
    print(path.join("a", "", "..", "/b"), path.resolve("/a", "b", "../c"), path.resolve("x") === `${process.cwd()}/x`, path.relative("/a/b/c", "/a/d"), win32.relative("C:\\a", "D:\\b"), win32.join("a", "/b", "..\\c"), path.sep, path.delimiter, path.toNamespacedPath("/x"), posix === path.posix, win32 === path.win32);
    print(await caught(() => path.join(5)), await caught(() => path.parse(null)));
  },
  "os"(print) {
    print(os.EOL, os.platform(), os.type(), os.arch(), os.endianness(), os.tmpdir(), os.homedir() === process.env.HOME, os.devNull, os.release() !== "", os.version() !== "", os.machine());
    print(os.cpus().length > 0, os.availableParallelism() > 0, os.totalmem() > os.freemem(), os.loadavg().length, os.uptime() > 0, os.hostname() !== "", Object.keys(os.userInfo()).sort(), os.userInfo().uid === process.getuid(), Object.keys(os.networkInterfaces()).length > 0);
    print(os.constants.signals.SIGTERM, os.constants.errno.ENOENT, os.constants.priority, typeof os.getPriority());
  },
  async "URLs"(print) {
    for (const text of ["http://user:p%40ss@example.com:8080/a/../b%20c?x=1&y=%C3%BC#h", "https://ünï.example/ä?ö", "file:///a%20b", "data:text/plain,hi", "http://[::1]:80/", "mailto:a@b.c", "HTTP://EXAMPLE.com:80", "blob:http://x/y", "a:b"]) {
      const it = new URL(text);
      print(it.href, it.origin, it.protocol, it.username, it.password, it.host, it.hostname, it.port, it.pathname, it.search, it.hash, urlToHttpOptions(it).path);
    }
    const it = new URL("../x?q#h", "http://h/a/b/c");
    it.searchParams.append("ü", "a b&c");
    it.hostname = "other";
    it.port = "99999";
    it.hash = "";
    it.pathname = "/new path";
    print(it.href, JSON.stringify({ it }), String(it), URL.canParse("nonsense"), URL.canParse("x", "http://y"), (await caught(() => new URL("nonsense"))).split(/[ :]/)[0]);
    const params = new URLSearchParams([["b", "2"], ["a", "1"], ["a", "3"]]);
    params.sort();
    params.delete("a", "3");
    print(String(params), params.has("a", "1"), [...params.keys()], params.size, params.getAll("a"), String(new URLSearchParams({ x: "ü +" })), new URLSearchParams("?a=%zz&b=+").get("b"));
  },
  async "the older functions"(print) {
    for (const text of ["http://user:pass@host.com:80/p/a?q=1&q=2#hash", "/relative?x", "mailto:x@y", "//host/path", "x y", "http://a.b/c;d=e", "javascript:alert(1)"]) {
      print({ ...parse(text, true) }, parse(text).href, resolve("http://base/a/b", text));
    }
    print(format({ protocol: "http", host: "x.y", pathname: "p", query: { a: [1, 2] }, hash: "h" }), format(new URL("http://u:p@x/y#z"), { auth: false, fragment: false }), domainToASCII("ünï.example"), domainToUnicode("xn--n-nga1b.example"), fileURLToPath("file:///a%20b/%C3%BC"), pathToFileURL("/a b/#ü?%").href, await caught(() => fileURLToPath("http://x")), await caught(() => fileURLToPath("file://host/x")), url.Url.name);
  },
  "query strings"(print) {
    print(querystring.parse("a=1&b=%C3%BC&a=2&c&=d&e=%zz+x"), querystring.stringify({ a: [1, "ü b"], b: true, c: null, d: undefined, e: 5n, f: "" }), querystring.parse("a:1;b:2", ";", ":", { maxKeys: 1 }), querystring.stringify({ a: 1, b: 2 }, ";", ":"), querystring.escape("ä /?"), querystring.unescape("%C3%A4%20%zz"), querystring.encode === querystring.stringify);
  },
};
