// Schemas made of others.

/** Objects, lists, unions and recursion. */
export const composites = {
  object: (z) => z.object({ name: z.string(), age: z.number() }),
  "empty object": (z) => z.object({}),
  "nested object": (z) => z.object({ a: z.object({ b: z.object({ c: z.string() }) }) }),
  "object optional keys": (z) => z.object({ a: z.string(), b: z.string().optional() }),
  "object all optional": (z) => z.object({ a: z.string().optional() }),
  "strict object": (z) => z.strictObject({ a: z.string() }),
  "loose object": (z) => z.looseObject({ a: z.string() }),
  "object strict method": (z) => z.object({ a: z.string() }).strict(),
  "object passthrough": (z) => z.object({ a: z.string() }).passthrough(),
  "object strip": (z) => z.strictObject({ a: z.string() }).strip(),
  "object catchall": (z) => z.object({ a: z.string() }).catchall(z.number()),
  "object extend": (z) => z.object({ a: z.string() }).extend({ b: z.number() }),
  "object pick": (z) => z.object({ a: z.string(), b: z.number() }).pick({ a: true }),
  "object omit": (z) => z.object({ a: z.string(), b: z.number() }).omit({ a: true }),
  "object partial": (z) => z.object({ a: z.string(), b: z.number() }).partial(),
  "object required": (z) => z.object({ a: z.string().optional() }).required(),
  "object keyof": (z) => z.object({ a: z.string(), b: z.number() }).keyof(),
  "object merge": (z) => z.object({ a: z.string() }).merge(z.object({ b: z.string() })),
  "object with a default": (z) => z.object({ a: z.string().default("x"), b: z.number() }),
  "object with a prefault": (z) => z.object({ a: z.string().prefault("x") }),
  "object with unrepresentable fields": (z) => z.object({ at: z.date(), big: z.bigint() }),
  "object with __proto__ like keys": (z) =>
    z.object({ constructor: z.string(), toString: z.string() }),
  "object with any": (z) => z.object({ a: z.any(), b: z.unknown() }),
  array: (z) => z.array(z.string()),
  "array method": (z) => z.string().array(),
  "array of arrays": (z) => z.array(z.array(z.number())),
  "array of objects": (z) => z.array(z.object({ a: z.string() })),
  tuple: (z) => z.tuple([z.string(), z.number()]),
  "tuple with rest": (z) => z.tuple([z.string()]).rest(z.number()),
  "tuple with rest argument": (z) => z.tuple([z.string(), z.boolean()], z.number()),
  "empty tuple": (z) => z.tuple([]),
  record: (z) => z.record(z.string(), z.number()),
  "record of objects": (z) => z.record(z.string(), z.object({ a: z.string() })),
  "record of checked keys": (z) => z.record(z.string().min(2), z.boolean()),
  "record of enum keys": (z) => z.record(z.enum(["a", "b"]), z.number()),
  "partial record": (z) => z.partialRecord(z.enum(["a", "b"]), z.number()),
  union: (z) => z.union([z.string(), z.number()]),
  "union method": (z) => z.string().or(z.number()),
  "union of objects": (z) => z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
  "union in a union": (z) => z.union([z.union([z.string(), z.number()]), z.boolean()]),
  "discriminated union": (z) =>
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), x: z.string() }),
      z.object({ kind: z.literal("b"), y: z.number().optional() }),
    ]),
  "discriminated union of enums": (z) =>
    z.discriminatedUnion("kind", [
      z.object({ kind: z.enum(["a", "b"]) }),
      z.object({ kind: z.literal("c"), y: z.number() }),
    ]),
  "discriminated union in an object": (z) =>
    z.object({
      event: z.discriminatedUnion("t", [
        z.object({ t: z.literal(1) }),
        z.object({ t: z.literal(2), list: z.array(z.string()) }),
      ]),
    }),
  intersection: (z) => z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
  "intersection method": (z) => z.object({ a: z.string() }).and(z.object({ b: z.number() })),
  "intersection of three": (z) =>
    z
      .object({ a: z.string() })
      .and(z.object({ b: z.string() }))
      .and(z.object({ c: z.string() })),
  "intersection with a record": (z) =>
    z.object({ a: z.string() }).and(z.record(z.string(), z.any())),
  "recursive object": (z) => {
    const Node = z.object({
      name: z.string(),
      get children() {
        return z.array(Node);
      },
    });
    return Node;
  },
  "recursion below the root": (z) => {
    const Node = z.object({
      value: z.number(),
      get next() {
        return Node.nullable();
      },
    });
    return z.object({ first: Node });
  },
  "mutual recursion": (z) => {
    const User = z.object({
      name: z.string(),
      get posts() {
        return z.array(Post);
      },
    });
    const Post = z.object({
      title: z.string(),
      get author() {
        return User;
      },
    });
    return z.object({ user: User, post: Post });
  },
  "recursion by lazy": (z) => {
    const Tree = z.object({ value: z.string(), children: z.lazy(() => z.array(Tree)) });
    return Tree;
  },
  "recursive union": (z) => {
    const Value = z.lazy(() => z.union([z.string(), z.array(Value)]));
    return z.object({ value: Value });
  },
  "optional recursion": (z) => {
    const List = z.object({
      head: z.string(),
      get tail() {
        return List.optional();
      },
    });
    return List;
  },
  "one schema twice": (z) => {
    const Part = z.object({ a: z.string() });
    return z.object({ left: Part, right: Part });
  },
};

/** Schemas around one other. */
export const wrappers = {
  optional: (z) => z.string().optional(),
  nullable: (z) => z.string().nullable(),
  nullish: (z) => z.string().nullish(),
  "nullable object": (z) => z.object({ a: z.string() }).nullable(),
  "nullable in an object": (z) =>
    z.object({ a: z.string().nullable(), b: z.enum(["x"]).nullable() }),
  nonoptional: (z) => z.object({ a: z.string().optional().nonoptional() }),
  exactOptional: (z) => z.object({ a: z.string().exactOptional() }),
  default: (z) => z.string().default("x"),
  "default of an object": (z) => z.object({ a: z.string() }).default({ a: "x" }),
  "default function": (z) => z.array(z.string()).default(() => []),
  "default of a number": (z) => z.number().min(1).default(5),
  "default of an enum": (z) => z.enum(["a", "b"]).default("a"),
  "optional default": (z) => z.object({ a: z.string().optional().default("x") }),
  "default optional": (z) => z.object({ a: z.string().default("x").optional() }),
  prefault: (z) => z.string().prefault("x"),
  "prefault of an object": (z) => z.object({ a: z.number().prefault(1) }).prefault({}),
  catch: (z) => z.string().catch("x"),
  "catch in an object": (z) => z.object({ a: z.number().catch(0) }),
  readonly: (z) => z.array(z.string()).readonly(),
  "readonly in an object": (z) => z.object({ a: z.object({ b: z.string() }).readonly() }),
  promise: (z) => z.promise(z.string()),
  brand: (z) => z.string().brand("Id"),
  lazy: (z) => z.lazy(() => z.object({ a: z.string() })),
  pipe: (z) => z.string().pipe(z.coerce.number()),
  "pipe of checks": (z) => z.string().pipe(z.string().min(3)),
  "transform method": (z) => z.string().transform((text) => text.length),
  "transform in an object": (z) => z.object({ a: z.string().transform(Number), b: z.string() }),
  "transform then pipe": (z) => z.string().transform(Number).pipe(z.number().min(1)),
  preprocess: (z) => z.preprocess((value) => value, z.string().min(1)),
  "preprocess in an object": (z) => z.object({ a: z.preprocess(String, z.string()) }),
  "default after transform": (z) =>
    z
      .string()
      .transform((text) => text.length)
      .default(3),
  "optional transform": (z) => z.object({ a: z.string().transform(Number).optional() }),
  codec: (z) => z.codec(z.string(), z.number(), { decode: Number, encode: String }),
  success: (z) => z.success(z.string()),
};

/** Titles, descriptions, ids and marks of one's own. */
export const metadata = {
  describe: (z) => z.string().describe("a text"),
  "meta title": (z) => z.object({ a: z.string() }).meta({ title: "Thing", description: "a thing" }),
  "meta on fields": (z) =>
    z.object({ a: z.string().meta({ casRef: true }), b: z.number().describe("n") }),
  "meta twice": (z) => z.string().meta({ title: "A" }).meta({ description: "B" }),
  "meta then check": (z) => z.string().describe("kept?").min(3),
  "meta then optional": (z) => z.object({ a: z.string().describe("inner").optional() }),
  "optional then meta": (z) => z.object({ a: z.string().optional().describe("outer") }),
  "meta inside and outside": (z) => z.string().describe("inner").optional().describe("outer"),
  "meta on nullable": (z) => z.string().describe("inner").nullable().describe("outer"),
  "meta on default": (z) => z.string().default("x").describe("with default"),
  "meta on an array": (z) => z.array(z.string().describe("item")).describe("list"),
  "meta examples": (z) => z.string().meta({ examples: ["a", "b"], deprecated: true }),
  "meta examples on a transform": (z) =>
    z
      .string()
      .transform(Number)
      .meta({ examples: ["1"] }),
  "meta overrides a keyword": (z) => z.number().meta({ minimum: 7 }),
  "meta id below the root": (z) =>
    z.object({ a: z.object({ b: z.string() }).meta({ id: "Inner" }) }),
  "meta id used twice": (z) => {
    const Part = z.object({ b: z.string() }).meta({ id: "Part", title: "part" });
    return z.object({ left: Part, right: Part.optional(), all: z.array(Part) });
  },
  "describe after id": (z) => {
    const Part = z.object({ b: z.string() }).meta({ id: "Part" });
    return z.object({ a: Part, b: Part.describe("another") });
  },
  "meta on a discriminated union": (z) =>
    z
      .discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })])
      .meta({ title: "Verdict" }),
  "meta in recursion": (z) => {
    const Node = z.object({
      name: z.string().describe("its name"),
      get children() {
        return z.array(Node).describe("below it");
      },
    });
    return Node.describe("a node");
  },
};
