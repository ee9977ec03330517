// Claims about protocol and util. The prompt names the one to hold.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as protocol from "@uncaged/workflow-protocol";
import * as util from "@uncaged/workflow-util";

export const descriptor = { description: "claims about protocol and util", roles: {} };

const claims = {
  results_are_plain_objects() {
    assert.deepEqual(protocol.ok(1), { ok: true, value: 1 });
    assert.deepEqual(protocol.err("no"), { ok: false, error: "no" });
    assert.equal(protocol.START, "__start__");
    assert.equal(protocol.END, "__end__");
    assert.equal(util.ok, protocol.ok);
    assert.equal(util.err, protocol.err);
  },

  a_table_takes_the_first_transition_that_holds() {
    const many = { name: "many", description: "two steps", check: (ctx) => ctx.steps.length > 1 };
    const moderator = protocol.tableToModerator({
      [protocol.START]: [{ condition: "FALLBACK", role: "a" }],
      a: [
        { condition: many, role: "b" },
        { condition: "FALLBACK", role: "a" },
      ],
      b: [{ condition: { ...many, check: () => false }, role: "a" }],
    });
    const after = (...roles) => moderator({ steps: roles.map((role) => ({ role })) });
    assert.deepEqual(
      [after(), after("a"), after("a", "a"), after("a", "b"), after("unknown"), after("toString")],
      ["a", "a", "b", protocol.END, protocol.END, protocol.END],
    );
  },

  base32_keeps_the_most_significant_bit_first() {
    assert.equal(util.CROCKFORD_BASE32_ALPHABET, "0123456789ABCDEFGHJKMNPQRSTVWXYZ");
    assert.equal(util.encodeUint64AsCrockford(0n), "0000000000000");
    assert.equal(util.encodeUint64AsCrockford(1n), "0000000000002");
    assert.equal(util.encodeUint64AsCrockford(2n ** 64n - 1n), "ZZZZZZZZZZZZY");
    assert.equal(util.encodeCrockfordBase32Bits(31n, 5), "Z");
    assert.equal(util.encodeCrockfordBase32Bits(1n, 6), "0G");
    assert.throws(() => util.encodeUint64AsCrockford(2n ** 64n), RangeError);
    assert.throws(() => util.encodeCrockfordBase32Bits(-1n, 8), RangeError);
  },

  base32_is_read_back_in_any_case_and_refused_when_wrong() {
    for (const value of [0n, 1n, 42n, 2n ** 63n, 2n ** 64n - 1n]) {
      const text = util.encodeUint64AsCrockford(value);
      assert.deepEqual(util.decodeCrockfordToUint64(text.toLowerCase()), { ok: true, value });
    }
    const message = (text) => util.decodeCrockfordToUint64(text).error.message;
    assert.equal(message("00"), "expected 13 characters for 64 bits, got 2");
    assert.equal(message("000000000000U"), 'not a Crockford Base32 character: "U"');
    assert.equal(message("0000000000001"), 'the last 1 bits of "0000000000001" must be clear');
  },

  ulids_carry_their_time_and_sort_by_it() {
    const id = util.generateUlid(1469918176385);
    assert.match(id, /^01ARYZ6S41[0-9A-HJKMNP-TV-Z]{16}$/);
    assert.notEqual(util.generateUlid(1469918176385), id);
    assert.ok(util.generateUlid(1469918176386) > id);
    assert.throws(() => util.generateUlid(-1), RangeError);
    assert.throws(() => util.generateUlid(2 ** 48), RangeError);
  },

  a_log_tag_that_is_none_throws() {
    const log = util.createLogger();
    log("4KNMR2PX", "to the thread's log");
    for (const tag of ["4KNMR2P", "4knmr2px", "4KNMR2PU", "", undefined]) {
      assert.throws(() => log(tag, "x"), TypeError);
    }
    assert.throws(() => util.createLogger({ sink: { kind: "socket" } }), TypeError);
  },

  a_file_sink_appends_lines() {
    const path = join(mkdtempSync(join(tmpdir(), "sink-")), "log.jsonl");
    const log = util.createLogger({ sink: { kind: "file", path } });
    log("4KNMR2PX", "one");
    log("4KNMR2PX", 'two "quoted"');
    const lines = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ tag, content }) => [tag, content]),
      [
        ["4KNMR2PX", "one"],
        ["4KNMR2PX", 'two "quoted"'],
      ],
    );
    assert.ok(lines.every(({ timestamp }) => Math.abs(Date.now() - timestamp) < 60_000));
  },

  paths_follow_the_storage_root() {
    const root = process.env.UNCAGED_WORKFLOW_STORAGE_ROOT;
    assert.equal(util.getDefaultWorkflowStorageRoot(), root);
    assert.equal(util.getGlobalCasDir(), `${root}/cas`);
    assert.equal(util.getGlobalCasDir(undefined), `${root}/cas`);
    assert.equal(util.getGlobalCasDir("/x/"), "/x/cas");
  },

  lists_of_hashes_hold_each_once() {
    assert.deepEqual(util.mergeRefsWithContentHash(["A", "B", "A"], "C"), ["A", "B", "C"]);
    assert.deepEqual(util.mergeRefsWithContentHash(["C", "A"], "C"), ["C", "A"]);
    assert.deepEqual(util.normalizeRefsField(["A", 1, null, "B"]), ["A", "B"]);
    assert.deepEqual([undefined, null, "A", {}].map(util.normalizeRefsField), [[], [], [], []]);
  },

  an_unset_or_empty_variable_falls_back() {
    process.env.CLAIM = "set";
    process.env.CLAIM_EMPTY = "";
    assert.equal(util.env("CLAIM", null), "set");
    assert.equal(util.env("CLAIM_EMPTY", "other"), "other");
    assert.equal(util.env("CLAIM_UNSET", null), null);
  },
};

export async function* run(thread) {
  await claims[thread.start.content](thread);
  return { returnCode: 0, summary: "held" };
}
