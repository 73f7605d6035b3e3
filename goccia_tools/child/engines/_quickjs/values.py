"""One engine value as Python may hold it (a slot), and the conversion between scalars and engine values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from goccia_tools.child.engines._quickjs.library import Library

    Scalar = str | bytes | int | float | bool | None

BIG_INT: Final = -9
SYMBOL: Final = -8
STRING: Final = -7
ROPE: Final = -6
MODULE: Final = -3
BYTECODE: Final = -2
OBJECT: Final = -1
INT: Final = 0
BOOL: Final = 1
NULL: Final = 2
UNDEFINED: Final = 3
EXCEPTION: Final = 6
FLOAT64: Final = 8

_EXACT: Final = 2.0**53


class Slot:
    """A value that stays inside the engine; ask it only what Python needs to know, and release it when done.

    A slot owns one reference. Forgetting :meth:`release` costs nothing but time: collection gives it back.
    """

    __slots__ = ("_context", "_value")

    def __init__(self, context: Any, value: Any) -> None:
        self._context = context
        self._value = value

    @property
    def tag(self) -> int:
        """The engine's tag of the value, one of the constants of this module."""
        return int(self._value.tag)

    @property
    def context(self) -> Any:
        """The context whose realm the slot was made for."""
        return self._context

    def release(self) -> None:
        """Give the reference back; the slot must not be used afterwards."""
        value, self._value = self._value, None
        if value is not None and value.tag < 0 and not self._context.runtime.closed:
            self._context.runtime.library.lib.JS_FreeValueRT(self._context.runtime.pointer, value)

    def __del__(self) -> None:
        self.release()


class Codec:
    """Scalars to engine values and back; the only place that knows their bits."""

    __slots__ = ("_ffi", "_length", "_lib", "_offset", "_payload", "_size")

    def __init__(self, library: Library) -> None:
        self._ffi = library.ffi
        self._lib = library.lib
        self._payload = library.ffi.new("JSPayload *")
        self._length = library.ffi.new("size_t *")
        self._offset = library.ffi.new("size_t *")
        self._size = library.ffi.new("size_t *")

    def plain(self, tag: int, payload: int = 0) -> Any:
        """A value without a reference count."""
        return self._ffi.new("JSValue *", (payload & 0xFFFFFFFFFFFFFFFF, tag))[0]

    def encode(self, ctx: Any, value: Scalar | Slot) -> Any:
        """An owned engine value, or the engine's exception marker when memory ran out."""
        if type(value) is str:
            data = value.encode("utf-8", "surrogatepass")
            return self._lib.JS_NewStringLen(ctx, data, len(data))
        if value is None:
            return self.plain(UNDEFINED)
        if type(value) is bool:
            return self.plain(BOOL, value)
        if type(value) is int and -0x80000000 <= value <= 0x7FFFFFFF:
            return self.plain(INT, value & 0xFFFFFFFF)
        if type(value) is int or type(value) is float:
            self._payload.float64 = float(value)
            return self.plain(FLOAT64, self._payload.u)
        if type(value) is Slot:
            return self._lib.JS_DupValue(ctx, value._value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            size = len(value)
            return self._lib.JS_NewArrayBufferCopy(ctx, self._ffi.from_buffer("uint8_t[]", value), size)
        raise TypeError(f"{type(value).__name__} is not a scalar")

    def text(self, ctx: Any, value: Any) -> str | None:
        """The text of a string value (or of anything after ToString); None when the engine threw."""
        pointer = self._lib.JS_ToCStringLen2(ctx, self._length, value, False)
        if pointer == self._ffi.NULL:
            return None
        try:
            data: bytes = self._ffi.buffer(pointer, self._length[0])[:]
        finally:
            self._lib.JS_FreeCString(ctx, pointer)
        return data.decode("utf-8", "surrogatepass")

    def bytes_of(self, ctx: Any, value: Any) -> bytes | None:
        """The bytes of an ArrayBuffer or of what a typed array shows of one; None for any other object."""
        if self._lib.JS_IsArrayBuffer(value):
            pointer = self._lib.JS_GetArrayBuffer(ctx, self._length, value)
            return self._copied(ctx, pointer, self._length[0])
        if self._lib.JS_GetTypedArrayType(value) < 0:
            return None
        buffer = self._lib.JS_GetTypedArrayBuffer(ctx, value, self._offset, self._size, self._ffi.NULL)
        if buffer.tag == EXCEPTION:
            self._forget_exception(ctx)
            return b""
        try:
            pointer = self._lib.JS_GetArrayBuffer(ctx, self._length, buffer)
            start, size = self._offset[0], self._size[0]
            if pointer == self._ffi.NULL or start + size > self._length[0]:
                return self._copied(ctx, self._ffi.NULL, 0)
            return self._copied(ctx, pointer + start, size)
        finally:
            self._lib.JS_FreeValue(ctx, buffer)

    def _copied(self, ctx: Any, pointer: Any, size: int) -> bytes:
        if pointer == self._ffi.NULL:
            self._forget_exception(ctx)
            return b""
        data: bytes = self._ffi.buffer(pointer, size)[:]
        return data

    def _forget_exception(self, ctx: Any) -> None:
        self._lib.JS_FreeValue(ctx, self._lib.JS_GetException(ctx))

    def number(self, value: Any) -> int | float:
        """The Python number of a value tagged INT or FLOAT64; an int when it is a whole one that is exact."""
        self._payload.u = value.u
        if value.tag == INT:
            return int(self._payload.int32)
        number = float(self._payload.float64)
        if -_EXACT < number < _EXACT and number == int(number) and (number or value.u == 0):
            return int(number)
        return number
