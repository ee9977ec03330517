// `uncaged:host`: what host modules (js/modules) get from Rust. Only they can
// import it. Not an `ext:` module, so that they can; hence no imports here.

const { core, internals, primordials } = globalThis.__bootstrap;
const {
  op_uncaged_bundle_hash,
  op_uncaged_cas_delete,
  op_uncaged_cas_get,
  op_uncaged_cas_list,
  op_uncaged_cas_put,
  op_uncaged_chat,
  op_uncaged_check_bundle,
  op_uncaged_collect_garbage,
  op_uncaged_describe_bundle,
  op_uncaged_enter_role,
  op_uncaged_hash_bytes,
  op_uncaged_hash_text,
  op_uncaged_log,
  op_uncaged_normalize_blob,
  op_uncaged_react_new,
  op_uncaged_react_step,
  op_uncaged_read_registry,
  op_uncaged_run_workflow,
  op_uncaged_storage_root,
  op_uncaged_thread_id,
  op_uncaged_yaml_parse,
  op_uncaged_yaml_stringify,
} = core.ops;
const { JSONParse } = primordials;

// Filled in by values.js, which as an `ext:` module cannot be imported here.
const encode = (value, path) => internals.uncagedEncode(value, path);

const LEVELS = { __proto__: null, debug: 0, info: 1, warn: 2, error: 3 };

export function hash(input) {
  return typeof input === "string" ? op_uncaged_hash_text(input) : op_uncaged_hash_bytes(input);
}

export function yamlStringify(value, quoted = false) {
  return op_uncaged_yaml_stringify(encode(value, "value"), quoted);
}

export function yamlParse(text) {
  return JSONParse(op_uncaged_yaml_parse(text));
}

export function normalizeBlob(text) {
  return op_uncaged_normalize_blob(text);
}

export async function casPut(dir, text) {
  return await op_uncaged_cas_put(dir, text);
}

export async function casGet(dir, hash) {
  return await op_uncaged_cas_get(dir, hash);
}

export async function casDelete(dir, hash) {
  return await op_uncaged_cas_delete(dir, hash);
}

export async function casList(dir) {
  return await op_uncaged_cas_list(dir);
}

export function storageRoot() {
  return op_uncaged_storage_root();
}

export function readRegistry(root) {
  return JSONParse(op_uncaged_read_registry(root));
}

export function checkBundle(filePath, source) {
  return op_uncaged_check_bundle(filePath, source);
}

export async function describeBundle(path) {
  return JSONParse(await op_uncaged_describe_bundle(path));
}

export async function collectGarbage(root) {
  return JSONParse(op_uncaged_collect_garbage(root));
}

// `role` is the one that asks, where the caller knows; else the one that the
// workflow last entered.
const roleOr = (role) => (typeof role === "string" && role !== "" ? role : null);

export async function chat(provider, body, role = null) {
  const to = encode(provider, "provider");
  return await op_uncaged_chat(to, encode(body, "body"), false, roleOr(role));
}

export async function extractChat(body, role = null, provider = null) {
  const to = provider === null ? null : encode(provider, "provider");
  return await op_uncaged_chat(to, encode(body, "body"), true, roleOr(role));
}

let currentRole = null;

export function enterRole(role) {
  currentRole = String(role);
  op_uncaged_enter_role(currentRole);
}

export function enteredRole() {
  return currentRole;
}

export function reactNew(config) {
  return op_uncaged_react_new(encode(config, "config"));
}

export function reactStep(id, input) {
  return JSONParse(op_uncaged_react_step(id, encode(input, "input")));
}

export async function runWorkflow(request) {
  return JSONParse(await op_uncaged_run_workflow(encode(request, "request")));
}

export function log(level, text, tag = null) {
  op_uncaged_log(LEVELS[level] ?? 1, text, tag);
}

export function threadId() {
  return op_uncaged_thread_id();
}

export function bundleHash() {
  return op_uncaged_bundle_hash();
}
