// Claims about definitions: descriptors, schemas, templates, the registry. The
// prompt names the one to hold.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as execute from "@uncaged/workflow-execute";
import * as register from "@uncaged/workflow-register";
import * as develop from "@uncaged/workflow-template-develop";
import * as solveIssue from "@uncaged/workflow-template-solve-issue";
import { getDefaultWorkflowStorageRoot } from "@uncaged/workflow-util";

export const descriptor = register.buildDescriptor({
  description: "claims about definitions",
  roles: develop.developRoles,
});

const step = (role, meta = {}) => ({ role, meta });
const plan = step("planner", {
  phases: [
    { hash: "A", title: "a" },
    { hash: "B", title: "b" },
  ],
});
const coder = (completedPhase) => step("coder", { completedPhase });
const after = (moderator, ...steps) => moderator({ steps, start: { meta: { maxRounds: 20 } } });

const claims = {
  develop_goes_from_plan_to_commit() {
    const next = (...steps) => after(develop.developModerator, ...steps);
    const rejected = step("reviewer", { status: "rejected", issues: ["x"] });
    const approved = step("reviewer", { status: "approved" });
    assert.deepEqual(
      [
        next(),
        next(plan),
        next(plan, coder("A")),
        next(plan, coder("A"), coder("B")),
        next(plan, coder("B")),
        next(plan, coder("B"), rejected),
        next(plan, coder("B"), rejected, coder("B")),
        next(plan, coder("B"), approved),
        next(plan, coder("B"), approved, step("tester", { status: "failed" })),
        next(plan, coder("B"), approved, step("tester", { status: "passed" })),
        next(plan, coder("B"), approved, step("committer", { status: "recoverable" })),
      ],
      [
        "planner",
        "coder",
        "coder",
        "reviewer",
        "reviewer",
        "coder",
        "reviewer",
        "tester",
        "coder",
        "committer",
        "__end__",
      ],
    );
  },

  develop_ends_one_round_before_the_limit() {
    const at = (steps, maxRounds) =>
      develop.developModerator({ steps, start: { meta: { maxRounds } } });
    assert.deepEqual([at([], 1), at([plan], 2), at([plan], 3)], ["__end__", "__end__", "coder"]);
  },

  solve_issue_takes_each_role_once() {
    const next = (...roles) =>
      after(solveIssue.solveIssueModerator, ...roles.map((role) => step(role)));
    assert.deepEqual(
      [next(), next("preparer"), next("preparer", "developer"), next("submitter"), next("other")],
      ["preparer", "developer", "submitter", "__end__", "preparer"],
    );
  },

  descriptors_of_the_templates_are_valid() {
    for (const built of [
      develop.buildDevelopDescriptor(),
      solveIssue.buildSolveIssueDescriptor(),
    ]) {
      assert.deepEqual(register.validateWorkflowDescriptor(built), { ok: true, value: built });
      for (const { description, systemPrompt, schema } of Object.values(built.roles)) {
        assert.ok(description.length > 20 && systemPrompt.length > 200);
        assert.equal(schema.$schema, undefined);
      }
    }
    assert.deepEqual(Object.keys(develop.buildDevelopDescriptor().roles), [
      "planner",
      "coder",
      "reviewer",
      "tester",
      "committer",
    ]);
    assert.deepEqual(develop.buildDevelopDescriptor().roles.reviewer.schema, {
      oneOf: [
        {
          type: "object",
          properties: { status: { type: "string", const: "approved" } },
          required: ["status"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            status: { type: "string", const: "rejected" },
            issues: {
              minItems: 1,
              type: "array",
              items: { type: "string" },
              description: "What must be put right, one matter an entry.",
            },
          },
          required: ["status", "issues"],
          additionalProperties: false,
        },
      ],
    });
  },

  edges_come_from_a_table_or_a_graph() {
    const schema = { type: "object" };
    const roles = { a: { description: "A", schema } };
    const check = () => true;
    assert.deepEqual(
      register.buildDescriptor({
        description: "d",
        roles,
        table: {
          __start__: [{ condition: "FALLBACK", role: "a" }],
          a: [{ condition: { name: "done", description: "it is done", check }, role: "__end__" }],
        },
      }),
      {
        description: "d",
        roles,
        graph: {
          edges: [
            { from: "__start__", to: "a", condition: "FALLBACK", conditionDescription: null },
            { from: "a", to: "__end__", condition: "done", conditionDescription: "it is done" },
          ],
        },
      },
    );
    const graph = {
      edges: [{ from: "x", to: "y", condition: "FALLBACK", conditionDescription: null }],
    };
    assert.deepEqual(register.buildDescriptor({ description: "d", roles, graph }).graph, graph);
  },

  a_descriptor_is_refused_for_the_first_thing_wrong() {
    const problem = (value) => register.validateWorkflowDescriptor(value).error;
    assert.deepEqual(
      [
        problem(null),
        problem([]),
        problem({ roles: {} }),
        problem({ description: "d", roles: [] }),
        problem({ description: "d", roles: { a: 1 } }),
        problem({ description: "d", roles: { a: { schema: {} } } }),
        problem({ description: "d", roles: { a: { description: "A", schema: [] } } }),
      ],
      [
        "descriptor must be an object",
        "descriptor must be an object",
        "descriptor.description must be a string",
        "descriptor.roles must be an object",
        "descriptor.roles.a must be an object",
        "descriptor.roles.a.description must be a string",
        "descriptor.roles.a.schema must be an object",
      ],
    );
    assert.equal(
      register.stringifyWorkflowDescriptor({ description: "d", roles: {} }),
      '"description": "d"\n"roles": {}\n',
    );
  },

  our_schemas_parse_as_zods_do() {
    const { plannerMetaSchema, committerMetaSchema } = develop;
    const phase = { hash: "0123456789ABC", title: "first", more: 1 };
    assert.deepEqual(plannerMetaSchema.parse({ phases: [phase], note: "dropped" }), {
      phases: [{ hash: "0123456789ABC", title: "first" }],
    });
    const refused = plannerMetaSchema.safeParse({ phases: [{ hash: "x" }] });
    assert.equal(refused.success, false);
    assert.deepEqual(
      refused.error.issues.map(({ code, path }) => [code, path]),
      [
        ["invalid_format", ["phases", 0, "hash"]],
        ["invalid_type", ["phases", 0, "title"]],
      ],
    );
    assert.throws(() => plannerMetaSchema.parse(null), /expected object, received null/);
    const valid = { status: "recoverable", error: "locked", logRef: null };
    assert.deepEqual(committerMetaSchema["~standard"].validate(valid), { value: valid });
    assert.equal(committerMetaSchema.safeParse({ status: "committed" }).success, false);
  },

  our_schemas_can_be_made_into_others() {
    const { coderMetaSchema } = develop;
    const { summary } = coderMetaSchema.shape;
    const extended = coderMetaSchema.extend({
      note: summary.optional(),
      score: summary.nullable(),
    });
    const given = { completedPhase: "A", filesChanged: [], summary: "s", score: null };
    assert.deepEqual(extended.parse(given), given);
    assert.equal(coderMetaSchema.safeParse(given).success, true);
    assert.deepEqual(extended.pick({ note: true }).meta({ title: "Note" }).toJSONSchema(), {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { note: { type: "string", description: "What was done, in a few sentences." } },
      additionalProperties: false,
      title: "Note",
    });
    assert.equal(summary.description, "What was done, in a few sentences.");
    assert.deepEqual(summary.describe("other").meta(), { description: "other" });
    assert.equal(extended.omit({ note: true }).partial().safeParse({}).success, true);
  },

  a_schema_becomes_a_function_with_an_object_for_arguments() {
    const tool = execute.extractFunctionToolFromZodSchema;
    const { coderMetaSchema, reviewerMetaSchema, plannerMetaSchema } = develop;
    assert.deepEqual(tool(coderMetaSchema.meta({ title: "Coder's report!", description: "D" })), {
      name: "Coder_s_report_",
      description: "D",
      parameters: (({ $schema, ...rest }) => rest)(coderMetaSchema.toJSONSchema()),
    });
    const choice = tool(reviewerMetaSchema);
    assert.equal(choice.name, "extract");
    assert.equal(choice.parameters.type, "object");
    assert.equal(choice.parameters.oneOf.length, 2);
    assert.ok(!JSON.stringify(tool(plannerMetaSchema)).includes("casRef"));
    assert.deepEqual(tool({ type: "array", items: { type: "string" } }).parameters, {
      type: "object",
      properties: { value: { type: "array", items: { type: "string" } } },
      required: ["value"],
    });
    assert.throws(() => tool(5), /not a schema/);
  },

  a_scene_finds_its_model() {
    process.env.CLAIM_KEY = "secret";
    const config = {
      providers: {
        a: { baseUrl: "http://a", apiKey: "plain" },
        b: { baseUrl: "http://b", apiKey: "env:CLAIM_KEY" },
        c: { baseUrl: "http://c", apiKey: "env:CLAIM_UNSET" },
      },
      models: {
        default: "a/m",
        extract: "b/org/model:1",
        lost: "c/x",
        odd: "none/x",
        bad: "noslash",
      },
    };
    const resolved = (scene) => register.resolveModel(config, scene);
    assert.deepEqual(resolved("extract"), {
      ok: true,
      value: { baseUrl: "http://b", apiKey: "secret", model: "org/model:1" },
    });
    assert.deepEqual(resolved("supervisor").value, {
      baseUrl: "http://a",
      apiKey: "plain",
      model: "m",
    });
    assert.equal(resolved("lost").error, 'the key of provider "c" is not set: env:CLAIM_UNSET');
    assert.equal(resolved("odd").error, 'the model "none/x" names an unknown provider: "none"');
    assert.equal(resolved("bad").error, 'not of the form provider/model: "noslash"');
    assert.equal(register.resolveModel({ models: {}, providers: {} }, "x").ok, false);
    assert.deepEqual(register.splitProviderModelRef("a/b/c").value, {
      provider: "a",
      model: "b/c",
    });
  },

  async the_registry_lists_what_is_registered() {
    const root = getDefaultWorkflowStorageRoot();
    const read = await register.readWorkflowRegistry(root);
    assert.deepEqual(register.listRegisteredWorkflowNames(read.value), ["definitions"]);
    const entry = register.getRegisteredWorkflow(read.value, "definitions");
    assert.match(entry.hash, /^[0-9A-HJKMNP-TV-Z]{13}$/);
    assert.equal(register.getRegisteredWorkflow(read.value, "toString"), null);
  },

  async a_registry_that_cannot_be_read_is_an_error() {
    const root = join(process.cwd(), "broken");
    process.getBuiltinModule("node:fs").mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "workflow.yaml"), "workflows: [");
    const read = await register.readWorkflowRegistry(root);
    assert.equal(read.ok, false);
    assert.ok(read.error instanceof Error);
  },

  async another_bundle_is_evaluated_for_its_descriptor() {
    const described = async (body) => {
      const path = join(process.cwd(), "other.esm.js");
      writeFileSync(path, `${body}\nexport async function* run() {}\n`);
      return register.extractBundleExports(path, { storageRoot: "/elsewhere" });
    };
    assert.deepEqual(
      await described('const roles = {};\nexport const descriptor = { description: "d", roles };'),
      { ok: true, value: { descriptor: { description: "d", roles: {} } } },
    );
    const thrown = await described('throw new Error("not today");\nexport const descriptor = {};');
    assert.equal(thrown.ok, false);
    assert.match(thrown.error, /not today/);
    const missing = await register.extractBundleExports("/no/such.esm.js", { storageRoot: "/x" });
    assert.deepEqual([missing.ok, typeof missing.error], [false, "string"]);
  },

  a_bundle_is_checked_without_being_run() {
    const good =
      'export const descriptor = { description: "d", roles: {} }; export async function* run() {}';
    const check = (source) => register.validateWorkflowBundle({ filePath: "x.esm.js", source });
    assert.deepEqual(check(good), { ok: true, value: undefined });
    assert.match(check(`${good}; import("x")`).error, /x\.esm\.js/);
  },
};

export async function* run(thread) {
  await claims[thread.start.content](thread);
  return { returnCode: 0, summary: "held" };
}
