// What rewritten programs call for the forms the engine does not have: enums, using, checked types, element properties.

const { Error, TypeError, SyntaxError, Promise, Symbol, SuppressedError } = globalThis;
const { create, defineProperty, freeze, keys, getOwnPropertyDescriptor } = Object;
const { ownKeys, apply } = Reflect;
const promiseResolve = Promise.resolve;
const uncurry = Function.prototype.call.bind.bind(Function.prototype.call);
const arrayValues = uncurry(Array.prototype.values);
const { iterator, asyncIterator, toStringTag, dispose, asyncDispose } = Symbol;
const helpers = internals.sourceHelpers;
const settle = helpers["ǃg_await"];

const define = (target, key, value, enumerable, fixed) =>
  defineProperty(target, key, { __proto__: null, value, enumerable, writable: !fixed, configurable: !fixed });
const append = (list, value) => define(list, list.length, value, true, false);
const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

// -- enums: frozen, without a prototype, iterable as [name, value]

helpers["ǃg_enum"] = (name, body) => {
  const made = create(null);
  const entries = [];
  body(made, (key, value) => {
    const kind = typeof value;
    if (kind !== "number" && kind !== "string" && kind !== "symbol") {
      throw new TypeError("Enum member initializer must evaluate to a Number, String, or Symbol value");
    }
    if (getOwnPropertyDescriptor(made, key) !== undefined) throw new TypeError(`Cannot redefine non-configurable property '${key}'`);
    define(made, key, value, true, true);
    append(entries, [key, value]);
    return value;
  });
  define(
    made,
    iterator,
    {
      values() {
        const copies = [];
        for (let i = 0; i < entries.length; i++) append(copies, [entries[i][0], entries[i][1]]);
        return arrayValues(copies);
      },
    }.values,
    false,
    true,
  );
  define(made, toStringTag, name, false, true);
  return freeze(made);
};

// -- strictTypes

helpers["ǃg_check"] = (expected, value) => {
  const kind = value === null ? "null" : typeof value;
  if (expected === "object" ? !isObject(value) : kind !== expected) {
    throw new TypeError(`Type '${kind}' is not assignable to type '${expected}'`);
  }
  return value;
};

// -- elements

helpers["ǃg_props"] = (...parts) => {
  const made = {};
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (part === undefined || part === null) continue;
    const own = ownKeys(Object(part));
    for (let j = 0; j < own.length; j++) {
      const described = getOwnPropertyDescriptor(part, own[j]);
      if (described !== undefined && described.enumerable) define(made, own[j], part[own[j]], true, false);
    }
  }
  return made;
};

// -- using: the resources of one block, disposed of in reverse order however the block ends

helpers["ǃg_using"] = () => {
  const resources = [];
  let failed = false;
  let failure;
  const fail = (error) => {
    if (failed) {
      const suppressed = new SuppressedError(error, failure);
      failure = suppressed;
    } else {
      failed = true;
      failure = error;
    }
  };
  const add = (value, method, waits) => append(resources, { __proto__: null, value, method, waits });
  const methodOf = (value, waits) => {
    let method = waits ? value[asyncDispose] : undefined;
    if (method === undefined || method === null) method = value[dispose];
    if (typeof method !== "function") throw new TypeError("The value of a using declaration must have a dispose method");
    return method;
  };
  return {
    __proto__: null,
    fail,
    use(value) {
      if (value !== null && value !== undefined) {
        if (!isObject(value)) throw new TypeError("The value of a using declaration must be an object, null or undefined");
        add(value, methodOf(value, false), false);
      }
      return value;
    },
    useAsync(value) {
      if (value === null || value === undefined) add(undefined, undefined, true);
      else {
        if (!isObject(value)) throw new TypeError("The value of an await using declaration must be an object, null or undefined");
        add(value, methodOf(value, true), true);
      }
      return value;
    },
    dispose() {
      for (let i = resources.length - 1; i >= 0; i--) {
        try {
          apply(resources[i].method, resources[i].value, []);
        } catch (error) {
          fail(error);
        }
      }
      if (failed) throw failure;
    },
    async disposeAsync() {
      for (let i = resources.length - 1; i >= 0; i--) {
        const { value, method, waits } = resources[i];
        try {
          const outcome = method === undefined ? undefined : apply(method, value, []);
          if (waits) await outcome;
        } catch (error) {
          fail(error);
        }
      }
      if (failed) throw failure;
    },
  };
};
helpers["ǃg_outside"] = () => {
  throw new TypeError("using declaration outside of a block scope");
};

// -- jumps without a target, and for await of scripts

helpers["ǃg_stray"] = (word) => new SyntaxError(`Illegal ${word} statement`);

helpers["ǃg_each"] = (items) => {
  const makeAsync = items[asyncIterator];
  const waits = makeAsync !== undefined && makeAsync !== null;
  const inner = apply(waits ? makeAsync : items[iterator], items, []);
  if (!isObject(inner)) throw new TypeError("The iterator is not an object");
  const next = inner.next;
  const step = (result) => {
    const settled = waits ? settle(result) : result;
    if (!isObject(settled)) throw new TypeError("The iterator's result is not an object");
    if (settled.done) return { done: true, value: settled.value };
    return { done: false, value: waits ? settled.value : settle(settled.value) };
  };
  return {
    __proto__: null,
    [iterator]() {
      return this;
    },
    next() {
      return step(apply(next, inner, []));
    },
    return() {
      const close = inner.return;
      if (close !== undefined && close !== null) {
        const result = apply(close, inner, []);
        if (waits) settle(result);
      }
      return { done: true, value: undefined };
    },
  };
};

// -- phases of import() other than evaluation

const phased = (phase) => (specifier) => {
  try {
    const namespace = helpers["ǃg_import"](`${specifier}`, undefined, [], phase);
    return apply(promiseResolve, Promise, [namespace]);
  } catch (error) {
    return Promise.reject(error);
  }
};
helpers["ǃg_import_source"] = phased("source");
helpers["ǃg_import_defer"] = phased("defer");
