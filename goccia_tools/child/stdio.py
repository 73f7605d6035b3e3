"""The child's own end of the wire: the protocol streams on private descriptors, read and written to the byte.

Whatever any other layer prints afterwards goes nowhere near the frame.
"""

from __future__ import annotations

import posix

from goccia_tools.frames import MAX_FRAME_BYTES, PREFIX_BYTES, FrameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_READ_CHUNK_BYTES: Final = 1024 * 1024


class EndOfInput(Exception):
    """The request stream ended before a whole frame had come; nobody is waiting for an answer."""


class Wire:
    """The two ends of the protocol, taken away from standard input and output (C15)."""

    __slots__ = ("_input", "_output")

    def __init__(self, input_fd: int, output_fd: int) -> None:
        self._input = input_fd
        self._output = output_fd

    @classmethod
    def claim(cls) -> Wire:
        """Move descriptors 0 and 1 aside; standard input becomes empty, standard output goes to standard error."""
        wire = cls(posix.dup(0), posix.dup(1))
        nothing = posix.open("/dev/null", posix.O_RDONLY)
        posix.dup2(nothing, 0)
        posix.close(nothing)
        posix.dup2(2, 1)
        return wire

    @property
    def output_fd(self) -> int:
        """The descriptor that the result goes to."""
        return self._output

    def read_payload(self) -> bytearray:
        """The payload of one frame.

        Raises:
            EndOfInput: the stream ended first.
            FrameError: the prefix declares more than the protocol allows; nothing was allocated for it.
        """
        length = int.from_bytes(self._read(PREFIX_BYTES), "big")
        if length > MAX_FRAME_BYTES:
            raise FrameError(length)
        return self._read(length)

    def write(self, frame: bytes) -> None:
        """Write every byte of a frame; a reader that is gone is not an error here, there is no one to tell."""
        view = memoryview(frame)
        try:
            while view:
                view = view[posix.write(self._output, view) :]
        except OSError:
            pass

    def _read(self, size: int) -> bytearray:
        data = bytearray()
        while len(data) < size:
            chunk = posix.read(self._input, min(size - len(data), _READ_CHUNK_BYTES))
            if not chunk:
                raise EndOfInput
            data += chunk
        return data
