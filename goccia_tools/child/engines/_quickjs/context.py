"""One realm: evaluating scripts and modules in it, calling its functions, and reading what they return."""

from __future__ import annotations

from goccia_tools.child.engines._quickjs import values
from goccia_tools.child.engines._quickjs.values import Slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, Protocol

    from goccia_tools.child.engines._quickjs.runtime import Runtime
    from goccia_tools.child.engines._quickjs.values import Scalar

    HostFunction = Callable[..., Scalar | Slot]

    class ModuleLoader(Protocol):
        """What the engine asks for while it loads modules; may raise JSThrown, which the guest sees."""

        def resolve(self, context: Context, referrer: str, specifier: str, attributes: dict[str, str] | None) -> str:
            """The canonical name of a module."""

        def load(self, context: Context, name: str, attributes: dict[str, str] | None) -> str:
            """The source text of a module."""

        def on_module(self, context: Context, name: str, meta: Slot, handle: Any) -> None:
            """A module was compiled; ``meta`` is its import.meta, to be filled."""

        def on_loaded(self, complete: bool) -> None:
            """The outermost of the modules being compiled is done, or failed."""


EVAL_MODULE: Final = 1
EVAL_STRICT: Final = 8
EVAL_COMPILE_ONLY: Final = 32
_WRITE_BYTECODE: Final = 1
#: without source text functions print as native ones do, and the blob is a third of the size
_WRITE_NO_SOURCE: Final = 16
_GENERIC_MAGIC: Final = 1
_CONFIGURABLE_WRITABLE: Final = 3
_ENUMERABLE_STRINGS: Final = 1 | 16


class Context:
    """One realm: its globals, its modules and its host functions."""

    def __init__(self, runtime: Runtime, hosts: dict[str, HostFunction]) -> None:
        self.runtime = runtime
        self.hosts = hosts
        self.internals: Slot | None = None
        #: who finds and loads the modules of this realm
        self.loader: ModuleLoader | None = None
        #: how many modules are being compiled around each other; imports that arrive meanwhile are declarations
        self.compiling = 0
        self._functions: dict[str, Slot] = {}
        self._ffi, self._lib = runtime.library.ffi, runtime.library.lib
        self.pointer = self._lib.JS_NewContext(runtime.pointer)
        if self.pointer == self._ffi.NULL:
            raise MemoryError("the engine has no memory for a context")
        runtime.callbacks.contexts[self.pointer] = self

    def close(self) -> None:
        """Give the realm up; functions of it that other realms hold keep working, without hosts."""
        if self.pointer is not None:
            for slot in (*self._functions.values(), self.internals):
                if slot is not None:
                    slot.release()
            self._functions = {}
            self.internals = None
            self.runtime.callbacks.contexts.pop(self.pointer, None)
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
            block = self._lib.JS_WriteObject(self.pointer, size, compiled, _WRITE_BYTECODE | _WRITE_NO_SOURCE)
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
        complete = False
        self.compiling += 1
        try:
            compiled = self._checked(self._eval(text, name, EVAL_MODULE | EVAL_COMPILE_ONLY))
            complete = True
        finally:
            self.compiling -= 1
            if not self.compiling and self.loader is not None:
                self.loader.on_loaded(complete)
        self._lib.JS_FreeValue(self.pointer, compiled)
        module = self._ffi.cast("JSModuleDef *", compiled.u)
        if self.loader is not None:
            meta = self._slot(self._lib.JS_GetImportMeta(self.pointer, module))
            self.loader.on_module(self, name, meta, module)
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
        result = self._call(function, arguments)
        try:
            return self.decode(result)
        finally:
            self._lib.JS_FreeValue(self.pointer, result)

    def call_slot(self, function: str | Slot, *arguments: Scalar | Slot) -> Slot:
        """As :meth:`call`, but what it returns stays in the engine, whatever it is."""
        return Slot(self, self._call(function, arguments))

    def _call(self, function: str | Slot, arguments: tuple[Scalar | Slot, ...]) -> Any:
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
        return self._checked(result)

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
                self.pointer,
                self.runtime.callbacks.host_call,
                label,
                0,
                _GENERIC_MAGIC,
                self.runtime.callbacks.host_magic(name),
            )
            lib.JS_DefinePropertyValueStr(self.pointer, target, label, function, 7)
        return Slot(self, target)

    def promise_state(self, slot: Slot) -> int:
        """-1 for what is no promise, 0 pending, 1 fulfilled, 2 rejected."""
        return int(self._lib.JS_PromiseState(self.pointer, slot._value))

    def promise(self, slot: Slot) -> tuple[int, Slot | None]:
        """The state of :meth:`promise_state` and, when settled, the result."""
        state = self.promise_state(slot)
        return state, self._slot(self._lib.JS_PromiseResult(self.pointer, slot._value)) if state > 0 else None

    def is_proxy(self, slot: Slot) -> bool:
        """Whether a value is a Proxy, which JavaScript itself cannot tell."""
        return bool(self._lib.JS_IsProxy(slot._value))

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
