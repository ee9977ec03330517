// Fills a bundle's `import.meta` when it is first asked for: url, main,
// filename, dirname and resolve as in Node; require, dir, path and file as in
// Bun, whose bundler turns the `require` of built-ins into `import.meta.require`.

import { core, primordials } from "ext:core/mod.js";
const { op_uncaged_bundle_place, op_uncaged_resolve } = core.ops;
const { ObjectAssign, ObjectDefineProperty, StringPrototypeLastIndexOf, StringPrototypeSlice } = primordials;

const lazyModule = core.createLazyLoader("node:module");

function fillImportMeta(meta) {
  const { 0: url, 1: filename } = op_uncaged_bundle_place();
  const slash = StringPrototypeLastIndexOf(filename, "/");
  const dirname = slash === 0 ? "/" : StringPrototypeSlice(filename, 0, slash);
  ObjectAssign(meta, {
    url,
    main: true,
    filename,
    dirname,
    resolve(specifier) {
      return op_uncaged_resolve(`${specifier}`);
    },
    path: filename,
    dir: dirname,
    file: StringPrototypeSlice(filename, slash + 1),
  });
  let require;
  ObjectDefineProperty(meta, "require", {
    __proto__: null,
    get: () => require ??= lazyModule().createRequire(url),
    enumerable: true,
    configurable: true,
  });
}

export { fillImportMeta };
