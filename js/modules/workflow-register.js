/**
 * Bundles and the registry: checking a bundle, its descriptor, the names of
 * workflows, and which model a scene uses.
 *
 * @module @uncaged/workflow-register
 *
 * @typedef {{ hash: string, timestamp: number,
 *   history: { hash: string, timestamp: number }[] }} RegistryEntry
 * @typedef {{ config: Config | null, workflows: Record<string, RegistryEntry> }} Registry
 * @typedef {import("uncaged:workflow-register/models.js").Config} Config
 */
import { checkBundle, describeBundle, readRegistry } from "uncaged:host.js";
import { err, ok } from "uncaged:workflow-protocol.js";

export {
  buildDescriptor,
  stringifyWorkflowDescriptor,
  validateWorkflowDescriptor,
} from "uncaged:workflow-register/descriptor.js";
export { resolveModel, splitProviderModelRef } from "uncaged:workflow-register/models.js";

/**
 * Holds a bundle's source against the rules, without running it.
 *
 * @param {{ filePath: string, source: string }} bundle
 * @returns {{ ok: true, value: undefined } | { ok: false, error: string }}
 */
export function validateWorkflowBundle({ filePath, source }) {
  const problem = checkBundle(filePath, source);
  return problem === null ? ok(undefined) : err(problem);
}

/**
 * Evaluates a bundle, without permissions and apart from this thread, for what
 * it exports.
 *
 * @param {string} path
 * @param {{ storageRoot?: string }} [_options] taken for the sake of older
 *   callers: a bundle may lie anywhere
 * @returns {Promise<{ ok: true, value: { descriptor: object } } | { ok: false, error: string }>}
 */
export async function extractBundleExports(path, _options) {
  let descriptor;
  try {
    descriptor = await describeBundle(path);
  } catch (error) {
    return err(error.message);
  }
  return ok({ descriptor });
}

/**
 * Reads `workflow.yaml`; where there is none, nothing is registered.
 *
 * @param {string} root
 * @returns {Promise<{ ok: true, value: Registry } | { ok: false, error: Error }>}
 */
export async function readWorkflowRegistry(root) {
  try {
    return ok(readRegistry(root));
  } catch (error) {
    return err(error);
  }
}

/**
 * @param {Registry} registry
 * @param {string} name
 * @returns {RegistryEntry | null}
 */
export function getRegisteredWorkflow(registry, name) {
  return Object.hasOwn(registry.workflows, name) ? registry.workflows[name] : null;
}

/**
 * @param {Registry} registry
 * @returns {string[]} in alphabetical order
 */
export function listRegisteredWorkflowNames(registry) {
  return Object.keys(registry.workflows).sort();
}
