"""Writing to the standard streams: bytes as they are, whatever the locale, and a reader that left is no error."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def clean_utf8(text: str) -> bytes:
    """Text as UTF-8; lone surrogates, which UTF-8 cannot hold, become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def write_output(text: str) -> str | None:
    """Write text to standard output, byte for byte; returns what went wrong, or None.

    A reader that closed its end (``| head``) got what it wanted, so that is not wrong.
    """
    return _write(sys.stdout, clean_utf8(text))


def say(line: str) -> None:
    """Write one line for the person to standard error. If nobody can hear it, there is nobody to tell that."""
    _write(sys.stderr, clean_utf8(line + "\n"))


def color_on(stream: TextIO | None) -> bool:
    """Whether to colour what goes to a stream: only on a terminal, and never against NO_COLOR or TERM=dumb."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def _write(stream: TextIO | None, data: bytes) -> str | None:
    if stream is None:  # the process was started with the stream closed
        return None
    try:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()
    except BrokenPipeError:
        _abandon(stream)
    except ValueError:  # closed meanwhile
        return None
    except OSError as error:
        _abandon(stream)
        return error.strerror or str(error)
    return None


def _abandon(stream: TextIO) -> None:
    """Point the stream's descriptor at nothing, or the interpreter complains when it flushes at exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return
