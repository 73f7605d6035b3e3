"""Says in a sentence why a loaded engine library cannot be trusted, instead of crashing later.

:func:`check_symbols` is cheap and runs at every start. :func:`self_test` tries every promise the binding relies on in
a scratch heap; it runs when the prelude is compiled for an engine that was not seen before, and in the doctor.
"""

from __future__ import annotations

from goccia_tools.child.engines._quickjs import values
from goccia_tools.child.engines._quickjs.library import EngineUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from goccia_tools.child.engines._quickjs.context import Context
    from goccia_tools.child.engines._quickjs.library import Library

#: the versions whose headers and behaviour were compared; those before have BigInt.asUintN wrong
OLDEST: Final = (0, 16)
FIRST_UNTESTED: Final = (0, 18)
_SELF_TEST_LIMIT_BYTES: Final = 8 * 1024 * 1024


class _Wrong(Exception):
    """A promise of the engine that does not hold."""


def check_symbols(library: Library) -> None:
    """Check the version and that every function is exported.

    Raises:
        EngineUnavailable: says what is wrong and what to do.
    """
    numbers = tuple(int(part) for part in library.version.split("-")[0].split(".")[:2] if part.isdigit())
    if not OLDEST <= numbers < FIRST_UNTESTED:
        raise EngineUnavailable(
            f"quickjs-ng {library.version} at {library.path} is outside the tested range 0.16 to 0.17;"
            " run: pip install 'quickjs-ng>=0.16,<0.18'"
        )
    missing = [name for name in dir(library.lib) if not _is_there(library, name)]
    if missing:
        raise EngineUnavailable(
            f"the engine library {library.path} does not export {missing[0]}"
            f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}; install another build of"
            ' quickjs-ng, or use engine="goccia"'
        )


def _is_there(library: Library, name: str) -> bool:
    try:
        getattr(library.lib, name)
    except AttributeError:
        return False
    return True


def self_test(library: Library) -> None:
    """Try values, exceptions, host calls, modules, jobs, interrupts and the memory limit in a scratch heap.

    Raises:
        EngineUnavailable: names the first promise that does not hold.
    """
    from goccia_tools.child.engines._quickjs.runtime import Runtime

    runtime = Runtime(library)
    try:
        _try_values(runtime.new_context({"echo": lambda *given: given[0]}))
        _try_modules(runtime.new_context())
        _try_interrupt(runtime.new_context())
        _try_memory(runtime.new_context())
    except _Wrong as wrong:
        raise EngineUnavailable(
            f"quickjs-ng {library.version} at {library.path} failed its self-test: {wrong};"
            ' install another version of the range >=0.16,<0.18, or use engine="goccia"'
        ) from None
    finally:
        runtime.close()


def _expect(promise: str, actual: object, expected: object) -> None:
    if actual != expected or type(actual) is not type(expected):
        raise _Wrong(f"{promise} gave {actual!r}, not {expected!r}")


def _scalar(context: Context, text: str) -> Any:
    slot = context.eval_script(text, "/self-test.js")
    try:
        return context.decode(slot._value)
    finally:
        slot.release()


def _try_values(context: Context) -> None:
    host = context.new_host_object()
    context.define_global("host", host)
    host.release()
    _expect("1 + 1", _scalar(context, "1 + 1"), 2)
    _expect("1.5", _scalar(context, "1.5"), 1.5)
    _expect("a boolean", _scalar(context, "1 < 2"), True)
    _expect("a host call", _scalar(context, "host.echo('a\\u0000\\ud800\\u{1f600}')"), "a\0\ud800\U0001f600")
    _expect("bytes", _scalar(context, "host.echo(new Uint8Array([1, 2, 3]).subarray(1))"), b"\x02\x03")
    _expect("a thrown value", _thrown_message(context, "throw new TypeError('t')"), "t")
    _expect(
        "bytecode",
        context.call(context.eval_bytecode(context.compile_script("(() => 7)", "/self-test.js"))),
        7,
    )


def _thrown_message(context: Context, text: str) -> Any:
    from goccia_tools.child.engines._quickjs.callbacks import JSThrown

    try:
        context.eval_script(text, "/self-test.js").release()
    except JSThrown as thrown:
        return context.get(thrown.slot, "message") if thrown.slot.tag == values.OBJECT else thrown.slot.tag
    return None


class _OneModule:
    """A loader that knows one module."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def resolve(self, context: Context, referrer: str, specifier: str, attributes: dict[str, str] | None) -> str:
        self.asked += [referrer, specifier, attributes]
        return "/b.js"

    def load(self, context: Context, name: str, attributes: dict[str, str] | None) -> str:
        return "export const value = 41; export default import.meta;"

    def on_module(self, context: Context, name: str, meta: values.Slot, handle: Any) -> None:
        self.asked.append(name)

    def on_loaded(self, complete: bool) -> None:
        self.asked.append(complete)


def _try_modules(context: Context) -> None:
    loader = context.loader = _OneModule()
    text = "import { value } from './b' with { type: 'js' }; await null; globalThis.answer = value + 1;"
    _, promise = context.eval_module(text, "/a.js")
    _expect("a waiting module", context.promise(promise)[0], 0)
    while context.runtime.run_job():
        pass
    _expect("a finished module", context.promise(promise)[0], 1)
    _expect("an import", _scalar(context, "answer"), 42)
    _expect("the loader", loader.asked, ["/a.js", "./b", {"type": "js"}, "/b.js", True, "/a.js"])
    _, promise = context.eval_module("throw new RangeError('r')", "/c.js")
    _expect("a rejected module", context.promise(promise)[0], 2)


def _try_interrupt(context: Context) -> None:
    class Enough(Exception):
        pass

    def poll() -> None:
        raise Enough

    runtime = context.runtime
    runtime.poll = poll
    try:
        context.eval_script(
            "try { for (;;); } catch { globalThis.seen = 1; } finally { globalThis.seen = 2; }", "/i.js"
        )
    except Enough:
        runtime.clear_fatal()
    else:
        raise _Wrong("an endless loop was not interrupted")
    finally:
        runtime.poll = lambda: None
    _expect("an interrupt nobody can catch", _scalar(context, "globalThis.seen"), None)


def _try_memory(context: Context) -> None:
    runtime = context.runtime
    runtime.set_memory_limit(runtime.memory_used() + _SELF_TEST_LIMIT_BYTES)
    _expect("room within the limit", runtime.has_room(_SELF_TEST_LIMIT_BYTES // 2), True)
    _expect("room over the limit", runtime.has_room(_SELF_TEST_LIMIT_BYTES * 2), False)
    message = _thrown_message(context, f"new ArrayBuffer({_SELF_TEST_LIMIT_BYTES * 2})")
    runtime.set_memory_limit(0)
    _expect("an allocation over the limit", message, "out of memory")
