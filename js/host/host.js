// `uncaged:host.js`: what host modules (js/modules) get from Rust. Only they can
// import it. Not an `ext:` module, so that they can; hence no imports here.

const { primordials } = globalThis.__bootstrap;
const { JSONParse } = primordials;

// This module is evaluated when the snapshot is made; our ops are there only
// when an isolate starts from it, and js/bootstrap.js then brings them. They are
// kept where nothing but the functions here can reach them: a bundle that got
// hold of them could do what it is not allowed to.
let encode;
let given;
const ops = () => given;

/** Called once in each isolate, before any code of a bundle. */
export function connect(encodeOrThrow, ownOps) {
  encode = encodeOrThrow;
  given = ownOps;
}

const LEVELS = { __proto__: null, debug: 0, info: 1, warn: 2, error: 3 };

export function hash(input) {
  return typeof input === "string" ? ops().op_uncaged_hash_text(input) : ops().op_uncaged_hash_bytes(input);
}

export function yamlStringify(value, quoted = false) {
  return ops().op_uncaged_yaml_stringify(encode(value, "value"), quoted);
}

export function yamlParse(text) {
  return JSONParse(ops().op_uncaged_yaml_parse(text));
}

export function normalizeBlob(text) {
  return ops().op_uncaged_normalize_blob(text);
}

export async function casPut(dir, text) {
  return await ops().op_uncaged_cas_put(dir, text);
}

export async function casGet(dir, hash) {
  return await ops().op_uncaged_cas_get(dir, hash);
}

export async function casDelete(dir, hash) {
  return await ops().op_uncaged_cas_delete(dir, hash);
}

export async function casList(dir) {
  return await ops().op_uncaged_cas_list(dir);
}

export function storageRoot() {
  return ops().op_uncaged_storage_root();
}

export function readRegistry(root) {
  return JSONParse(ops().op_uncaged_read_registry(root));
}

export function checkBundle(filePath, source) {
  return ops().op_uncaged_check_bundle(filePath, source);
}

export async function describeBundle(path) {
  return JSONParse(await ops().op_uncaged_describe_bundle(path));
}

export async function collectGarbage(root) {
  return JSONParse(ops().op_uncaged_collect_garbage(root));
}

// `role` is the one that asks, where the caller knows; else the one that the
// workflow last entered.
const roleOr = (role) => (typeof role === "string" && role !== "" ? role : null);

export async function chat(provider, body, role = null) {
  const to = encode(provider, "provider");
  return await ops().op_uncaged_chat(to, encode(body, "body"), false, roleOr(role));
}

export async function extractChat(body, role = null, provider = null) {
  const to = provider === null ? null : encode(provider, "provider");
  return await ops().op_uncaged_chat(to, encode(body, "body"), true, roleOr(role));
}

let currentRole = null;

export function enterRole(role) {
  currentRole = String(role);
  ops().op_uncaged_enter_role(currentRole);
}

export function enteredRole() {
  return currentRole;
}

export function reactNew(config) {
  return ops().op_uncaged_react_new(encode(config, "config"));
}

export function reactStep(id, input) {
  return JSONParse(ops().op_uncaged_react_step(id, encode(input, "input")));
}

export async function runWorkflow(request) {
  return JSONParse(await ops().op_uncaged_run_workflow(encode(request, "request")));
}

export function log(level, text, tag = null) {
  ops().op_uncaged_log(LEVELS[level] ?? 1, text, tag);
}

export function threadId() {
  return ops().op_uncaged_thread_id();
}

export function bundleHash() {
  return ops().op_uncaged_bundle_hash();
}
