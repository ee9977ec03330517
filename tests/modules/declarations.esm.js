// A claim about the declarations for authors; the variable TYPES names their
// folder.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as workflow from "@uncaged/workflow";
import * as agentCursor from "@uncaged/workflow-agent-cursor";
import * as agentHermes from "@uncaged/workflow-agent-hermes";
import * as agentLlm from "@uncaged/workflow-agent-llm";
import * as agentReact from "@uncaged/workflow-agent-react";
import * as cas from "@uncaged/workflow-cas";
import * as execute from "@uncaged/workflow-execute";
import * as protocol from "@uncaged/workflow-protocol";
import * as reactor from "@uncaged/workflow-reactor";
import * as register from "@uncaged/workflow-register";
import * as runtime from "@uncaged/workflow-runtime";
import * as templateDevelop from "@uncaged/workflow-template-develop";
import * as templateSolveIssue from "@uncaged/workflow-template-solve-issue";
import * as util from "@uncaged/workflow-util";
import * as utilAgent from "@uncaged/workflow-util-agent";

export const descriptor = { description: "a claim about declarations", roles: {} };

const modules = {
  workflow: workflow,
  "workflow-agent-cursor": agentCursor,
  "workflow-agent-hermes": agentHermes,
  "workflow-agent-llm": agentLlm,
  "workflow-agent-react": agentReact,
  "workflow-cas": cas,
  "workflow-execute": execute,
  "workflow-protocol": protocol,
  "workflow-reactor": reactor,
  "workflow-register": register,
  "workflow-runtime": runtime,
  "workflow-template-develop": templateDevelop,
  "workflow-template-solve-issue": templateSolveIssue,
  "workflow-util": util,
  "workflow-util-agent": utilAgent,
};

const text = (name) => readFileSync(join(process.env.TYPES, `${name}.d.ts`), "utf8");

/** The values that a declaration file says a module exports. */
function declared(name) {
  const source = text(name);
  const own = [...source.matchAll(/^export declare (?:const|function) (\w+)/gm)].map(
    ([, found]) => found,
  );
  const passedOn = [...source.matchAll(/^export \{ ([\w, ]+) \} from/gm)].flatMap(([, list]) =>
    list.split(", "),
  );
  const all = [...source.matchAll(/^export \* from "@uncaged\/([\w-]+)"/gm)].flatMap(([, from]) =>
    declared(from),
  );
  return [...new Set([...own, ...passedOn, ...all])].sort();
}

const claims = {
  every_export_is_declared_and_nothing_else() {
    const files = readdirSync(process.env.TYPES).map((file) => file.replace(".d.ts", ""));
    assert.deepEqual(files.sort(), Object.keys(modules).sort());
    for (const [name, exports] of Object.entries(modules)) {
      assert.deepEqual(declared(name), Object.keys(exports).sort(), name);
    }
  },
};

export async function* run(thread) {
  await claims[thread.start.content](thread);
  return { returnCode: 0, summary: "held" };
}
