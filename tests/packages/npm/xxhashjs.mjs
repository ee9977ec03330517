import XXH from "xxhashjs";

const texts = ["", "a", "abc", "hello world", "ünïcödé €🎉", "x".repeat(31), "y".repeat(32), "z".repeat(1000)];

export default {
  "both hashes of text"(print) {
    for (const text of texts) {
      print(text.slice(0, 12), text.length, XXH.h32(text, 0).toString(16), XXH.h64(text, 0).toString(16), XXH.h64(text, 0xabcd).toString(10));
    }
  },
  "bytes in every form"(print) {
    const bytes = Uint8Array.from({ length: 100 }, (_, index) => (index * 7) & 255);
    print(XXH.h64(Buffer.from(bytes), 1).toString(16), XXH.h64(bytes.buffer, 1).toString(16), XXH.h32(Buffer.from(bytes), 1).toString(16));
  },
  "piece by piece"(print) {
    for (const size of [1, 7, 32, 33, 64]) {
      const whole = "the quick brown fox jumps over the lazy dog ".repeat(5);
      const [h32, h64] = [XXH.h32(9), XXH.h64(9)];
      for (let at = 0; at < whole.length; at += size) {
        h32.update(whole.slice(at, at + size));
        h64.update(whole.slice(at, at + size));
      }
      print(size, h32.digest().toString(16), h64.digest().toString(16), XXH.h64(whole, 9).toString(16));
      print(h64.init(1).update("again").digest().toString(16).padStart(16, "0"));
    }
  },
  "its 64-bit integers"(print) {
    const { UINT64 } = { UINT64: XXH.h64("a", 0).constructor };
    const hash = XXH.h64("abc", 0);
    print(typeof UINT64, hash.toString(36), hash.clone().add(hash).toString(16), hash.clone().shiftRight(8).toString(16));
    print(BigInt(`0x${hash.toString(16)}`), hash.equals(XXH.h64("abc", 0)));
  },
};
