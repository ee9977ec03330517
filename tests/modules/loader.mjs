// Lets Node import the host modules that need no host, as the host serves them.
let base;

export function initialize({ modules }) {
  base = modules;
}

export function resolve(specifier, context, next) {
  const path = /^(?:@uncaged\/|uncaged:)(.+?)(?:\.js)?$/.exec(specifier)?.[1];
  return path === undefined
    ? next(specifier, context)
    : { url: `${base}${path}.js`, format: "module", shortCircuit: true };
}

export function load(url, context, next) {
  return next(url, url.startsWith(base) ? { ...context, format: "module" } : context);
}
