/**
 * What every schema of ours can do.
 *
 * @module uncaged:schema/base
 *
 * @typedef {(string | number)[]} Path
 * @typedef {{ code: string, path: Path, message: string }} Issue
 * @typedef {{ ok: true, value: unknown } | { ok: false, issues: Issue[] }} Checked
 */
import { check } from "uncaged:schema/check.js";
import { describe } from "uncaged:schema/describe.js";

/** A value that a schema refused; `issues` says where and why. */
export class SchemaError extends Error {
  /** @param {Issue[]} issues */
  constructor(issues) {
    super(
      issues
        .map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "))
        .join("\n"),
    );
    this.name = "SchemaError";
    this.issues = issues;
  }
}

/** A schema. It never changes: each method that narrows it gives a new one. */
export class Schema {
  #metadata;

  /**
   * @param {Record<string, any>} def what it takes
   * @param {Record<string, unknown>} [metadata] what authors say about it
   */
  constructor(def, metadata = {}) {
    this.def = def;
    this.#metadata = metadata;
  }

  /** @param {Record<string, any>} changes */
  with(changes) {
    return new this.constructor({ ...this.def, ...changes }, this.#metadata);
  }

  /**
   * The value as this schema takes it; throws a {@link SchemaError}.
   *
   * @param {unknown} value
   */
  parse(value) {
    const checked = check(this, value, []);
    if (!checked.ok) {
      throw new SchemaError(checked.issues);
    }
    return checked.value;
  }

  /**
   * @param {unknown} value
   * @returns {{ success: true, data: any } | { success: false, error: SchemaError }}
   */
  safeParse(value) {
    const checked = check(this, value, []);
    return checked.ok
      ? { success: true, data: checked.value }
      : { success: false, error: new SchemaError(checked.issues) };
  }

  /** @param {unknown} value */
  async parseAsync(value) {
    return this.parse(value);
  }

  /** @param {unknown} value */
  async safeParseAsync(value) {
    return this.safeParse(value);
  }

  /**
   * Without an argument, the metadata; with one, this schema with more of it.
   *
   * @param {Record<string, unknown>} [metadata]
   */
  meta(metadata) {
    if (metadata === undefined) {
      return Object.keys(this.#metadata).length === 0 ? undefined : { ...this.#metadata };
    }
    return new this.constructor(this.def, { ...this.#metadata, ...metadata });
  }

  /** @param {string} description */
  describe(description) {
    return this.meta({ description });
  }

  /** The description among the metadata. */
  get description() {
    return this.#metadata.description;
  }

  /** This or nothing: in an object, the key may be missing. */
  optional() {
    return new Wrapper({ kind: "optional", inner: this });
  }

  /** This or null. */
  nullable() {
    return new Wrapper({ kind: "nullable", inner: this });
  }

  /** @param {unknown} value taken where there is none */
  default(value) {
    return new Wrapper({ kind: "default", inner: this, value });
  }

  /** @param {number} limit least length of a text or list, least value of a number */
  min(limit) {
    return this.with({ min: limit });
  }

  /** @param {number} limit greatest length of a text or list, greatest value of a number */
  max(limit) {
    return this.with({ max: limit });
  }

  /** Whole numbers only. */
  int() {
    return this.with({ int: true });
  }

  /** @param {RegExp} pattern */
  regex(pattern) {
    return this.with({ pattern });
  }

  /**
   * JSON Schema, draft 2020-12.
   *
   * @param {{ io?: "input" | "output" }} [options]
   */
  toJSONSchema(options = {}) {
    const side = options.io ?? "output";
    const json = describe(this, side);
    return { $schema: "https://json-schema.org/draft/2020-12/schema", ...json };
  }

  /** The Standard Schema interface. */
  get "~standard"() {
    return {
      version: 1,
      vendor: "uncaged",
      validate: (value) => {
        const checked = check(this, value, []);
        return checked.ok ? { value: checked.value } : { issues: checked.issues };
      },
      jsonSchema: {
        input: () => this.toJSONSchema({ io: "input" }),
        output: () => this.toJSONSchema({ io: "output" }),
      },
    };
  }
}

/** A schema around another one. */
class Wrapper extends Schema {
  /** What it is wrapped around. */
  unwrap() {
    return this.def.inner;
  }
}
