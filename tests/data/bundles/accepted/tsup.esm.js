#!/usr/bin/env node

// src/index.ts
import { createWorkflow, END } from "@uncaged/workflow-runtime";
import { buildDescriptor } from "@uncaged/workflow-register";
import { createLlmAdapter } from "@uncaged/workflow-agent-llm";
var definition = {
  description: "tsup",
  roles: {
    writer: { description: "writes", systemPrompt: "Write.", extractPrompt: "Extract.", schema: null, extractRefs: null }
  },
  moderator: (ctx) => ctx.steps.length === 0 ? "writer" : END
};
var run = createWorkflow(definition, { agent: createLlmAdapter({}), overrides: null });
var descriptor = buildDescriptor(definition);
export { definition, descriptor, run };
