import { MAX, NIL, parse, stringify, v1, v1ToV6, v3, v4, v5, v6, v6ToV1, v7, validate, version } from "uuid";
import { caught } from "../workflow.mjs";

const random = Uint8Array.from({ length: 16 }, (_, index) => index * 16 + 5);
const options = { msecs: 1_600_000_000_000, nsecs: 123, clockseq: 0x1234, node: [1, 2, 3, 4, 5, 6], random };

export default {
  "ids from what is given"(print) {
    print(v1(options), v6(options), v4({ random }), v7({ msecs: options.msecs, seq: 5, random }), v4({ rng: () => random }));
    for (const text of ["", "hello", "ünïcödé 🎉"]) print(v3(text, v3.DNS), v5(text, v5.URL), v5(text, v4({ random })));
    const bytes = new Uint8Array(20);
    v5([1, 2, 3], Uint8Array.from(parse(NIL)), bytes, 2);
    print(bytes, v1ToV6(v1(options)) === v6(options), v6ToV1(v6(options)) === v1(options));
  },
  "random ids"(print) {
    for (const make of [v1, v4, v6, v7]) {
      const ids = Array.from({ length: 1000 }, () => make());
      print(new Set(ids).size, ids.every(validate), version(ids[0]), ids.every((id) => id.length === 36));
    }
    const sorted = Array.from({ length: 500 }, () => v7());
    print([...sorted].sort().every((id, index) => id === sorted[index]));
  },
  async "reading and writing"(print) {
    print(parse("123e4567-e89b-12d3-a456-426614174000"), stringify(random), NIL, MAX, version(MAX), validate("x"), validate(5));
    print(await caught(() => parse("nonsense")), await caught(() => stringify(new Uint8Array(16).fill(255, 0, 1))), await caught(() => version("x")), await caught(() => v5("x", "not a namespace")), await caught(() => v4({ random: new Uint8Array(3) })));
  },
};
