"""Resource limits: nothing to open, to write or to fork, and ceilings on processor time and address space."""

from __future__ import annotations

import posix
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_FETCH_DESCRIPTORS: Final = 64
#: a thread for a name lookup reserves its stack and an arena
_FETCH_ADDRESS_BYTES: Final = 512 * 1024 * 1024
_REGULAR_FILE: Final = 0o100000
_FILE_KIND: Final = 0o170000
_PAGE_BYTES: Final = resource.getpagesize()


class Ceilings:
    """What one run may use at most; 0 is no ceiling."""

    __slots__ = ("cpu_seconds", "memory_bytes")

    def __init__(self, memory_bytes: int = 0, cpu_seconds: int = 0) -> None:
        #: on top of what the process has when it is confined
        self.memory_bytes = memory_bytes
        self.cpu_seconds = cpu_seconds


def lower(profile: str, ceilings: Ceilings, output_fd: int, known_bytes: int = 0) -> str:
    """Lower the limits of this process, for good; what could not be had is in the answer.

    ``known_bytes`` is the address space of the process it was forked from, which is read otherwise.

    Raises:
        OSError: the system refused a limit that it has.
    """
    size_bytes = known_bytes or (address_space_bytes() if ceilings.memory_bytes else 0)
    zero = [resource.RLIMIT_CORE]
    if profile == "stdio":
        zero += [resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC]
    else:
        _lower(resource.RLIMIT_NOFILE, _FETCH_DESCRIPTORS)
    if posix.fstat(output_fd).st_mode & _FILE_KIND != _REGULAR_FILE:  # somebody may collect the result in a file
        zero.append(resource.RLIMIT_FSIZE)
    for which in zero:
        resource.setrlimit(which, (0, 0))
    if ceilings.cpu_seconds:
        _lower(resource.RLIMIT_CPU, ceilings.cpu_seconds)
    if size_bytes and ceilings.memory_bytes:
        extra_bytes = _FETCH_ADDRESS_BYTES if profile == "fetch" else 0
        _lower(resource.RLIMIT_AS, size_bytes + ceilings.memory_bytes + extra_bytes)
    elif ceilings.memory_bytes:
        return "no ceiling on memory: /proc is not there"
    return ""


def address_space_bytes() -> int:
    """How much address space this process has taken; 0 when the system does not tell."""
    try:
        descriptor = posix.open("/proc/self/statm", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return int(posix.read(descriptor, 64).split()[0]) * _PAGE_BYTES
    finally:
        posix.close(descriptor)


def _lower(which: int, value: int) -> None:
    """Set a limit, or keep one that is lower already."""
    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))
