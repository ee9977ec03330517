// Schemas of zod/mini, which convert themselves in no version.

/** What is written with functions there. */
export const mini = {
  object: (z) => z.object({ a: z.string(), b: z.optional(z.number()) }),
  "strict object": (z) => z.strictObject({ a: z.string() }),
  "loose object": (z) => z.looseObject({ a: z.string() }),
  "string limits": (z) => z.string().check(z.minLength(2), z.maxLength(5)),
  "string length": (z) => z.string().check(z.length(4)),
  "string regex": (z) => z.string().check(z.regex(/^a/)),
  "string two regexes": (z) => z.string().check(z.regex(/^a/), z.regex(/z$/)),
  email: (z) => z.email(),
  uuid: (z) => z.uuid(),
  url: (z) => z.url(),
  "iso datetime": (z) => z.iso.datetime(),
  "number limits": (z) => z.number().check(z.gte(1), z.lt(10)),
  "number multipleOf": (z) => z.number().check(z.multipleOf(5)),
  int: (z) => z.int().check(z.positive()),
  "array limits": (z) => z.array(z.string()).check(z.minLength(1), z.maxLength(3)),
  enum: (z) => z.enum(["a", "b"]),
  literal: (z) => z.literal("a"),
  "nullable object": (z) => z.nullable(z.object({ a: z.string() })),
  default: (z) => z.object({ a: z._default(z.string(), "x") }),
  readonly: (z) => z.readonly(z.array(z.string())),
  record: (z) => z.record(z.string(), z.number()),
  pipe: (z) =>
    z.pipe(
      z.string(),
      z.transform((text) => text.length),
    ),
  extend: (z) => z.extend(z.object({ a: z.string() }), { b: z.boolean() }),
  "discriminated union": (z) =>
    z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })]),
  recursion: (z) => {
    const Node = z.object({
      name: z.string(),
      get children() {
        return z.array(Node);
      },
    });
    return Node;
  },
};
