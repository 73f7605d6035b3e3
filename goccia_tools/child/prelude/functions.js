// Dynamic code: no eval; Function constructors that refuse, or compile under the run's dialect; ShadowRealm.

const { toText } = primordials;
const { TypeError, String, Promise, Symbol, Function: NativeFunction } = globalThis;
const { defineProperty, getPrototypeOf, hasOwn } = Object;
const floor = Math.floor;
const apply = Reflect.apply;
const uncurry = NativeFunction.prototype.call.bind.bind(NativeFunction.prototype.call);
const then = uncurry(Promise.prototype.then);
const hidden = (target, name, value) => defineProperty(target, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

delete globalThis.eval;

let dynamicCode = false;

// The constructor of one kind of function; `prefix` is what its source text begins with.
const constructorOf = (name, prototype, prefix) => {
  const construct = function (...parts) {
    if (!dynamicCode) {
      throw new TypeError("code from text is off; the option unsafeFunctionConstructor turns it on");
    }
    let parameters = "";
    for (let i = 0; i < parts.length - 1; i++) parameters += (i ? "," : "") + toText(parts[i]);
    const body = parts.length ? toText(parts[parts.length - 1]) : "";
    return host.compileFunction(prefix, parameters, body);
  };
  defineProperty(construct, "name", { __proto__: null, value: name, configurable: true });
  defineProperty(construct, "length", { __proto__: null, value: 1, configurable: true });
  defineProperty(construct, "prototype", { __proto__: null, value: prototype, writable: false });
  defineProperty(prototype, "constructor", { __proto__: null, value: construct, writable: name === "Function", enumerable: false, configurable: true });
  return construct;
};

const Function = constructorOf("Function", NativeFunction.prototype, "function");
hidden(globalThis, "Function", Function);
for (const [name, sample, prefix] of [
  ["GeneratorFunction", function* () {}, "function*"],
  ["AsyncFunction", async function () {}, "async function"],
  ["AsyncGeneratorFunction", async function* () {}, "async function*"],
]) {
  Object.setPrototypeOf(constructorOf(name, getPrototypeOf(sample), prefix), Function);
}

// -- ShadowRealm: another context on the same heap; only primitives and wrapped functions pass

// Each realm wraps for itself what comes from another; `wrapThere` is the other realm's own wrap.
const wrap = (value, wrapThere) => {
  if (typeof value === "function") {
    const wrapped = (...given) => {
      let result;
      try {
        // own data properties already: assigning runs nothing; the other realm's errors stay there
        for (let i = 0; i < given.length; i++) given[i] = wrapThere(given[i], wrap);
        result = apply(value, undefined, given);
      } catch {
        throw new TypeError("the function of the other realm threw, or was given an object");
      }
      return wrap(result, wrapThere);
    };
    let length;
    let name;
    try {
      length = hasOwn(value, "length") ? value.length : 0;
      name = value.name;
    } catch {
      throw new TypeError("the function of the other realm hides its name");
    }
    length = typeof length === "number" && length > 0 ? floor(length) : 0;
    defineProperty(wrapped, "length", { __proto__: null, value: length, configurable: true });
    defineProperty(wrapped, "name", { __proto__: null, value: typeof name === "string" ? name : "", configurable: true });
    return wrapped;
  }
  if (typeof value === "object" && value !== null) {
    throw new TypeError("only primitives and functions pass between realms");
  }
  return value;
};
internals.shadowWrap = wrap;
internals.shadowImport = (specifier, done, fail) => {
  then(import(specifier), (namespace) => done(namespace), () => fail());
};

// A shadow realm has the language, not the host.
const HOST_GLOBALS = [
  "AbortController", "AbortSignal", "Event", "EventTarget", "Headers", "Performance", "Response", "TextDecoder", "TextEncoder",
  "URL", "URLSearchParams", "console", "fetch", "performance", "queueMicrotask", "structuredClone",
];
internals.becomeShadow = () => {
  for (let i = 0; i < HOST_GLOBALS.length; i++) delete globalThis[HOST_GLOBALS[i]];
};

const defineShadowRealm = () => {
  class ShadowRealm {
    #number;
    #wrapThere;

    constructor() {
      this.#number = host.newShadowRealm();
      this.#wrapThere = host.shadowInternal(this.#number, "shadowWrap");
    }

    evaluate(sourceText) {
      const number = this.#number;
      if (typeof sourceText !== "string") throw new TypeError("evaluate needs a string");
      let result;
      try {
        result = host.shadowEvaluate(number, sourceText);
      } catch (error) {
        if (host.shadowParseFailed()) throw error;
        throw new TypeError("the code of the other realm threw");
      }
      return wrap(result, this.#wrapThere);
    }

    importValue(specifier, exportName) {
      const number = this.#number;
      const wrapThere = this.#wrapThere;
      specifier = toText(specifier);
      if (typeof exportName !== "string") throw new TypeError("importValue needs the name of an export");
      return new Promise((resolve, reject) => {
        const done = (namespace) => {
          if (!(exportName in namespace)) {
            reject(new TypeError("the module has no export named \"" + exportName + "\""));
            return;
          }
          try {
            resolve(wrap(namespace[exportName], wrapThere));
          } catch (error) {
            reject(error);
          }
        };
        const fail = () => reject(new TypeError("the module of the other realm failed"));
        host.shadowInternal(number, "shadowImport")(specifier, done, fail);
      });
    }
  }
  defineProperty(ShadowRealm.prototype, Symbol.toStringTag, { __proto__: null, value: "ShadowRealm", configurable: true });
  hidden(globalThis, "ShadowRealm", ShadowRealm);
};

internals.allowDynamicCode = (functions, realms) => {
  dynamicCode = functions;
  if (realms) defineShadowRealm();
};
