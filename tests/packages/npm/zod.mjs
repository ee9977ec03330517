import { z } from "zod";
import * as mini from "zod/mini";

const issues = (result) => result.success
  ? ["ok", result.data]
  : result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.code}: ${issue.message}`);

export default {
  "primitives and coercion"(print) {
    print(z.string().min(2).max(5).regex(/^a/).parse("abc"));
    for (const bad of ["a", "b", 5, null, undefined]) print(issues(z.string().min(2).startsWith("a").safeParse(bad)));
    print(z.coerce.number().parse("42"), z.coerce.boolean().parse(""), z.coerce.bigint().parse("9007199254740993"));
    print(z.coerce.date().parse("2020-02-29T00:00:00Z"), z.date().safeParse(new Date("nonsense")).success);
    print(issues(z.number().int().positive().multipleOf(5).safeParse(-3.5)));
    print(issues(z.bigint().gt(5n).safeParse(5n)), issues(z.symbol().safeParse("s")));
    print(z.stringbool().parse("yes"), z.nan().parse(NaN), z.literal(["a", 1]).parse(1));
  },
  "string formats"(print) {
    const formats = {
      email: ["a@b.co", "a@b"], uuid: ["123e4567-e89b-12d3-a456-426614174000", "x"], url: ["http://x.y/z", "x"],
      ipv4: ["127.0.0.1", "256.1.1.1"], ipv6: ["::1", ":::"], cidrv4: ["10.0.0.0/8", "10.0.0.0/33"],
      base64: ["aGk=", "a"], base64url: ["aGk", "a+"], jwt: ["a.b.c", "a"], ulid: ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "0"],
      nanoid: ["V1StGXR8_Z5jdHi6B-myT", "x"], emoji: ["🎉", "a"], e164: ["+15555555555", "5"],
    };
    for (const [name, values] of Object.entries(formats)) {
      print(name, values.map((value) => issues(z[name]().safeParse(value))));
    }
    print(z.iso.datetime({ offset: true }).parse("2020-01-01T00:00:00+02:00"), z.iso.date().safeParse("2020-02-30").success);
    print(z.iso.duration().safeParse("P1DT2H").success, z.iso.time().safeParse("25:00").success);
    print(z.string().trim().toLowerCase().normalize().parse("  ÄB  "), z.templateLiteral(["v", z.number()]).safeParse("v1x").success);
  },
  "objects, arrays and unions"(print) {
    const User = z.object({
      name: z.string(), age: z.number().optional(), tags: z.array(z.string()).min(1).default(["none"]),
      address: z.strictObject({ city: z.string(), zip: z.string().nullable() }),
    });
    print(User.parse({ name: "Ada", address: { city: "x", zip: null }, more: 1 }));
    print(issues(User.safeParse({ name: 1, tags: [], address: { city: "x", zip: 1, extra: true } })));
    print(issues(User.partial().safeParse({})), issues(User.pick({ name: true }).loose().safeParse({ name: "n", x: 1 })));
    print(issues(User.omit({ address: true }).extend({ id: z.int() }).strict().safeParse({ name: "n", id: 1.5, no: 1 })));
    print(Object.keys(User.shape), User.keyof().options);
    const Shape = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), r: z.number() }),
      z.object({ kind: z.enum(["square", "rect"]), w: z.number() }),
    ]);
    print(Shape.parse({ kind: "rect", w: 1 }), issues(Shape.safeParse({ kind: "line" })), issues(Shape.safeParse({ kind: "circle" })));
    print(issues(z.union([z.string(), z.number()]).safeParse(true)), z.tuple([z.string()], z.number()).parse(["a", 1, 2]));
    print(z.record(z.enum(["a", "b"]), z.number()).safeParse({ a: 1 }).success, z.partialRecord(z.enum(["a", "b"]), z.number()).parse({ a: 1 }));
    print(z.map(z.string(), z.number()).parse(new Map([["a", 1]])), z.set(z.string()).max(1).safeParse(new Set(["a", "b"])).success);
    print(z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })).parse({ a: "a", b: 1 }));
    const Tree = z.object({ value: z.number(), get children() { return z.array(Tree) } });
    print(Tree.parse({ value: 1, children: [{ value: 2, children: [] }] }), issues(Tree.safeParse({ value: 1, children: [{ value: "x" }] })));
  },
  async "transforms, refinements and pipes"(print) {
    const Even = z.number().refine((n) => n % 2 === 0, { error: (issue) => `${issue.input} is odd`, path: ["deep"] });
    print(issues(Even.safeParse(3)), issues(Even.safeParse(4)));
    print(z.string().transform((text) => text.length).pipe(z.number().max(3)).safeParse("long text").error.issues);
    const Checked = z.object({ a: z.string(), b: z.string() }).superRefine((value, context) => {
      if (value.a !== value.b) context.addIssue({ code: "custom", message: "differ", path: ["b"], params: { x: 1 } });
    });
    print(issues(Checked.safeParse({ a: "x", b: "y" })));
    const Later = z.string().refine(async (text) => (await Promise.resolve(text)) === "yes", "not yes").transform(async (text) => `${text}!`);
    print(await Later.parseAsync("yes"), issues(await Later.safeParseAsync("no")));
    try { Later.parse("yes") } catch (error) { print(error.constructor.name, error.message) }
    print(z.preprocess((value) => String(value), z.string()).parse(5), z.string().catch("fallback").parse(5));
    const codec = z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() });
    print(z.decode(codec, "2020-01-01T00:00:00.000Z"), z.encode(codec, new Date(0)));
    print(z.string().brand("id").parse("x"), Object.isFrozen(z.object({}).readonly().parse({})));
  },
  "errors as text and trees"(print) {
    const result = z.object({ a: z.object({ b: z.array(z.string()) }), c: z.number() }).safeParse({ a: { b: ["x", 1] } });
    print(z.prettifyError(result.error));
    print(JSON.stringify(z.treeifyError(result.error)), JSON.stringify(z.flattenError(result.error)), JSON.stringify(z.formatError(result.error)));
    print(result.error instanceof z.ZodError, result.error instanceof Error, result.error.name);
    try { z.string().parse(1) } catch (error) { print(error instanceof Error, error.message) }
    z.config(z.locales.de());
    print(issues(z.string().min(5).safeParse("x")), issues(z.email().safeParse("x")));
    z.config(z.locales.en());
    print(z.string({ error: "own words" }).safeParse(1).error.issues[0].message);
  },
  "JSON Schema and metadata"(print) {
    const schema = z.object({
      title: z.string().min(1).describe("the title"), n: z.int().min(0).optional(), at: z.iso.datetime(),
      list: z.array(z.union([z.string(), z.null()])).default([]), kind: z.enum(["a", "b"]),
    }).meta({ title: "plan", description: "A plan", examples: [{}] });
    print(JSON.stringify(z.toJSONSchema(schema)), JSON.stringify(z.toJSONSchema(schema, { io: "input", target: "draft-7" })));
    print(JSON.stringify(z.toJSONSchema(z.bigint(), { unrepresentable: "any" })), schema.meta());
    const registry = z.registry();
    z.string().register(registry, { id: "text", note: 1 });
    print(JSON.stringify(z.toJSONSchema(registry)));
  },
  "functions, files and the small edition"(print) {
    const add = z.function({ input: [z.number(), z.number()], output: z.number() }).implement((a, b) => a + b);
    print(add(1, 2));
    try { add("1", 2) } catch (error) { print(error.name, error.issues.length) }
    const file = new File(["hello"], "a.txt", { type: "text/plain" });
    print(z.file().max(3).safeParse(file).error.issues[0].code, z.file().mime("text/plain").safeParse(file).success);
    const small = mini.object({ a: mini.string().check(mini.minLength(2)), b: mini.optional(mini.number()) });
    print(mini.parse(small, { a: "xx" }), mini.safeParse(small, { a: "x" }).error.issues.map((issue) => issue.code));
    print(z.instanceof(URL).safeParse(new URL("http://x")).success, z.promise(z.string()) instanceof z.ZodType);
  },
};
