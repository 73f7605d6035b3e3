"""Raw system calls of Linux, made through the native module that the engine's binding loads anyway."""

from __future__ import annotations

import posix
import sys

import _cffi_backend as _c

from goccia_tools.jail.numbers import BY_MACHINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_ENOSYS: Final = 38
_NUMBER: Final = _c.new_primitive_type("long")
_ADDRESS: Final = _c.new_primitive_type("uintptr_t")
_BYTES: Final = _c.new_array_type(_c.new_pointer_type(_c.new_primitive_type("char")), None)

#: this machine's name when its numbers are known, else empty (a 32-bit process has other numbers)
MACHINE: Final = posix.uname().machine if sys.maxsize > 2**32 and posix.uname().machine in BY_MACHINE else ""
NUMBERS: Final[dict[str, int]] = BY_MACHINE.get(MACHINE, {})

_call: Final = _c.load_library(None, 0).load_function(_c.new_function_type((_NUMBER,) * 6, _NUMBER, False), "syscall")


def address(data: bytes | bytearray) -> int:
    """Where the bytes lie; good for as long as the object lives."""
    return int(_c.cast(_ADDRESS, _c.from_buffer(_BYTES, data)))


def syscall(name: str, first: int = 0, second: int = 0, third: int = 0, fourth: int = 0, fifth: int = 0) -> int:
    """Make a system call.

    Raises:
        OSError: the kernel refused, or this machine's numbers are not known (ENOSYS).
    """
    number = NUMBERS.get(name)
    if number is None:
        raise OSError(_ENOSYS, posix.strerror(_ENOSYS))
    result = int(_call(number, first, second, third, fourth, fifth))
    if result < 0:
        code = int(_c.get_errno())
        raise OSError(code, posix.strerror(code))
    return result
