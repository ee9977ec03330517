/**
 * Choices between schemas.
 *
 * @module uncaged:schema/union
 */
import { Schema } from "uncaged:schema/base.js";

/** A schema of a choice. */
export class UnionSchema extends Schema {
  /** The schemas to choose from. */
  get options() {
    return this.def.options;
  }
}
