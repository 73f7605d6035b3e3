"""Privileges: none to gain, none to keep, and no one of the same user may look into this process."""

from __future__ import annotations

from goccia_tools.jail import _linux

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38
_CAPABILITY_VERSION_3: Final = 0x20080522
#: for this process: a version and a process number; then three empty sets in two halves
_CAPABILITY_HEADER: Final = _CAPABILITY_VERSION_3.to_bytes(8, "little")
_NO_CAPABILITIES: Final = bytes(24)


def drop() -> None:
    """Give them up, for good.

    Raises:
        OSError: the kernel refused.
    """
    _linux.syscall("prctl", _PR_SET_NO_NEW_PRIVS, 1)
    _linux.syscall("capset", _linux.address(_CAPABILITY_HEADER), _linux.address(_NO_CAPABILITIES))
    _linux.syscall("prctl", _PR_SET_DUMPABLE, 0)
