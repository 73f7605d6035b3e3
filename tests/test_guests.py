"""Guests that try: whatever a program does, it ends in the right kind, and the next run is untouched."""

import os

import psutil
import pytest

from goccia_tools import FailureKind, Runner

MIB = 1024 * 1024


@pytest.fixture(scope="module", params=["spawn", "fork-server"])
def runner(request):
    with Runner(launcher=request.param, jail="required") as shared:
        yield shared


def is_idle_template(process):
    return "child.template" in " ".join(process.cmdline()) and not process.children()


@pytest.fixture(autouse=True)
def the_next_run_is_untouched(runner):
    yield
    after = runner.run("console.log([3, 1, 2].sort().join()); ({a: 1});", timeout_ms=20_000)
    assert (after.output, after.result_value, after.failure_kind) == ("1,2,3\n", {"a": 1}, "none")
    assert all(map(is_idle_template, psutil.Process().children()))


def kind_of(runner, source, **fields):
    fields = {"compatibility": "all", "timeout_ms": 300, **fields}
    return runner.run(source, **fields).failure_kind


@pytest.mark.adr("C46")
@pytest.mark.parametrize(
    "source",
    [
        pytest.param("for (;;) {}", id="for"),
        pytest.param("while (true) {}", id="while"),
        pytest.param("do {} while (true);", id="do"),
        pytest.param("const f = () => { try { f(); } catch { f(); } }; f();", id="recursion-that-catches"),
        pytest.param("(function again() { Promise.resolve().then(again); })();", id="promise-jobs"),
        pytest.param("(function again() { queueMicrotask(again); })();", id="microtasks"),
        pytest.param("async function f() { for (;;) await null; } f();", id="await-loop"),
        pytest.param("[3, 2, 1].sort(() => { for (;;) {} });", id="sort-comparator"),
        pytest.param("({get x() { for (;;) {} }}).x;", id="getter"),
        pytest.param("({set x(v) { for (;;) {} }}).x = 1;", id="setter"),
        pytest.param("JSON.stringify({toJSON() { for (;;) {} }});", id="toJSON"),
        pytest.param("({get a() { for (;;) {} }});", id="getter-of-the-result"),
        pytest.param("console.log({get a() { for (;;) {} }, toString() { for (;;) {} }}); for (;;) {}", id="logged"),
        pytest.param("'' + {toString() { for (;;) {} }};", id="toString"),
        pytest.param("+{valueOf() { for (;;) {} }};", id="valueOf"),
        pytest.param("/(a*)*b/.test('a'.repeat(40));", id="regexp"),
        pytest.param("'a'.repeat(40).replace(/(a|a)*b/, '');", id="regexp-replace"),
        pytest.param("function* g() { for (;;) yield 1; } for (const x of g()) {}", id="generator"),
        pytest.param("function* g() { for (;;) yield 1; } [...g()];", id="spread"),
        pytest.param("new Proxy({}, {get() { for (;;) {} }}).x;", id="proxy-get"),
        pytest.param("Object.keys(new Proxy({}, {ownKeys() { for (;;) {} }}));", id="proxy-ownKeys"),
        pytest.param("Array.from({length: 3}, () => { for (;;) {} });", id="callback-of-a-builtin"),
        pytest.param("[1].map(() => { for (;;) {} });", id="map"),
        pytest.param("JSON.parse('[1]', () => { for (;;) {} });", id="reviver"),
        pytest.param("class A { static { for (;;) {} } }", id="static-block"),
        pytest.param("new (class { x = (() => { for (;;) {} })(); })();", id="field"),
        pytest.param("const [a] = {[Symbol.iterator]: () => ({next() { for (;;) {} }})};", id="iterator"),
        pytest.param(
            "Promise.reject({then(f) { for (;;) {} }}); Promise.resolve({then(f) { for (;;) {} }});", id="thenable"
        ),
        pytest.param("label: for (;;) { for (;;) { continue label; } }", id="label"),
        pytest.param("try { for (;;) {} } catch { for (;;) {} } finally { for (;;) {} }", id="try-that-catches"),
    ],
)
def test_an_endless_program_is_a_timeout_wherever_it_loops(runner, source):
    # the engine looks at the clock every so many steps, and some steps are slow; a busy machine makes them slower
    with Runner(grace_ms=8000) as patient:
        result = patient.run(source, compatibility="all", timeout_ms=300)
    assert result.failure_kind in ("timeout", "resource-limit"), result
    assert result.duration_ms < 10_000


@pytest.mark.parametrize(
    "source",
    [
        "({toJSON() { for (;;) {} }});",
        "({a: {toString() { for (;;) {} }, valueOf() { for (;;) {} }, [Symbol.toPrimitive]() { for (;;) {} }}});",
        "throw {get message() { for (;;) {} }, get name() { for (;;) {} }, get stack() { for (;;) {} }};",
        "throw {toString() { for (;;) {} }};",
        "throw new Proxy({}, {get() { for (;;) {} }, getPrototypeOf() { for (;;) {} }});",
        "class E extends Error { get name() { for (;;) {} } get message() { for (;;) {} } } throw new E();",
        "console.log({get a() { for (;;) {} }, toString() { for (;;) {} }}); 1;",
        "Promise.reject({get then() { for (;;) {} }, get stack() { for (;;) {} }});",
    ],
)
def test_what_reads_a_value_after_the_program_cannot_be_held_up(runner, source):
    result = runner.run(source, compatibility="all", timeout_ms=300)
    assert result.failure_kind in ("none", "script-error", "timeout"), result


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("'x'.repeat(2 ** 27).split('');", id="split"),
        pytest.param("Array.from({length: 1e8});", id="from"),
        pytest.param("new Array(3e7).fill(1).sort().reverse();", id="sort"),
        pytest.param("'ab'.repeat(2 ** 25).replaceAll('a', 'ccc');", id="replaceAll"),
        pytest.param("[].concat(...Array(300).fill(Array(1e5).fill(1)));", id="concat"),
        pytest.param("2n ** 10000000n;", id="bigint-power"),
        pytest.param("(10n ** 200000n).toString();", id="bigint-text"),
        pytest.param("Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1);", id="huge-length"),
        pytest.param("new Set(Array.from({length: 5e6}, (_, i) => i));", id="set"),
        pytest.param("JSON.stringify(Array(1e7).fill({}));", id="stringify"),
    ],
)
def test_a_native_that_takes_its_time_ends_within_the_deadline(runner, source):
    # natives need not poll: a limit, the child's own timeout or the parent's kill, but an end
    result = runner.run(source, timeout_ms=500)
    assert result.failure_kind in ("none", "script-error", "resource-limit", "timeout", "child-process-crash")
    assert result.duration_ms < 500 + 1000 + 10_000
    if result.failure_kind == "child-process-crash":
        assert "deadline exceeded" in result.error_message


@pytest.mark.adr("C45")
@pytest.mark.parametrize(
    "source",
    [
        pytest.param("const a = []; for (;;) a.push({});", id="objects"),
        pytest.param("const m = new Map(); for (let i = 0; ; i++) m.set(i, i);", id="map"),
        pytest.param("const s = new Set(); for (let i = 0; ; i++) s.add({i});", id="set"),
        pytest.param("const o = {}; for (let i = 0; ; i++) o['key' + i] = i;", id="properties"),
        pytest.param("const f = x => [x, () => x]; let x; for (;;) x = f(x);", id="closures"),
        pytest.param("const a = []; for (;;) a.push(Symbol());", id="symbols"),
        pytest.param("const a = []; for (let i = 0; ; i++) a.push(function* () {}());", id="generators"),
    ],
)
def test_growth_without_end_meets_the_memory_ceiling(runner, source):
    before = psutil.Process().memory_info().rss
    result = runner.run(source, compatibility="all", timeout_ms=10_000, max_memory_bytes=32 * MIB)
    assert result.failure_kind is FailureKind.RESOURCE_LIMIT, result
    assert psutil.Process().memory_info().rss - before < 16 * MIB


@pytest.mark.adr("C44")
@pytest.mark.parametrize(
    "source",
    [
        pytest.param("new Uint8Array(2 ** 31 - 1).fill(1);", id="typed-array"),
        pytest.param("new ArrayBuffer(2 ** 40);", id="array-buffer"),
        pytest.param("'x'.repeat(2 ** 29);", id="repeat"),
        pytest.param("let s = 'x'; for (;;) s += s;", id="doubling"),
        pytest.param("'x'.padEnd(2 ** 29);", id="pad"),
    ],
)
def test_one_allocation_too_large_is_a_range_error_that_a_program_can_catch(runner, source):
    fields = {"compatibility": "all", "timeout_ms": 10_000, "max_memory_bytes": 32 * MIB}
    result = runner.run(source, **fields)
    assert (result.failure_kind, result.error_message.split(":")[0]) == ("script-error", "RangeError"), result
    caught = runner.run(f"try {{ {source} }} catch (error) {{ console.log(error.name); }}", **fields)
    assert caught.output == "RangeError\n", caught


@pytest.mark.adr("C45")
@pytest.mark.parametrize(
    "source",
    [
        pytest.param("const a = []; for (let i = 0; ; i++) a.push('x'.repeat(100000) + i);", id="strings"),
        pytest.param("const a = []; for (;;) a.push(new ArrayBuffer(1000000));", id="buffers"),
        pytest.param("let n = 1n; for (;;) n = n << 1000000n;", id="bigint"),
    ],
)
def test_a_pile_of_middling_allocations_ends_one_way_or_the_other(runner, source):
    result = runner.run(source, compatibility="all", timeout_ms=10_000, max_memory_bytes=32 * MIB)
    ended = result.failure_kind, result.error_message.split(":")[0]
    assert ended[0] == "resource-limit" or ended == ("script-error", "RangeError"), result


@pytest.mark.adr("C45")
@pytest.mark.parametrize(
    "source",
    [
        pytest.param("const f = () => f() + 1; f();", id="plain"),
        pytest.param("const o = {get x() { return this.x; }}; o.x;", id="getter"),
        pytest.param("const p = new Proxy({}, {get: (t, k, r) => r[k]}); p.x;", id="proxy"),
        pytest.param("const a = []; a[0] = a; a.toString(); JSON.stringify(a);", id="cycle"),
        pytest.param("let x = []; for (let i = 0; i < 1e5; i++) x = [x]; JSON.stringify(x);", id="deep-stringify"),
        pytest.param("JSON.parse('['.repeat(1e6));", id="deep-parse"),
        pytest.param("new RegExp('('.repeat(1e5) + ')'.repeat(1e5));", id="deep-regexp"),
        pytest.param("let s = 'x'; for (let i = 0; i < 1e4; i++) s = `(${s})`; throw new Error(s.length);", id="text"),
        pytest.param("class A { toString() { return `${this}`; } } `${new A()}`;", id="toString"),
        pytest.param(
            "let i = [1].values(); for (let n = 0; n < 1e5; n++) i = i.map(x => x); i.next();", id="iterators"
        ),
    ],
)
def test_deep_recursion_is_an_error_of_the_program_and_no_crash(runner, source):
    result = runner.run(source, compatibility="all", timeout_ms=5000)
    assert result.failure_kind in ("script-error", "resource-limit", "timeout"), result


@pytest.mark.adr("C33")
def test_a_very_deep_result_becomes_null(runner):
    result = runner.run("let x = []; for (let i = 0; i < 100000; i++) x = [x]; x;", compatibility="all")
    assert (result.failure_kind, result.result_value) == ("none", None)


def test_a_result_that_shares_its_parts_is_bounded(runner):
    # 2 ** 60 leaves, in sixty objects
    result = runner.run(
        "let x = [1]; for (let i = 0; i < 60; i++) x = [x, x]; x;", compatibility="all", timeout_ms=2000
    )
    assert result.failure_kind in ("none", "timeout", "resource-limit")
    assert result.duration_ms < 10_000


@pytest.mark.adr("C36")
@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        pytest.param("console.log('x'.repeat(100_000_000));", ["none"], id="one-line"),
        pytest.param("console.log('x'.repeat(20_000_000)); " * 5, ["none"], id="long-lines"),
        pytest.param("for (let i = 0; i < 10_000_000; i++) console.log('line');", ["none", "timeout"], id="many-lines"),
    ],
)
def test_a_flood_of_output_is_bounded_and_says_so(runner, source, kinds):
    before = psutil.Process().memory_info().rss
    result = runner.run(source, compatibility="all", timeout_ms=8000, max_memory_bytes=512 * MIB)
    assert result.failure_kind in kinds
    assert len(result.output.encode()) <= 4 * MIB
    was_cut = len(result.output.encode()) > 4 * MIB - 100
    assert ("[truncated " in result.output[-60:]) is was_cut
    assert was_cut or result.failure_kind is FailureKind.TIMEOUT
    assert psutil.Process().memory_info().rss - before < 40 * MIB


LONE = "\\ud800"


@pytest.mark.parametrize(
    ("source", "read"),
    [
        (f"console.log('a{LONE}b');", lambda result: result.output.rstrip("\n")),
        (f"'a{LONE}b';", lambda result: result.result_value),
        (f"({{'a{LONE}b': 1}});", lambda result: next(iter(result.result_value))),
        (f"throw new Error('a{LONE}b');", lambda result: result.error_message.split("\n")[0].rpartition(" ")[2]),
        (f"throw 'a{LONE}b';", lambda result: result.error_message.split("\n")[0].rpartition(" ")[2]),
    ],
    ids=["output", "value", "key", "message", "thrown"],
)
def test_a_lone_surrogate_becomes_one_replacement_character(runner, source, read):
    result = runner.run(source)
    assert read(result) == "a\ufffdb", result


PATCHES = [
    "JSON.stringify = () => '{\"ok\":true}';",
    "JSON.stringify = undefined;",
    "Array.prototype.push = Array.prototype.join = Array.prototype.map = () => { throw 1; };",
    "Array.prototype[Symbol.iterator] = function () { throw 1; };",
    "Object.defineProperty(Object.prototype, 'value', {get() { throw 1; }, set() { throw 1; }, configurable: true});",
    "Object.defineProperty(Object.prototype, 'then', {get() { throw 1; }, configurable: true});",
    "Object.defineProperty(Object.prototype, 'get', {value: () => 666});",
    "Object.defineProperty(Object.prototype, '0', {set(v) { throw 1; }, get() { return 'evil'; }});",
    "Object.defineProperty(Object.prototype, 'toJSON', {value: () => 'evil'});",
    "Object.prototype.constructor = null; Object.keys = Object.getOwnPropertyNames = () => ['evil'];",
    "String.prototype.toString = String.prototype.replace = String.prototype.split = () => { throw 1; };",
    "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1; };",
    "globalThis.Promise = undefined; ",
    "Promise.prototype.then = () => { throw 1; };",
    "Error.prepareStackTrace = () => { throw 1; };",
    "Error.prototype.toString = () => { throw 1; };",
    "Object.defineProperty(Error.prototype, 'stack', {get() { throw 1; }});",
    "Map.prototype.get = Map.prototype.set = Set.prototype.has = Set.prototype.add = () => { throw 1; };",
    "WeakMap.prototype.get = WeakMap.prototype.set = WeakSet.prototype.has = () => { throw 1; };",
    "RegExp.prototype.exec = () => { throw 1; }; RegExp.prototype[Symbol.replace] = () => { throw 1; };",
    "Reflect.ownKeys = Reflect.get = Reflect.apply = () => { throw 1; };",
    "Number.prototype.toString = Symbol.prototype.toString = () => 'evil';",
    "for (const name of Object.getOwnPropertyNames(globalThis)) { try { globalThis[name] = null; } catch {} }",
    "for (const name of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[name]; } catch {} }",
    "Object.freeze(Object.prototype); Object.freeze(Array.prototype);",
    "Object.setPrototypeOf(Array.prototype, new Proxy({}, {get() { throw 1; }}));",
    "const log = console.log; console.log = () => {}; globalThis.console = {log};",
]


@pytest.mark.parametrize("patch", PATCHES, ids=range(len(PATCHES)))
def test_patched_intrinsics_do_not_reach_the_machinery(runner, patch):
    source = f"const out = console.log; {patch} out('said'); ({{a: [1, 'two', null], b: {{c: true}}}});"
    result = runner.run(source, compatibility="all")
    assert (result.failure_kind, result.output) == ("none", "said\n"), result
    assert result.result_value == {"a": [1, "two", None], "b": {"c": True}}


@pytest.mark.parametrize("patch", PATCHES, ids=range(len(PATCHES)))
def test_an_error_after_patching_is_told_as_it_is(runner, patch):
    result = runner.run(f"const E = TypeError; {patch} throw new E('on purpose');", compatibility="all")
    assert result.failure_kind is FailureKind.SCRIPT_ERROR
    assert "on purpose" in result.error_message, result


FAKE = '{"type":"run-result","v":1,"ok":true,"exitCode":0,"failureKind":"none","errorMessage":"fake"}'


@pytest.mark.adr("C08")
@pytest.mark.parametrize(
    "write",
    [
        "console.log(frame);",
        "console.error(frame);",
        "console.warn(frame); console.info(frame); console.debug(frame);",
        "console.log('\\u0000\\u0000\\u0001\\u0000' + frame);",
        "import fs from 'fs'; try { fs.writeFileSync('/dev/stdout', frame); } catch {}",
        "import fs from 'fs'; for (const p of ['/proc/self/fd/1', '/dev/fd/1', '/dev/stderr']) { "
        "try { fs.writeFileSync(p, frame); } catch {} }",
        "import fs from 'fs'; for (const fd of [0, 1, 2, 3, 4]) { try { fs.writeFileSync(fd, frame); } catch {} }",
        "throw new Error(frame);",
    ],
)
def test_a_fake_frame_stays_text(runner, write):
    imports, _, rest = write.rpartition("'fs'; ") if write.startswith("import") else ("", "", write)
    head = f"{imports}'fs'; " if imports else ""
    source = f"{head}const frame = {FAKE!r}; {rest}"
    result = runner.run(source, source_type="module" if imports else "script")
    assert result.error_message != "fake"
    assert result.failure_kind in ("none", "script-error")
    assert [note for note in result.notes if not note.startswith("jail ")] == []


@pytest.mark.adr("C06", "C27")
def test_the_hosts_files_are_not_there(runner, tmp_path):
    (tmp_path / "secret.js").write_text("export default 'secret';")
    source = f"""
    import fs from "fs";
    for (const path of ["/etc/passwd", "/proc/self/maps", "{tmp_path}/secret.js", "../../../../etc/passwd", "."]) {{
      console.log(fs.existsSync(path));
    }}
    console.log(fs.readdirSync("/").join());
    """
    result = runner.run(source, source_type="module")
    assert result.output == "false\nfalse\nfalse\nfalse\ntrue\nmain.js\n", result
    for specifier in (f"{tmp_path}/secret.js", f"file://{tmp_path}/secret.js", f"../../../..{tmp_path}/secret.js"):
        linked = runner.run(f'import secret from "{specifier}"; console.log(secret);', source_type="module")
        assert (linked.failure_kind, linked.output) == ("script-error", "")
    assert sorted(os.listdir(tmp_path)) == ["secret.js"]


@pytest.mark.parametrize(
    "name",
    ["process", "require", "std", "os", "bjson", "Worker", "print", "scriptArgs", "Deno", "Bun", "WebAssembly"],
)
def test_there_is_no_door_to_the_host(runner, name):
    assert runner.run(f"typeof {name};").result_value == "undefined"
