"""Exchange: write the request, read the result, under one absolute deadline, and say what was observed."""

from __future__ import annotations

import os
import selectors
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from time import monotonic

from .frames import FrameDecoder, FrameError, frame_prefix
from .launch import Child, ReapError
from .observation import (
    Answer,
    Ending,
    Exited,
    Fault,
    Killed,
    Observation,
    Outcome,
    Overdue,
    Oversize,
    Signalled,
    Silence,
    Unread,
    Unwaited,
)
from .pipes import (
    CHUNK_BYTES,
    NARROW_PIPE_BYTES,
    WIDE_PIPE_BYTES,
    read_what_is_there,
    resize_pipe,
    wait_readable,
    write_some,
)
from .stderrtail import StderrTail

#: how much longer than its own ``timeoutMs`` a child gets before it is killed (ADR 0107 section 4)
GRACE_MS = 1000
#: from the start of the child until it has taken its request
START_UP_MS = 10_000
#: how long a child may live on after its result, or after closing its output, before it is killed
LINGER_MS = 500

#: no descriptor of its own, unlike epoll, and no limit on numbers, unlike select
_SELECTOR: type[selectors.BaseSelector] = getattr(selectors, "PollSelector", selectors.SelectSelector)
_SIGKILL = 9

#: most children are gone so soon after their result
_MOMENT_MS = 20
#: poll() takes its timeout as a C int of milliseconds
_LONGEST_TURN_S = 3600.0
#: how often to look for the child's end where no descriptor tells it
_BLIND_TURN_S = 0.02


class Stopped(Exception):
    """The exchange was called off through its ``stop`` descriptor, and the child is gone."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The spans of an exchange; a ``timeout_ms`` of 0 arms no deadline of any kind (C53)."""

    timeout_ms: int
    grace_ms: int = GRACE_MS
    start_up_ms: int = START_UP_MS


def exchange(child: Child, request: bytes, timing: Timing, stop: int | None = None) -> Observation:
    """Send ``request`` (a payload within the frame limit), read one frame, and leave nothing of the child behind.

    Raises:
        Stopped: ``stop`` became readable first.
        BaseException: what a signal handler raised (KeyboardInterrupt); the child is gone then as well.
    """
    stderr = StderrTail()
    try:
        with _SELECTOR() as selector:
            outcome = _Conversation(child, request, timing, stderr, stop, selector).outcome()
    finally:
        try:
            ending = _end(child)
        except KeyboardInterrupt:
            _end(child)  # an impatient second Ctrl-C must not leave the child to itself
            raise
        finally:
            with suppress(OSError):
                read_what_is_there(child.stderr, stderr.feed)
            child.close()
    return Observation(outcome, ending, stderr.text())


def _end(child: Child) -> Ending:
    """Kill the whole group while the leader is un-reaped, then reap it."""
    had_ended = child.has_ended()
    child.kill_group()
    try:
        status = child.wait()
    except ReapError as error:
        return Unwaited(str(error))
    if status >= 0:
        return Exited(status)
    return Killed() if status == -_SIGKILL and not had_ended else Signalled(-status)


class _Conversation:
    """Both directions of the pipes at once, on non-blocking descriptors and one selector.

    What is still to come is told by which descriptors are registered. ``_limit_at`` is the one absolute limit in
    force and ``_at_limit`` what its passing means: first for starting up, then the deadline.
    """

    def __init__(
        self,
        child: Child,
        request: bytes,
        timing: Timing,
        stderr: StderrTail,
        stop: int | None,
        selector: selectors.BaseSelector,
    ) -> None:
        self._child = child
        self._timing = timing
        self._stderr = stderr
        self._selector = selector
        self._decoder = FrameDecoder()
        self._unsent = [memoryview(frame_prefix(len(request))), memoryview(request)]
        self._request_bytes = len(request)
        self._faults: list[str] = []
        self._at_limit: Outcome = Unread(timing.start_up_ms)
        self._limit_at = monotonic() + timing.start_up_ms / 1000 if timing.timeout_ms else inf
        if child.reads_first:
            # the pipe stays full until the child has read the prefix; until then it has not started, and the
            # slow start of a loaded machine is not taken out of the program's time
            resize_pipe(child.stdin, NARROW_PIPE_BYTES)
        selector.register(child.stdin, selectors.EVENT_WRITE, self._write_request)
        selector.register(child.stdout, selectors.EVENT_READ, self._read_result)
        selector.register(child.stderr, selectors.EVENT_READ, self._read_stderr)
        if child.exit_fd is not None:
            selector.register(child.exit_fd, selectors.EVENT_READ, self._see_exit)
        if stop is not None:
            selector.register(stop, selectors.EVENT_READ, self._stop)

    def outcome(self) -> Outcome:
        """Turn until something is decided. A frame that was read before the limit passed counts (C54)."""
        try:
            while self._undecided():
                self._turn(self._limit_at)
                if self._undecided() and monotonic() >= self._limit_at:
                    return self._fault() or self._at_limit
            self._linger()
        except FrameError as error:
            return Oversize(error.length_bytes)
        except OSError as error:
            self._faults.append(f"talking to the child failed: {error.strerror or error}")
        if self._decoder.payload is not None:
            return Answer(self._decoder.payload, self._decoder.surplus_bytes, tuple(self._faults))
        return self._fault() or Silence(self._decoder.received_bytes, self._decoder.declared_bytes)

    def _fault(self) -> Fault | None:
        return Fault("; ".join(self._faults)) if self._faults else None

    def _undecided(self) -> bool:
        return self._decoder.payload is None and self._is_open(self._child.stdout) and not self._has_exited()

    def _is_open(self, descriptor: int) -> bool:
        return descriptor in self._selector.get_map()

    def _has_exited(self) -> bool:
        exit_fd = self._child.exit_fd
        return self._child.has_ended() if exit_fd is None else not self._is_open(exit_fd)

    def _turn(self, limit_at: float) -> None:
        """Wait until something is ready or the limit has passed; an interrupted wait is resumed (C15, C17)."""
        longest_s = _LONGEST_TURN_S if self._child.exit_fd is not None else _BLIND_TURN_S
        for key, _ in self._selector.select(max(0.0, min(limit_at - monotonic(), longest_s))):
            if self._is_open(key.fd):  # what was handled just before may have closed it
                key.data()

    def _linger(self) -> None:
        """Give the child a moment to end by itself: its status and what follows its frame are worth a note."""
        self._end_request()
        if self._ends_now():
            return
        limit_at = monotonic() + LINGER_MS / 1000
        while not self._has_exited() and monotonic() < limit_at:
            self._turn(limit_at)
        # what it wrote before it ended is in the pipe; a descendant may hold it open, so there may be no EOF
        if self._has_exited() and self._is_open(self._child.stdout):
            read_what_is_there(self._child.stdout, self._decoder.feed)

    def _ends_now(self) -> bool:
        """Wait a moment for the end of the child alone, and see what it left behind."""
        exit_fd = self._child.exit_fd
        if exit_fd is None or not self._is_open(exit_fd) or not wait_readable(exit_fd, _MOMENT_MS):
            return False
        self._see_exit()
        if self._is_open(self._child.stdout):
            read_what_is_there(self._child.stdout, self._decoder.feed)
        return True

    def _write_request(self) -> None:
        if len(self._unsent) == 1 and len(self._unsent[0]) == self._request_bytes:
            # the prefix is through, and has been read if that can be told
            resize_pipe(self._child.stdin, min(WIDE_PIPE_BYTES, max(CHUNK_BYTES, self._request_bytes)))
        try:
            written = write_some(self._child.stdin, self._unsent[0])
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent.clear()  # no verdict: the child may have answered, or be about to
        except OSError as error:
            self._unsent.clear()
            self._faults.append(f"writing the request failed: {error.strerror or error}")
        else:
            self._advance(written)
        if not self._unsent:
            self._hand_over()

    def _advance(self, written_bytes: int) -> None:
        self._unsent[0] = self._unsent[0][written_bytes:]
        if not self._unsent[0]:
            del self._unsent[0]

    def _hand_over(self) -> None:
        """The request is out of our hands; from here on it is the program's time."""
        self._end_request()
        if self._timing.timeout_ms:
            deadline_ms = self._timing.timeout_ms + self._timing.grace_ms
            self._limit_at, self._at_limit = monotonic() + deadline_ms / 1000, Overdue(deadline_ms)

    def _end_request(self) -> None:
        if self._is_open(self._child.stdin):
            self._selector.unregister(self._child.stdin)
        self._child.close_stdin()

    def _read_result(self) -> None:
        chunk = self._read(self._child.stdout)
        was_declared = self._decoder.declared_bytes is not None
        self._decoder.feed(chunk)
        if not was_declared and (self._decoder.declared_bytes or 0) > CHUNK_BYTES:
            resize_pipe(self._child.stdout, WIDE_PIPE_BYTES)

    def _read_stderr(self) -> None:
        self._stderr.feed(self._read(self._child.stderr))

    def _read(self, descriptor: int) -> bytes:
        """One chunk; empty when nothing is there after all, or at the end, which unregisters the descriptor."""
        try:
            chunk = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return b""
        if not chunk:
            self._selector.unregister(descriptor)
        return chunk

    def _see_exit(self) -> None:
        if self._child.exit_fd is not None:
            self._selector.unregister(self._child.exit_fd)

    def _stop(self) -> None:
        raise Stopped
