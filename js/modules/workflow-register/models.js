/**
 * Which model a scene uses.
 *
 * @module uncaged:workflow-register/models
 *
 * @typedef {{ maxDepth?: number, supervisorInterval?: number,
 *   providers: Record<string, { baseUrl: string, apiKey: string }>,
 *   models: Record<string, string> }} Config
 */
import { err, ok } from "uncaged:workflow-protocol.js";

const FALLBACK_SCENE = "default";
const FROM_ENVIRONMENT = "env:";

/**
 * Splits `provider/model`. The first slash counts: names of models have them too.
 *
 * @param {string} ref
 * @returns {{ ok: true, value: { provider: string, model: string } } | { ok: false, error: string }}
 */
export function splitProviderModelRef(ref) {
  const at = ref.indexOf("/");
  if (at <= 0 || at === ref.length - 1) {
    return err(`not of the form provider/model: ${JSON.stringify(ref)}`);
  }
  return ok({ provider: ref.slice(0, at), model: ref.slice(at + 1) });
}

/**
 * The provider and model of a scene, or of `default` where the scene has none.
 * A key written as `env:NAME` is read from the environment now.
 *
 * @param {Config} config
 * @param {string} scene
 * @returns {{ ok: true, value: { baseUrl: string, apiKey: string, model: string } } |
 *   { ok: false, error: string }}
 */
export function resolveModel(config, scene) {
  const models = config.models ?? {};
  const ref = own(models, scene) ?? own(models, FALLBACK_SCENE);
  if (ref === null) {
    return err(`the config names no model for ${JSON.stringify(scene)} and no default one`);
  }
  const split = splitProviderModelRef(ref);
  if (!split.ok) {
    return split;
  }
  const { provider: name, model } = split.value;
  const provider = own(config.providers ?? {}, name);
  if (provider === null) {
    return err(
      `the model ${JSON.stringify(ref)} names an unknown provider: ${JSON.stringify(name)}`,
    );
  }
  const apiKey = keyOf(provider.apiKey);
  return apiKey === null
    ? err(`the key of provider ${JSON.stringify(name)} is not set: ${provider.apiKey}`)
    : ok({ baseUrl: provider.baseUrl, apiKey, model });
}

/**
 * @param {string} written
 * @returns {string | null}
 */
function keyOf(written) {
  if (!written.startsWith(FROM_ENVIRONMENT)) {
    return written;
  }
  return process.env[written.slice(FROM_ENVIRONMENT.length)] || null;
}

/**
 * @template T
 * @param {Record<string, T>} record
 * @param {string} key
 * @returns {T | null}
 */
function own(record, key) {
  return Object.hasOwn(record, key) ? record[key] : null;
}
