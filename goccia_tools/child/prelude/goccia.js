// Module `goccia`: `$`, whose command objects run once, and `runScript`.

const { toText } = primordials;
const uncurry = Function.prototype.call.bind.bind(Function.prototype.call);
const { TypeError, Promise, String } = globalThis;
const { defineProperty } = Object;
const isArray = Array.isArray;
const ownKeys = Reflect.ownKeys;
const { parse, stringify } = JSON;
const min = Math.min;
const floor = Math.floor;
const trim = uncurry(String.prototype.trim);
const charAt = uncurry(String.prototype.charAt);
const indexOf = uncurry(String.prototype.indexOf);
const slice = uncurry(String.prototype.slice);
const MAX_LENGTH = 2 ** 53 - 1;

const append = (list, value) => defineProperty(list, list.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
const missing = (value) => value === undefined || value === null;
const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

// Where the program called from; an uncaught error of a program it runs is reported there.
const callers = () => internals.callerStack();

const settled = (make) => new Promise((resolve) => resolve(make()));

// -- $

const quoted = (value) => {
  const text = String(value);
  let inside = "";
  for (let i = 0; i < text.length; i++) {
    const char = charAt(text, i);
    inside += char === "'" ? "'\\''" : char;
  }
  return "'" + toText(inside) + "'";
};

const commandLine = (given) => {
  if (given.length === 0) return "";
  const template = given[0];
  if (typeof template === "string") return template;
  if (!isObject(template)) throw new TypeError("$ expects a tagged template or command string");
  const length = min(floor(+template.length) || 0, MAX_LENGTH);
  let line = "";
  for (let i = 0; i < length; i++) {
    line += toText(template[i]);
    if (i + 1 < given.length) line += quoted(given[i + 1]);
  }
  return line;
};

const newCommand = (line) => {
  let result;
  let isQuiet = false;
  let throws = true;
  const execute = () => {
    if (result !== undefined) return;
    const json = host.shellRun(line, callers());
    result = parse(json);
    if (result.exitCode !== 0 && throws) {
      throw new TypeError("Shell command failed with exit code " + toText(result.exitCode) + ": " + toText(trim(result.stderr)));
    }
  };
  return {
    run: () =>
      settled(() => {
        execute();
        return {
          exitCode: result.exitCode,
          stdout: isQuiet ? "" : result.stdout,
          stderr: isQuiet ? "" : result.stderr,
          ok: result.exitCode === 0,
        };
      }),
    text: () =>
      settled(() => {
        execute();
        return isQuiet ? "" : result.stdout;
      }),
    json: () =>
      settled(() => {
        execute();
        try {
          return parse(result.stdout);
        } catch (error) {
          throw toText(error.message);
        }
      }),
    quiet() {
      isQuiet = true;
      return this;
    },
    nothrow() {
      throws = false;
      return this;
    },
  };
};

// -- runScript

const optionText = (options, name, required) => {
  const value = options[name];
  if (missing(value)) {
    if (required) throw new TypeError("runScript requires option \"" + toText(name) + "\"");
    return "";
  }
  if (typeof value !== "string") throw new TypeError("runScript option \"" + toText(name) + "\" must be a string");
  return value;
};
const optionFlag = (options, name) => {
  const value = options[name];
  if (missing(value)) return false;
  if (typeof value !== "boolean") throw new TypeError("runScript option \"" + toText(name) + "\" must be a boolean");
  return value;
};
const seedOf = (value) => {
  if (typeof value === "string") {
    const at = indexOf(value, "=");
    return at < 0 ? { __proto__: null, from: value } : { __proto__: null, from: slice(value, 0, at), to: slice(value, at + 1) };
  }
  if (!isObject(value)) throw new TypeError("runScript seed entries must be strings or objects");
  const sources = !missing(value.from) + !missing(value.text) + !missing(value.base64);
  if (sources !== 1) {
    throw new TypeError('runScript seed entries require exactly one of "from", "text", or "base64"');
  }
  if (!missing(value.from)) return { __proto__: null, from: optionText(value, "from", true), to: optionText(value, "to", false) };
  const path = optionText(value, "path", true);
  return missing(value.base64) ? { __proto__: null, path, text: optionText(value, "text", true) } : { __proto__: null, path, base64: optionText(value, "base64", true) };
};
const addSeeds = (plan, value) => {
  if (missing(value)) return;
  const list = isArray(value) ? value : [value];
  for (let i = 0; i < list.length; i++) {
    append(plan.seeds, seedOf(list[i]));
    plan.isolated = true;
  }
};
const planOf = (options) => {
  const plan = { __proto__: null, isolated: false, includeDiff: false, diffMetadata: false, diffFormat: "json", seeds: [] };
  if (missing(options)) return plan;
  if (!isObject(options)) throw new TypeError("runScript options must be an object");
  if (optionFlag(options, "sandbox")) plan.isolated = true;
  if (optionFlag(options, "diff")) plan.isolated = plan.includeDiff = true;
  if (optionFlag(options, "diffMetadata")) plan.isolated = plan.includeDiff = plan.diffMetadata = true;
  const form = optionText(options, "diffFormat", false);
  if (form !== "") plan.diffFormat = form;
  if (plan.diffFormat !== "json" && plan.diffFormat !== "unified") {
    throw new TypeError('runScript option "diffFormat" must be "json" or "unified"');
  }
  addSeeds(plan, options.seed);
  addSeeds(plan, options.seeds);
  return plan;
};

// Written out by hand: stringifying an object runs what a program put on the prototypes; a text on its own does not.
const members = (object) => {
  const names = ownKeys(object);
  let text = "";
  for (let i = 0; i < names.length; i++) {
    const value = object[names[i]];
    text += (i ? "," : "") + stringify(names[i]) + ":" + (typeof value === "string" ? stringify(value) : value ? "true" : "false");
  }
  return text;
};
const planText = (plan) => {
  const seeds = plan.seeds;
  delete plan.seeds;
  let text = "";
  for (let i = 0; i < seeds.length; i++) text += (i ? ",{" : "{") + members(seeds[i]) + "}";
  return "{" + members(plan) + ",\"seeds\":[" + text + "]}";
};

const runScript = (path, options) => {
  if (missing(path)) throw new TypeError("runScript requires a path string");
  path = toText(path);
  const run = parse(host.runScript(path, planText(planOf(options)), callers()));
  return {
    ok: run.ok,
    exitCode: run.exitCode,
    stdout: run.stdout,
    stderr: run.stderr,
    result: run.result === null ? null : thaw(run.result),
    error: run.error,
    diff: run.diff,
    failureKind: run.failureKind,
  };
};
defineProperty(runScript, "length", { __proto__: null, value: 2, configurable: true });

const $ = (...given) => newCommand(commandLine(given));
const namespace = { $, runScript };
internals.builtinModules.goccia = { __proto__: null, default: namespace, $, runScript };

// -- a result value on its way from the heap of one program to that of another: JSON, with what JSON cannot say as
// an object `{"": name}`; cloned by the rules of result values (shared references twice, a value on its own path lost)

const DEEPEST = 200;
const escape = { __proto__: null, "-0": -0, NaN, Infinity, "-Infinity": -Infinity };
const escaped = (name) => ("{\"\":\"" + toText(name) + "\"}");

internals.freezeValue = (value) => {
  const path = [];
  const freeze = (item) => {
    switch (typeof item) {
      case "string":
        return stringify(item);
      case "boolean":
        return item ? "true" : "false";
      case "number":
        if (item !== item || item === Infinity || item === -Infinity) return escaped(toText(item));
        return item === 0 && 1 / item < 0 ? escaped("-0") : toText(item);
      case "object":
        if (item === null) return "null";
        break;
      case "function":
        break;
      default:
        return escaped("undefined");
    }
    if (path.length > DEEPEST) return "null";
    for (let i = 0; i < path.length; i++) if (path[i] === item) return escaped("undefined");
    append(path, item);
    let text = "";
    if (isArray(item) && !host.isProxy(item)) {
      const length = item.length;
      for (let i = 0; i < length; i++) text += (i ? "," : "") + freeze(item[i]);
      text = "[" + toText(text) + "]";
    } else {
      const keys = ownKeys(item);
      let hasEmptyKey = false;
      for (let i = 0; i < keys.length; i++) {
        if (typeof keys[i] !== "string") continue;
        hasEmptyKey = hasEmptyKey || keys[i] === "";
        text += (text ? "," : "") + stringify(keys[i]) + ":" + freeze(item[keys[i]]);
      }
      text = hasEmptyKey ? ("{\"\":\"object\",\"value\":{" + toText(text) + "}}") : ("{" + toText(text) + "}");
    }
    path.length--;
    return text;
  };
  return freeze(value);
};

const thawed = (value) => {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = thawed(value[i]);
    return value;
  }
  const made = {};
  let keys = ownKeys(value);
  if (keys.length && keys[0] === "") {
    const name = value[""];
    if (name === "undefined") return undefined;
    if (name !== "object") return escape[name];
    value = value.value;
    keys = ownKeys(value);
  }
  for (let i = 0; i < keys.length; i++) {
    defineProperty(made, keys[i], { __proto__: null, value: thawed(value[keys[i]]), writable: true, enumerable: true, configurable: true });
  }
  return made;
};
const thaw = (text) => thawed(parse(text));
