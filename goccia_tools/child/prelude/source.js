// What rewritten programs call for the forms the engine does not have: enums, using, checked types, element properties.

const { toText } = primordials;
const { Error, TypeError, SyntaxError, Promise, Symbol, SuppressedError } = globalThis;
const { create, defineProperty, freeze, keys, getOwnPropertyDescriptor } = Object;
const { ownKeys, apply } = Reflect;
const promiseResolve = Promise.resolve;
const rejectPromise = Promise.reject;
const promiseReject = (reason) => apply(rejectPromise, Promise, [reason]);
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
    if (getOwnPropertyDescriptor(made, key) !== undefined) throw new TypeError("Cannot redefine non-configurable property '" + toText(key) + "'");
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
    throw new TypeError("Type '" + toText(kind) + "' is not assignable to type '" + toText(expected) + "'");
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

// -- names declared again inside a block: found when control gets there

const { stringify } = JSON;
helpers["ǃg_again"] = (name, line, column) => {
  const message = "Identifier '" + toText(name) + "' has already been declared";
  return internals.makeError("SyntaxError", message, stringify({ name: "SyntaxError", message, path: "", line, column, frame: false }));
};

// -- jumps without a target, and for await of scripts

helpers["ǃg_stray"] = (word) => new SyntaxError("Illegal " + toText(word) + " statement");

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

// -- source-phase imports while their flag is off

const sourceMessage = "JavaScript ModuleSource objects require --experimental-js-module-source";
helpers["ǃg_import_refused"] = () => () => promiseReject(new SyntaxError(sourceMessage));

// -- phases of import() other than evaluation: called with the importing module's URL, then as import() would be

const attributesOf = (options) => {
  if (options === undefined) return undefined;
  if (!isObject(options)) throw new TypeError("The options of import() must be an object");
  const given = options.with;
  if (given === undefined) return undefined;
  if (!isObject(given)) throw new TypeError("The attributes of import() must be an object");
  const own = keys(given);
  for (let i = 0; i < own.length; i++) {
    if (own[i] !== "type") throw new TypeError(`Unsupported import attribute "${own[i]}"`);
    if (typeof given.type !== "string") throw new TypeError("Import attribute values must be strings");
  }
  return own.length ? stringify({ type: given.type }) : undefined;
};
const phased = (phase) => (referrer) => (specifier, options) => {
  try {
    const attributes = attributesOf(options);
    const found = helpers["ǃg_import"](`${specifier}`, attributes, [], phase, undefined, undefined, referrer);
    return apply(promiseResolve, Promise, [found]);
  } catch (error) {
    return promiseReject(error);
  }
};
helpers["ǃg_import_source"] = phased("source");
helpers["ǃg_import_defer"] = phased("defer");

// -- patterns: each part of one is a function of the value it is tried on

const { is, defineProperties } = Object;
const { has, get } = Reflect;
const isArray = Array.isArray;
const isPrototypeOf = uncurry(Object.prototype.isPrototypeOf);
const functionText = uncurry(Function.prototype.toString);
const startsWith = uncurry(String.prototype.startsWith);
const { Object: ObjectConstructor, Array: ArrayConstructor, String: StringConstructor, Number: NumberConstructor } = globalThis;
const { Boolean: BooleanConstructor, Function: FunctionConstructor, BigInt: BigIntConstructor } = globalThis;
if (!("customMatcher" in Symbol)) {
  defineProperties(Symbol, {
    customMatcher: { __proto__: null, value: Symbol("Symbol.customMatcher"), writable: false, enumerable: false, configurable: false },
  });
}
const customMatcher = Symbol.customMatcher;

const isClass = (value) => typeof value === "function" && startsWith(functionText(value), "class");
const matcherOf = (value) => {
  if (!isObject(value)) return undefined;
  const matcher = value[customMatcher];
  if (matcher === undefined) return undefined;
  if (typeof matcher !== "function") throw new TypeError("Symbol.customMatcher must be callable");
  return matcher;
};
const hint = (matchType) => ({ matchType });
// undefined: not one of the constructors that stand for a kind of value
const kindMatches = (value, candidate) => {
  switch (candidate) {
    case ObjectConstructor:
      return isObject(value);
    case ArrayConstructor:
      return isArray(value);
    case StringConstructor:
      return typeof value === "string";
    case NumberConstructor:
      return typeof value === "number";
    case BooleanConstructor:
      return typeof value === "boolean";
    case FunctionConstructor:
      return typeof value === "function";
    case BigIntConstructor:
      return typeof value === "bigint";
    case Symbol:
      return typeof value === "symbol";
    default:
      return undefined;
  }
};
const isInstance = (value, Class) => isObject(value) && isObject(Class.prototype) && isPrototypeOf(Class.prototype, value);
const looksConstructed = (candidate) => {
  if (isClass(candidate)) return true;
  const described = getOwnPropertyDescriptor(candidate, "prototype");
  return described !== undefined && !described.writable;
};

helpers["ǃg_is"] = (value, pattern) => !!pattern(value);

helpers["ǃg_match"] = (value, clauses) => {
  let otherwise;
  for (let i = 0; i < clauses.length; i++) {
    const clause = clauses[i];
    if (typeof clause !== "function") {
      otherwise = clause.value;
      continue;
    }
    const hit = clause(value);
    if (hit) return (0, hit[0])();
  }
  if (otherwise !== undefined) return otherwise();
  throw new TypeError("No matching pattern");
};

helpers["ǃg_value"] = (value, candidate) => {
  const matcher = matcherOf(candidate);
  if (matcher !== undefined) return !!apply(matcher, candidate, [value, hint("boolean")]);
  if (typeof candidate === "function") {
    const kind = kindMatches(value, candidate);
    if (kind !== undefined) return kind;
    if (looksConstructed(candidate)) return isInstance(value, candidate) || is(value, candidate);
    return !!apply(candidate, undefined, [value, hint("boolean")]);
  }
  return is(value, candidate);
};

const iteratorOf = (value) => {
  if (value === null || value === undefined) return undefined;
  const method = value[iterator];
  if (method === undefined) return undefined;
  if (typeof method !== "function") throw new TypeError("Object [Symbol.iterator] must be callable");
  const made = apply(method, value, []);
  if (!isObject(made) || typeof made.next !== "function") throw new TypeError("[Symbol.iterator] did not return a valid iterator");
  return made;
};
const matchItems = (items, parts, rest) => {
  const next = items.next;
  const step = () => {
    const result = apply(next, items, []);
    if (!isObject(result)) throw new TypeError("The iterator's result is not an object");
    return result;
  };
  for (let i = 0; i < parts.length; i++) {
    const result = step();
    if (result.done) return false;
    const part = getOwnPropertyDescriptor(parts, i);
    if (part !== undefined && !part.value(result.value)) return false;
  }
  if (rest === true) return true;
  if (rest === undefined) return !!step().done;
  const others = [];
  for (let result = step(); !result.done; result = step()) append(others, result.value);
  return !!rest(others);
};
helpers["ǃg_array"] = (value, parts, rest) => {
  const items = iteratorOf(value);
  return items !== undefined && matchItems(items, parts, rest);
};

helpers["ǃg_object"] = (value, parts, rest) => {
  if (value === null || value === undefined) return false;
  const boxed = ObjectConstructor(value);
  const seen = create(null);
  for (let i = 0; i < parts.length; i++) {
    let key = parts[i][0];
    if (typeof key === "function") key = key();
    if (typeof key !== "symbol") key = toText(key);
    if (!has(boxed, key)) return false;
    if (!(0, parts[i][1])(get(boxed, key, value))) return false;
    seen[key] = true;
  }
  if (rest === undefined || rest === true) return true;
  const others = {};
  const own = ownKeys(boxed);
  for (let i = 0; i < own.length; i++) {
    const described = getOwnPropertyDescriptor(boxed, own[i]);
    if (seen[own[i]] !== true && described !== undefined && described.enumerable) define(others, own[i], boxed[own[i]], true, false);
  }
  return !!rest(others);
};

helpers["ǃg_extract"] = (value, candidate, parts, rest) => {
  const matcher = matcherOf(candidate);
  let found;
  if (matcher !== undefined) found = apply(matcher, candidate, [value, hint("extractor")]);
  else if (isClass(candidate)) found = isInstance(value, candidate);
  else throw new TypeError("Extractor pattern requires a custom matcher");
  if (typeof found === "boolean") {
    if (!found) return false;
    if (parts.length > 0) return false;
    return rest === undefined || rest === true || !!rest([]);
  }
  const items = iteratorOf(found);
  if (items === undefined) throw new TypeError("Extractor pattern result must be true, false, or iterable");
  return matchItems(items, parts, rest);
};

// -- decorators

if (!("metadata" in Symbol)) {
  defineProperties(Symbol, {
    metadata: { __proto__: null, value: Symbol("Symbol.metadata"), writable: false, enumerable: false, configurable: false },
  });
}
const metadataKey = Symbol.metadata;
const { getPrototypeOf, deleteProperty } = Reflect;
const NON_FIELDS = { __proto__: null, method: true, get: true, set: true, accessor: true };
const KINDS = { __proto__: null, get: "getter", set: "setter" };

const requireFunction = (value, what) => {
  if (typeof value !== "function") throw new TypeError(`${what} must be a function`);
  return value;
};

helpers["ǃg_decorate"] = (classDecorators, className, define) => {
  const elements = [];
  const keysOf = { __proto__: null };
  const classInitializers = [];
  let metadata;
  let decorated;
  let replacement;

  const accessOf = (element) => {
    if (element.access !== undefined) return element.access;
    const { key, kind } = element;
    const access = { has: (object) => key in object };
    if (kind !== "set") access.get = (object) => object[key];
    if (kind !== "method" && kind !== "get") {
      access.set = (object, value) => {
        object[key] = value;
      };
    }
    return access;
  };

  // the decorators of one element, the one next to it first
  const each = (element, take) => {
    for (let i = element.decorators.length - 1; i >= 0; i--) {
      const decorator = requireFunction(element.decorators[i], "A decorator");
      let open = true;
      const context = {
        kind: KINDS[element.kind] || element.kind,
        name: element.key,
        static: element.fixed,
        private: element.access !== undefined,
        access: accessOf(element),
        addInitializer: (initializer) => {
          if (!open) throw new TypeError("addInitializer was called after decoration finished");
          append(element.later, requireFunction(initializer, "An initializer"));
        },
        metadata,
      };
      const result = take(decorator, context);
      open = false;
      if (result !== undefined) element.adopt(result);
    }
  };

  const decorateElement = (element, holder) => {
    const { key, kind } = element;
    if (kind === "field") {
      element.adopt = (result) => append(element.initializers, requireFunction(result, "What a field decorator returns"));
      each(element, (decorator, context) => decorator(undefined, context));
      return;
    }
    const described = element.body ? getOwnPropertyDescriptor(element.body, key) : getOwnPropertyDescriptor(holder, key);
    if (kind === "accessor") {
      element.adopt = (result) => {
        if (!isObject(result)) throw new TypeError("An accessor decorator must return an object");
        if (result.get !== undefined) described.get = requireFunction(result.get, "get");
        if (result.set !== undefined) described.set = requireFunction(result.set, "set");
        if (result.init !== undefined) append(element.initializers, requireFunction(result.init, "init"));
      };
      each(element, (decorator, context) => decorator({ get: described.get, set: described.set }, context));
    } else {
      const slot = kind === "method" ? "value" : kind;
      element.adopt = (result) => {
        described[slot] = requireFunction(result, "What a decorator returns");
      };
      each(element, (decorator, context) => decorator(described[slot], context));
      element.value = described[slot];
    }
    if (!element.body) {
      described.__proto__ = null;
      defineProperty(holder, key, described);
    }
  };

  const run = (initializers, receiver) => {
    for (let i = 0; i < initializers.length; i++) apply(initializers[i], receiver, []);
  };

  const kit = {
    __proto__: null,
    note(number, kind, fixed, decorators, key, access, body) {
      const name = typeof key === "symbol" ? key : `${key}`;
      const element = { __proto__: null, number, kind, fixed, decorators, key: name, access, body, initializers: [], later: [], adopt: undefined, value: undefined };
      append(elements, element);
      keysOf[number] = name;
      if (access === undefined) return name;
      element.mark = Symbol();
      return element.mark;
    },
    key(number, key) {
      keysOf[number] = typeof key === "symbol" ? key : `${key}`;
      return keysOf[number];
    },
    again: (number) => keysOf[number],
    apply(made) {
      decorated = made;
      const parent = getPrototypeOf(made);
      const inherited = isObject(parent) ? parent[metadataKey] : undefined;
      metadata = create(isObject(inherited) ? inherited : null);
      for (let pass = 0; pass < 4; pass++) {
        const fixed = pass % 2 === 0;
        for (let i = 0; i < elements.length; i++) {
          const element = elements[i];
          if (element.fixed === fixed && (NON_FIELDS[element.kind] === true) === pass < 2) {
            decorateElement(element, fixed ? made : made.prototype);
          }
        }
      }
      for (let i = 0; i < elements.length; i++) {
        if (elements[i].fixed && elements[i].kind !== "field" && elements[i].kind !== "accessor") run(elements[i].later, made);
      }
    },
    begin(instance) {
      for (let i = 0; i < elements.length; i++) {
        if (!elements[i].fixed && elements[i].kind !== "field" && elements[i].kind !== "accessor") run(elements[i].later, instance);
      }
    },
    init(number, receiver, value) {
      for (let i = 0; i < elements.length; i++) {
        const element = elements[i];
        if (element.number !== number) continue;
        for (let j = 0; j < element.initializers.length; j++) value = apply(element.initializers[j], receiver, [value]);
        break;
      }
      return value;
    },
    after(number, receiver) {
      for (let i = 0; i < elements.length; i++) if (elements[i].number === number) run(elements[i].later, receiver);
    },
    value(number) {
      for (let i = 0; i < elements.length; i++) if (elements[i].number === number) return elements[i].value;
      return undefined;
    },
    call(number, receiver, ...given) {
      return apply(kit.value(number), receiver, given);
    },
  };
  define(kit);
  for (let i = 0; i < elements.length; i++) if (elements[i].mark !== undefined) deleteProperty(decorated, elements[i].mark);
  replacement = decorated;
  for (let i = classDecorators.length - 1; i >= 0; i--) {
    let open = true;
    const result = requireFunction(classDecorators[i], "A decorator")(replacement, {
      kind: "class",
      name: className === "" ? undefined : className,
      addInitializer: (initializer) => {
        if (!open) throw new TypeError("addInitializer was called after decoration finished");
        append(classInitializers, requireFunction(initializer, "An initializer"));
      },
      metadata,
    });
    open = false;
    if (result !== undefined) replacement = requireFunction(result, "What a class decorator returns");
  }
  defineProperty(replacement, metadataKey, { __proto__: null, value: metadata, writable: true, enumerable: false, configurable: true });
  run(classInitializers, replacement);
  return replacement;
};
