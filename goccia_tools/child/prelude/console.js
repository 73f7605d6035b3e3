// console: one line of text per call to host.print, formatted as behaviour section 2 has it.

const { toText } = primordials;
const {
  arrayIsArray, defineMethods, isObject, isProxy, Map, mapForEach, mapGet, mapSet, mapSize, numberToFixed, objectGetOwnPropertyDescriptor,
  objectKeys, setForEach, setOwn, setSize, String, stringIncludes, stringRepeat, symbolDescription,
  typedArrayLength, typedArrayTag,
} = primordials;

const MAX_DEPTH = 5;

const isMap = (value) => {
  try {
    mapSize(value);
    return true;
  } catch {
    return false;
  }
};
const isSet = (value) => {
  try {
    setSize(value);
    return true;
  } catch {
    return false;
  }
};

const quoted = (text) => {
  const mark = !stringIncludes(text, "'") ? "'" : !stringIncludes(text, '"') ? '"' : "`";
  return mark + text + mark;
};

const formatPrimitive = (value, nested) => {
  if (typeof value === "symbol") {
    const description = symbolDescription(value);
    return "Symbol(" + (description === undefined ? "" : description) + ")";
  }
  if (typeof value === "string") return nested ? quoted(value) : value;
  return String(value);
};

const formatArray = (value, depth) => {
  if (depth >= MAX_DEPTH) return "[Array]";
  const length = value.length;
  if (length === 0) return "[]";
  let text = "[ ";
  for (let i = 0; i < length; i++) {
    if (i) text += ", ";
    if (i in value) text += format(value[i], depth + 1, true);
  }
  return text + " ]";
};

const formatSet = (value, depth) => {
  if (depth >= MAX_DEPTH) return "[Set]";
  const size = setSize(value);
  let text = "Set(" + size + ") {";
  let first = true;
  setForEach(value, (item) => {
    text += (first ? " " : ", ") + format(item, depth + 1, true);
    first = false;
  });
  return text + (first ? "}" : " }");
};

const formatMap = (value, depth) => {
  if (depth >= MAX_DEPTH) return "[Map]";
  const size = mapSize(value);
  let text = "Map(" + size + ") {";
  let first = true;
  mapForEach(value, (item, key) => {
    text += (first ? " " : ", ") + format(key, depth + 1, true) + " => " + format(item, depth + 1, true);
    first = false;
  });
  return text + (first ? "}" : " }");
};

const formatObject = (value, depth) => {
  if (depth >= MAX_DEPTH) return "[Object]";
  const keys = objectKeys(value);
  // the elements of a typed array come first among its keys, and are not listed
  const first = typedArrayTag(value) === undefined ? 0 : typedArrayLength(value);
  let text = "{";
  for (let i = first; i < keys.length; i++) {
    text += (i > first ? ", " : " ") + keys[i] + ": " + format(value[keys[i]], depth + 1, true);
  }
  return text + (keys.length > first ? " }" : "}");
};

const format = (value, depth, nested) => {
  if (!isObject(value)) return formatPrimitive(value, nested);
  if (arrayIsArray(value)) return isProxy(value) ? formatObject(value, depth) : formatArray(value, depth);
  if (isSet(value)) return formatSet(value, depth);
  if (isMap(value)) return formatMap(value, depth);
  return formatObject(value, depth);
};

const formatAll = (values, from) => {
  let text = "";
  for (let i = from; i < values.length; i++) text += (i > from ? " " : "") + format(values[i], 0, false);
  return text;
};
internals.formatAll = formatAll;

let groups = 0;
const counts = new Map();
const timers = new Map();

const print = (text) => {
  host.print(stringRepeat("  ", groups) + text);
};
const labelOf = (values) => (values.length === 0 || values[0] === undefined ? "default" : toText(values[0]));
const elapsed = (label) => {
  const started = mapGet(timers, label);
  if (started === undefined) {
    print("Timer '" + label + "' does not exist");
    return;
  }
  let text = numberToFixed(internals.nowMs() - started, 3);
  while (text[text.length - 1] === "0") text = primordials.stringSlice(text, 0, -1);
  if (text[text.length - 1] === ".") text = primordials.stringSlice(text, 0, -1);
  print(label + ": " + text + "ms");
};

const methods = {
  log(...values) { print(formatAll(values, 0)); },
  warn(...values) { print("Warning: " + formatAll(values, 0)); },
  error(...values) { print("Error: " + formatAll(values, 0)); },
  info(...values) { print("Info: " + formatAll(values, 0)); },
  debug(...values) { print("Debug: " + formatAll(values, 0)); },
  dir(...values) { if (values.length) print(format(values[0], 0, false)); },
  assert(...values) {
    if (values.length && values[0]) return;
    print(values.length ? "Assertion failed:" + (values.length > 1 ? " " + formatAll(values, 1) : "") : "Assertion failed");
  },
  count(...values) {
    const label = labelOf(values);
    const next = (mapGet(counts, label) || 0) + 1;
    mapSet(counts, label, next);
    print(label + ": " + next);
  },
  countReset(...values) { mapSet(counts, labelOf(values), 0); },
  time(...values) { mapSet(timers, labelOf(values), internals.nowMs()); },
  timeEnd(...values) {
    const label = labelOf(values);
    elapsed(label);
    primordials.mapSet(timers, label, undefined);
  },
  timeLog(...values) { elapsed(labelOf(values)); },
  clear() {},
  group(...values) {
    if (values.length) print(formatAll(values, 0));
    groups++;
  },
  groupEnd() { if (groups > 0) groups--; },
  trace(...values) { print(values.length ? "Trace: " + formatAll(values, 0) : "Trace"); },
  table(...values) { if (values.length) print(format(values[0], 0, false)); },
};

const names = objectKeys(methods);
for (let i = 0; i < names.length; i++) {
  const descriptor = objectGetOwnPropertyDescriptor(methods[names[i]], "length");
  descriptor.value = 0;
  primordials.objectDefineProperty(methods[names[i]], "length", descriptor);
}
Object.defineProperty(globalThis, "console", {
  __proto__: null, value: defineMethods({}, methods), writable: true, configurable: true,
});
