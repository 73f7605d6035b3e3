"""Code pages: none that is writable too; the closures through which the engine calls Python lie in one that is."""

from __future__ import annotations

import posix

from goccia_tools.jail import _linux

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PROT_READ: Final = 1
_PROT_EXEC: Final = 4
_CHUNK_BYTES: Final = 65536


def seal() -> int:
    """Take the write permission from every page that has code in it; answers how many regions that were.

    To be called when the last closure is made: making another one afterwards ends the process.

    Raises:
        OSError: /proc is not there, or the kernel refused.
    """
    regions = [line for line in _maps().split(b"\n") if b" rwx" in line]
    for line in regions:
        start, _, end = line.split(b" ", 1)[0].partition(b"-")
        first = int(start, 16)
        _linux.syscall("mprotect", first, int(end, 16) - first, _PROT_READ | _PROT_EXEC)
    return len(regions)


def _maps() -> bytes:
    descriptor = posix.open("/proc/self/maps", posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        chunks = []
        while chunk := posix.read(descriptor, _CHUNK_BYTES):
            chunks.append(chunk)
        return b"".join(chunks)
    finally:
        posix.close(descriptor)
