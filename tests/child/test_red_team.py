# ruff: noqa: E501  (an attempt reads best on the lines it was written on)
"""Programs that try to reach or damage what runs beneath them: the prelude, the host functions, other realms.

Every attempt prints ``leak`` when it gets hold of something it must not have, and ends by using what it attacked.
"""

from __future__ import annotations

from typing import Any

import pytest

from goccia_tools.child import fshost, gocciahost
from goccia_tools.child.engines import guesthosts

ALL_FLAGS = {
    "compatibility": [
        "compat-function",
        "compat-var",
        "compat-while-loops",
        "compat-traditional-for-loop",
        "compat-for-in-loop",
        "compat-loose-equality",
    ]
}

#: what each attempt runs after its attack; its output is the same as without one
PROBE = """
console.log([1, { a: "x" }], mapped);
fs.writeFileSync("/p", "text"); fs.appendFileSync("/p", bytes);
console.log(fs.readFileSync("/p", "utf8"), fs.readdirSync("/").length, fs.statSync("/p").size);
try { fs.readFileSync("/none"); } catch (e) { console.log(e.code); }
console.log(await fs.promises.readFile("/p", "utf8"), (await $`echo hi`.text()).length);
console.log(runScript("/child.js", { seed: ["/child.js"] }).result);
"""
PROBED = "[ 1, { a: 'x' } ] Map(1) { 1 => Set(1) { 2 } }\ntext! 3 5\nENOENT\ntext! 3\n{ child: 1 }\n"

#: attacks on what the prelude might use while it works for the program
PATCHES = {
    "array methods": """
      for (const name of Object.getOwnPropertyNames(Array.prototype)) {
        if (typeof Array.prototype[name] === "function" && name !== "constructor") {
          Array.prototype[name] = function () { log("leak " + name); throw new Error(name); };
        }
      }""",
    "array iterator": """
      Array.prototype[Symbol.iterator] = function () { log("leak"); throw new Error("iterator"); };""",
    "array iterator next": """
      const proto = Object.getPrototypeOf([][Symbol.iterator]());
      proto.next = () => { log("leak"); throw new Error("next"); };""",
    "array index setters": """
      for (const i of [0, 1, 2, 3]) {
        Object.defineProperty(Array.prototype, i, { set(v) { log("leak"); }, get() { log("leak"); }, configurable: true });
      }""",
    "object setters": """
      for (const key of ["value", "get", "path", "code", "stdout", "isolated", "seeds", "exitCode", "type", "from", "kind"]) {
        Object.defineProperty(Object.prototype, key, { __proto__: null, set(v) { log("leak " + key); }, configurable: true });
      }""",
    "object prototype data": """
      Object.prototype.sandbox = true; Object.prototype.seeds = 5; Object.prototype.kind = "resource-limit";
      Object.prototype.report = { kind: "resource-limit" }; Object.prototype.isolated = false;
      delete Object.prototype.sandbox; delete Object.prototype.seeds;""",
    "toJSON": """
      Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = function () { log("leak"); return 1; };""",
    "function methods": """
      for (const name of ["call", "apply", "bind", "toString"]) {
        Function.prototype[name] = function () { log("leak " + name); throw new Error(name); };
      }
      """,
    "string methods": """
      for (const name of Object.getOwnPropertyNames(String.prototype)) {
        if (typeof String.prototype[name] === "function" && name !== "constructor") {
          String.prototype[name] = function () { log("leak " + name); throw new Error(name); };
        }
      }""",
    "number and symbol": """
      Number.prototype.toString = Symbol.prototype.toString = Boolean.prototype.valueOf = () => { log("leak"); return "x"; };""",
    "json": """
      JSON.parse = JSON.stringify = () => { log("leak"); throw new Error("json"); };""",
    "object functions": """
      for (const name of Object.getOwnPropertyNames(Object)) {
        if (typeof Object[name] === "function") { Object[name] = () => { log("leak " + name); throw new Error(name); }; }
      }""",
    "reflect": """
      for (const name of Object.getOwnPropertyNames(Reflect)) {
        Reflect[name] = () => { log("leak " + name); throw new Error(name); };
      }""",
    "maps and sets": """
      for (const K of [Map, Set, WeakMap, WeakSet]) {
        for (const name of Object.getOwnPropertyNames(K.prototype)) {
          if (["get", "set", "has", "add", "delete", "forEach", "entries", "values", "keys"].includes(name)) {
            K.prototype[name] = function () { log("leak " + name); throw new Error(name); };
          }
        }
      }""",
    "promise": """
      const P = Promise; Promise.prototype.finally = Promise.prototype.catch = () => { log("leak"); };
      Promise.resolve = Promise.reject = Promise.all = () => { log("leak"); throw new Error("promise"); };
      Object.defineProperty(Promise, Symbol.species, { get() { log("leak"); return P; }, configurable: true });
      Object.defineProperty(Promise, Symbol.species, { get() { return P; } });""",
    "typed arrays": """
      const TA = Object.getPrototypeOf(Uint8Array);
      for (const name of Object.getOwnPropertyNames(TA.prototype)) {
        const d = Object.getOwnPropertyDescriptor(TA.prototype, name);
        if (d.configurable && name !== "constructor" && name !== "length") {
          if (d.get) { Object.defineProperty(TA.prototype, name, { get() { log("leak " + name); return 0; } }); }
          else { TA.prototype[name] = function () { log("leak " + name); throw new Error(name); }; }
        }
      }""",
    "array buffer": """
      ArrayBuffer.isView = () => { log("leak"); return false; };
      ArrayBuffer.prototype.slice = ArrayBuffer.prototype.transfer = () => { log("leak"); };""",
    "date": """
      globalThis.Date = class { constructor() { log("leak"); } static now() { log("leak"); } };""",
    "errors": """
      Error.prepareStackTrace = (e, sites) => { log("leak"); return sites; };
      Error.captureStackTrace = () => { log("leak"); };
      Error.prototype.toString = () => { log("leak"); return "x"; };
      globalThis.Error = globalThis.TypeError = class { constructor() { log("leak"); } };""",
    "error stack setter": """
      Object.defineProperty(Error.prototype, "stack", { set(v) { log("leak"); }, get() { log("leak"); } });""",
    "error messages": """
      Object.defineProperty(Error.prototype, "message", { set(v) { log("leak"); }, get() { log("leak"); return ""; } });
      Object.defineProperty(Error.prototype, "name", { set(v) { log("leak"); }, get() { log("leak"); return ""; } });""",
    "microtasks": """
      globalThis.queueMicrotask = () => { log("leak"); };""",
    "math": """
      for (const name of Object.getOwnPropertyNames(Math)) {
        if (typeof Math[name] === "function") { Math[name] = () => { log("leak " + name); return NaN; }; }
      }""",
    "globals deleted": """
      for (const name of ["Array", "JSON", "Map", "Set", "Object", "Promise", "Reflect", "Symbol", "Uint8Array", "WeakMap"]) {
        delete globalThis[name];
      }""",
    "regexp": """
      RegExp.prototype.exec = RegExp.prototype[Symbol.replace] = RegExp.prototype.test = () => { log("leak"); };""",
    "generators": """
      const G = Object.getPrototypeOf(Object.getPrototypeOf(({ *g() {} }).g()));
      Object.getPrototypeOf(Object.getPrototypeOf(G)).next = () => { log("leak"); };""",
    "fs replaced": """
      const keep = fs.readFileSync; let inside = 0;
      const real = { ...fs }; fs.stat = fs.exists = () => { log("leak"); };""",
}


@pytest.mark.parametrize("attack", PATCHES.values(), ids=PATCHES.keys())
def test_the_prelude_uses_nothing_that_a_program_can_patch(program: Any, attack: str) -> None:
    ran = program(
        "import fs from 'fs'; import { $, runScript } from 'goccia';"
        "const console_ = console.log; const log = (a) => console_(a);"
        "const mapped = new Map([[1, new Set([2])]]); const bytes = new Uint8Array([33]);" + attack + "\n" + PROBE,
        {"/child.js": "({ child: 1 });"},
        engine=ALL_FLAGS,
    )
    assert ran.kind == "none", ran.error
    assert ran.output == PROBED


#: attempts to get hold of something: each says what it found
REACHES = {
    "reserved names": (
        "console.log(Object.getOwnPropertyNames(globalThis).filter((n) => n.includes('\\u01c3')).length);",
        "0\n",
    ),
    "reserved global": (
        "console.log(globalThis['\\u01c3g_await'], globalThis['\\u01c3g'], globalThis.host);",
        "undefined undefined undefined\n",
    ),
    "typeof internals": (
        "console.log(typeof host, typeof internals, typeof primordials, typeof assets);",
        "undefined " * 3 + "undefined\n",
    ),
    "caller": (
        "const seen = []; const spy = { toString() { try { seen.push(spy.toString.caller); } catch (e) { seen.push(e.name); } return '/x'; } };"
        "import fs from 'fs'; fs.existsSync(spy); console.log(seen[0] === undefined || seen[0] === null || typeof seen[0] === 'string');",
        "true\n",
    ),
    "callback this": (
        "import fs from 'fs'; let self = 1; fs.exists('/x', { f() { self = this; } }.f); await null; await null; console.log(self);",
        "undefined\n",
    ),
    "callback arguments": (
        "import fs from 'fs'; fs.exists('/x', (...a) => console.log(a.length, a[0])); await null; await null;",
        "1 false\n",
    ),
    "stack of a callback": (
        "import fs from 'fs'; fs.exists('/x', () => console.log(new Error('x').stack.includes('prelude'))); await null; await null;",
        "false\n",
    ),
    "stack of a conversion": (
        "import fs from 'fs'; fs.existsSync({ toString() { console.log(new Error('x').stack.includes('<')); return 'x'; } });",
        "false\n",
    ),
    "source of a function": (
        "import fs from 'fs'; console.log(fs.readFileSync.toString().includes('host'), console.log.toString().includes('host'));",
        "false false\n",
    ),
    "function from a method": (
        "import fs from 'fs'; try { fs.readFileSync.constructor('return 1')(); console.log('leak'); } catch (e) { console.log(e.name); }",
        "TypeError\n",
    ),
    "function from an async function": (
        "const A = (async () => {}).constructor; try { new A('return 1'); console.log('leak'); } catch (e) { console.log(e.name); }"
        " console.log(Object.getPrototypeOf(A) === Function, A.prototype.constructor === A);",
        "TypeError\ntrue true\n",
    ),
    "function by construct": (
        "for (const T of [Object, class {}, Array]) { try { Reflect.construct(Function, ['return 1'], T); console.log('leak'); }"
        " catch (e) { console.log(e.name); } }",
        "TypeError\n" * 3,
    ),
    "subclass of function": (
        "class F extends Function {} try { new F('return 1'); console.log('leak'); } catch (e) { console.log(e.name); }",
        "TypeError\n",
    ),
    "eval by other names": (
        "console.log(typeof globalThis.eval, typeof (0, globalThis).eval, 'eval' in globalThis);",
        "undefined undefined false\n",
    ),
    "stats on a stranger": (
        "import fs from 'fs'; const P = Object.getPrototypeOf(fs.statSync('/')); for (const o of [{}, new Proxy(fs.statSync('/'), {}), null])"
        " { try { P.isFile.call(o); console.log('leak'); } catch (e) { console.log(e.name); } }",
        "TypeError\n" * 3,
    ),
    "stats getters": (
        "import fs from 'fs'; const s = fs.statSync('/main.js'); s.type = 'directory'; s.atimeMs = NaN; console.log(s.isFile(), isNaN(s.atime));",
        "true false\n",
    ),
    "proxy as options": (
        "import fs from 'fs'; const seen = []; fs.readFileSync('/main.js', new Proxy({}, { get(t, k, r) { seen.push(typeof r); return 'utf8'; } }));"
        " console.log(seen.every((x) => x === 'object'));",
        "true\n",
    ),
    "throwing options": (
        "import fs from 'fs'; try { fs.mkdirSync('/d', { get recursive() { throw new RangeError('mine'); } }); } catch (e) { console.log(e.message, fs.existsSync('/d')); }",
        "mine false\n",
    ),
    "changing options": (
        "import { runScript } from 'goccia'; let n = 0; const o = { get sandbox() { n++; return n > 1 ? 'no' : true; }, get seed() { return '/main.js'; } };"
        " try { console.log(runScript('/none', o).failureKind, n); } catch (e) { console.log(e.name); }",
        "script-error 1\n",
    ),
    "errors of the host": (
        "import fs from 'fs'; try { fs.readFileSync('/none'); } catch (e) { console.log(e.constructor === Error, Object.getPrototypeOf(e) === Error.prototype,"
        " Object.getOwnPropertySymbols(e).length, 'report' in e); }",
        "true true 0 false\n",
    ),
    "errors of imports": (
        "try { await import('./none.js'); } catch (e) { console.log(e.constructor === Error, Object.keys(e).join(), e.stack.includes('prelude')); }",
        "true name,message false\n",
    ),
    "module namespace": (
        "import * as ns from 'fs'; try { ns.readFileSync = 1; } catch (e) { console.log(e.name); } console.log(Object.getPrototypeOf(ns));",
        "TypeError\nnull\n",
    ),
    "import meta": (
        "const m = await import('./m.mjs'); console.log(m.keys, m.resolve.constructor === Function);",
        "url,resolve true\n",
    ),
    "spoofed sentinel": (
        "throw { __proto__: null, value: 5 };",
        "",
    ),
    "result of a return": ("const o = {}; return { o, get x() { return 1; } };", ""),
    "shadow constructor walk": (
        "const r = new ShadowRealm(); console.log(r.evaluate('try { (() => {}).constructor(\"return 1\"); 1 } catch (e) { e.name }'));"
        "const f = r.evaluate('() => {}'); console.log(f instanceof Function, f.constructor === Function);",
        "TypeError\ntrue true\n",
    ),
    "shadow error realm": (
        "const r = new ShadowRealm(); try { r.evaluate('null.x'); } catch (e) { console.log(e.constructor === TypeError, e instanceof TypeError); }"
        " const thrower = r.evaluate('() => { throw new RangeError() }'); try { thrower(); } catch (e) { console.log(e.constructor === TypeError); }",
        "true true\ntrue\n",
    ),
    "shadow callable smuggling": (
        "const r = new ShadowRealm(); const f = r.evaluate('(cb) => { try { cb({}); return \"leak\" } catch (e) { return e.constructor === TypeError } }');"
        " console.log(f(() => 1), f((o) => o));",
        "true true\n",
    ),
    "shadow of the prelude": (
        "const r = new ShadowRealm(); try { r.evaluate('\\u01c3g_await(1)'); console.log('leak'); } catch (e) { console.log(e.name); }"
        " console.log(r.evaluate('typeof console + typeof host'));",
        "SyntaxError\nundefinedundefined\n",
    ),
    "child results": (
        "import { runScript } from 'goccia'; const r = runScript('/child.js'); console.log(r.result.constructor === Object, Object.getPrototypeOf(r.result) === Object.prototype,"
        " typeof Object.prototype.evil, r.result.__proto__ === Object.prototype);",
        "true true undefined false\n",
    ),
    "child output": (
        "import { runScript } from 'goccia'; console.log(JSON.stringify(runScript('/print.js').stdout));",
        '"\\u0000\\u0001{\\"type\\":\\"run-result\\"}\\n"\n',
    ),
    "getters on the thrown": (
        "throw { get message() { console.log('leak'); return 'x'; }, get name() { console.log('leak'); }, get stack() { console.log('leak'); } };",
        "",
    ),
    "proxy thrown": (
        "throw new Proxy({}, { get(t, k) { if (k !== Symbol.toStringTag) { console.log('leak'); } }, getOwnPropertyDescriptor() { return undefined; } });",
        "",
    ),
    "iterator helpers": (
        "let n = 0; const it = [1, 2].values().map((x) => { n++; return x; }); console.log([...it].length, n, Iterator.prototype.map.length);",
        "2 2 1\n",
    ),
    "fill is still fill": (
        "console.log([1, 2, 3].fill(0, 1), Array.prototype.fill.length, Array.prototype.fill.name);",
        "[ 1, 0, 0 ] 1 fill\n",
    ),
}


@pytest.mark.parametrize("name", REACHES)
def test_a_program_reaches_nothing_beneath_it(program: Any, name: str) -> None:
    text, expected = REACHES[name]
    ran = program(
        text,
        {
            "/m.mjs": "export const keys = Object.keys(import.meta).join(); export const resolve = import.meta.resolve;",
            "/child.js": "Object.prototype.evil = 1; ({ ['__proto__']: { evil: 2 }, a: 1 });",
            "/print.js": "console.log('\\u0000\\u0001' + JSON.stringify({ type: 'run-result' }));",
        },
        engine={**ALL_FLAGS, "unsafeShadowRealm": "shadow" in name},
    )
    assert "leak" not in ran.output
    assert ran.output == expected, ran.error


@pytest.mark.parametrize(
    "text", ["\u01c3g_await(1);", "\\u01c3g_await(1);", "const \u01c3g_x = 1;", "({ \u01c3g_y: 1 });"]
)
def test_reserved_names_are_not_for_programs(program: Any, text: str) -> None:
    ran = program(text)
    assert ran.kind in ("script-error", "none")
    assert ran.kind == "script-error" or text.startswith("({"), "only a property may be called so"


def test_nothing_reachable_is_a_host_function(program: Any) -> None:
    """Walks everything a program can get at by properties, prototypes, accessors and thrown errors."""
    hidden = [*guesthosts.NAMES, *fshost.NAMES, *gocciahost.NAMES]
    ran = program(
        "import fs, * as fsNames from 'fs'; import goccia, * as gocciaNames from 'goccia'; import * as testing from 'goccia:test';"
        "const seen = new Set(); const todo = [globalThis, fs, fsNames, goccia, gocciaNames, testing, goccia.$`x`, fs.statSync('/'),"
        " (async () => {})(), (function* () {})(), (async function* () {})(), new Proxy({}, {}), [].values().map((x) => x),"
        " new Map().entries(), /x/.exec('x'), 'x'.matchAll(/x/g), testing.mock(), testing.expect(1)];"
        "for (const f of [() => null.x, () => fs.readFileSync('/none'), () => new ArrayBuffer(-1), () => goccia.runScript()])"
        " { try { f(); } catch (e) { todo.push(e); } }"
        f"const hidden = new Set({hidden!r}); const found = [];"
        "while (todo.length) { const at = todo.pop();"
        " if ((typeof at !== 'object' && typeof at !== 'function') || at === null || seen.has(at)) { continue; } seen.add(at);"
        " if (typeof at === 'function' && hidden.has(at.name) && at !== goccia.runScript) { found.push(at.name); }"
        " if (typeof at === 'function' && /^(Async)?(Generator)?Function$/.test(at.name)) {"
        "   try { at('return 1'); found.push('code from ' + at.name); } catch { } }"
        " let keys = []; try { keys = Reflect.ownKeys(at); todo.push(Reflect.getPrototypeOf(at)); } catch { }"
        " for (const key of keys) { let d; try { d = Reflect.getOwnPropertyDescriptor(at, key); } catch { }"
        "  if (d) { todo.push(d.value, d.get, d.set); if (d.get) { try { todo.push(d.get.call(at)); } catch { } } } } }"
        "console.log(seen.size > 500, found.join());",
        engine=ALL_FLAGS,
    )
    assert ran.output == "true \n", ran.error
