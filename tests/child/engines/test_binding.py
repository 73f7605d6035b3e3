"""The binding: values, exceptions, host calls, modules, jobs; no leaks, no crash, nothing caught that must not be."""

from __future__ import annotations

import contextlib
import os
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goccia_tools.child.engines._quickjs import declarations
from goccia_tools.child.engines._quickjs.binding import Context, JSThrown, Runtime, Slot
from goccia_tools.child.engines._quickjs.library import EngineUnavailable, Library, find_library
from goccia_tools.child.engines._quickjs.probe import check_symbols, self_test

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False),
    st.text(),
    st.text(alphabet=st.characters(categories=["Cs", "Cc", "So"])),
    st.binary(max_size=300),
)


class TestValues:
    @given(value=SCALARS)
    @settings(max_examples=300, deadline=None)
    def test_a_scalar_survives_the_way_in_and_out(self, library: Library, value: object) -> None:
        runtime = Runtime(library)
        try:
            context = runtime.new_context()
            identity = context.eval_script("(x => x)", "/t.js")
            if isinstance(value, str):  # two halves that meet are one character in JavaScript
                value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
            assert context.call(identity, value) == value
        finally:
            runtime.close()

    def test_numbers_keep_their_sign_and_nan(self, context: Context) -> None:
        assert str(context.call(context.eval_script("() => -0", "/t.js"))) == "-0.0"
        assert str(context.call(context.eval_script("() => NaN", "/t.js"))) == "nan"
        assert context.call(context.eval_script("() => 2 ** 53", "/t.js")) == 2.0**53

    def test_whole_numbers_wrap_without_a_sign(self, context: Context) -> None:
        # version 0.15 gave -1 here, without a word
        wrapped = context.call(context.eval_script("() => `${BigInt.asUintN(64, -1n)}`", "/t.js"))
        assert wrapped == "18446744073709551615"

    def test_a_rope_of_thirty_megabytes_passes(self, context: Context) -> None:
        text = context.call(
            context.eval_script("() => { let s = 'ab'; while (s.length < 3e7) s += s; return s }", "/t")
        )
        assert len(text) >= 30_000_000

    def test_typed_arrays_show_their_own_part_of_a_buffer(self, context: Context) -> None:
        call = context.eval_script(
            "() => host.echo(new Uint16Array(new Uint8Array(8).map((_, i) => i).buffer, 2, 2))", "/t"
        )
        assert context.call(call) == b"\x02\x03\x04\x05"

    def test_a_detached_buffer_is_empty(self, context: Context) -> None:
        call = context.eval_script("() => { const b = new ArrayBuffer(8); b.transfer(); return host.echo(b) }", "/t.js")
        assert context.call(call) == b""

    def test_objects_stay_inside_as_slots(self, context: Context) -> None:
        slot = context.call(context.eval_script("() => ({ a: 5 })", "/t.js"))
        assert isinstance(slot, Slot)
        assert context.get(slot, "a") == 5


class TestExceptions:
    def test_a_throw_arrives_with_its_value(self, context: Context) -> None:
        with pytest.raises(JSThrown) as caught:
            context.eval_script("throw new TypeError('no')", "/t.js")
        assert context.get(caught.value.slot, "message") == "no"

    def test_a_failing_host_function_passes_every_catch(self, context: Context) -> None:
        context.hosts["echo"] = lambda: 1 // 0
        text = (
            "let seen = []; try { host.echo() } catch { seen.push(1) } finally { seen.push(2) } globalThis.seen = seen"
        )
        with pytest.raises(ZeroDivisionError):
            context.eval_script(text, "/t.js")
        context.runtime.clear_fatal()
        assert context.call(context.eval_script("() => globalThis.seen", "/t.js")) is None

    def test_a_host_function_can_throw_a_value_of_the_guest(self, context: Context) -> None:
        error = context.eval_script("new RangeError('mine')", "/t.js")

        def fail() -> None:
            raise JSThrown(error)

        context.hosts["echo"] = fail
        text = "() => { try { host.echo() } catch (e) { return e.name + e.message } }"
        assert context.call(context.eval_script(text, "/t.js")) == "RangeErrormine"

    def test_endless_recursion_through_the_host_ends(self, context: Context, runtime: Runtime) -> None:
        runtime.set_stack_limit(512 * 1024)
        recurse = context.eval_script("(function f() { return host.echo() })", "/t.js")
        context.hosts["echo"] = lambda: context.call(recurse)
        with pytest.raises((JSThrown, RecursionError)):
            context.call(recurse)

    @pytest.mark.parametrize(
        "text",
        [
            "throw { get stack() { throw 1 }, toString() { throw 2 } }",
            "throw new Proxy({}, { get() { throw new Error('trap') } })",
            "throw Object.create(null)",
            "throw undefined",
            "throw Symbol('s')",
            "Error.prepareStackTrace = () => { throw 3 }; throw new Error('x')",
            "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw e } }); throw e",
        ],
    )
    def test_hostile_exceptions_are_just_values(self, context: Context, text: str) -> None:
        with pytest.raises(JSThrown):
            context.eval_script(text, "/t.js")
        assert context.call(context.eval_script("() => 1", "/t.js")) == 1


LOOPS = {
    "loop": "for (;;);",
    "recursion": "const f = (n) => { for (let i = 0; i < 100; i++) if (n < 50) f(n + 1) }; f(0)",
    "getter": "({ get x() { for (;;); } }).x",
    "sort": "[3, 2, 1].sort(() => { for (;;); })",
    "toJSON": "JSON.stringify({ toJSON() { for (;;); } })",
    "reviver": "JSON.parse('[1]', () => { for (;;); })",
    "generator": "for (const x of (function* () { for (;;) yield 1 })());",
    "proxy": "new Proxy({}, { get() { for (;;); } }).x",
    "regexp": "/(a*)*$/.test('a'.repeat(60) + 'b')",
    "replace": "'a'.replace(/a/, () => { for (;;); })",
    "from": "Array.from({ length: 1e9 }, (_, i) => i)",
    "toString": "`${{ toString() { for (;;); } }}`",
    "valueOf": "+{ valueOf() { for (;;); } }",
    "destructuring": "const [a] = { [Symbol.iterator]() { for (;;); } }",
    "static block": "class A { static { for (;;); } }",
    "default": "((a = (() => { for (;;); })()) => a)()",
    "spread": "[...(function* () { for (;;) yield 1 })()]",
    "symbol": "({ [Symbol.toPrimitive]() { for (;;); } }) + ''",
    "finally": "try { for (;;); } finally { for (;;); }",
    "async": "(async () => { for (;;); })()",
    "executor": "new Promise(() => { for (;;); })",
    "thenable": "Promise.resolve({ then() { for (;;); } })",
    "map": "new Map([[1, 1]]).forEach(() => { for (;;); })",
    "reduce": "[1, 2].reduce(() => { for (;;); })",
    "species": "Object.defineProperty([1], 'constructor', { get() { for (;;); } }).map(x => x)",
    "typed": "new Uint8Array(1).map(() => { for (;;); })",
}


def run_to_the_end(context: Context, text: str) -> None:
    context.eval_script(text, "/t.js").release()
    while context.runtime.run_job():
        pass


class Enough(Exception):
    """What the poll of these tests raises."""


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS.keys())
def test_an_interrupt_reaches_every_place_that_can_loop(runtime: Runtime, text: str) -> None:
    context = runtime.new_context({"note": lambda: seen.append(1)})
    context.define_global("host", context.new_host_object())
    seen: list[int] = []
    polls = 0

    def poll() -> None:
        nonlocal polls
        polls += 1
        if polls > 20:
            raise Enough

    runtime.poll = poll
    wrapped = (
        f"let done = false; try {{ {text}; done = true }} catch {{ host.note() }}"
        " finally { if (!done) host.note() } for (;;);"
    )
    with pytest.raises(Enough):
        run_to_the_end(context, wrapped)
    assert seen == []


def test_polls_are_deterministic(library: Library) -> None:
    counts = []
    for _ in range(3):
        runtime = Runtime(library)
        polls = 0

        def poll() -> None:
            nonlocal polls
            polls += 1

        runtime.poll = poll
        runtime.new_context().eval_script(
            "let n = 0;for (let i = 0; i < 5e4; i++) { n += [1, 2].map(x => x).length; if (/a+b/.test('aaab')) n++ }",
            "/t.js",
        )
        counts.append(polls)
        runtime.close()
    assert counts[0] > 10
    assert len(set(counts)) == 1


OPERATIONS = {
    "eval": "1 + 1",
    "throw": "throw new Error('x')",
    "host": "host.echo('text' + Math.random())",
    "bytes": "host.echo(new Uint8Array(100))",
    "closure": "(() => { const a = []; a.push(() => a); return a })()",
    "reject": "Promise.reject(new Error('lost'))",
    "async": "(async () => { await null; throw 1 })()",
    "import": "import('/none.js').catch(() => 0)",
    "cause": "try { throw new Error('a', { cause: new Error('b') }) } catch {}",
    "map": "new Map([[{}, {}]])",
    "syntax": "let let = 1",
    "symbol": "Symbol('x')",
}


@pytest.mark.parametrize("text", OPERATIONS.values(), ids=OPERATIONS.keys())
def test_nothing_leaks(runtime: Runtime, context: Context, text: str) -> None:
    class NoModules:
        def resolve(self, *given: object) -> str:
            raise JSThrown(context.eval_script("new Error('none')", "/t.js"))

    context.loader = NoModules()

    def rounds(count: int) -> int:
        for _ in range(count):
            try:
                context.eval_script(text, "/t.js").release()
            except JSThrown as thrown:
                thrown.slot.release()
            while runtime.run_job():
                pass
        runtime.collect()
        return runtime.memory_used()

    before = rounds(100)
    assert rounds(1000) - before < 1000, "a byte a round is a leak"


class TestModules:
    def test_loading_goes_through_the_loader(self, library: Library) -> None:
        self_test(library)

    def test_an_unknown_symbol_is_a_sentence(self, library: Library) -> None:
        check_symbols(library)

        class Other:
            version = "0.99.0"
            path = "/x.so"
            lib = object()

        with pytest.raises(EngineUnavailable, match="outside the tested range"):
            check_symbols(Other())

    def test_a_missing_wheel_is_a_sentence(self, tmp_path) -> None:
        with pytest.raises(EngineUnavailable, match="pip install"):
            find_library([str(tmp_path)])

    def test_the_declarations_are_the_generated_ones(self, tmp_path) -> None:
        target = tmp_path / "abi.py"
        declarations.generate(str(target))
        from goccia_tools.child.engines._quickjs import abi

        with open(abi.__file__, encoding="utf-8") as checked_in:
            assert target.read_text(encoding="utf-8") == checked_in.read()


BOMBS = [
    "const a = []; for (;;) a.push({})",
    "const a = []; for (;;) a.push(new Error('x'))",
    "let e = new Error('x'); for (;;) e = new Error('y', { cause: e })",
    "let s = 'x'; for (;;) s += s + 'y'",
    "const m = new Map(); for (let i = 0; ; i++) m.set(i, [i])",
    "const a = []; for (;;) a.push(class { x = [] })",
    "const a = []; for (;;) a.push(async () => { await 1 })()",
    "let f = () => 1; for (;;) { const g = f; f = () => g }",
    "const a = []; for (;;) a.push(host.echo('x'.repeat(1000)))",
    "for (;;) Promise.reject(new Error('x'))",
]


@pytest.mark.parametrize("text", BOMBS)
def test_running_out_of_memory_never_kills_the_process(library: Library, text: str) -> None:
    """Each limit in a process of its own: whatever happens, it ends by itself."""
    for limit in (300_000, 1_000_000, 8_000_000):
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            try:
                runtime = Runtime(library)
                context = runtime.new_context({"echo": lambda x: x})
                context.define_global("host", context.new_host_object())
                runtime.set_memory_limit(runtime.memory_used() + limit)
                polls = 0

                def poll() -> None:
                    nonlocal polls
                    polls += 1
                    if polls > 300:
                        raise Enough

                runtime.poll = poll
                with contextlib.suppress(JSThrown, Enough, MemoryError):
                    run_to_the_end(context, text)
            finally:
                os._exit(0)
        _, status = os.waitpid(pid, 0)
        assert status == 0, f"limit {limit}: status {status}"
