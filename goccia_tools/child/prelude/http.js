// Headers, Response and fetch; structuredClone; performance; the Goccia object.

const { toText } = primordials;
const {
  arrayIsArray, bigIntToString, dateGetTime, defineMethods, isObject, jsonParse, jsonStringify, mapForEach, mapHas, mapGet, Map, mapSet, mapSize, objectDefineProperty,
  objectFreeze, objectKeys, objectGetPrototypeOf, Promise, promiseThen, reflectApply, Set, setAdd, setForEach, setOwn, setSize, String, stringStartsWith, stringSlice,
  stringToLowerCase, stringToUpperCase, Symbol, typedArrayTag, TypeError, Uint8Array, WeakMap, weakGet, weakHas, weakSet,
} = primordials;
const { DOMException } = internals;
const { expose, isBytes, iterate, mapped } = internals;
const reject = Promise.reject.bind(Promise);
const resolve = primordials.promiseResolve;
const stateOf = (map, value, what) => {
  if (!isObject(value) || !weakHas(map, value)) throw new TypeError(what + ": called on an incompatible receiver");
  return weakGet(map, value);
};

// -- Headers: read-only, names in lower case and in order

const headerLists = new WeakMap();
class Headers {
  constructor(init = undefined) {
    const pairs = [];
    if (isObject(init) && weakHas(headerLists, init)) {
      const other = weakGet(headerLists, init);
      for (let i = 0; i < other.length; i++) setOwn(pairs, i, other[i]);
    } else if (isObject(init)) {
      const keys = objectKeys(init);
      for (let i = 0; i < keys.length; i++) {
        const name = stringToLowerCase(arrayIsArray(init) ? toText(init[keys[i]][0]) : keys[i]);
        const value = arrayIsArray(init) ? toText(init[keys[i]][1]) : toText(init[keys[i]]);
        let at = 0;
        while (at < pairs.length && pairs[at][0] < name) at++;
        if (at < pairs.length && pairs[at][0] === name) pairs[at][1] += ", " + value;
        else {
          for (let j = pairs.length; j > at; j--) setOwn(pairs, j, pairs[j - 1]);
          setOwn(pairs, at, [name, value]);
        }
      }
    }
    weakSet(headerLists, this, pairs);
  }
  get(name) {
    const pairs = stateOf(headerLists, this, "Headers get");
    const key = stringToLowerCase(toText(name));
    for (let i = 0; i < pairs.length; i++) if (pairs[i][0] === key) return pairs[i][1];
    return null;
  }
  has(name) { return reflectApply(Headers.prototype.get, this, [name]) !== null; }
  forEach(callback, receiver) {
    const pairs = stateOf(headerLists, this, "Headers forEach");
    for (let i = 0; i < pairs.length; i++) reflectApply(callback, receiver, [pairs[i][1], pairs[i][0], this]);
  }
  entries() { return iterate(mapped(stateOf(headerLists, this, "Headers entries"), (pair) => [pair[0], pair[1]])); }
  keys() { return iterate(mapped(stateOf(headerLists, this, "Headers keys"), (pair) => pair[0])); }
  values() { return iterate(mapped(stateOf(headerLists, this, "Headers values"), (pair) => pair[1])); }
}
objectDefineProperty(Headers.prototype, Symbol.iterator, { __proto__: null, value: Headers.prototype.entries, writable: true, configurable: true });
expose("Headers", Headers);

// -- Response

const responses = new WeakMap();
const bodyOf = (response, what) => {
  const state = stateOf(responses, response, what);
  if (state.used) throw new TypeError("Response body has already been consumed");
  state.used = true;
  return state.body;
};
const settled = (make) => {
  try {
    return resolve(make());
  } catch (error) {
    return reject(error);
  }
};
class Response {
  constructor(body, init = undefined) {
    const bytes = body === undefined || body === null ? new ArrayBuffer(0)
      : isBytes(body) ? primordials.typedArrayTag(body) === undefined ? body : new Uint8Array(body).buffer : host.encodeText(toText(body));
    const status = isObject(init) && init.status !== undefined ? +init.status : 200;
    weakSet(responses, this, {
      __proto__: null, body: bytes, used: false, status, statusText: isObject(init) && init.statusText !== undefined ? toText(init.statusText) : "",
      headers: new Headers(isObject(init) ? init.headers : undefined), url: "", redirected: false,
    });
  }
  get status() { return stateOf(responses, this, "Response status getter").status; }
  get statusText() { return stateOf(responses, this, "Response statusText getter").statusText; }
  get ok() {
    const { status } = stateOf(responses, this, "Response ok getter");
    return status >= 200 && status < 300;
  }
  get url() { return stateOf(responses, this, "Response url getter").url; }
  get headers() { return stateOf(responses, this, "Response headers getter").headers; }
  get type() {
    stateOf(responses, this, "Response type getter");
    return "basic";
  }
  get redirected() { return stateOf(responses, this, "Response redirected getter").redirected; }
  get bodyUsed() { return stateOf(responses, this, "Response bodyUsed getter").used; }
  text() { return settled(() => host.decodeText(bodyOf(this, "Response text"), false, false)); }
  json() { return settled(() => jsonParse(host.decodeText(bodyOf(this, "Response json"), false, false))); }
  arrayBuffer() { return settled(() => bodyOf(this, "Response arrayBuffer")); }
}
expose("Response", Response);

const fetched = (answer) => {
  if (stringStartsWith(answer, "!")) throw new TypeError(stringSlice(answer, 1));
  const parts = jsonParse(answer);
  const response = new Response(undefined, { __proto__: null, status: parts[0], statusText: parts[1], headers: parts[4] });
  const state = weakGet(responses, response);
  state.body = host.takeFetchedBody();
  state.url = parts[2];
  state.redirected = parts[3];
  return response;
};
expose("fetch", {
  fetch(input, init = undefined) {
    if (arguments.length === 0) throw new TypeError("fetch requires a URL argument");
    const address = toText(input);
    const refusal = host.authorizeFetch(address);
    if (refusal !== "") throw new TypeError(refusal);
    const options = isObject(init) ? init : { __proto__: null };
    const method = options.method === undefined ? "GET" : stringToUpperCase(toText(options.method));
    const headers = jsonStringify(weakGet(headerLists, new Headers(options.headers)));
    const signal = options.signal === undefined || options.signal === null ? undefined : internals.signalState(options.signal);
    if (signal === undefined && options.signal !== undefined && options.signal !== null) throw new TypeError("fetch signal must be an AbortSignal");
    if (method !== "GET" && method !== "HEAD") {
      throw new TypeError("fetch does not support method '" + method + "'; only GET and HEAD are allowed");
    }
    // what stands after the call runs first, and may abort it
    return promiseThen(resolve(), () => {
      if (signal !== undefined && signal.aborted) throw signal.reason;
      return fetched(host.performFetch(method, address, headers));
    });
  },
}.fetch);

// -- structuredClone

const cannotClone = (text) => new DOMException(text + " could not be cloned.", "DataCloneError");
const { isError } = primordials.Error;
const brand = (read) => (value) => {
  try {
    read(value);
    return true;
  } catch {
    return false;
  }
};
const isMap = brand(mapSize);
const isSet = brand(setSize);
const isDate = brand(dateGetTime);
const bufferSlice = primordials.uncurry(ArrayBuffer.prototype.slice);
const isBuffer = brand(primordials.getter(ArrayBuffer.prototype, "byteLength"));
const viewBuffer = primordials.getter(primordials.TypedArray.prototype, "buffer");
const viewOffset = primordials.getter(primordials.TypedArray.prototype, "byteOffset");
const regexpSource = primordials.getter(RegExp.prototype, "source");
const regexpFlags = primordials.getter(RegExp.prototype, "flags");
const isRegExp = brand(primordials.getter(RegExp.prototype, "global"));
const viewKinds = { __proto__: null };
const kindNames = ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float16Array",
  "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"];
for (let i = 0; i < kindNames.length; i++) if (globalThis[kindNames[i]]) viewKinds[kindNames[i]] = globalThis[kindNames[i]];
const errorKinds = { __proto__: null };
const errorNames = ["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];
for (let i = 0; i < errorNames.length; i++) errorKinds[errorNames[i]] = globalThis[errorNames[i]];

const clone = (value, seen) => {
  if (typeof value === "symbol") throw cannotClone("Symbol(" + (primordials.symbolDescription(value) || "") + ")");
  if (!isObject(value)) return value;
  if (mapHas(seen, value)) return mapGet(seen, value);
  if (typeof value === "function") throw cannotClone(primordials.functionToString(value));
  const keep = (copy) => {
    mapSet(seen, value, copy);
    return copy;
  };
  if (primordials.isProxy(value)) throw cannotClone("#<Object>");
  if (isDate(value)) return keep(new primordials.Date(dateGetTime(value)));
  if (isMap(value)) {
    const copy = keep(new Map());
    mapForEach(value, (item, key) => mapSet(copy, clone(key, seen), clone(item, seen)));
    return copy;
  }
  if (isSet(value)) {
    const copy = keep(new Set());
    setForEach(value, (item) => setAdd(copy, clone(item, seen)));
    return copy;
  }
  if (isBuffer(value)) return keep(bufferSlice(value, 0));
  const kind = typedArrayTag(value);
  if (kind !== undefined) {
    return keep(new viewKinds[kind](clone(viewBuffer(value), seen), viewOffset(value), primordials.typedArrayLength(value)));
  }
  if (value instanceof DOMException) return keep(new DOMException(value.message, value.name));
  if (isError(value)) {
    const Kind = errorKinds[value.name] || errorKinds.Error;
    const copy = keep(new Kind(value.message));
    return copy;
  }
  if (isRegExp(value) && typeof regexpSource(value) === "string") return keep(new primordials.RegExp(regexpSource(value), regexpFlags(value)));
  if (arrayIsArray(value)) {
    const copy = keep([]);
    copy.length = value.length;
    const keys = objectKeys(value);
    for (let i = 0; i < keys.length; i++) setOwn(copy, keys[i], clone(value[keys[i]], seen));
    return copy;
  }
  const copy = keep({});
  const keys = objectKeys(value);
  for (let i = 0; i < keys.length; i++) setOwn(copy, keys[i], clone(value[keys[i]], seen));
  return copy;
};
expose("structuredClone", {
  structuredClone(value) {
    if (arguments.length === 0) throw new TypeError("structuredClone requires a value");
    return clone(value, new Map());
  },
}.structuredClone);

// -- performance

class Performance {
  constructor() { if (!makingPerformance) throw new TypeError("Illegal constructor"); }
  now() { return internals.nowMs() - internals.startedMs(); }
  toJSON() { return { timeOrigin: this.timeOrigin }; }
  get timeOrigin() { return internals.timeOriginMs(); }
}
objectDefineProperty(Performance.prototype, Symbol.toStringTag, { __proto__: null, value: "Performance", configurable: true });
let makingPerformance = true;
expose("performance", new Performance());
makingPerformance = false;
expose("Performance", Performance);

// -- Goccia: what the program runs on

const goccia = {
  version: "0.13.0",
  commit: "",
  runtimeGlobals: ["EventTarget", "Event", "AbortController", "AbortSignal"],
  build: { os: "", arch: "", date: "" },
  spec: {},
  proposal: {},
  shims: [],
  gc() { host.collectGarbage(); },
};
expose("Goccia", goccia);
