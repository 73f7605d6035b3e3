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
    came after it and was not kept. The declared length is checked first (C12), and then memory grows with what has
    come, never on the strength of a promise.
    """

    __slots__ = ("_payload", "_prefix", "declared_bytes", "surplus_bytes")

    def __init__(self) -> None:
        self._prefix = bytearray()
        self._payload = bytearray()
        #: the payload length the prefix declares, once the prefix is complete
        self.declared_bytes: int | None = None
        self.surplus_bytes = 0

    def feed(self, chunk: bytes | memoryview) -> None:
        """Take the next bytes of the stream.

        Raises:
            FrameError: the prefix declares more than :data:`MAX_FRAME_BYTES`; nothing was allocated for it.
        """
        view = memoryview(chunk)
        if self.declared_bytes is None:
            wanted = PREFIX_BYTES - len(self._prefix)
            self._prefix += view[:wanted]
            view = view[wanted:]
            if len(self._prefix) < PREFIX_BYTES:
                return
            declared = int.from_bytes(self._prefix, "big")
            if declared > MAX_FRAME_BYTES:
                raise FrameError(declared)
            self.declared_bytes = declared
        taken = min(len(view), self.declared_bytes - len(self._payload))
        self._payload += view[:taken]
        self.surplus_bytes += len(view) - taken

    @property
    def payload(self) -> bytearray | None:
        """The payload once every byte of it is here."""
        return self._payload if self.declared_bytes == len(self._payload) else None

    @property
    def received_bytes(self) -> int:
        """How many bytes of prefix and payload have come so far."""
        return len(self._prefix) + len(self._payload)
