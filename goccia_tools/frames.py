"""One frame: a 4-byte big-endian length and that many bytes of payload (ADR 0107 section 2). Sans-IO.

Shared by parent and child, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: the most bytes a payload may have, in either direction
MAX_FRAME_BYTES: Final = 64 * 1024 * 1024
PREFIX_BYTES: Final = 4


class FrameError(Exception):
    """A frame is larger than the protocol allows; ``length_bytes`` is what it declared or would need."""

    def __init__(self, length_bytes: int) -> None:
        super().__init__(f"frame of {length_bytes} bytes is over the limit of {MAX_FRAME_BYTES} bytes")
        self.length_bytes = length_bytes


def frame_prefix(payload_bytes: int) -> bytes:
    """The length prefix of a payload of that many bytes.

    Raises:
        FrameError: the payload is over :data:`MAX_FRAME_BYTES`.
    """
    if payload_bytes > MAX_FRAME_BYTES:
        raise FrameError(payload_bytes)
    return payload_bytes.to_bytes(PREFIX_BYTES, "big")


class FrameDecoder:
    """Collects one frame from chunks of any size.

    Feed it with :meth:`feed`; ``payload`` is None until the frame is complete, ``surplus_bytes`` counts what
    came after it and was not kept. Memory is allocated only after the declared length was checked (C12).
    """

    __slots__ = ("_filled", "_prefix", "_target", "surplus_bytes")

    def __init__(self) -> None:
        self._prefix = bytearray()
        self._target: bytearray | None = None
        self._filled = 0
        self.surplus_bytes = 0

    def feed(self, chunk: bytes | memoryview) -> None:
        """Take the next bytes of the stream.

        Raises:
            FrameError: the prefix declares more than :data:`MAX_FRAME_BYTES`; nothing was allocated for it.
        """
        view = memoryview(chunk)
        if self._target is None:
            wanted = PREFIX_BYTES - len(self._prefix)
            self._prefix += view[:wanted]
            view = view[wanted:]
            if len(self._prefix) < PREFIX_BYTES:
                return
            declared = int.from_bytes(self._prefix, "big")
            if declared > MAX_FRAME_BYTES:
                raise FrameError(declared)
            self._target = bytearray(declared)
        taken = min(len(view), len(self._target) - self._filled)
        self._target[self._filled : self._filled + taken] = view[:taken]
        self._filled += taken
        self.surplus_bytes += len(view) - taken

    @property
    def payload(self) -> bytearray | None:
        """The payload once every byte of it is here."""
        return self._target if self._target is not None and self._filled == len(self._target) else None

    @property
    def received_bytes(self) -> int:
        """How many bytes of prefix and payload have come so far."""
        return len(self._prefix) + self._filled

    @property
    def declared_bytes(self) -> int | None:
        """The payload length the prefix declares, once the prefix is complete."""
        return None if self._target is None else len(self._target)
