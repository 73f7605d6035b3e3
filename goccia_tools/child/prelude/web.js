// URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, Event and EventTarget, abort signals.

const { toText } = primordials;
const {
  arrayIsArray, defineMethods, isObject, jsonParse, jsonStringify, objectDefineProperty, objectKeys, objectSetPrototypeOf, reflectApply, setOwn,
  stringSlice, stringStartsWith, Symbol, TypeError, Uint8Array, WeakMap, weakGet, weakHas, weakSet,
} = primordials;
const typedArrayTag = primordials.typedArrayTag;

// Constructors become globals that look built in: not enumerable.
const expose = (name, value) =>
  objectDefineProperty(globalThis, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
internals.expose = expose;

// -- DOMException: the engine has one only in the first context of a heap

const CODES = {
  __proto__: null, IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5, NotFoundError: 8, NotSupportedError: 9,
  InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17,
  SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, DataCloneError: 25,
};
const DOMException = function DOMException(message, name) {
  if (!new.target) throw new TypeError("Constructor DOMException requires 'new'");
  const error = primordials.reflectConstruct(primordials.Error, [], new.target);
  const kind = name === undefined ? "Error" : toText(name);
  setOwn(error, "name", kind);
  setOwn(error, "message", message === undefined ? "" : toText(message));
  setOwn(error, "code", CODES[kind] || 0);
  return error;
};
DOMException.prototype = primordials.objectCreate(primordials.Error.prototype);
const asConstant = (value) => ({ __proto__: null, value, writable: true, enumerable: false, configurable: true });
objectDefineProperty(DOMException.prototype, "name", asConstant("Error"));
objectDefineProperty(DOMException.prototype, "message", asConstant(""));
objectDefineProperty(DOMException.prototype, "code", asConstant(0));
objectDefineProperty(DOMException.prototype, "constructor", asConstant(DOMException));
objectDefineProperty(DOMException, "prototype", { __proto__: null, writable: false });
expose("DOMException", DOMException);
internals.DOMException = DOMException;

const nativeAtob = globalThis.atob;
const nativeBtoa = globalThis.btoa;
expose("atob", {
  atob(data) {
    const text = toText(data);
    try {
      return nativeAtob(text);
    } catch {
      throw new DOMException("Failed to execute 'atob': The string to be decoded is not correctly encoded.", "InvalidCharacterError");
    }
  },
}.atob);
expose("btoa", {
  btoa(data) {
    const text = toText(data);
    try {
      return nativeBtoa(text);
    } catch {
      throw new DOMException("Failed to execute 'btoa': The string to be encoded contains characters outside of the Latin1 range.", "InvalidCharacterError");
    }
  },
}.btoa);

// The state of an object of one of our classes, or a TypeError naming what was called.
const stateOf = (map, value, what) => {
  if (!isObject(value) || !weakHas(map, value)) throw new TypeError(what + ": called on an incompatible receiver");
  return weakGet(map, value);
};

// -- URLSearchParams and URL

const queries = new WeakMap(); // URLSearchParams -> {pairs, url}
const urls = new WeakMap(); // URL -> {parts, params}

const iterate = (list) => {
  let index = 0;
  const iterator = {
    next() {
      return index < list.length ? { value: list[index++], done: false } : { value: undefined, done: true };
    },
  };
  objectDefineProperty(iterator, Symbol.iterator, { __proto__: null, value() { return this; }, writable: true, configurable: true });
  return objectSetPrototypeOf(iterator, iteratorPrototype);
};
const iteratorPrototype = primordials.objectGetPrototypeOf(primordials.objectGetPrototypeOf([][Symbol.iterator]()));
internals.iterate = iterate;

const changed = (state) => {
  if (!state.url) return;
  const own = weakGet(urls, state.url);
  const text = host.serializeQuery(jsonStringify(state.pairs));
  own.parts = jsonParse(host.setUrlPart(own.parts.href, "search", text));
};
const pairOf = (name, value) => [toText(name), toText(value)];
const pairsFrom = (init) => {
  if (!isObject(init)) {
    const text = init === undefined ? "" : toText(init);
    return jsonParse(host.parseQuery(stringStartsWith(text, "?") ? stringSlice(text, 1) : text));
  }
  const pairs = [];
  const make = init[Symbol.iterator];
  if (make !== undefined && make !== null) {
    const iterator = reflectApply(make, init, []);
    for (let step = iterator.next(); !step.done; step = iterator.next()) {
      const entry = step.value;
      if (!isObject(entry) || entry.length !== 2) {
        throw new TypeError("Failed to construct URLSearchParams: Sequence initializer must contain pairs with exactly two items");
      }
      setOwn(pairs, pairs.length, pairOf(entry[0], entry[1]));
    }
    return pairs;
  }
  const keys = objectKeys(init);
  for (let i = 0; i < keys.length; i++) setOwn(pairs, pairs.length, pairOf(keys[i], init[keys[i]]));
  return pairs;
};
const without = (pairs, drop) => {
  const kept = [];
  for (let i = 0; i < pairs.length; i++) if (!drop(pairs[i])) setOwn(kept, kept.length, pairs[i]);
  return kept;
};
const mapped = (pairs, pick) => {
  const list = [];
  for (let i = 0; i < pairs.length; i++) setOwn(list, i, pick(pairs[i]));
  return list;
};
internals.mapped = mapped;

class URLSearchParams {
  constructor(init = undefined) {
    weakSet(queries, this, { __proto__: null, pairs: pairsFrom(init), url: null });
  }
  append(name, value) {
    const state = stateOf(queries, this, "URLSearchParams append");
    setOwn(state.pairs, state.pairs.length, pairOf(name, value));
    changed(state);
  }
  delete(name, value) {
    const state = stateOf(queries, this, "URLSearchParams delete");
    const key = toText(name);
    const any = arguments.length < 2 || value === undefined;
    const text = any ? "" : toText(value);
    state.pairs = without(state.pairs, (pair) => pair[0] === key && (any || pair[1] === text));
    changed(state);
  }
  get(name) {
    const { pairs } = stateOf(queries, this, "URLSearchParams get");
    const key = toText(name);
    for (let i = 0; i < pairs.length; i++) if (pairs[i][0] === key) return pairs[i][1];
    return null;
  }
  getAll(name) {
    const key = toText(name);
    const { pairs } = stateOf(queries, this, "URLSearchParams getAll");
    return mapped(without(pairs, (pair) => pair[0] !== key), (pair) => pair[1]);
  }
  has(name, value) {
    const { pairs } = stateOf(queries, this, "URLSearchParams has");
    const key = toText(name);
    const any = arguments.length < 2 || value === undefined;
    const text = any ? "" : toText(value);
    for (let i = 0; i < pairs.length; i++) if (pairs[i][0] === key && (any || pairs[i][1] === text)) return true;
    return false;
  }
  set(name, value) {
    const state = stateOf(queries, this, "URLSearchParams set");
    const pair = pairOf(name, value);
    let seen = false;
    state.pairs = without(state.pairs, (item) => {
      if (item[0] !== pair[0]) return false;
      if (seen) return true;
      seen = true;
      item[1] = pair[1];
      return false;
    });
    if (!seen) setOwn(state.pairs, state.pairs.length, pair);
    changed(state);
  }
  sort() {
    const state = stateOf(queries, this, "URLSearchParams sort");
    const { pairs } = state;
    for (let i = 1; i < pairs.length; i++) {
      const pair = pairs[i];
      let at = i;
      while (at > 0 && pairs[at - 1][0] > pair[0]) {
        pairs[at] = pairs[at - 1];
        at--;
      }
      pairs[at] = pair;
    }
    changed(state);
  }
  toString() { return host.serializeQuery(jsonStringify(stateOf(queries, this, "URLSearchParams toString").pairs)); }
  keys() { return iterate(mapped(stateOf(queries, this, "URLSearchParams keys").pairs, (pair) => pair[0])); }
  values() { return iterate(mapped(stateOf(queries, this, "URLSearchParams values").pairs, (pair) => pair[1])); }
  entries() { return iterate(mapped(stateOf(queries, this, "URLSearchParams entries").pairs, (pair) => [pair[0], pair[1]])); }
  forEach(callback, receiver) {
    const { pairs } = stateOf(queries, this, "URLSearchParams forEach");
    for (let i = 0; i < pairs.length; i++) reflectApply(callback, receiver, [pairs[i][1], pairs[i][0], this]);
  }
  get size() { return stateOf(queries, this, "URLSearchParams size getter").pairs.length; }
}
objectDefineProperty(URLSearchParams.prototype, Symbol.iterator, {
  __proto__: null, value: URLSearchParams.prototype.entries, writable: true, configurable: true,
});
expose("URLSearchParams", URLSearchParams);

const parsed = (text, base) => {
  const answer = host.parseUrl(text, base === undefined ? undefined : toText(base));
  return stringStartsWith(answer, "!") ? undefined : jsonParse(answer);
};

class URL {
  constructor(url, base = undefined) {
    const text = toText(url);
    const parts = parsed(text, base);
    if (parts === undefined) throw new TypeError("Invalid URL: " + text);
    weakSet(urls, this, { __proto__: null, parts, params: null });
  }
  static canParse(url, base = undefined) { return parsed(toText(url), base) !== undefined; }
  static parse(url, base = undefined) {
    const text = toText(url);
    return parsed(text, base) === undefined ? null : base === undefined ? new URL(text) : new URL(text, base);
  }
  get searchParams() {
    const state = stateOf(urls, this, "URL searchParams getter");
    if (state.params === null) {
      state.params = new URLSearchParams(state.parts.search);
      weakGet(queries, state.params).url = this;
    }
    return state.params;
  }
  toString() { return stateOf(urls, this, "URL toString").parts.href; }
  toJSON() { return stateOf(urls, this, "URL toJSON").parts.href; }
}
const settable = ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
const setPart = (url, part, value) => {
  const state = stateOf(urls, url, "URL " + part + " setter");
  state.parts = jsonParse(host.setUrlPart(state.parts.href, part, toText(value)));
  if (part === "search" && state.params) weakGet(queries, state.params).pairs = pairsFrom(state.parts.search);
};
const partNames = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
for (let i = 0; i < partNames.length; i++) {
  const part = partNames[i];
  const accessors = {
    get [part]() { return stateOf(urls, this, "URL " + part + " getter").parts[part]; },
    set [part](value) {
      if (part !== "href") {
        setPart(this, part, value);
        return;
      }
      const next = parsed(toText(value));
      if (next === undefined) throw new TypeError("Invalid URL: " + value);
      const state = stateOf(urls, this, "URL href setter");
      state.parts = next;
      if (state.params) weakGet(queries, state.params).pairs = pairsFrom(next.search);
    },
  };
  const descriptor = primordials.objectGetOwnPropertyDescriptor(accessors, part);
  if (part === "origin") descriptor.set = undefined;
  descriptor.enumerable = false;
  objectDefineProperty(URL.prototype, part, objectSetPrototypeOf(descriptor, null));
}
expose("URL", URL);

// -- text

class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(text = "") { return new Uint8Array(host.encodeText(toText(text))); }
  encodeInto(text, target) {
    const source = toText(text);
    if (typedArrayTag(target) !== "Uint8Array") throw new TypeError("TextEncoder.prototype.encodeInto requires a Uint8Array");
    const room = primordials.typedArrayLength(target);
    let read = 0;
    let written = 0;
    while (read < source.length) {
      const step = primordials.stringCharCodeAt(source, read) >= 0xD800 && primordials.stringCharCodeAt(source, read) < 0xDC00
        && primordials.stringCharCodeAt(source, read + 1) >= 0xDC00 && primordials.stringCharCodeAt(source, read + 1) < 0xE000 ? 2 : 1;
      const bytes = new Uint8Array(host.encodeText(stringSlice(source, read, read + step)));
      const size = primordials.typedArrayLength(bytes);
      if (written + size > room) break;
      for (let i = 0; i < size; i++) target[written + i] = bytes[i];
      read += step;
      written += size;
    }
    return { read, written };
  }
}
expose("TextEncoder", TextEncoder);

const decoders = new WeakMap();
class TextDecoder {
  constructor(label = "utf-8", options = undefined) {
    const name = primordials.stringToLowerCase(toText(label));
    if (name !== "utf-8" && name !== "utf8" && name !== "unicode-1-1-utf-8") {
      throw new primordials.RangeError("TextDecoder: The encoding label provided (" + label + ") is invalid.");
    }
    weakSet(decoders, this, { __proto__: null, fatal: !!(options && options.fatal), ignoreBOM: !!(options && options.ignoreBOM) });
  }
  get encoding() {
    stateOf(decoders, this, "TextDecoder encoding getter");
    return "utf-8";
  }
  get fatal() { return stateOf(decoders, this, "TextDecoder fatal getter").fatal; }
  get ignoreBOM() { return stateOf(decoders, this, "TextDecoder ignoreBOM getter").ignoreBOM; }
  decode(data = undefined) {
    const state = stateOf(decoders, this, "TextDecoder.prototype.decode");
    if (data === undefined) return "";
    if (!isBytes(data)) throw new TypeError("TextDecoder.prototype.decode: the argument must be an ArrayBuffer or a view of one");
    const text = host.decodeText(data, state.fatal, state.ignoreBOM);
    if (text === undefined) throw new TypeError("TextDecoder.prototype.decode: invalid UTF-8 byte sequence");
    return text;
  }
}
const bufferLength = primordials.getter(ArrayBuffer.prototype, "byteLength");
const viewLength = primordials.getter(DataView.prototype, "byteLength");
const isBytes = (value) => {
  if (!isObject(value)) return false;
  if (typedArrayTag(value) !== undefined) return true;
  try {
    bufferLength(value);
    return true;
  } catch {
    return false;
  }
};
internals.isBytes = isBytes;
expose("TextDecoder", TextDecoder);

// -- events

const events = new WeakMap(); // Event -> {type, bubbles, cancelable, prevented, target}
const listeners = new WeakMap(); // EventTarget -> list of {type, callback, once}

class Event {
  constructor(type, options = undefined) {
    if (arguments.length === 0) throw new TypeError("Event constructor requires a type");
    weakSet(events, this, {
      __proto__: null, type: toText(type), bubbles: !!(options && options.bubbles), cancelable: !!(options && options.cancelable),
      prevented: false, target: null, current: null,
    });
  }
  get type() { return stateOf(events, this, "Event type getter").type; }
  get target() { return stateOf(events, this, "Event target getter").target; }
  get currentTarget() { return stateOf(events, this, "Event currentTarget getter").current; }
  get bubbles() { return stateOf(events, this, "Event bubbles getter").bubbles; }
  get cancelable() { return stateOf(events, this, "Event cancelable getter").cancelable; }
  get defaultPrevented() { return stateOf(events, this, "Event defaultPrevented getter").prevented; }
  preventDefault() {
    const state = stateOf(events, this, "Event preventDefault");
    if (state.cancelable) state.prevented = true;
  }
}
expose("Event", Event);

class EventTarget {
  constructor() { weakSet(listeners, this, []); }
  addEventListener(type, callback, options = undefined) {
    if (arguments.length < 2) throw new TypeError("EventTarget.prototype.addEventListener requires a type and a callback");
    const list = stateOf(listeners, this, "EventTarget.prototype.addEventListener");
    const name = toText(type);
    if (callback === null || callback === undefined) return;
    for (let i = 0; i < list.length; i++) if (list[i].type === name && list[i].callback === callback) return;
    setOwn(list, list.length, { __proto__: null, type: name, callback, once: isObject(options) && !!options.once });
  }
  removeEventListener(type, callback) {
    const name = toText(type);
    const list = stateOf(listeners, this, "EventTarget.prototype.removeEventListener");
    weakSet(listeners, this, without(list, (item) => item.type === name && item.callback === callback));
  }
  dispatchEvent(event) {
    const list = stateOf(listeners, this, "EventTarget.prototype.dispatchEvent");
    if (!isObject(event) || !weakHas(events, event)) throw new TypeError("EventTarget.prototype.dispatchEvent requires an Event argument");
    return dispatch(this, event, list);
  }
}
const dispatch = (target, event, list) => {
  const state = weakGet(events, event);
  state.target = target;
  state.current = target;
  const count = list.length;
  for (let i = 0; i < count; i++) {
    const item = list[i];
    if (item.type !== state.type) continue;
    if (item.once) weakSet(listeners, target, without(weakGet(listeners, target), (other) => other === item));
    if (typeof item.callback === "function") reflectApply(item.callback, target, [event]);
    else reflectApply(item.callback.handleEvent, item.callback, [event]);
  }
  state.current = null;
  return !state.prevented;
};
expose("EventTarget", EventTarget);

const signals = new WeakMap(); // AbortSignal -> {aborted, reason, onabort}
let making = false;
class AbortSignal extends EventTarget {
  constructor() {
    if (!making) throw new TypeError("'AbortSignal' is not a constructor");
    super();
    weakSet(signals, this, { __proto__: null, aborted: false, reason: undefined, onabort: null });
  }
  static abort(reason = undefined) {
    const signal = newSignal();
    abort(signal, reason);
    return signal;
  }
  static timeout(delay) {
    if (typeof delay !== "number" || !(delay >= 0)) throw new TypeError("AbortSignal.timeout requires a non-negative number");
    return newSignal();
  }
  get aborted() { return stateOf(signals, this, "AbortSignal aborted getter").aborted; }
  get reason() { return stateOf(signals, this, "AbortSignal reason getter").reason; }
  get onabort() { return stateOf(signals, this, "AbortSignal onabort getter").onabort; }
  set onabort(callback) { stateOf(signals, this, "AbortSignal onabort setter").onabort = typeof callback === "function" ? callback : null; }
  throwIfAborted() {
    const state = stateOf(signals, this, "AbortSignal throwIfAborted");
    if (state.aborted) throw state.reason;
  }
}
const newSignal = () => {
  making = true;
  try {
    return new AbortSignal();
  } finally {
    making = false;
  }
};
const abort = (signal, reason) => {
  const state = weakGet(signals, signal);
  if (state.aborted) return;
  state.aborted = true;
  state.reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
  const event = new Event("abort");
  weakGet(events, event).target = signal;
  weakGet(events, event).current = signal;
  if (state.onabort !== null) reflectApply(state.onabort, signal, [event]);
  dispatch(signal, event, weakGet(listeners, signal));
};
internals.signalState = (value) => (isObject(value) && weakHas(signals, value) ? weakGet(signals, value) : undefined);
expose("AbortSignal", AbortSignal);

const controllers = new WeakMap();
class AbortController {
  constructor() { weakSet(controllers, this, newSignal()); }
  get signal() { return stateOf(controllers, this, "AbortController signal getter"); }
  abort(reason = undefined) { abort(stateOf(controllers, this, "AbortController abort"), reason); }
}
expose("AbortController", AbortController);
