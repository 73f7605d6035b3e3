// Errors: what was on the stack when one was made, the reference's message texts, and what an uncaught one was.
//
// The engine calls `noteStack` whenever an error gets its stack. Errors of the engine and of this prelude then get
// enumerable own name and message; errors that a program constructs come through the constructors below instead,
// which take the engine's own `stack` property away again: it is inherited here (behaviour section 4).

const {
  arrayPush, defineMethods, hasOwn, isObject, isProxy, jsonStringify, objectDefineProperty, objectFreeze, objectGetOwnPropertyDescriptor,
  objectGetOwnPropertyNames, objectGetPrototypeOf, objectSetPrototypeOf, objectToString, reflectConstruct, setOwn, String, stringEndsWith,
  stringIndexOf, stringSlice, stringStartsWith, stringToWellFormed, symbolDescription, WeakMap, weakGet, weakHas, weakSet,
} = primordials;

const MAKER = "ǃmake";
const DERIVER = "ǃderive"; // for a class that extends an error class
const PRELUDE_FILE = "<prelude>";
const STACK_DEPTH = 64;

const { isError } = primordials.Error;

const captures = new WeakMap(); // error -> JSON text of {made, derived, header, frames}
const nativeStacks = new WeakMap(); // error -> the own stack the engine gave it, while it has not been replaced

// The string data property `key` on the object or its prototypes; undefined where there is none.
const stringData = (value, key) => {
  for (let holder = value; isObject(holder); holder = objectGetPrototypeOf(holder)) {
    const own = objectGetOwnPropertyDescriptor(holder, key);
    if (own !== undefined && hasOwn(own, "value")) return typeof own.value === "string" ? own.value : undefined;
  }
  return undefined;
};

const between = (text, before, after) =>
  stringStartsWith(text, before) && stringEndsWith(text, after)
    ? stringSlice(text, before.length, text.length - after.length)
    : undefined;

// Rewriting gives a few names a prefix (see source/); a program reads them as it wrote them.
const plain = (name) => (stringStartsWith(name, "ǃg_") ? stringSlice(name, 3) : name);

const REFERENCE_TEXTS = {
  __proto__: null,
  "BigInt are forbidden in JSON.stringify": "Do not know how to serialize a BigInt",
  "BigInt division by zero": "Division by zero",
  "BigInt negative exponent": "Exponent must be non-negative",
  "BigInt operands are forbidden for >>>": "Cannot use unsigned right shift with BigInt",
  "Date value is NaN": "Invalid time value",
  "cannot convert BigInt to number": "Cannot convert a BigInt value to a number",
  "bigint argument with unary +": "Cannot convert a BigInt value to a number",
  "cannot convert symbol to number": "Cannot convert a Symbol value to a number",
  "cannot convert symbol to string": "Cannot convert a Symbol value to a string",
  "cannot read property 'Symbol.iterator' of null": "'null' is not iterable",
  "cannot read property 'Symbol.iterator' of undefined": "'undefined' is not iterable",
  "circular prototype chain": "Cyclic __proto__ value",
  "circular reference": "Converting circular structure to JSON",
  "class constructors must be invoked with 'new'": "Class constructor cannot be invoked without 'new'",
  "could not delete property": "Cannot delete a property that is not configurable",
  "empty array": "Reduce of empty array with no initial value",
  "invalid array index": "Invalid array length",
  "invalid array length": "Invalid array length",
  "invalid regular expression flags": "Invalid regular expression flags",
  "invalid repeat count": "Invalid count value",
  "must be called with new": "Class constructor cannot be invoked without 'new'",
  "no setter for property": "Cannot set a property which has only a getter",
  "nothing to repeat": "Invalid regular expression: nothing to repeat",
  "this is not initialized": "Must call super constructor before returning from derived constructor",
  "object is not extensible": "Cannot add property, object is not extensible",
  "'this' can be initialized only once": "Super constructor may only be called once",
};

// The same text of a builtin means something else.
const OPERATOR_TEXTS = {
  __proto__: null,
  "cannot convert BigInt to number": "Cannot mix BigInt and other types, use explicit conversions",
  "Cannot convert undefined or null to object": "Cannot destructure null or undefined",
};

const referenceText = (message, native) => {
  if (!native && OPERATOR_TEXTS[message] !== undefined) return OPERATOR_TEXTS[message];
  if (REFERENCE_TEXTS[message] !== undefined) return REFERENCE_TEXTS[message];
  let part = between(message, "", " is not defined");
  if (part !== undefined) return "Undefined variable: " + plain(part);
  part = between(message, "", " is not initialized");
  if (part !== undefined) return "Cannot access '" + plain(part) + "' before initialization";
  part = between(message, "'", "' is read-only");
  if (part !== undefined) return "Assignment to constant variable '" + plain(part) + "'";
  part = between(message, "cannot read property '", "");
  if (part !== undefined) return "Cannot read property '" + part;
  part = between(message, "cannot set property '", "");
  if (part !== undefined) {
    const end = stringIndexOf(part, "' of ");
    if (end >= 0) return "Cannot set properties of " + stringSlice(part, end + 5) + " (setting '" + stringSlice(part, 0, end) + "')";
  }
  part = between(message, "private class field '", "' does not exist");
  if (part !== undefined) return "Private field " + part + " is not accessible";
  return message;
};

// The engine does not name what was called; the host finds it in the source.
const failedCall = (message, site) => {
  if (site === undefined || site.isNative()) return undefined;
  const kind = between(message, "not a ", "");
  if (kind !== "function" && kind !== "constructor") return undefined;
  const file = site.getFileName();
  if (typeof file !== "string" || file === PRELUDE_FILE) return undefined;
  const text = host.failedCallText(file, site.getLineNumber() || 0, site.getColumnNumber() || 0, kind);
  return text === "" ? undefined : { __proto__: null, kind, text };
};

const quoteJson = (text) => jsonStringify(stringToWellFormed(text));

// An error made where no stack is left, or no memory, has nothing but this.
const headerOf = (name, message) =>
  (name === undefined ? "Error" : name) + (message === undefined || message === "" ? "" : ": " + message);

const nativeStack = (error, capture) => {
  const text = host.stackText(capture);
  weakSet(nativeStacks, error, text);
  return text;
};

const noteStack = (error, sites) => {
  if (!isError(error)) return undefined;
  // an error without an own stack gets one when it is thrown; what counts is where it was made
  if (weakHas(captures, error)) return nativeStack(error, weakGet(captures, error));
  let made = false;
  let start = 0;
  // made by a program: Reflect.construct, the maker, the constructor it called
  let derived = false;
  if (sites.length > 2 && sites[1].getFileName() === PRELUDE_FILE) {
    const maker = sites[1].getFunctionName();
    derived = maker === DERIVER;
    made = derived || maker === MAKER;
    if (made) start = 3;
  }
  let frames = "";
  for (let i = start; i < sites.length; i++) {
    const site = sites[i];
    const name = site.getFunctionName();
    const file = site.isNative() ? null : site.getFileName();
    frames += (i > start ? "," : "") + "[" + (typeof name === "string" ? quoteJson(name) : "null") + ","
      + (typeof file === "string" ? quoteJson(file) : "null") + "," + (site.getLineNumber() || 0) + "," + (site.getColumnNumber() || 0) + "]";
  }
  const name = stringData(error, "name");
  let message = stringData(error, "message");
  let failed;
  if (!made) {
    failed = failedCall(message, sites[0]);
    message = failed === undefined ? referenceText(message === undefined ? "" : message, sites.length > 0 && sites[0].isNative()) : failed.text;
    delete error.message;
    setOwn(error, "name", name === undefined ? "Error" : name);
    setOwn(error, "message", message);
  }
  const capture = '{"made":' + made + ',"derived":' + derived + ',"header":' + quoteJson(headerOf(name, message)) + ',"frames":[' + frames + "]"
    + (failed === undefined ? "" : ',"failed":"' + failed.kind + '"') + "}";
  weakSet(captures, error, capture);
  return made ? undefined : nativeStack(error, capture);
};

// Out of memory is an InternalError of the engine's; programs see the RangeError that the reference throws.
const { InternalError } = globalThis;
if (InternalError) {
  objectSetPrototypeOf(InternalError.prototype, primordials.RangeError.prototype);
  delete InternalError.prototype.name;
  delete InternalError.prototype.message;
  delete InternalError.prototype.constructor;
  delete globalThis.InternalError;
}

Error.stackTraceLimit = STACK_DEPTH;
Error.prepareStackTrace = noteStack;
delete Error.prepareStackTrace;
delete Error.stackTraceLimit;
delete Error.captureStackTrace;

const makers = {
  [MAKER](Native, values, newTarget) {
    const error = reflectConstruct(Native, values, newTarget);
    delete error.stack;
    return error;
  },
  [DERIVER](Native, values, newTarget) {
    const error = reflectConstruct(Native, values, newTarget);
    delete error.stack;
    return error;
  },
};
const make = makers[MAKER];
const derive = makers[DERIVER];

const wrap = (Native, length) => {
  const prototype = Native.prototype;
  const name = prototype.name;
  const Wrapped = {
    [name]: function (...values) {
      if (new.target === undefined || new.target === Wrapped) return make(Native, values, Wrapped);
      return derive(Native, values, new.target);
    },
  }[name];
  objectDefineProperty(Wrapped, "length", { __proto__: null, value: length, configurable: true });
  objectDefineProperty(Wrapped, "prototype", { __proto__: null, value: prototype, writable: false });
  objectDefineProperty(prototype, "constructor", { __proto__: null, value: Wrapped, writable: true, configurable: true });
  objectDefineProperty(globalThis, name, { __proto__: null, value: Wrapped, writable: true, configurable: true });
  return Wrapped;
};

const WrappedError = wrap(primordials.Error, 1);
defineMethods(WrappedError, { isError: isError });
const kinds = ["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "AggregateError", "SuppressedError"];
for (let i = 0; i < kinds.length; i++) {
  const Native = globalThis[kinds[i]];
  if (Native) objectSetPrototypeOf(wrap(Native, kinds[i] === "AggregateError" ? 2 : kinds[i] === "SuppressedError" ? 3 : 1), WrappedError);
}

objectDefineProperty(primordials.Error.prototype, "stack", {
  __proto__: null,
  get: {
    stack() {
      if (!isObject(this)) return undefined;
      if (weakHas(captures, this)) return host.stackText(weakGet(captures, this));
      return headerOf(stringData(this, "name"), stringData(this, "message"));
    },
  }.stack,
  set: { stack(text) { if (isObject(this)) setOwn(this, "stack", text); } }.stack,
  enumerable: false,
  configurable: true,
});

// The calls that led here, as a stack text: where the program called a function of the prelude from.
internals.callerStack = () => {
  const here = new primordials.Error();
  return weakHas(captures, here) ? host.stackText(weakGet(captures, here)) : "";
};

// The own stack that the engine leaves on its errors is not a property of theirs in the reference.
internals.ownNames = (value) => {
  const names = objectGetOwnPropertyNames(value);
  if (isProxy(value) || !weakHas(nativeStacks, value)) return names;
  const own = objectGetOwnPropertyDescriptor(value, "stack");
  if (own === undefined || own.value !== weakGet(nativeStacks, value)) return names;
  const kept = [];
  for (let i = 0; i < names.length; i++) if (names[i] !== "stack") setOwn(kept, kept.length, names[i]);
  return kept;
};

// What a thrown value was, as JSON: {text} for what has no stack; for an error {name, message, header, made, frames, stack, report}.
internals.describeError = (value) => {
  if (!isObject(value)) {
    if (typeof value !== "symbol") return '{"text":' + quoteJson(String(value)) + "}";
    const description = symbolDescription(value);
    return '{"text":' + quoteJson("Symbol(" + (description === undefined ? "" : description) + ")") + "}";
  }
  const name = stringData(value, "name");
  const message = stringData(value, "message");
  const report = internals.errorReports && weakHas(internals.errorReports, value) ? weakGet(internals.errorReports, value) : null;
  if (!weakHas(captures, value)) {
    const stack = stringData(value, "stack");
    let text = stack;
    if (text === undefined) {
      text = message === undefined || message === "" ? objectToString(value) : name ? name + ": " + message : message;
      if (message === undefined || message === "") text = typeof value === "function" ? "[object Object]" : text;
    }
    return '{"text":' + quoteJson(text) + ',"report":' + (report ? jsonStringify(report) : "null") + "}";
  }
  const own = objectGetOwnPropertyDescriptor(value, "stack");
  const replaced = own !== undefined && typeof own.value === "string" && own.value !== weakGet(nativeStacks, value) ? own.value : undefined;
  return '{"name":' + quoteJson(name === undefined ? "Error" : name) + ',"message":' + quoteJson(message === undefined ? "" : message)
    + ',"stack":' + (replaced === undefined ? "null" : quoteJson(replaced)) + ',"capture":' + weakGet(captures, value)
    + ',"report":' + (report ? jsonStringify(report) : "null") + "}";
};
