"""The engine as Python sees it: one :class:`Runtime`, its contexts, scalars and slots; nothing else leaves.

The exact interface (``Scalar`` is ``str | bytes | int | float | bool | None``; None is undefined, bytes an
ArrayBuffer; typed arrays arrive as the bytes they show):

``Runtime(library)``
    ``.new_context(hosts) -> Context``: ``hosts`` maps a name to ``function(*scalars_or_slots) -> scalar | Slot``.
    ``.set_memory_limit(bytes)``, ``.set_stack_limit(bytes)``, ``.memory_used()``,
    ``.has_room(bytes)``: the headroom probe.
    ``.poll``: assign a function called once per 10,000 steps; raising in it ends the run.
    ``.resolve(context, referrer, specifier, attributes) -> name``, ``.load(context, name, attributes) -> text``:
    assign both before modules are used; they may raise :class:`JSThrown` (the guest sees that value).
    ``.on_module(context, name, meta_slot)``: called with the import.meta of each compiled module.
    ``.run_job() -> bool``: runs one job; False when none was left.
    ``.fatal``: the exception that is ending the run, or None; ``.clear_fatal()`` for the owner of a nested run.
``Context``
    ``.eval_script(text, name, strict=True) -> Slot`` (the completion value),
    ``.compile_script(text, name) -> bytes``, ``.eval_bytecode(blob) -> Slot`` (only blobs this program made),
    ``.eval_module(text, name) -> (module, promise)``, ``.namespace(module) -> Slot``,
    ``.new_host_object() -> Slot`` (null prototype, one function per host),
    ``.call(function, *arguments) -> scalar | Slot``: ``function`` is a slot or the name of one in ``.internals``,
    ``.internals``: the slot that names are looked up in, assigned by whoever evaluates the prelude,
    ``.define_global(name, value)`` (writable, configurable, not enumerable), ``.get(slot, name)``,
    ``.promise(slot) -> (state, result)``, ``.close()``.

A guest exception is :class:`JSThrown`. A host function that raises anything else ends the run: the guest gets an
exception that no ``catch`` or ``finally`` sees, and the outermost call raises the Python exception again. An
engine stop without such a reason is :class:`Interrupted`. The function that receives a value frees it.
"""

from __future__ import annotations

from goccia_tools.child.engines._quickjs import values
from goccia_tools.child.engines._quickjs.values import Codec, Slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from goccia_tools.child.engines._quickjs.library import Library
    from goccia_tools.child.engines._quickjs.values import Scalar

    HostFunction = Callable[..., Scalar | Slot]

EVAL_MODULE: Final = 1
EVAL_STRICT: Final = 8
EVAL_COMPILE_ONLY: Final = 32
_GENERIC_MAGIC: Final = 1
_CONFIGURABLE_WRITABLE: Final = 3
_ENUMERABLE_STRINGS: Final = 1 | 16


class JSThrown(Exception):
    """The program threw; ``slot`` holds what."""

    def __init__(self, slot: Slot) -> None:
        super().__init__("the program threw")
        self.slot = slot


class Interrupted(Exception):
    """The engine stopped the program without a reason recorded on this side."""


class Runtime:
    """One engine heap with its callbacks; to be used on the thread that made it (a fork keeps that true)."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.codec = Codec(library)
        self.closed = False
        self.fatal: BaseException | None = None
        self.poll: Callable[[], None] = lambda: None
        self.resolve: Callable[[Context, str, str, dict[str, str] | None], str] | None = None
        self.load: Callable[[Context, str, dict[str, str] | None], str] | None = None
        self.on_module: Callable[[Context, str, Slot], None] | None = None
        self._contexts: dict[Any, Context] = {}
        self._host_names: list[str] = []
        ffi, lib = library.ffi, library.lib
        self.pointer = lib.JS_NewRuntime()
        if self.pointer == ffi.NULL:
            raise MemoryError("the engine has no memory for a runtime")
        self._exception = self.codec.plain(values.EXCEPTION)
        self._job_context = ffi.new("JSContext **")
        # A closure that Python itself cannot enter (recursion, memory) answers with `error`; nothing is printed.
        self._closures = (
            ffi.callback(
                "JSValue(JSContext *, JSValue, int, JSValue *, int)",
                self._on_host_call,
                error=self._exception,
                onerror=self._on_closure_error,
            ),
            ffi.callback("int(JSRuntime *, void *)", self._on_poll, error=1, onerror=self._on_closure_error),
            ffi.callback(
                "char *(JSContext *, const char *, const char *, JSValue, void *)",
                self._on_resolve,
                error=ffi.NULL,
                onerror=self._on_closure_error,
            ),
            ffi.callback(
                "JSModuleDef *(JSContext *, const char *, void *, JSValue)",
                self._on_load,
                error=ffi.NULL,
                onerror=self._on_closure_error,
            ),
        )
        lib.JS_SetInterruptHandler(self.pointer, self._closures[1], ffi.NULL)
        lib.JS_SetModuleLoaderFunc2(self.pointer, ffi.NULL, self._closures[3], ffi.NULL, ffi.NULL)
        lib.JS_SetModuleNormalizeFunc2(self.pointer, self._closures[2])
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
        lib, block = self.library.lib, None
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
        context = self._contexts.get(ctx)
        return JSThrown(Slot(context if context is not None else _Orphan(self), value))

    def close(self) -> None:
        """Free every context and the heap."""
        for context in list(self._contexts.values()):
            context.close()
        self.closed = True
        self.library.lib.JS_FreeRuntime(self.pointer)

    # -- callbacks: none may raise

    def _on_closure_error(self, exception: Any, value: BaseException, traceback: Any) -> None:
        if self.fatal is None:
            self.fatal = value

    def _end_run(self, ctx: Any, reason: BaseException) -> Any:
        """Record why the run ends and leave an exception that the program cannot catch."""
        if self.fatal is None:
            self.fatal = reason
        lib = self.library.lib
        error = lib.JS_NewError(ctx)
        if error.tag == values.OBJECT:
            lib.JS_SetUncatchableError(ctx, error)
            lib.JS_Throw(ctx, error)
        return self._exception

    def _on_poll(self, runtime: Any, opaque: Any) -> int:
        if self.fatal is None:
            try:
                self.poll()
            except BaseException as reason:
                self.fatal = reason
        return 0 if self.fatal is None else 1

    def _on_host_call(self, ctx: Any, this: Any, count: int, arguments: Any, magic: int) -> Any:
        try:
            if self.fatal is not None:
                return self._end_run(ctx, self.fatal)
            context = self._contexts[ctx]
            function = context.hosts[self._host_names[magic]]
            return self.codec.encode(ctx, function(*[context.decode(arguments[index]) for index in range(count)]))
        except JSThrown as thrown:
            return self.library.lib.JS_Throw(ctx, self.codec.encode(ctx, thrown.slot))
        except BaseException as reason:
            return self._end_run(ctx, reason)

    def _on_resolve(self, ctx: Any, referrer: Any, specifier: Any, attributes: Any, opaque: Any) -> Any:
        ffi, lib = self.library.ffi, self.library.lib
        try:
            if self.fatal is not None or self.resolve is None:
                raise self.fatal or Interrupted("no module resolver")
            context = self._contexts[ctx]
            name = self.resolve(
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
            self._end_run(ctx, reason)
        return ffi.NULL

    def _on_load(self, ctx: Any, name: Any, opaque: Any, attributes: Any) -> Any:
        ffi, lib = self.library.ffi, self.library.lib
        try:
            if self.fatal is not None or self.load is None:
                raise self.fatal or Interrupted("no module loader")
            context = self._contexts[ctx]
            module_name = ffi.string(name).decode("utf-8", "surrogatepass")
            text = self.load(context, module_name, context.attributes(attributes))
            return context.compile_module(text, module_name)
        except JSThrown as thrown:
            lib.JS_Throw(ctx, self.codec.encode(ctx, thrown.slot))
        except BaseException as reason:
            self._end_run(ctx, reason)
        return ffi.NULL

    def host_magic(self, name: str) -> int:
        """The number the engine passes back for a host function of that name; shared by all contexts."""
        if name not in self._host_names:
            self._host_names.append(name)
        return self._host_names.index(name)


class _Orphan:
    """Stands for the context of a value whose own one is gone."""

    __slots__ = ("runtime",)

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime


class Context:
    """One realm: its globals, its modules and its host functions."""

    def __init__(self, runtime: Runtime, hosts: dict[str, HostFunction]) -> None:
        self.runtime = runtime
        self.hosts = hosts
        self.internals: Slot | None = None
        self._functions: dict[str, Slot] = {}
        self._ffi, self._lib = runtime.library.ffi, runtime.library.lib
        self.pointer = self._lib.JS_NewContext(runtime.pointer)
        if self.pointer == self._ffi.NULL:
            raise MemoryError("the engine has no memory for a context")
        runtime._contexts[self.pointer] = self

    def close(self) -> None:
        """Give the realm up; functions of it that other realms hold keep working, without hosts."""
        if self.pointer is not None:
            for slot in (*self._functions.values(), self.internals):
                if slot is not None:
                    slot.release()
            self._functions = {}
            self.internals = None
            self.runtime._contexts.pop(self.pointer, None)
            self._lib.JS_FreeContext(self.pointer)
            self.pointer = None

    # -- evaluating

    def eval_script(self, text: str, name: str, *, strict: bool = True) -> Slot:
        """Evaluate a script in the global scope; its completion value."""
        return self._slot(self._eval(text, name, EVAL_STRICT if strict else 0))

    def compile_script(self, text: str, name: str, *, strict: bool = True) -> bytes:
        """The bytecode of a script."""
        compiled = self._checked(self._eval(text, name, (EVAL_STRICT if strict else 0) | EVAL_COMPILE_ONLY))
        size = self._ffi.new("size_t *")
        try:
            block = self._lib.JS_WriteObject(self.pointer, size, compiled, 1)
            if block == self._ffi.NULL:
                raise self.runtime.thrown(self.pointer)
            blob: bytes = self._ffi.buffer(block, size[0])[:]
            self._lib.js_free(self.pointer, block)
            return blob
        finally:
            self._lib.JS_FreeValue(self.pointer, compiled)

    def eval_bytecode(self, blob: bytes) -> Slot:
        """Evaluate bytecode that :meth:`compile_script` made; never bytes from elsewhere."""
        data = self._ffi.from_buffer("uint8_t[]", blob)
        function = self._checked(self._lib.JS_ReadObject(self.pointer, data, len(blob), 1))
        return self._slot(self._lib.JS_EvalFunction(self.pointer, function))

    def compile_module(self, text: str, name: str) -> Any:
        """Compile a module, which loads what it imports; the module's handle, owned by the context."""
        compiled = self._checked(self._eval(text, name, EVAL_MODULE | EVAL_COMPILE_ONLY))
        self._lib.JS_FreeValue(self.pointer, compiled)
        module = self._ffi.cast("JSModuleDef *", compiled.u)
        if self.runtime.on_module is not None:
            meta = self._slot(self._lib.JS_GetImportMeta(self.pointer, module))
            self.runtime.on_module(self, name, meta)
            meta.release()
        return module

    def eval_module(self, text: str, name: str) -> tuple[Any, Slot]:
        """Compile, link and start a module: its handle and the promise of its evaluation."""
        module = self.compile_module(text, name)
        return module, self.run_module(module)

    def run_module(self, module: Any) -> Slot:
        """Link and start a compiled module (or again: the same promise)."""
        value = self.runtime.codec.plain(values.MODULE, int(self._ffi.cast("uint64_t", module)))
        return self._slot(self._lib.JS_EvalFunction(self.pointer, self._lib.JS_DupValue(self.pointer, value)))

    def namespace(self, module: Any) -> Slot:
        """The namespace object of a linked module."""
        return self._slot(self._lib.JS_GetModuleNamespace(self.pointer, module))

    # -- calling and reading

    def call(self, function: str | Slot, *arguments: Scalar | Slot) -> Scalar | Slot:
        """Call a function (or the one of that name in ``internals``) and decode what it returns."""
        target = function if isinstance(function, Slot) else self._function(function)
        owned = [self.runtime.codec.encode(self.pointer, argument) for argument in arguments]
        try:
            if any(value.tag == values.EXCEPTION for value in owned):
                raise self.runtime.thrown(self.pointer)
            result = self._lib.JS_Call(
                self.pointer,
                target._value,
                self.runtime.codec.plain(values.UNDEFINED),
                len(owned),
                self._ffi.new("JSValue[]", owned),
            )
        finally:
            for value in owned:
                self._lib.JS_FreeValue(self.pointer, value)
        result = self._checked(result)
        try:
            return self.decode(result)
        finally:
            self._lib.JS_FreeValue(self.pointer, result)

    def get(self, owner: Slot, name: str) -> Scalar | Slot:
        """Read a property (getters run)."""
        value = self._checked(
            self._lib.JS_GetPropertyStr(self.pointer, owner._value, name.encode("utf-8", "surrogatepass"))
        )
        try:
            return self.decode(value)
        finally:
            self._lib.JS_FreeValue(self.pointer, value)

    def define_global(self, name: str, value: Scalar | Slot) -> None:
        """Set a global as the built-in ones are: writable, configurable, not enumerable."""
        target = self._lib.JS_GetGlobalObject(self.pointer)
        owned = self.runtime.codec.encode(self.pointer, value)
        status = self._lib.JS_DefinePropertyValueStr(
            self.pointer, target, name.encode("utf-8"), owned, _CONFIGURABLE_WRITABLE
        )
        self._lib.JS_FreeValue(self.pointer, target)
        if status < 0:
            raise self.runtime.thrown(self.pointer)

    def new_host_object(self) -> Slot:
        """An object without prototype that holds one function for each host of this context."""
        codec, lib = self.runtime.codec, self._lib
        target = self._checked(lib.JS_NewObjectProto(self.pointer, codec.plain(values.NULL)))
        for name in self.hosts:
            label = name.encode("utf-8")
            function = lib.JS_NewCFunction2(
                self.pointer, self.runtime._closures[0], label, 0, _GENERIC_MAGIC, self.runtime.host_magic(name)
            )
            lib.JS_DefinePropertyValueStr(self.pointer, target, label, function, 7)
        return Slot(self, target)

    def promise(self, slot: Slot) -> tuple[int, Slot | None]:
        """State (-1 no promise, 0 pending, 1 fulfilled, 2 rejected) and, when settled, the result."""
        state = int(self._lib.JS_PromiseState(self.pointer, slot._value))
        return state, self._slot(self._lib.JS_PromiseResult(self.pointer, slot._value)) if state > 0 else None

    def freeze_buffer(self, slot: Slot) -> bool:
        """Make an ArrayBuffer immutable; False when this engine version cannot."""
        try:
            function = self._lib.JS_SetImmutableArrayBuffer
        except AttributeError:
            return False
        return bool(function(slot._value, True) == 0)

    # -- inside

    def decode(self, value: Any) -> Scalar | Slot:
        """A borrowed engine value as a scalar, or as a slot that owns its own reference."""
        tag, codec = value.tag, self.runtime.codec
        if tag == values.STRING or tag == values.ROPE:
            text = codec.text(self.pointer, value)
            if text is None:
                raise self.runtime.thrown(self.pointer)
            return text
        if tag == values.INT or tag == values.FLOAT64:
            return codec.number(value)
        if tag == values.UNDEFINED or tag == values.NULL:
            return None
        if tag == values.BOOL:
            return bool(value.u & 1)
        if tag == values.OBJECT:
            data = codec.bytes_of(self.pointer, value)
            if data is not None:
                return data
        return Slot(self, self._lib.JS_DupValue(self.pointer, value))

    def attributes(self, value: Any) -> dict[str, str] | None:
        """Import attributes as a dict; None when there are none."""
        if value.tag != values.OBJECT:
            return None
        ffi, lib = self._ffi, self._lib
        table, count, length = ffi.new("JSPropertyEnum **"), ffi.new("uint32_t *"), ffi.new("size_t *")
        if lib.JS_GetOwnPropertyNames(self.pointer, table, count, value, _ENUMERABLE_STRINGS) < 0:
            raise self.runtime.thrown(self.pointer)
        found: dict[str, str] = {}
        try:
            for index in range(count[0]):
                atom = table[0][index].atom
                pointer = lib.JS_AtomToCStringLen(self.pointer, length, atom)
                if pointer == ffi.NULL:
                    raise self.runtime.thrown(self.pointer)
                key = ffi.buffer(pointer, length[0])[:].decode("utf-8", "surrogatepass")
                lib.JS_FreeCString(self.pointer, pointer)
                item = self._checked(lib.JS_GetProperty(self.pointer, value, atom))
                try:
                    found[key] = self.runtime.codec.text(self.pointer, item) or ""
                finally:
                    lib.JS_FreeValue(self.pointer, item)
        finally:
            lib.JS_FreePropertyEnum(self.pointer, table[0], count[0])
        return found

    def _eval(self, text: str, name: str, flags: int) -> Any:
        data = text.encode("utf-8", "surrogatepass")
        return self._lib.JS_Eval(self.pointer, data, len(data), name.encode("utf-8", "surrogatepass"), flags)

    def _checked(self, value: Any) -> Any:
        if value.tag == values.EXCEPTION:
            raise self.runtime.thrown(self.pointer)
        if self.runtime.fatal is not None:
            self._lib.JS_FreeValue(self.pointer, value)
            raise self.runtime.fatal
        return value

    def _slot(self, value: Any) -> Slot:
        return Slot(self, self._checked(value))

    def _function(self, name: str) -> Slot:
        if name not in self._functions:
            if self.internals is None:
                raise LookupError(f"no prelude is loaded, so there is no function {name!r}")
            found = self.get(self.internals, name)
            if type(found) is not Slot:
                raise LookupError(f"the prelude exports no function {name!r}")
            self._functions[name] = found
        return self._functions[name]
