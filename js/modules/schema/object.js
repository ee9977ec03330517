/**
 * Objects, and what can be made of their shape.
 *
 * @module uncaged:schema/object
 */
import { Schema } from "uncaged:schema/base.js";

/** A schema of an object. */
export class ObjectSchema extends Schema {
  /** The fields, by name. */
  get shape() {
    return this.def.shape;
  }

  /**
   * With more fields, or other ones of the same names.
   *
   * @param {Record<string, object>} shape
   */
  extend(shape) {
    return this.#with({ ...this.shape, ...shape });
  }

  /**
   * Only the fields of these names.
   *
   * @param {Record<string, true>} names
   */
  pick(names) {
    return this.#filter((key) => Object.hasOwn(names, key));
  }

  /**
   * All but the fields of these names.
   *
   * @param {Record<string, true>} names
   */
  omit(names) {
    return this.#filter((key) => !Object.hasOwn(names, key));
  }

  /** Every field may be missing. */
  partial() {
    const optional = Object.entries(this.shape).map(([key, field]) => [key, field.optional()]);
    return this.#with(Object.fromEntries(optional));
  }

  /** @param {(key: string) => boolean} keep */
  #filter(keep) {
    return this.#with(Object.fromEntries(Object.entries(this.shape).filter(([key]) => keep(key))));
  }

  /** What is made of a shape is another schema, and not described by the old one's words. */
  #with(shape) {
    return new ObjectSchema({ kind: "object", shape });
  }
}
