import buffer, { Blob, Buffer, File, SlowBuffer, atob, btoa, constants, isAscii, isUtf8, transcode } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import { caught } from "../workflow.mjs";

export default {
  async "making and reading"(print) {
    const text = "ünï 🎉 €";
    for (const encoding of ["utf8", "utf16le", "latin1", "ascii", "base64", "base64url", "hex", "binary", "ucs-2"]) {
      const bytes = Buffer.from(text, encoding === "hex" ? "utf8" : encoding === "base64" || encoding === "base64url" ? "utf8" : encoding);
      print(encoding, bytes, bytes.toString(encoding), Buffer.byteLength(text, encoding), Buffer.isEncoding(encoding));
    }
    print(Buffer.from("aGVsbG8_-w", "base64"), Buffer.from("zz0f", "hex"), Buffer.from([256, -1, 1.9, "3"]), Buffer.from({ length: 2, 0: 5 }), Buffer.from(new Uint16Array([258, 1])), Buffer.from(new Uint8Array([1, 2, 3]).buffer, 1, 1), Buffer.from({ type: "Buffer", data: [7] }), Buffer.of(1, 2), Buffer.alloc(5, "ab"), Buffer.alloc(3, 1), Buffer.allocUnsafe(2).length, Buffer.concat([Buffer.from("a"), Buffer.from("bc")], 2));
    print(await caught(() => Buffer.from(5)), await caught(() => Buffer.from("x", "nonsense")), await caught(() => Buffer.alloc(1).readInt32LE(0)), await caught(() => Buffer.alloc(2).writeUInt8(300)), await caught(() => Buffer.concat("x")));
  },
  "numbers"(print) {
    const it = Buffer.alloc(16);
    it.writeInt8(-5); it.writeUInt16BE(0xabcd, 1); it.writeInt32LE(-2, 3); it.writeBigUInt64BE(2n ** 63n, 7); it.writeUIntBE(5, 15, 1);
    print(it, it.readInt8(), it.readUInt16BE(1), it.readInt32LE(3), it.readBigUInt64BE(7), it.readBigInt64BE(7), it.readUIntLE(1, 6), it.readIntBE(1, 3));
    it.writeDoubleLE(0.1); it.writeFloatBE(1.5, 8);
    print(it, it.readDoubleLE(), it.readFloatBE(8), Buffer.from([1, 2, 3, 4]).swap16(), Buffer.from([1, 2, 3, 4]).swap32());
  },
  "searching, comparing, slicing"(print) {
    const it = Buffer.from("hello hello wörld");
    print(it.indexOf("hello", 1), it.lastIndexOf("hello"), it.indexOf(Buffer.from("ö")), it.indexOf(0x6f), it.includes("none"), it.indexOf(""), it.equals(Buffer.from(it)), it.compare(Buffer.from("hello")), Buffer.compare(Buffer.from("a"), Buffer.from("b")), it.subarray(-6, -1).toString(), it.slice(0, 5).toString("latin1"), it.toString("utf8", 12, 15));
    const part = it.subarray(0, 5);
    part[0] = 72;
    print(it.toString(), it.fill("xy", 0, 3).toString(), it.write("ab", 4, "latin1"), it.copy(it, 0, 6, 11), it.toString(), JSON.stringify(Buffer.from("a")), [...Buffer.from("ab").entries()], it.at(-1), Buffer.isBuffer(part), Buffer.isBuffer(new Uint8Array(1)), part.parent === it.parent, Buffer.poolSize, constants.MAX_LENGTH > 1e9, buffer.kMaxLength === constants.MAX_LENGTH);
    print(Buffer.from("aXc=", "base64").readUInt8(), it.map((x) => x).constructor.name, Buffer.from("abc").reverse().toString(), Buffer.from("b").toLocaleString(), `${Buffer.from("t")}`, typeof SlowBuffer);
  },
  async "blobs, files and text codes"(print) {
    const blob = new Blob(["a", new Uint8Array([98]), new Blob(["c"])], { type: "text/x" });
    print(blob.size, blob.type, await blob.text(), await blob.slice(1, 2, "t/y").text(), new Uint8Array(await blob.arrayBuffer()), await new Response(blob.stream()).text());
    const file = new File([blob], "n.txt", { lastModified: 5 });
    print(file.name, file.lastModified, file instanceof Blob, atob("aGk="), btoa("hi"), isUtf8(Buffer.from([255])), isAscii(Buffer.from("a")), transcode(Buffer.from("€"), "utf8", "utf16le"));
    for (const work of [() => atob("*"), () => btoa("€")]) print((await caught(work)).split(":")[0]);
  },
  "decoding piece by piece"(print) {
    for (const [encoding, bytes] of [["utf8", Buffer.from("a€🎉z")], ["utf16le", Buffer.from("a€🎉", "utf16le")], ["base64", Buffer.from("hello world")], ["hex", Buffer.from("xyz")], ["latin1", Buffer.from([255, 65])]]) {
      const decoder = new StringDecoder(encoding);
      print(encoding, [...bytes].map((byte) => decoder.write(Buffer.from([byte]))), decoder.end(), decoder.encoding);
    }
    const broken = new StringDecoder();
    print(broken.write(Buffer.from([0xe2, 0x82])), broken.end(Buffer.from([0x41])), broken.end(), new TextDecoder("utf-8", { fatal: true }).encoding, new TextDecoder("windows-1252").decode(new Uint8Array([0xe4])), new TextDecoder("shift_jis").decode(new Uint8Array([0x82, 0xa0])), new TextEncoder().encodeInto("ü€", new Uint8Array(3)));
  },
};
