/**
 * Descriptors: what a workflow says about itself without being run.
 *
 * @module uncaged:workflow-register/descriptor
 *
 * @typedef {{ description: string, schema: object, systemPrompt?: string }} RoleDescriptor
 * @typedef {{ from: string, to: string, condition: string,
 *   conditionDescription: string | null }} Edge
 * @typedef {{ description: string, roles: Record<string, RoleDescriptor>,
 *   graph?: { edges: Edge[] } }} Descriptor
 */
import { yamlStringify } from "uncaged:host.js";
import { err, ok } from "uncaged:workflow-protocol.js";
import { toJsonSchema } from "uncaged:json-schema.js";

/**
 * The descriptor of a workflow's definition. Where it routes by a table, or
 * brings a graph of its own, the edges are in the descriptor.
 *
 * @param {{ description: string, roles: Record<string, any>, table?: object,
 *   graph?: { edges: Edge[] } }} def
 * @returns {Descriptor}
 */
export function buildDescriptor(def) {
  const roles = Object.entries(def.roles).map(([name, role]) => [name, describeRole(role)]);
  const descriptor = { description: def.description, roles: Object.fromEntries(roles) };
  const edges = def.graph?.edges ?? (def.table ? edgesOf(def.table) : null);
  return edges === null ? descriptor : { ...descriptor, graph: { edges } };
}

/**
 * @param {{ description: string, schema: object, systemPrompt?: string }} role
 * @returns {RoleDescriptor}
 */
function describeRole({ description, schema, systemPrompt }) {
  const described = { description, schema: toJsonSchema(schema) };
  return typeof systemPrompt === "string" ? { ...described, systemPrompt } : described;
}

/**
 * @param {import("@uncaged/workflow-protocol").TransitionTable} table
 * @returns {Edge[]}
 */
function edgesOf(table) {
  return Object.entries(table).flatMap(([from, row]) =>
    row.map(({ condition, role: to }) =>
      condition === "FALLBACK"
        ? { from, to, condition, conditionDescription: null }
        : {
            from,
            to,
            condition: condition.name,
            conditionDescription: condition.description ?? null,
          },
    ),
  );
}

/**
 * Whether a value is a descriptor; keys that are not known here are kept.
 *
 * @param {unknown} value
 * @returns {{ ok: true, value: Descriptor } | { ok: false, error: string }}
 */
export function validateWorkflowDescriptor(value) {
  const problem = problemOf(value);
  return problem === null ? ok(value) : err(problem);
}

/**
 * @param {any} value
 * @returns {string | null}
 */
function problemOf(value) {
  if (!isRecord(value)) {
    return "descriptor must be an object";
  }
  if (typeof value.description !== "string") {
    return "descriptor.description must be a string";
  }
  if (!isRecord(value.roles)) {
    return "descriptor.roles must be an object";
  }
  for (const [name, role] of Object.entries(value.roles)) {
    const at = `descriptor.roles.${name}`;
    if (!isRecord(role)) {
      return `${at} must be an object`;
    }
    if (typeof role.description !== "string") {
      return `${at}.description must be a string`;
    }
    if (!isRecord(role.schema)) {
      return `${at}.schema must be an object`;
    }
  }
  return null;
}

/** @param {unknown} value */
function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/**
 * The text of a descriptor's file.
 *
 * @param {Descriptor} descriptor
 * @returns {string}
 */
export function stringifyWorkflowDescriptor(descriptor) {
  return yamlStringify(descriptor, true);
}
