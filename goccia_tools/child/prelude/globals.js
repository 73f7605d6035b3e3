// Which globals exist and how they look: what the reference lacks is removed, the host profile is set up by `configure`.

const { toText } = primordials;
const {
  BigInt, Date, defineMethods, functionToString, Math, Number, objectDefineProperty, reflectConstruct, stringEndsWith, stringSlice,
} = primordials;

// Native functions print on one line.
const TAIL = "() {\n    [native code]\n}";
defineMethods(Function.prototype, {
  toString() {
    const text = functionToString(this);
    return stringEndsWith(text, TAIL) ? stringSlice(text, 0, text.length - TAIL.length) + "() { [native code] }" : text;
  },
});

const absent = ["escape", "unescape", "print", "gc", "navigator", "scriptArgs", "bjson", "std", "os"];
for (let i = 0; i < absent.length; i++) delete globalThis[absent[i]];

// What the reference has and this engine lacks fails by name, so that no program takes another way unnoticed.
const lacking = ["Intl", "Temporal"];
for (let i = 0; i < lacking.length; i++) {
  const name = lacking[i];
  const missing = {
    get [name]() { throw new primordials.TypeError(name + " is not part of the embedded engine; the goccia engine has it"); },
    set [name](value) {
      objectDefineProperty(this, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    },
  };
  const descriptor = primordials.objectGetOwnPropertyDescriptor(missing, name);
  descriptor.enumerable = false;
  objectDefineProperty(globalThis, name, primordials.objectSetPrototypeOf(descriptor, null));
}

// -- clocks: the engine's own, or the fixed ones of the deterministic profile (behaviour section 10)

const nativeNow = Date.now;
let startedMs = 0;
let openedMs = 0;
let fixed = false;
internals.nowMs = () => (fixed ? 0 : host.monotonicMs());

// Strings that look like ISO dates must be strict ones: the host says what a string means to the reference.
const NativeDate = Date;
const { parse: nativeParse } = Date;
const readable = (text) => {
  const iso = host.isoDate(text);
  return iso === undefined ? text : iso;
};
const WrappedDate = function Date(...values) {
  if (!new.target) return reflectConstruct(NativeDate, fixed ? [0] : [], NativeDate).toString();
  if (values.length === 0) return reflectConstruct(NativeDate, fixed ? [0] : [], new.target);
  if (values.length === 1) {
    const value = primordials.isObject(values[0]) ? toPrimitive(values[0]) : values[0];
    return reflectConstruct(NativeDate, [typeof value === "string" ? readable(value) : value], new.target);
  }
  return reflectConstruct(NativeDate, values, new.target);
};
// What `new Date(object)` reads: the time of a date, else the object's primitive.
const toPrimitive = (value) => {
  try {
    return primordials.dateGetTime(value);
  } catch {
    const convert = value[primordials.Symbol.toPrimitive];
    if (convert !== undefined && convert !== null) return primordials.reflectApply(convert, value, ["default"]);
    for (let i = 0; i < 2; i++) {
      const method = i === 0 ? value.valueOf : value.toString;
      if (typeof method === "function") {
        const result = primordials.reflectApply(method, value, []);
        if (!primordials.isObject(result)) return result;
      }
    }
    throw new primordials.TypeError("Cannot convert object to primitive value");
  }
};
objectDefineProperty(WrappedDate, "length", { __proto__: null, value: 7, configurable: true });
objectDefineProperty(WrappedDate, "prototype", { __proto__: null, value: NativeDate.prototype, writable: false });
objectDefineProperty(NativeDate.prototype, "constructor", { __proto__: null, value: WrappedDate, writable: true, configurable: true });
defineMethods(WrappedDate, {
  now() { return fixed ? 0 : nativeNow(); },
  parse(text) { return nativeParse(readable(toText(text))); },
  UTC: NativeDate.UTC,
});
objectDefineProperty(globalThis, "Date", { __proto__: null, value: WrappedDate, writable: true, configurable: true });

// The platform's cube root is not exact where a whole number has one.
const nativeCbrt = Math.cbrt;
const { round } = Math;
defineMethods(Math, {
  cbrt(value) {
    const root = nativeCbrt(value);
    const whole = round(root);
    return whole * whole * whole === +value ? whole || root : root;
  },
});

// -- Math.random: SplitMix64 over a state of 64 bits, as high and low words

let state = 0n;
const MASK = (1n << 64n) - 1n;
defineMethods(Math, {
  random() {
    state = (state + 0x9E3779B97F4A7C15n) & MASK;
    let mixed = state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xBF58476D1CE4E5B9n) & MASK;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94D049BB133111EBn) & MASK;
    mixed ^= mixed >> 31n;
    return Number(mixed >> 11n) / 9007199254740992;
  },
});

internals.configure = (optionsJson) => {
  const options = primordials.jsonParse(optionsJson);
  state = BigInt(options.randomState) & MASK;
  fixed = options.deterministic;
  startedMs = internals.nowMs();
  openedMs = nativeNow();
  internals.options = options;
  internals.allowDynamicCode(options.functionConstructor, options.shadowRealm);
  internals.setMemoryBudget(options.memoryBytes);
  for (let i = 0; i < internals.configured.length; i++) internals.configured[i](options);
};
internals.startedMs = () => startedMs;
internals.timeOriginMs = () => (fixed ? 0 : openedMs);
// functions that want the run's options, called in order by `configure`
internals.configured = [];
