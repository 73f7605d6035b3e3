"""The JavaScript that every context starts with: its order, its compilation to bytecode and the cache of that.

Each file is the body of a strict function ``(host, internals, primordials)`` of its own; all of them are compiled
together once and evaluated per context. The bytecode lies beside this module in ``__pycache__``, under a
name that changes with the engine and with every source file; where that cannot be written, each start compiles.
"""

from __future__ import annotations

import _imp
import posix

from goccia_tools.child.engines._quickjs.probe import self_test

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from goccia_tools.child.engines._quickjs.binding import Context, Runtime
    from goccia_tools.child.engines._quickjs.library import Library
    from goccia_tools.child.engines._quickjs.values import Slot

#: files are evaluated in this order; what one exports through ``internals`` the later ones may use
ORDER: Final[tuple[str, ...]] = (
    "primordials.js",
    "modules.js",
    "source.js",
    "functions.js",
    "guards.js",
    "fs.js",
    "goccia.js",
    "console.js",
    "clone.js",
    "globals.js",
    "web.js",
    "http.js",
    "errors.js",
    "testing.js",
)

FOLDER: Final = __file__.rpartition("/")[0]
#: what stack traces show as the file of prelude code
NAME: Final = "<prelude>"


def source(order: tuple[str, ...] = ORDER) -> str:
    """The whole prelude as one script whose value is a function ``(host, internals, primordials)``."""
    parts = ['(function (host, internals, primordials) { "use strict";\n']
    for name in order:
        with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
            parts.append(
                f'(function (host, internals, primordials) {{ "use strict"; /* {name} */\n{file.read()}\n'
                "})(host, internals, primordials);\n"
            )
    parts.append("})")
    return "".join(parts)


def bytecode(runtime: Runtime, order: tuple[str, ...] = ORDER) -> bytes:
    """The prelude compiled for this engine, from the cache when it is there."""
    path = _cache_path(runtime.library, order)
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        pass
    # an engine that was not seen before is tried first: what it compiles is going to be kept
    self_test(runtime.library)
    context = runtime.new_context()
    try:
        blob = context.compile_script(source(order), NAME)
    finally:
        context.close()
    _store(path, blob)
    return blob


def evaluate(context: Context, blob: bytes) -> Slot:
    """Run the prelude in a context; afterwards ``context.internals`` holds what it exports."""
    make = context.eval_bytecode(blob)
    empty = context.eval_script("({__proto__: null})", NAME)
    intrinsics = context.eval_script("({__proto__: null})", NAME)
    host = context.new_host_object()
    context.internals = empty
    context.call(make, host, empty, intrinsics)
    for slot in (make, intrinsics, host):
        slot.release()
    return empty


def _cache_path(library: Library, order: tuple[str, ...]) -> str:
    facts = [library.version, library.distribution_version]
    for path in (library.path, *(f"{FOLDER}/{name}" for name in order)):
        status = posix.stat(path)
        facts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    key = _imp.source_hash(0x60CC1A, "\n".join(facts).encode("utf-8", "surrogateescape"))
    return f"{FOLDER}/__pycache__/prelude-{key.hex()}.bytecode"


def _store(path: str, blob: bytes) -> None:
    """Write the cache file whole or not at all; a folder that cannot be written is no failure."""
    partial = f"{path}.{posix.getpid()}"
    try:
        folder = path.rpartition("/")[0]
        if folder:
            try:
                posix.mkdir(folder)
            except FileExistsError:
                pass
        with open(partial, "wb") as file:
            file.write(blob)
        posix.replace(partial, path)
    except OSError:
        try:
            posix.unlink(partial)
        except OSError:
            pass
