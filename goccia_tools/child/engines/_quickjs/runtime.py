"""One engine heap: its limits, its job queue, and the exception that ends a run."""

from __future__ import annotations

from goccia_tools.child.engines._quickjs.callbacks import Callbacks, Interrupted, JSThrown
from goccia_tools.child.engines._quickjs.context import Context
from goccia_tools.child.engines._quickjs.values import Codec, Slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from goccia_tools.child.engines._quickjs.context import HostFunction
    from goccia_tools.child.engines._quickjs.library import Library


class Runtime:
    """One engine heap with its callbacks; to be used on the thread that made it (a fork keeps that true)."""

    def __init__(self, library: Library) -> None:
        self.library = library
        if library.callbacks is None:
            library.callbacks = Callbacks(library)
        self.callbacks: Callbacks = library.callbacks
        self.codec: Codec = self.callbacks.codec
        self.closed = False
        self.fatal: BaseException | None = None
        self.poll: Callable[[], None] = lambda: None
        ffi, lib = library.ffi, library.lib
        self.pointer = lib.JS_NewRuntime()
        if self.pointer == ffi.NULL:
            raise MemoryError("the engine has no memory for a runtime")
        self._job_context = ffi.new("JSContext **")
        self.callbacks.runtimes[self.pointer] = self
        lib.JS_SetInterruptHandler(self.pointer, self.callbacks.poll, ffi.NULL)
        lib.JS_SetModuleLoaderFunc2(self.pointer, ffi.NULL, self.callbacks.load, ffi.NULL, ffi.NULL)
        lib.JS_SetModuleNormalizeFunc2(self.pointer, self.callbacks.resolve)
        lib.JS_SetCanBlock(self.pointer, False)

    # -- limits

    def set_memory_limit(self, limit_bytes: int) -> None:
        """The hard limit of the heap; 0 is none."""
        self.library.lib.JS_SetMemoryLimit(self.pointer, limit_bytes)

    def set_stack_limit(self, limit_bytes: int) -> None:
        """How much native stack the program may use, counted from where this is called."""
        self.library.lib.JS_UpdateStackTop(self.pointer)
        self.library.lib.JS_SetMaxStackSize(self.pointer, limit_bytes)

    def has_room(self, wanted_bytes: int) -> bool:
        """Whether the heap could still grow by so many bytes under its hard limit."""
        lib = self.library.lib
        block = lib.js_malloc_rt(self.pointer, wanted_bytes)
        if block == self.library.ffi.NULL:
            return False
        lib.js_free_rt(self.pointer, block)
        return True

    def memory_used(self) -> int:
        """Bytes of heap in use by the engine's own account (walks the heap: not for the poll)."""
        usage = self.library.ffi.new("JSMemoryUsage *")
        self.library.lib.JS_ComputeMemoryUsage(self.pointer, usage)
        return int(usage.malloc_size)

    def collect(self) -> None:
        """Run the engine's cycle collector."""
        self.library.lib.JS_RunGC(self.pointer)

    # -- running

    def new_context(self, hosts: dict[str, HostFunction] | None = None) -> Context:
        """A fresh realm whose host functions are those given."""
        return Context(self, hosts or {})

    def run_job(self) -> bool:
        """Run the next job of the queue; False when the queue is empty."""
        status = self.library.lib.JS_ExecutePendingJob(self.pointer, self._job_context)
        if status < 0:
            raise self.thrown(self._job_context[0])
        self.check_fatal()
        return bool(status > 0)

    def check_fatal(self) -> None:
        """Raise the reason the run is ending for, if there is one."""
        if self.fatal is not None:
            raise self.fatal

    def clear_fatal(self) -> None:
        """Forget the reason; the caller has unwound to the frame that owns it."""
        self.fatal = None

    def thrown(self, ctx: Any) -> BaseException:
        """What a call that answered with the exception marker raises on this side."""
        lib = self.library.lib
        value = lib.JS_GetException(ctx)
        if self.fatal is not None or lib.JS_IsUncatchableError(value):
            lib.JS_FreeValueRT(self.pointer, value)
            return self.fatal or Interrupted("the engine stopped the program")
        context = self.callbacks.contexts.get(ctx)
        return JSThrown(Slot(context if context is not None else _Orphan(self), value))

    def close(self) -> None:
        """Free every context and the heap."""
        for context in list(self.callbacks.contexts.values()):
            if context.runtime is self:
                context.close()
        self.closed = True
        self.callbacks.runtimes.pop(self.pointer, None)
        self.library.lib.JS_FreeRuntime(self.pointer)


class _Orphan:
    """Stands for the context of a value whose own one is gone."""

    __slots__ = ("runtime",)

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
