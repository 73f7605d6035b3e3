// The intrinsics that the rest of the prelude works with, taken before any guest code exists.
// `fooBar(thing, ...)` is the method `Foo.prototype.bar` called on `thing`, whatever a guest does to the prototype.

const uncurry = Function.prototype.call.bind.bind(Function.prototype.call);
const getter = (prototype, name) => uncurry(Object.getOwnPropertyDescriptor(prototype, name).get);
const TypedArray = Object.getPrototypeOf(Uint8Array);

// Template literals are calls of String.prototype.concat in this engine, which a program can patch: the prelude uses
// none with substitutions, but this and +.
const { String, TypeError } = globalThis;
const toText = (value) => {
  if (typeof value === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
  return String(value);
};

const taken = {
  __proto__: null,
  toText,
  uncurry,
  getter,
  TypedArray,
  arrayIsArray: Array.isArray,
  arrayJoin: uncurry(Array.prototype.join),
  arrayPush: uncurry(Array.prototype.push),
  arraySlice: uncurry(Array.prototype.slice),
  bigIntToString: uncurry(BigInt.prototype.toString),
  dateGetTime: uncurry(Date.prototype.getTime),
  functionToString: uncurry(Function.prototype.toString),
  hasOwn: Object.hasOwn,
  jsonParse: JSON.parse,
  jsonStringify: JSON.stringify,
  mapForEach: uncurry(Map.prototype.forEach),
  mapGet: uncurry(Map.prototype.get),
  mapHas: uncurry(Map.prototype.has),
  mapSet: uncurry(Map.prototype.set),
  mapSize: getter(Map.prototype, "size"),
  numberToFixed: uncurry(Number.prototype.toFixed),
  objectCreate: Object.create,
  objectDefineProperty: Object.defineProperty,
  objectFreeze: Object.freeze,
  objectGetOwnPropertyDescriptor: Object.getOwnPropertyDescriptor,
  objectGetOwnPropertyNames: Object.getOwnPropertyNames,
  objectGetPrototypeOf: Object.getPrototypeOf,
  objectKeys: Object.keys,
  objectSetPrototypeOf: Object.setPrototypeOf,
  objectToString: uncurry(Object.prototype.toString),
  promiseResolve: Promise.resolve.bind(Promise),
  promiseThen: uncurry(Promise.prototype.then),
  propertyIsEnumerable: uncurry(Object.prototype.propertyIsEnumerable),
  queueMicrotask: globalThis.queueMicrotask,
  reflectApply: Reflect.apply,
  reflectConstruct: Reflect.construct,
  reflectGet: Reflect.get,
  reflectOwnKeys: Reflect.ownKeys,
  setForEach: uncurry(Set.prototype.forEach),
  setHas: uncurry(Set.prototype.has),
  setAdd: uncurry(Set.prototype.add),
  setSize: getter(Set.prototype, "size"),
  stringCharCodeAt: uncurry(String.prototype.charCodeAt),
  stringEndsWith: uncurry(String.prototype.endsWith),
  stringIncludes: uncurry(String.prototype.includes),
  stringIndexOf: uncurry(String.prototype.indexOf),
  stringRepeat: uncurry(String.prototype.repeat),
  stringSlice: uncurry(String.prototype.slice),
  stringSplit: uncurry(String.prototype.split),
  stringStartsWith: uncurry(String.prototype.startsWith),
  stringToLowerCase: uncurry(String.prototype.toLowerCase),
  stringToUpperCase: uncurry(String.prototype.toUpperCase),
  stringToWellFormed: uncurry(String.prototype.toWellFormed),
  symbolDescription: getter(Symbol.prototype, "description"),
  typedArrayTag: getter(TypedArray.prototype, Symbol.toStringTag),
  typedArrayLength: getter(TypedArray.prototype, "length"),
  weakGet: uncurry(WeakMap.prototype.get),
  weakHas: uncurry(WeakMap.prototype.has),
  weakSet: uncurry(WeakMap.prototype.set),
  weakSetAdd: uncurry(WeakSet.prototype.add),
  weakSetHas: uncurry(WeakSet.prototype.has),
  Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Function, Map, Math, Number, Object, Promise, Proxy, RegExp, Set, String,
  Symbol, Uint8Array, WeakMap, WeakSet,
  Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError,
};

const names = Object.keys(taken);
for (let i = 0; i < names.length; i++) primordials[names[i]] = taken[names[i]];

// Sets a property without running a setter that a guest may have put on a prototype.
primordials.setOwn = (target, key, value) =>
  taken.objectDefineProperty(target, key, {
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });

// Gives `target` methods as built-in objects have them: writable, configurable, not enumerable.
primordials.defineMethods = (target, methods) => {
  const keys = taken.reflectOwnKeys(methods);
  for (let i = 0; i < keys.length; i++) {
    const descriptor = taken.objectGetOwnPropertyDescriptor(methods, keys[i]);
    descriptor.enumerable = false;
    taken.objectDefineProperty(target, keys[i], taken.objectSetPrototypeOf(descriptor, null));
  }
  return target;
};

primordials.isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

// Proxies cannot be told from their targets by any operation of the language; the host can.
primordials.isProxy = (value) => host.isProxy(value);

taken.objectFreeze(primordials);
