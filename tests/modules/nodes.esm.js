// Claims about the store's module. The prompt names the one to hold; the
// variable GOLDEN names the folder with the golden vectors.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cas from "@uncaged/workflow-cas";
import { buildThreadContext } from "@uncaged/workflow-runtime";
import {
  FORK_BRANCH_ROLE,
  garbageCollectCas,
  walkStateFramesNewestFirst,
} from "@uncaged/workflow-execute";

export const descriptor = { description: "claims about the store", roles: {} };

const golden = (name) => JSON.parse(readFileSync(join(process.env.GOLDEN, name), "utf8"));
const newStore = () => cas.createCasStore(join(mkdtempSync(join(tmpdir(), "cas-")), "cas"));

const claims = {
  hashes_are_the_golden_ones() {
    for (const { text, repeatByte, times, hash } of golden("hash.json")) {
      const found =
        text === undefined
          ? cas.hashWorkflowBundleBytes(new Uint8Array(times).fill(repeatByte))
          : cas.hashString(text);
      assert.equal(found, hash);
    }
  },

  nodes_are_written_byte_for_byte_as_the_golden_ones() {
    for (const { payload, refs, blob } of golden("content-nodes.json")) {
      assert.equal(cas.serializeCasNode({ type: "content", payload, refs }), blob);
    }
    for (const { payload, refs, blob } of golden("start-nodes.json")) {
      assert.equal(cas.serializeCasNode({ type: "start", payload, refs }), blob);
    }
    for (const { payload, refs, blob, hash } of golden("state-nodes.json")) {
      assert.deepEqual(cas.collectRefs(payload), refs);
      const written = cas.serializeCasNode({ type: "state", payload, refs });
      assert.equal(written, blob);
      assert.equal(cas.hashString(written), hash);
      assert.deepEqual(cas.parseCasThreadNode(blob).node, { type: "state", payload, refs });
    }
  },

  async a_chain_is_read_back_as_a_thread_context() {
    const store = newStore();
    const { nodes, headHash } = golden("thread-chain.json");
    for (const { blob, hash } of nodes) {
      assert.equal(await store.put(blob), hash);
    }
    const states = nodes.filter(({ payload }) => payload !== undefined);
    const ctx = await buildThreadContext(headHash, store);
    const { steps, ...rest } = ctx;
    assert.deepEqual(rest, {
      threadId: "",
      depth: 0,
      bundleHash: "XMVHRW33N4PZ0",
      start: {
        role: "__start__",
        content: "Fix bug #3",
        meta: { maxRounds: 20 },
        timestamp: states[0].payload.timestamp,
        parentState: null,
      },
    });
    assert.deepEqual(
      steps.map(({ role, contentHash, meta, timestamp }) => ({
        role,
        contentHash,
        meta,
        timestamp,
      })),
      states.slice(0, -1).map(({ payload: { role, content, meta, timestamp } }) => {
        return { role, contentHash: content, meta, timestamp };
      }),
    );
    assert.ok(steps.every(({ refs, contentHash }) => refs.includes(contentHash)));
    const frames = await walkStateFramesNewestFirst(store, headHash);
    assert.deepEqual(
      frames.map(({ hash }) => hash),
      states.map(({ hash }) => hash).reverse(),
    );
    assert.equal((await cas.findReachableHashes([headHash], store)).size, nodes.length);
  },

  async a_summary_stops_the_context() {
    const store = newStore();
    const prompt = await cas.putContentMerkleNode(store, "task");
    const start = await cas.putStartNode(
      store,
      { name: "w", hash: prompt, maxRounds: 5, depth: 1 },
      prompt,
    );
    const state = async (role, parent, compact) => {
      const content = await cas.putContentMerkleNode(store, role);
      const ancestors = parent === null ? [] : [parent];
      return cas.putStateNode(store, {
        role,
        meta: {},
        start,
        content,
        ancestors,
        compact,
        timestamp: 7,
      });
    };
    const fork = await state(FORK_BRANCH_ROLE, null, null);
    const a = await state("a", fork, null);
    const b = await state("b", a, await cas.putContentMerkleNode(store, "what a did"));
    const c = await state("c", b, null);
    const roles = async (head) =>
      (await buildThreadContext(head, store)).steps.map(({ role }) => role);
    assert.deepEqual(await roles(c), ["b", "c"]);
    assert.equal((await buildThreadContext(c, store)).summary, "what a did");
    assert.equal("summary" in (await buildThreadContext(a, store)), false);
    assert.deepEqual(await roles(a), ["a"]);
    assert.deepEqual(await roles(start), []);
  },

  async links_are_written_last_and_only_when_there_are_any() {
    const state = {
      timestamp: 1,
      childThread: "0000000000002",
      compact: null,
      ancestors: ["0000000000004"],
      content: "0000000000006",
      start: "0000000000008",
      meta: {},
      role: "a",
    };
    assert.deepEqual(cas.collectRefs(state), [
      "0000000000008",
      "0000000000006",
      "0000000000004",
      "0000000000002",
    ]);
    const text = cas.serializeCasNode({ type: "state", payload: state, refs: [] });
    const keys = Object.keys(cas.parseCasThreadNode(text).node.payload);
    assert.deepEqual(keys, [
      "role",
      "meta",
      "start",
      "content",
      "ancestors",
      "compact",
      "timestamp",
      "childThread",
    ]);
    const plain = cas.serializeCasNode({
      type: "state",
      payload: { ...state, childThread: null },
      refs: [],
    });
    assert.ok(!plain.includes("childThread"));
  },

  async what_is_no_node_is_wrapped() {
    const store = newStore();
    assert.equal(cas.isCasNodeYaml("just text"), false);
    assert.equal(cas.isCasNodeYaml("type: x\npayload: {}\nrefs: []\n"), true);
    assert.equal(cas.isCasNodeYaml("type: step\npayload: {}\nchildren: []\n"), true);
    const hash = await store.put("just text");
    assert.equal(await store.get(hash), "type: content\npayload: just text\nrefs: []\n");
    assert.equal(await cas.putContentMerkleNode(store, "just text"), hash);
    assert.equal(await cas.getContentMerklePayload(store, hash), "just text");
    assert.deepEqual(await store.list(), [hash]);
    await store.delete(hash);
    assert.equal(await store.get(hash), null);
    assert.equal(await cas.getContentMerklePayload(store, hash), null);
  },

  async merkle_nodes_of_older_bundles_keep_working() {
    const store = newStore();
    const content = await cas.putContentMerkleNode(store, "text");
    const step = await cas.putStepMerkleNode(store, { role: "a", meta: { n: 1 } }, content);
    const root = await cas.putThreadMerkleNode(
      store,
      { workflow: "w", threadId: "T", result: { returnCode: 0 } },
      [step],
    );
    const node = cas.parseMerkleNode(await store.get(root));
    assert.deepEqual(node, {
      type: "thread",
      payload: { workflow: "w", threadId: "T", result: { returnCode: 0 } },
      refs: [step],
    });
    assert.deepEqual(node.children, [step]);
    const legacy = "type: content\npayload: old\nchildren: []\n";
    assert.deepEqual(cas.parseMerkleNode(legacy), { type: "content", payload: "old", refs: [] });
    assert.equal(
      cas.serializeMerkleNode({ type: "content", payload: "old", children: [content] }),
      cas.serializeMerkleNode({ ...cas.createContentMerkleNode("old"), refs: [content] }),
    );
    assert.throws(
      () => cas.parseMerkleNode("type: state\npayload: {}\nrefs: []\n"),
      /not a content/,
    );
    assert.equal(cas.parseCasThreadNode("type: step\npayload: {}\nrefs: []\n"), null);
    assert.equal(cas.parseCasThreadNode("[broken"), null);
  },

  async what_no_thread_needs_is_collected(thread, runtime) {
    const hash = await runtime.cas.put("left over");
    const root = process.env.UNCAGED_WORKFLOW_STORAGE_ROOT;
    const collected = await garbageCollectCas(root);
    assert.equal(collected.ok, true);
    const { scannedThreads, activeRefs, deletedEntries, deletedHashes } = collected.value;
    assert.deepEqual([scannedThreads, typeof activeRefs], [1, "number"]);
    // What a running thread has written is never taken.
    assert.deepEqual([deletedEntries, deletedHashes], [0, []]);
    assert.notEqual(await runtime.cas.get(hash), null);
    const broken = await garbageCollectCas("/proc/self/status");
    assert.deepEqual([broken.ok, typeof broken.error], [false, "string"]);
  },

  async reachability_passes_over_what_is_missing_and_ends_in_cycles() {
    const blobs = {
      A: "type: x\npayload: {}\nrefs:\n  - B\n  - MISSING\n",
      B: "type: x\npayload: {}\nrefs:\n  - A\n",
      C: "not a node: [",
    };
    const store = { get: async (hash) => blobs[hash] ?? null };
    assert.deepEqual([...(await cas.findReachableHashes(["A", "C"], store))].sort(), [
      "A",
      "B",
      "C",
    ]);
  },
};

export async function* run(thread, runtime) {
  await claims[thread.start.content](thread, runtime);
  return { returnCode: 0, summary: "held" };
}
