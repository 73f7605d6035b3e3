"""The system call filter: an allow list of one profile as a program for the kernel, and its installation."""

from __future__ import annotations

import posix

from goccia_tools.jail import _linux
from goccia_tools.jail.numbers import BY_MACHINE
from goccia_tools.jail.profiles import HOSTILE, rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from goccia_tools.jail.profiles import Condition

ALLOW: Final = 0x7FFF0000
KILL_PROCESS: Final = 0x80000000
_ERRNO: Final = 0x00050000
#: the answer to every call that is not on the list
DENY: Final = _ERRNO | 1
#: the C library then uses the older call, whose flags a filter can see
_NO_SUCH_CALL: Final = _ERRNO | 38

_AUDIT_ARCH: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT: Final = 0x40000000

_LOAD_WORD: Final = 0x20
_JUMP_EQUAL: Final = 0x15
_JUMP_AT_LEAST: Final = 0x35
_JUMP_BITS: Final = 0x45
_AND: Final = 0x54
_RETURN: Final = 0x06
_INSTRUCTION_BYTES: Final = 8
_NUMBER_OFFSET: Final = 0
_ARCH_OFFSET: Final = 4
_ARGUMENTS_OFFSET: Final = 16

_SECCOMP_SET_MODE_FILTER: Final = 1


def _instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return code.to_bytes(2, "little") + bytes((if_true, if_false)) + operand.to_bytes(4, "little")


def _conditions(conditions: tuple[Condition, ...], refusal: int) -> bytes:
    """Instructions that return ALLOW when every condition holds, else ``refusal``.

    A condition looks at the lower 32 bits of an argument: all that the kernel reads of a C int.
    """
    code = b""
    for argument, test, operand in conditions:
        code += _instruction(_LOAD_WORD, _ARGUMENTS_OFFSET + 8 * argument)
        if test == "without" and isinstance(operand, int):
            code += _instruction(_JUMP_BITS, operand, 0, 1)
        elif test == "with" and isinstance(operand, int):
            code += _instruction(_AND, operand) + _instruction(_JUMP_EQUAL, operand, 1, 0)
        elif test == "in" and isinstance(operand, tuple):
            for index, value in enumerate(operand):
                code += _instruction(_JUMP_EQUAL, value, len(operand) - index, 0)
        else:
            raise ValueError(f"a rule cannot say {test!r}")
        code += _instruction(_RETURN, refusal)
    return code + _instruction(_RETURN, ALLOW)


def program(profile: str, machine: str, output_fd: int, pid: int) -> bytes:
    """The filter of a profile for a machine, as the kernel's instructions.

    Another machine's calls, and those of the x32 ABI, end the process: their numbers mean something else.
    """
    numbers = BY_MACHINE[machine]
    kill = _instruction(_RETURN, KILL_PROCESS)
    code = _instruction(_LOAD_WORD, _ARCH_OFFSET) + _instruction(_JUMP_EQUAL, _AUDIT_ARCH[machine], 1, 0) + kill
    code += _instruction(_LOAD_WORD, _NUMBER_OFFSET)
    if machine == "x86_64":
        code += _instruction(_JUMP_AT_LEAST, _X32_BIT, 0, 1) + kill
    blocks = [(name, _conditions(conditions, DENY)) for name, conditions in rules(profile, output_fd, pid)]
    blocks += [(name, kill) for name in HOSTILE]
    blocks.append(("clone3", _instruction(_RETURN, _NO_SUCH_CALL)))
    for name, block in blocks:
        number = numbers.get(name)
        if number is not None:  # a machine without the call cannot make it
            code += _instruction(_JUMP_EQUAL, number, 0, len(block) // _INSTRUCTION_BYTES) + block
    return code + _instruction(_RETURN, DENY)


class Filter:
    """A filter made before the process that it is for: only the number of that process is missing."""

    __slots__ = ("_parts",)

    def __init__(self, profile: str, output_fd: int) -> None:
        stand_in = 0x7FFFFFFE  # over the kernel's largest process number
        code = program(profile, _linux.MACHINE, output_fd, stand_in)
        self._parts = code.split(stand_in.to_bytes(4, "little"))

    def install(self) -> None:
        """Put this process under the filter, for good.

        Raises:
            OSError: the kernel cannot or will not.
        """
        code = posix.getpid().to_bytes(4, "little").join(self._parts)
        header = (len(code) // _INSTRUCTION_BYTES).to_bytes(8, "little") + _linux.address(code).to_bytes(8, "little")
        _linux.syscall("seccomp", _SECCOMP_SET_MODE_FILTER, 0, _linux.address(header))
