import Ajv from "ajv";
import Ajv2019 from "ajv/dist/2019.js";
import Ajv2020 from "ajv/dist/2020.js";
import AjvJtd from "ajv/dist/jtd.js";
import standalone from "ajv/dist/standalone/index.js";
import { caught } from "../workflow.mjs";

const plan = {
  $id: "http://x/plan", type: "object", required: ["title", "size"], additionalProperties: false,
  properties: {
    title: { type: "string", minLength: 2, pattern: "^\\p{Lu}" }, size: { enum: ["s", "m"] }, n: { type: "integer", minimum: 1, multipleOf: 2, default: 2 },
    tags: { type: "array", items: { $ref: "#/definitions/tag" }, uniqueItems: true, maxItems: 2 }, child: { $ref: "#" },
    either: { oneOf: [{ type: "string" }, { type: "number", exclusiveMaximum: 5 }] },
  },
  definitions: { tag: { type: "string", maxLength: 3 } },
  if: { properties: { size: { const: "m" } } }, then: { required: ["n"] },
};

const errors = (validate) => (validate.errors ?? []).map(({ instancePath, keyword, message, params }) => `${instancePath} ${keyword} ${message} ${JSON.stringify(params)}`);

export default {
  "validation with all errors"(print) {
    const validate = new Ajv({ allErrors: true }).compile(plan);
    for (const value of [{ title: "Ab", size: "s" }, { title: "a", size: "x", n: 3, more: 1 }, { title: "Ab", size: "m", tags: ["a", "a", "long"] }, { title: "Ab", size: "s", child: { title: 1 }, either: 7 }, null, []]) {
      print(validate(value), errors(validate));
    }
    print(new Ajv().errorsText(validate.errors, { separator: "; ", dataVar: "plan" }));
  },
  "defaults, coercion and removal"(print) {
    const ajv = new Ajv({ useDefaults: true, coerceTypes: "array", removeAdditional: "all" });
    const value = { title: "Ab", size: "s", n: "4", tags: "x", gone: true };
    print(ajv.validate({ ...plan, $id: "y" }, value), value, ajv.errors);
    const empty = {};
    ajv.validate({ type: "object", properties: { a: { default: [1], type: "array" } } }, empty);
    print(empty);
  },
  async "formats, keywords and references"(print) {
    const ajv = new Ajv({ $data: true, verbose: false });
    ajv.addFormat("even", { type: "number", validate: (n) => n % 2 === 0 }).addFormat("slug", /^[a-z-]+$/);
    ajv.addKeyword({ keyword: "sorted", type: "array", validate: function sorted(on, list) { sorted.errors = [{ keyword: "sorted", message: "is not sorted", params: {} }]; return !on || list.every((each, i) => i === 0 || list[i - 1] <= each) }, errors: true });
    ajv.addKeyword({ keyword: "range", macro: ([minimum, maximum]) => ({ minimum, maximum }) });
    ajv.addSchema({ $id: "http://x/tag", type: "string", format: "slug" });
    const validate = ajv.compile({ type: "object", properties: { n: { type: "number", format: "even", range: [1, 5] }, list: { type: "array", sorted: true, items: { $ref: "http://x/tag" } }, less: { type: "number", maximum: { $data: "1/n" } } } });
    print(validate({ n: 2, list: ["a", "b"], less: 1 }), validate({ n: 3 }), errors(validate), validate({ list: ["b", "a"] }), errors(validate), validate({ list: ["A"] }), errors(validate), validate({ n: 2, less: 3 }), errors(validate));
    const async = ajv.compile({ $async: true, type: "object", properties: { a: { type: "string" } } });
    print(await async({ a: "x" }), await caught(() => async({ a: 1 })));
    const loaded = new Ajv({ loadSchema: async (uri) => ({ $id: uri, type: "number" }) });
    print((await loaded.compileAsync({ $ref: "http://remote/n" }))(1));
    for (const bad of [{ type: "nonsense" }, { $ref: "http://none" }, { unknownWord: 1 }, { type: "number", minLength: 1 }, { pattern: "(" }]) print(await caught(() => new Ajv({ strict: true, logger: false }).compile(bad)));
  },
  "other dialects"(print) {
    const newer = new Ajv2020({ allErrors: true });
    const tuple = newer.compile({ type: "array", prefixItems: [{ type: "string" }], items: false, unevaluatedItems: false, minItems: 1 });
    print(tuple(["a"]), tuple(["a", 1]), errors(tuple));
    const dynamic = newer.compile({ type: "object", properties: { a: true }, unevaluatedProperties: false, dependentRequired: { a: ["b"] } });
    print(dynamic({ a: 1, c: 2 }), errors(dynamic), new Ajv2019().validate({ type: "array", contains: { type: "number" }, minContains: 2 }, [1, "x"]));
    const jtd = new AjvJtd();
    const schema = { properties: { a: { type: "int8" }, at: { type: "timestamp" } }, optionalProperties: { tags: { elements: { type: "string" } } } };
    print(jtd.validate(schema, { a: 200, at: "x" }), jtd.errors.map(({ message }) => message));
    print(jtd.compileParser(schema)('{"a":1,"at":"2020-01-01T00:00:00Z"}'), jtd.compileSerializer(schema)({ a: 1, at: new Date(0), tags: ["x"] }));
  },
  "the code that it writes"(print) {
    const ajv = new Ajv({ code: { source: true, esm: true } });
    const code = standalone(ajv, ajv.compile({ type: "string", maxLength: 3 }));
    print(code);
  },
};
