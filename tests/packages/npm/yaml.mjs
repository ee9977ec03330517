import {
  CST, Composer, Document, LineCounter, Parser, Scalar, YAMLMap, YAMLSeq,
  isAlias, isMap, isScalar, isSeq, parse, parseAllDocuments, parseDocument, stringify, visit,
} from "yaml";
import { caught } from "../workflow.mjs";

const TEXT = `# a comment
anchors:
  base: &base { a: 1, b: [x, y] }
  more:
    <<: *base
    c: 2
folded: >-
  one
  two

  three
literal: |+
  keep

numbers: [0x1F, 0o17, 1e3, .inf, -.inf, .nan, 12_3, 012]
words: [yes, no, true, ~, null, "", '''', "\\u00e9\\n"]
? complex key
: value
dates: 2001-12-14t21:59:43.10-05:00
`;

export default {
  "parsing of all styles"(print) {
    print(parse(TEXT, { merge: true }));
    print(parse(TEXT, { version: "1.1" }));
    print(parse("a: 1\nb: 2", { mapAsMap: true }), parse("- 1\n- 2\n"), parse(""), parse("9007199254740993", { intAsBigInt: true }));
    print(parse("{a: 1, b: [c, d]}", (key, value) => (typeof value === "number" ? value + 1 : value)));
  },
  "stringifying"(print) {
    const value = {
      text: "plain", number: -0, empty: "", yes: "yes", truth: "true", nothing: null, list: [], map: {}, nested: [{ a: [1, [2]] }],
      long: "word ".repeat(40), lines: "one\ntwo\n", trailing: "x  \ny", colon: "a: b", hash: "a #b", date: new Date(0), unicode: "ü€🎉\u2028", undef: undefined, big: 10n,
    };
    print(stringify(value));
    print(stringify(value, { indent: 4, indentSeq: false, lineWidth: 30, defaultStringType: "QUOTE_SINGLE", nullStr: "~" }));
    print(stringify([1, "2", { a: null }], { collectionStyle: "flow" }), stringify(new Map([[{ a: 1 }, new Set(["x"])]])));
    const shared = { x: 1 };
    print(stringify({ one: shared, two: shared }), stringify({ one: shared, two: shared }, { aliasDuplicateObjects: false }));
    print(stringify({ b: 1, a: 2 }, { sortMapEntries: true }), stringify({ a: 1, b: 2 }, ["a"]));
  },
  async "errors and warnings"(print) {
    for (const bad of ["a: b: c", "[1, 2", "a: 1\na: 2", "\tx: 1", "*none", "a: &x 1\n b", "--- !!wrong x\n...", "'open"]) {
      const document = parseDocument(bad);
      print(JSON.stringify(bad), document.errors.map(({ code, message, linePos }) => [code, message, linePos]), document.warnings.map(({ code }) => code));
      print(await caught(() => parse(bad, { prettyErrors: false, logLevel: "error" })));
    }
    const lineCounter = new LineCounter();
    parseDocument("a:\n  b: 1\n", { lineCounter });
    print(lineCounter.lineStarts, lineCounter.linePos(5));
  },
  "documents that are changed keep their comments"(print) {
    const document = parseDocument(TEXT);
    document.setIn(["anchors", "more", "c"], 3);
    document.deleteIn(["words"]);
    document.addIn(["numbers"], 7);
    document.get("folded", true).comment = " said";
    document.commentBefore = " head";
    print(String(document));
    print(document.hasIn(["anchors", "base", "a"]), document.getIn(["anchors", "base", "b", 1]), document.toJS().numbers.length);
    const node = document.createNode({ list: [1, "x"] }, { flow: true });
    print(isMap(node), isSeq(node.get("list", true)), node.get("list", true).get(1));
    const counts = { scalars: 0, aliases: 0 };
    visit(document, {
      Scalar: () => void counts.scalars++,
      Alias: () => void counts.aliases++,
      Pair: (_, pair) => (pair.key.value === "literal" ? visit.REMOVE : undefined),
    });
    print(counts, document.has("literal"), isAlias(document.contents), isScalar(document.get("dates", true)));
  },
  "many documents, custom tags, and the lower levels"(print) {
    print(parseAllDocuments("a: 1\n---\n- b\n...\n---\n").map((document) => document.toJS()));
    const upper = { tag: "!upper", resolve: (text) => text.toUpperCase() };
    print(parse("!upper abc", { customTags: [upper] }), parse("!!binary aGVsbG8=", { version: "1.1" }), parse("!!set {a, b}", { version: "1.1" }));
    print(stringify(Buffer.from("bytes"), { version: "1.1" }), parse("!!omap [a: 1]", { version: "1.1" }));
    const document = new Document({ a: [1] }, { directives: true });
    document.contents.items.push(document.createPair("b", new Scalar("x")));
    print(document.toString(), new YAMLMap() instanceof YAMLMap, new YAMLSeq().items);
    const tokens = [...new Parser().parse("a: [1, 2] # c\n")];
    print(tokens[0].type, CST.stringify(tokens[0]), CST.isCollection(tokens[0].value));
    print([...new Composer().compose(tokens)].map((each) => each.toJSON()));
  },
};
