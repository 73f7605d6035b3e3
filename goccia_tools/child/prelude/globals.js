// Which globals exist and how they look: what the reference lacks is removed, the host profile is set up by `configure`.

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

const absent = ["escape", "unescape", "InternalError", "print", "gc", "navigator", "scriptArgs", "bjson", "std", "os"];
for (let i = 0; i < absent.length; i++) delete globalThis[absent[i]];

// -- clocks: the engine's own, or the fixed ones of the deterministic profile (behaviour section 10)

const nativeNow = Date.now;
let startedMs = 0;
let openedMs = 0;
let fixed = false;
internals.nowMs = () => (fixed ? 0 : host.monotonicMs());

const installFixedClock = () => {
  const NativeDate = Date;
  const FixedDate = function Date(...values) {
    if (!new.target) return new NativeDate(0).toString();
    return reflectConstruct(NativeDate, values.length === 0 ? [0] : values, new.target);
  };
  objectDefineProperty(FixedDate, "length", { __proto__: null, value: 7, configurable: true });
  objectDefineProperty(FixedDate, "prototype", { __proto__: null, value: NativeDate.prototype, writable: false });
  objectDefineProperty(NativeDate.prototype, "constructor", { __proto__: null, value: FixedDate, writable: true, configurable: true });
  defineMethods(FixedDate, { now() { return 0; }, parse: NativeDate.parse, UTC: NativeDate.UTC });
  objectDefineProperty(globalThis, "Date", { __proto__: null, value: FixedDate, writable: true, configurable: true });
};

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
  if (fixed) installFixedClock();
  startedMs = internals.nowMs();
  openedMs = nativeNow();
  internals.options = options;
  for (let i = 0; i < internals.configured.length; i++) internals.configured[i](options);
};
internals.startedMs = () => startedMs;
internals.timeOriginMs = () => (fixed ? 0 : openedMs);
// functions that want the run's options, called in order by `configure`
internals.configured = [];
