// Module `fs`: arguments, results and timing; the operations themselves are the host's.

const { toText } = primordials;
const uncurry = Function.prototype.call.bind.bind(Function.prototype.call);
const { Error, TypeError, Promise, Uint8Array, Date, Symbol, queueMicrotask } = globalThis;
const { create, defineProperty, getPrototypeOf, getOwnPropertyDescriptor } = Object;
const { parse } = JSON;
const floor = Math.floor;
const lower = uncurry(String.prototype.toLowerCase);
const typedArrayTag = uncurry(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);
const apply = Reflect.apply;
const statOf = uncurry(WeakMap.prototype.get);
const rememberStat = uncurry(WeakMap.prototype.set);

const ERRORS = {
  __proto__: null,
  EINVAL: [-22, "invalid argument"],
  ENOENT: [-2, "no such file or directory"],
  EEXIST: [-17, "file already exists"],
  ENOTDIR: [-20, "not a directory"],
  EISDIR: [-21, "illegal operation on a directory"],
  ENOTEMPTY: [-39, "directory not empty"],
  EBUSY: [-16, "resource busy or locked"],
  ENOSPC: [-28, "no space left on device"],
};

// Called by the host for a refused operation; `dest` only for the two that have one.
internals.makeFsError = (code, operation, path, dest) => {
  const known = ERRORS[code];
  const errno = known[0];
  const text = known[1];
  const message = (toText(code) + ": " + toText(text) + ", " + toText(operation) + " '" + toText(path) + "'") + (dest === undefined ? "" : (" -> '" + toText(dest) + "'"));
  const error = new Error(message);
  const set = (name, value) => defineProperty(error, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  set("name", "Error");
  set("message", message);
  set("code", code);
  set("errno", errno);
  set("path", path);
  set("syscall", operation);
  if (dest !== undefined) set("dest", dest);
  return error;
};

// Assignment to an index would run a setter that a guest put on Array.prototype.
const append = (list, value) => defineProperty(list, list.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

const method = (target, name, length, call) => {
  defineProperty(call, "name", { __proto__: null, value: name, configurable: true });
  defineProperty(call, "length", { __proto__: null, value: length, configurable: true });
  target[name] = call;
};

// -- Stats

const stats = new WeakMap();
const required = (receiver) => {
  const stat = typeof receiver === "object" && receiver !== null ? statOf(stats, receiver) : undefined;
  if (stat === undefined) throw new TypeError("Stats method called on incompatible receiver");
  return stat;
};
const whole = (ms) => floor(ms + 0.5);
const statsPrototype = {
  get atime() {
    return new Date(whole(required(this).atimeMs));
  },
  get mtime() {
    return new Date(whole(required(this).mtimeMs));
  },
  get ctime() {
    return new Date(whole(required(this).ctimeMs));
  },
  get birthtime() {
    return new Date(whole(required(this).birthtimeMs));
  },
  isFile() {
    return required(this).type === "file";
  },
  isDirectory() {
    return required(this).type === "directory";
  },
  isSymbolicLink() {
    required(this);
    return false;
  },
};
for (const name of ["isFile", "isDirectory", "isSymbolicLink"]) {
  defineProperty(statsPrototype, name, { __proto__: null, enumerable: false });
}
const KEYS = ["path", "name", "type", "size", "atimeMs", "mtimeMs", "ctimeMs", "birthtimeMs"];
const newStats = (json) => {
  const facts = parse(json);
  const made = create(statsPrototype);
  for (let i = 0; i < KEYS.length; i++) {
    defineProperty(made, KEYS[i], { __proto__: null, value: facts[KEYS[i]], writable: true, enumerable: true, configurable: true });
  }
  rememberStat(stats, made, facts);
  return made;
};

// -- operations: each does its work when called

const readFile = (path, asText) => (asText ? host.fsReadText(path) : new Uint8Array(host.fsRead(path)));
const writeFile = (path, data) => host.fsWrite(path, data);
const appendFile = (path, data) => host.fsAppend(path, data);
const mkdir = (path, recursive) => {
  const first = host.fsMkdir(path, recursive);
  return recursive && first ? first : undefined;
};
const readdir = (path) => parse(host.fsReaddir(path));
const stat = (path) => newStats(host.fsStat(path));
const exists = (path) => host.fsExists(path);
const rm = (path, recursive) => host.fsRemove(path, recursive);
const rename = (path, dest) => host.fsRename(path, dest);
const copyFile = (path, dest) => host.fsCopy(path, dest);

// -- arguments

const missing = (value) => value === undefined || value === null;
const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

const syncPath = (value, name) => {
  if (missing(value)) throw new TypeError(toText(name) + " requires a path string");
  return toText(value);
};
// A copy of what is written, taken at the call.
const dataOf = (value, name) => {
  if (typeof value === "string") return value;
  if (isObject(value) && typeof value !== "function" && typedArrayTag(value) !== undefined) return host.copyBytes(value);
  throw new TypeError(toText(name) + " requires string or Uint8Array data");
};
const isUtf8 = (encoding) => {
  encoding = lower(encoding);
  return encoding === "utf8" || encoding === "utf-8";
};
const wantsText = (options) => {
  if (typeof options === "string") return isUtf8(options);
  if (!isObject(options)) return false;
  const encoding = options.encoding;
  return typeof encoding === "string" && isUtf8(encoding);
};
const wantsRecursive = (options) => options === true || (isObject(options) && options.recursive === true);

const asyncPath = (value, name) => {
  if (typeof value !== "string") throw new TypeError(toText(name) + " requires a path string");
  return value;
};
const atMost = (given, most, name) => {
  if (given.length > most) throw new TypeError(toText(name) + " received unsupported arguments");
};
const callbackOf = (value, name) => {
  if (typeof value !== "function") throw new TypeError(toText(name) + " requires a callback function");
  return value;
};
const noOptions = (value, name) => {
  if (!missing(value)) throw new TypeError(toText(name) + " options are not supported");
};
const readOptions = (value, name) => {
  let asText = false;
  if (missing(value)) return asText;
  const encoded = (encoding) => {
    if (!isUtf8(encoding)) throw new TypeError(toText(name) + " only supports utf8 encoding");
    return true;
  };
  if (typeof value === "string") return encoded(value);
  if (!isObject(value)) throw new TypeError(toText(name) + " options must be an encoding string or object");
  const encoding = value.encoding;
  if (!missing(encoding)) {
    if (typeof encoding !== "string") throw new TypeError(toText(name) + " option \"encoding\" must be a string");
    asText = encoded(encoding);
  }
  if (!missing(value.flag) || !missing(value.signal)) throw new TypeError(toText(name) + " received unsupported options");
  return asText;
};
const recursiveOptions = (value, name) => {
  if (missing(value)) return false;
  if (!isObject(value)) throw new TypeError(toText(name) + " options must be an object");
  const recursive = value.recursive;
  if (!missing(recursive) && typeof recursive !== "boolean") throw new TypeError(toText(name) + " option \"recursive\" must be a boolean");
  if (!missing(value.mode)) throw new TypeError(toText(name) + " received unsupported options");
  const force = value.force;
  if (!missing(force)) {
    if (typeof force !== "boolean") throw new TypeError(toText(name) + " option \"force\" must be a boolean");
    if (force) throw new TypeError(toText(name) + " received unsupported options");
  }
  return recursive === true;
};
const copyMode = (value, name) => {
  if (!missing(value) && value !== 0) throw new TypeError(toText(name) + " only supports copy mode 0");
};

// -- how an asynchronous operation ends: what it takes beside the path, and what its callback gets

const VALUE = 0;
const ERROR_ONLY = 1;
const MKDIR = 2;
const EXISTS = 3;
// name -> [work, completion, most arguments after which the callback is the last, how to read the arguments]
const operations = {
  __proto__: null,
  readFile: [readFile, VALUE, 3, (a, n) => [asyncPath(a[0], n)], readOptions],
  writeFile: [writeFile, ERROR_ONLY, 4, (a, n) => [asyncPath(a[0], n), dataOf(a[1], n)], noOptions],
  appendFile: [appendFile, ERROR_ONLY, 4, (a, n) => [asyncPath(a[0], n), dataOf(a[1], n)], noOptions],
  mkdir: [mkdir, MKDIR, 3, (a, n) => [asyncPath(a[0], n)], recursiveOptions],
  readdir: [readdir, VALUE, 3, (a, n) => [asyncPath(a[0], n)], noOptions],
  stat: [stat, VALUE, 3, (a, n) => [asyncPath(a[0], n)], noOptions],
  exists: [exists, EXISTS, 2, (a, n) => [asyncPath(a[0], n)], undefined],
  rm: [rm, ERROR_ONLY, 3, (a, n) => [asyncPath(a[0], n)], recursiveOptions],
  rename: [rename, ERROR_ONLY, 3, (a, n) => [asyncPath(a[0], n), asyncPath(a[1], n)], undefined],
  copyFile: [copyFile, ERROR_ONLY, 4, (a, n) => [asyncPath(a[0], n), asyncPath(a[1], n)], copyMode],
};

const withCallback = (key) => {
  const [work, completion, most, read, checkOptions] = operations[key];
  const name = "fs." + toText(key);
  return (...given) => {
    atMost(given, most, name);
    const values = read(given, name);
    const full = checkOptions !== undefined && given.length >= most;
    const at = full ? most - 1 : checkOptions === undefined ? most - 1 : most - 2;
    let callback;
    let option;
    // The order of the checks differs: data operations look at their options first.
    if (checkOptions === noOptions || checkOptions === copyMode) {
      if (full) checkOptions(given[at - 1], name);
      callback = callbackOf(given[at], name);
    } else {
      callback = callbackOf(given[at], name);
      if (checkOptions !== undefined) option = checkOptions(full ? given[at - 1] : undefined, name);
    }
    if (option !== undefined) append(values, option);
    queueMicrotask(() => {
      let result;
      try {
        result = apply(work, undefined, values);
      } catch (error) {
        callback(completion === EXISTS ? false : error);
        return;
      }
      if (completion === EXISTS) callback(result);
      else if (completion === VALUE || (completion === MKDIR && option)) callback(null, result);
      else callback(null);
    });
  };
};

const withPromise = (key) => {
  const [work, , most, read, checkOptions] = operations[key];
  const name = "fs.promises." + toText(key);
  return (...given) =>
    new Promise((resolve, reject) => {
      atMost(given, most - 1, name);
      const values = read(given, name);
      if (checkOptions !== undefined) {
        const option = checkOptions(given[most - 2], name);
        if (option !== undefined) append(values, option);
      }
      queueMicrotask(() => {
        let result;
        try {
          result = apply(work, undefined, values);
        } catch (error) {
          reject(error);
          return;
        }
        resolve(result);
      });
    });
};

// -- the namespace

const fs = {};
method(fs, "readFileSync", 2, (path, options) => readFile(syncPath(path, "fs.readFileSync"), wantsText(options)));
method(fs, "writeFileSync", 2, (path, data) => {
  path = syncPath(path, "fs.writeFileSync");
  writeFile(path, dataOf(data, "fs.writeFileSync"));
});
method(fs, "appendFileSync", 2, (path, data) => {
  path = syncPath(path, "fs.appendFileSync");
  appendFile(path, dataOf(data, "fs.appendFileSync"));
});
method(fs, "mkdirSync", 2, (path, options) => {
  mkdir(syncPath(path, "fs.mkdirSync"), wantsRecursive(options));
});
method(fs, "readdirSync", 1, (path) => readdir(syncPath(path, "fs.readdirSync")));
method(fs, "statSync", 1, (path) => stat(syncPath(path, "fs.statSync")));
method(fs, "existsSync", 1, (path) => exists(syncPath(path, "fs.existsSync")));
method(fs, "rmSync", 2, (path, options) => {
  rm(syncPath(path, "fs.rmSync"), wantsRecursive(options));
});
method(fs, "renameSync", 2, (path, dest) => {
  path = syncPath(path, "fs.renameSync");
  rename(path, syncPath(dest, "fs.renameSync"));
});
method(fs, "copyFileSync", 2, (path, dest) => {
  path = syncPath(path, "fs.copyFileSync");
  copyFile(path, syncPath(dest, "fs.copyFileSync"));
});
for (const [name, length] of [
  ["readFile", 3],
  ["writeFile", 4],
  ["appendFile", 4],
  ["mkdir", 3],
  ["readdir", 3],
  ["stat", 1],
  ["exists", 2],
  ["rm", 3],
  ["rename", 3],
  ["copyFile", 4],
]) {
  method(fs, name, length, withCallback(name));
}
const promises = {};
for (const [name, length] of [
  ["readFile", 2],
  ["writeFile", 3],
  ["appendFile", 3],
  ["mkdir", 2],
  ["readdir", 2],
  ["stat", 1],
  ["rm", 2],
  ["rename", 2],
  ["copyFile", 3],
]) {
  method(promises, name, length, withPromise(name));
}
fs.promises = promises;

internals.builtinModules.fs = { __proto__: null, default: fs, ...fs };
