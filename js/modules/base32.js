/**
 * Crockford Base32 of whole numbers, as hashes and log tags are written: most
 * significant bits first, pad bits at the least significant end.
 *
 * @module uncaged:base32
 */
import { err, ok } from "uncaged:workflow-protocol.js";

/** The 32 digits: no I, L, O or U. */
export const CROCKFORD_BASE32_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * Writes the low `bitLength` bits of `value`.
 *
 * @param {bigint} value not negative and below 2^bitLength
 * @param {number} bitLength
 * @returns {string} ceil(bitLength / 5) upper-case characters
 */
export function encodeCrockfordBase32Bits(value, bitLength) {
  if (!Number.isInteger(bitLength) || bitLength < 1) {
    throw new RangeError(`bitLength must be a positive whole number, not ${bitLength}`);
  }
  if (typeof value !== "bigint" || value < 0n || value >> BigInt(bitLength) !== 0n) {
    throw new RangeError(`the value does not fit ${bitLength} bits: ${value}`);
  }
  const length = Math.ceil(bitLength / 5);
  let rest = value << BigInt(length * 5 - bitLength);
  let text = "";
  for (let i = 0; i < length; i += 1) {
    text = CROCKFORD_BASE32_ALPHABET[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}

/**
 * Reads what {@link encodeCrockfordBase32Bits} wrote, in any case.
 *
 * @param {string} text
 * @param {number} bitLength
 * @returns {{ ok: true, value: bigint } | { ok: false, error: Error }}
 */
export function decodeCrockfordBase32Bits(text, bitLength) {
  const length = Math.ceil(bitLength / 5);
  if (text.length !== length) {
    return err(
      new Error(`expected ${length} characters for ${bitLength} bits, got ${text.length}`),
    );
  }
  let value = 0n;
  for (const character of text.toUpperCase()) {
    const digit = CROCKFORD_BASE32_ALPHABET.indexOf(character);
    if (digit < 0) {
      return err(new Error(`not a Crockford Base32 character: ${JSON.stringify(character)}`));
    }
    value = (value << 5n) | BigInt(digit);
  }
  const pad = BigInt(length * 5 - bitLength);
  if ((value & ((1n << pad) - 1n)) !== 0n) {
    return err(new Error(`the last ${pad} bits of ${JSON.stringify(text)} must be clear`));
  }
  return ok(value >> pad);
}

/**
 * Writes a 64-bit value as hashes are written.
 *
 * @param {bigint} value
 * @returns {string} 13 characters
 */
export function encodeUint64AsCrockford(value) {
  return encodeCrockfordBase32Bits(value, 64);
}

/**
 * Reads 13 characters as a 64-bit value.
 *
 * @param {string} text
 * @returns {{ ok: true, value: bigint } | { ok: false, error: Error }}
 */
export function decodeCrockfordToUint64(text) {
  return decodeCrockfordBase32Bits(text, 64);
}

const HASH = /^[0-9A-HJKMNP-TV-Z]{12}[02468ACEGJMPRTWY]$/;

/**
 * Whether `text` is a hash as the store writes it: upper case, pad bit clear.
 *
 * @param {unknown} text
 * @returns {text is string}
 */
export function isHash(text) {
  return typeof text === "string" && HASH.test(text);
}
