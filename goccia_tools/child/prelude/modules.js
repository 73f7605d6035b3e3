// Modules as the runner sees them: import and await of scripts, modules made by the host, import.meta, their errors.
// Only intrinsics taken here, before any guest code, are used.

const { toText } = primordials;
const uncurry = Function.prototype.call.bind.bind(Function.prototype.call);
const { Error, TypeError, SyntaxError, RangeError, ReferenceError, Promise, Proxy, Uint8Array, Symbol } = globalThis;
const { create, defineProperty, freeze, getOwnPropertyNames, keys, setPrototypeOf } = Object;
const { parse, stringify } = JSON;
const isArray = Array.isArray;
const apply = Reflect.apply;
const promiseResolve = Promise.resolve;
const weakSet = uncurry(WeakMap.prototype.set);
const weakGet = uncurry(WeakMap.prototype.get);
const weakHas = uncurry(WeakMap.prototype.has);
const makeImmutable = ArrayBuffer.prototype.transferToImmutable && uncurry(ArrayBuffer.prototype.transferToImmutable);
const errorKinds = { __proto__: null, Error, TypeError, SyntaxError, RangeError, ReferenceError };

internals.builtinModules = { __proto__: null };
internals.sourceHelpers = { __proto__: null };

// Errors of the host carry the report that the reference would print for them: error -> frozen record.
const reports = new WeakMap();
internals.errorReports = reports;
// A limit that a program may catch, but that ends it as a resource-limit when it does not.
internals.limitMessage = (error) => {
  const report = typeof error === "object" && error !== null ? weakGet(reports, error) : undefined;
  return report !== undefined && report.kind === "resource-limit" ? report.message : undefined;
};
internals.makeError = (name, message, reportJson) => {
  const Kind = errorKinds[name] || Error;
  const error = new Kind(message);
  if (reportJson) weakSet(reports, error, freeze(setPrototypeOf(parse(reportJson), null)));
  return error;
};

// Assignment to an index would run a setter that a guest put on Array.prototype.
const append = (list, value) => defineProperty(list, list.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

// -- modules made by the host: a list of values per module, taken by its generated source

const assets = { __proto__: null };
let assetCount = 0;
const addAsset = (values) => {
  assets[assetCount] = values;
  return assetCount++;
};

// Each answers `[asset number, [export names]]` as JSON; the values lie in the same order as the names.
const described = (names, values) => {
  // stringifying an array runs setters that a program put on Array.prototype: only texts go through it
  let text = "";
  for (let i = 0; i < names.length; i++) text += (i ? "," : "") + stringify(names[i]);
  return "[" + addAsset(values) + ",[" + text + "]]";
};

internals.addJsonAsset = (text) => {
  const value = parse(text);
  const names = [];
  const values = [];
  let hasDefault = false;
  if (typeof value === "object" && value !== null) {
    const own = getOwnPropertyNames(value);
    for (let i = 0; i < own.length; i++) {
      hasDefault = hasDefault || own[i] === "default";
      append(names, own[i]);
      append(values, value[own[i]]);
    }
  }
  if (!hasDefault) {
    append(names, "default");
    append(values, value);
  }
  return described(names, values);
};

internals.addTextAsset = (text, metadataJson) =>
  metadataJson
    ? described(["content", "default", "metadata"], [text, text, freeze(parse(metadataJson))])
    : described(["default"], [text]);

internals.addBytesAsset = (buffer) => described(["default"], [new Uint8Array(makeImmutable ? makeImmutable(buffer) : buffer)]);

internals.addBuiltinAsset = (name) => {
  let exported = internals.builtinModules[name];
  if (typeof exported === "function") exported = exported();
  if (exported === undefined) return "";
  const names = keys(exported);
  const values = [];
  for (let i = 0; i < names.length; i++) append(values, exported[names[i]]);
  return described(names, values);
};

internals.sourceHelpers["ǃg_asset"] = (index) => assets[index];

// -- import.meta

internals.setUpMeta = (meta, path) => {
  meta.url = "file://" + path;
  meta.resolve = {
    resolve: (specifier) => {
      if (specifier === undefined) throw new TypeError("import.meta.resolve needs a specifier");
      return host.resolveSpecifier(path, toText(specifier));
    },
  }.resolve;
};

// -- scripts

// One object per module, however often its source is imported.
const sources = { __proto__: null };
const ModuleSource = create(Object.prototype, { [Symbol.toStringTag]: { value: "ModuleSource" } });
const sourceOf = (name) => {
  if (sources[name] === undefined) sources[name] = freeze(create(ModuleSource));
  return sources[name];
};

// A namespace whose module runs when it is first looked into.
const deferred = { __proto__: null };
const { get, has, ownKeys, getOwnPropertyDescriptor } = Reflect;
const deferredNamespace = (name) => {
  if (deferred[name] !== undefined) return deferred[name];
  let namespace;
  const load = () => {
    if (namespace === undefined) namespace = host.evaluateModule(name);
    return namespace;
  };
  const tag = Symbol.toStringTag;
  const target = create(null, { [tag]: { value: "Deferred Module" } });
  const refuse = () => false;
  deferred[name] = new Proxy(target, {
    __proto__: null,
    // being resolved as the value of a promise ("then") must not run the module either
    get: (_, key) => (typeof key === "symbol" || key === "then" ? target[key] : get(load(), key)),
    has: (_, key) => (typeof key === "symbol" || key === "then" ? has(target, key) : has(load(), key)),
    ownKeys: () => ownKeys(load()),
    getOwnPropertyDescriptor: (_, key) => {
      if (typeof key === "symbol") return getOwnPropertyDescriptor(target, key);
      const found = getOwnPropertyDescriptor(load(), key);
      // what the proxy's empty target does not have can only be shown as configurable
      return found && { __proto__: null, value: found.value, writable: true, enumerable: true, configurable: true };
    },
    set: refuse,
    defineProperty: refuse,
    deleteProperty: (_, key) => typeof key !== "symbol" && !has(load(), key),
    setPrototypeOf: (_, prototype) => prototype === null,
    preventExtensions: refuse,
  });
  return deferred[name];
};

// `line` and `column` are where the declaration stands; `referrer` the URL of the importing module, which a script lacks.
internals.sourceHelpers["ǃg_import"] = (specifier, attributesJson, names, phase, line, column, referrer) => {
  const given = [specifier, phase, referrer];
  if (attributesJson !== undefined) {
    const attributes = setPrototypeOf(parse(attributesJson), null);
    const own = keys(attributes);
    for (let i = 0; i < own.length; i++) {
      append(given, own[i]);
      append(given, attributes[own[i]]);
    }
  }
  const found = apply(host.importModule, undefined, given);
  if (phase === "source") return sourceOf(found);
  if (phase === "defer") return deferredNamespace(found);
  for (let i = 0; names && i < names.length; i++) {
    if (!(names[i] in found)) host.missingExport(specifier, names[i], line, column);
  }
  return found;
};

// Jobs run until the promise settles; one that has settled before takes one job's turn.
internals.sourceHelpers["ǃg_await"] = (value) => {
  const promise = apply(promiseResolve, Promise, [value]);
  let state = host.promiseState(promise);
  if (state !== 0) {
    host.runJob();
  } else {
    while (state === 0) {
      if (!host.runJob()) throw new TypeError("await: Promise did not settle after microtask drain");
      state = host.promiseState(promise);
    }
  }
  return host.promiseResult(promise);
};

// -- completion values: of a module body, and of a script that returns at its top level

let bodyValue;
internals.sourceHelpers["ǃg_done"] = (value) => {
  bodyValue = value;
};
internals.moduleValue = () => bodyValue;

const returns = new WeakMap();
internals.sourceHelpers["ǃg_return"] = (value) => {
  const mark = create(null);
  weakSet(returns, mark, value);
  return mark;
};
internals.isReturn = (thrown) => typeof thrown === "object" && thrown !== null && weakHas(returns, thrown);
internals.returnValue = (thrown) => weakGet(returns, thrown);

internals.helperNames = () => {
  const names = keys(internals.sourceHelpers);
  let text = "";
  for (let i = 0; i < names.length; i++) text += (i ? "," : "") + names[i];
  return text;
};
