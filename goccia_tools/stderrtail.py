"""StderrTail: the last few kilobytes of a stream that may never end."""

from __future__ import annotations

STDERR_TAIL_BYTES = 8192


class StderrTail:
    """Keeps the last ``limit_bytes`` of what it is fed, in memory bounded by a few times that (C56)."""

    __slots__ = ("_kept", "_limit_bytes")

    def __init__(self, limit_bytes: int = STDERR_TAIL_BYTES) -> None:
        self._kept = bytearray()
        self._limit_bytes = limit_bytes

    def feed(self, chunk: bytes) -> None:
        # four bytes more than the limit, so that the first character of the tail is known to be whole or cut
        room = self._limit_bytes + 4
        self._kept += chunk[-room:]
        if len(self._kept) > 4 * room:
            del self._kept[:-room]

    def text(self) -> str:
        """At most ``limit_bytes`` of valid UTF-8, beginning at a code point; what is no UTF-8 shows as U+FFFD."""
        return tail(tail(bytes(self._kept), self._limit_bytes).encode(), self._limit_bytes)


def tail(data: bytes, limit_bytes: int) -> str:
    """The last ``limit_bytes`` of ``data`` as text, without the rest of a character that the cut went through."""
    start = max(0, len(data) - limit_bytes)
    if start:
        while start < len(data) and data[start] & 0xC0 == 0x80 and len(data) - start > limit_bytes - 3:
            start += 1
    return data[start:].decode("utf-8", "replace")
