"""What a conversation over pipes needs of the operating system: quiet writes, bounded reads, and pipe sizes."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

CHUNK_BYTES = 64 * 1024
#: what Linux lets anybody ask for; fewer turns for a large frame
WIDE_PIPE_BYTES = 1024 * 1024
#: one page: a pipe of this size is full until its reader has taken everything
NARROW_PIPE_BYTES = 4096


def resize_pipe(descriptor: int, size_bytes: int) -> None:
    """Change a pipe's capacity where the system knows how; being refused only costs some turns."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, size_bytes)


def write_some(descriptor: int, data: memoryview) -> int:
    """``os.write`` that reports a pipe without a reader as BrokenPipeError even if this program lets SIGPIPE kill it.

    Python ignores SIGPIPE, but command-line programs often set it back to its default.
    """
    if sys.platform == "win32" or signal.getsignal(signal.SIGPIPE) is not signal.SIG_DFL:
        return os.write(descriptor, data)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        return os.write(descriptor, data)
    except BrokenPipeError:
        # the signal is pending for this thread; take it back before it is let through
        if signal.SIGPIPE in signal.sigpending():
            signal.sigwait({signal.SIGPIPE})
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def wait_readable(descriptor: int, limit_ms: int) -> bool:
    """Whether the descriptor became readable within so many milliseconds; one alone is cheap."""
    watch = select.poll()
    watch.register(descriptor, select.POLLIN)
    return bool(watch.poll(limit_ms))


def read_what_is_there(descriptor: int, take: Callable[[bytes], None]) -> None:
    """Read a non-blocking pipe until it is empty, but no more than one can hold: its writer may never stop."""
    for _ in range(WIDE_PIPE_BYTES // CHUNK_BYTES):
        try:
            chunk = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            return
        take(chunk)
