"""The four functions the engine calls back into Python, made once per process, before any fork.

They find the Python object of a heap or realm by its address, and none of them may raise: whatever goes wrong is
recorded as the heap's ``fatal`` and leaves an exception that the program cannot catch.
"""

from __future__ import annotations

from goccia_tools.child.engines._quickjs import values
from goccia_tools.child.engines._quickjs.values import Codec, Slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from goccia_tools.child.engines._quickjs.context import Context
    from goccia_tools.child.engines._quickjs.library import Library
    from goccia_tools.child.engines._quickjs.runtime import Runtime


class JSThrown(Exception):
    """The program threw; ``slot`` holds what."""

    def __init__(self, slot: Slot) -> None:
        super().__init__("the program threw")
        self.slot = slot


class Interrupted(Exception):
    """The engine stopped the program without a reason recorded on this side."""


class Callbacks:
    """The closures, and which heaps and realms they serve."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.codec = Codec(library)
        self.contexts: dict[Any, Context] = {}
        self.runtimes: dict[Any, Runtime] = {}
        self.host_names: list[str] = []
        #: the native stack address of the latest host call's arguments; tells how deep the program is
        self.stack_address = 0
        ffi = library.ffi
        self._exception = self.codec.plain(values.EXCEPTION)
        # A closure that Python itself cannot enter (recursion, memory) answers with `error`; nothing is printed.
        self.host_call = ffi.callback(
            "JSValue(JSContext *, JSValue, int, JSValue *, int)",
            self._on_host_call,
            error=self._exception,
            onerror=self._on_closure_error,
        )
        self.poll = ffi.callback("int(JSRuntime *, void *)", self._on_poll, error=1, onerror=self._on_closure_error)
        self.resolve = ffi.callback(
            "char *(JSContext *, const char *, const char *, JSValue, void *)",
            self._on_resolve,
            error=ffi.NULL,
            onerror=self._on_closure_error,
        )
        self.load = ffi.callback(
            "JSModuleDef *(JSContext *, const char *, void *, JSValue)",
            self._on_load,
            error=ffi.NULL,
            onerror=self._on_closure_error,
        )

    def host_magic(self, name: str) -> int:
        """The number the engine passes back for a host function of that name; shared by all realms."""
        if name not in self.host_names:
            self.host_names.append(name)
        return self.host_names.index(name)

    def _on_closure_error(self, exception: Any, value: BaseException, traceback: Any) -> None:
        for runtime in self.runtimes.values():
            if runtime.fatal is None:
                runtime.fatal = value

    def _end_run(self, ctx: Any, runtime: Runtime | None, reason: BaseException) -> Any:
        """Record why the run ends and leave an exception that the program cannot catch."""
        if runtime is not None and runtime.fatal is None:
            runtime.fatal = reason
        lib = self._library.lib
        error = lib.JS_NewError(ctx)
        if error.tag == values.OBJECT:
            lib.JS_SetUncatchableError(ctx, error)
            lib.JS_Throw(ctx, error)
        return self._exception

    def _on_poll(self, pointer: Any, opaque: Any) -> int:
        runtime = self.runtimes[pointer]
        if runtime.fatal is None:
            try:
                runtime.poll()
            except BaseException as reason:
                runtime.fatal = reason
        return 0 if runtime.fatal is None else 1

    def _on_host_call(self, ctx: Any, this: Any, count: int, arguments: Any, magic: int) -> Any:
        context = None
        try:
            context = self.contexts[ctx]
            if context.runtime.fatal is not None:
                return self._end_run(ctx, context.runtime, context.runtime.fatal)
            self.stack_address = int(self._library.ffi.cast("uintptr_t", arguments)) or self.stack_address
            function = context.hosts[self.host_names[magic]]
            return self.codec.encode(ctx, function(*[context.decode(arguments[index]) for index in range(count)]))
        except JSThrown as thrown:
            return self._library.lib.JS_Throw(ctx, self.codec.encode(ctx, thrown.slot))
        except BaseException as reason:
            return self._end_run(ctx, context.runtime if context else None, reason)

    def _on_resolve(self, ctx: Any, referrer: Any, specifier: Any, attributes: Any, opaque: Any) -> Any:
        ffi, lib = self._library.ffi, self._library.lib
        context = None
        try:
            context = self.contexts[ctx]
            if context.runtime.fatal is not None or context.loader is None:
                raise context.runtime.fatal or Interrupted("no module resolver")
            name = context.loader.resolve(
                context,
                ffi.string(referrer).decode("utf-8", "surrogatepass"),
                ffi.string(specifier).decode("utf-8", "surrogatepass"),
                context.attributes(attributes),
            ).encode("utf-8", "surrogatepass")
            block = lib.js_malloc(ctx, len(name) + 1)
            if block != ffi.NULL:
                ffi.memmove(block, name + b"\0", len(name) + 1)
            return ffi.cast("char *", block)
        except JSThrown as thrown:
            lib.JS_Throw(ctx, self.codec.encode(ctx, thrown.slot))
        except BaseException as reason:
            self._end_run(ctx, context.runtime if context else None, reason)
        return ffi.NULL

    def _on_load(self, ctx: Any, name: Any, opaque: Any, attributes: Any) -> Any:
        ffi, lib = self._library.ffi, self._library.lib
        context = None
        try:
            context = self.contexts[ctx]
            if context.runtime.fatal is not None or context.loader is None:
                raise context.runtime.fatal or Interrupted("no module loader")
            module_name = ffi.string(name).decode("utf-8", "surrogatepass")
            text = context.loader.load(context, module_name, context.attributes(attributes))
            return context.compile_module(text, module_name)
        except JSThrown as thrown:
            lib.JS_Throw(ctx, self.codec.encode(ctx, thrown.slot))
        except BaseException as reason:
            self._end_run(ctx, context.runtime if context else None, reason)
        return ffi.NULL
