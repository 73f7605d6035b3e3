"""TemplateProcess: the parent's end of one template (see ``goccia_tools.child.template`` for the conversation)."""

from __future__ import annotations

import os
import select
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from time import monotonic

from . import LaunchError, TemplateUnavailable
from .nowhere import neutral_directory
from .spawn import child_command


class TemplateGone(Exception):
    """The template has ended, or does not answer; whatever was asked of it has not been acknowledged."""


#: from the start of a template until it can fork, and for each of its answers
ANSWER_S = 10.0
_CLOSING_S = 2.0
_MESSAGE_BYTES = 512
_STDERR_TAIL_BYTES = 2000
_CLOSE_ON_EXEC: int = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class TemplateProcess:
    """One template. Usable from any thread; ended when it is closed and its last child is gone."""

    def __init__(self, options: Sequence[str]) -> None:
        """Start it; it may take until :meth:`wait_until_ready` has returned before it can fork."""
        self.started_at = monotonic()
        self.forks = 0
        self._lock = Lock()
        self._count = 0
        self._children = 0
        self._is_retired = False
        self._ready = False
        #: counts of forks whose answer nobody waited for: an exception came in between
        self._abandoned: set[int] = set()
        command = child_command(module="template")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        self._control.settimeout(ANSWER_S)
        command = (*command, "--control", str(theirs.fileno()), "--parent", str(os.getpid()), *options)
        try:
            self._process = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                env={},
                cwd=neutral_directory(),
                process_group=0,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            ours.close()
            raise TemplateUnavailable(f"cannot start {command[0]!r}: {error}") from error
        finally:
            theirs.close()

    def is_ready(self) -> bool:
        """Whether it can fork now.

        Raises:
            TemplateUnavailable: it never will.
        """
        if not self._ready:
            watch = select.poll()
            watch.register(self._control, select.POLLIN)
            if watch.poll(0):
                self.wait_until_ready()
        return self._ready

    def wait_until_ready(self) -> None:
        """Block until it can fork.

        Raises:
            TemplateUnavailable: it never will.
        """
        with self._lock:
            if self._ready:
                return
            try:
                message = self._control.recv(_MESSAGE_BYTES)
            except OSError as error:
                self.kill()
                raise TemplateUnavailable(f"the template process did not get ready: {error}") from error
            if message[:1] != b"H":
                why = message[1:].decode("utf-8", "replace") or f"it ended at its start{self._last_words()}"
                self.kill()
                raise TemplateUnavailable(f"the template process cannot be used: {why}")
            self._ready = True

    def fork(self, streams: Sequence[int]) -> tuple[int, int]:
        """The number of a new child whose 0, 1 and 2 are ``streams``, and a descriptor that tells of its end.

        Raises:
            TemplateGone: no child has come to be that could run anything.
            LaunchError: the template could not fork.
        """
        with self._lock:
            answer, descriptor = self._ask(b"F", b"", streams)
            self._children += 1
            self.forks += 1
        return int.from_bytes(answer, "little"), descriptor

    def reap(self, pid: int) -> int:
        """Kill what is left of a child's group, reap the child, and answer its status as ``waitpid`` gives it.

        Raises:
            TemplateGone: nobody can say any more.
            LaunchError: the template could not.
        """
        with self._lock:
            return int.from_bytes(self._ask(b"R", pid.to_bytes(4, "little"))[0], "little")

    def probe(self, profile: str) -> str:
        """What the jail of a profile is on this machine: tried by a fork that runs nothing else.

        Raises:
            TemplateGone: it ended.
            LaunchError: the template could not fork.
        """
        with self._lock:
            return self._ask(b"P", profile.encode("ascii"))[0].decode("utf-8", "replace")

    def _ask(self, letter: bytes, content: bytes, streams: Sequence[int] = ()) -> tuple[bytes, int]:
        """Send one request and wait for its own answer; the lock is held."""
        self._count = (self._count + 1) % 2**32
        count = self._count.to_bytes(4, "little")
        try:
            socket.send_fds(self._control, [letter + count + content], list(streams))
            if letter == b"F":
                self._abandoned.add(self._count)
            while True:
                message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE_BYTES, 1, _CLOSE_ON_EXEC)
                if message[1:5] == count and message[:1] != b"":
                    break
                self._tidy(message, descriptors)
        except (OSError, ValueError) as error:
            self.kill()
            raise TemplateGone(str(error)) from error
        self._abandoned.discard(self._count)
        if message[:1] == b"X":
            raise LaunchError(f"the template process could not do it: {message[5:].decode('utf-8', 'replace')}")
        return message[5:], descriptors[0] if descriptors else -1

    def _tidy(self, message: bytes, descriptors: list[int]) -> None:
        """Deal with the answer to a request whose asker was interrupted, or with the end of the conversation."""
        for descriptor in descriptors:
            os.close(descriptor)
        if not message:
            raise ConnectionResetError("the template process has ended")
        count = int.from_bytes(message[1:5], "little")
        if message[:1] == b"F" and count in self._abandoned:
            # its pipes are closed already, so it ended without running anything; it only has to be reaped
            self._abandoned.discard(count)
            socket.send_fds(self._control, [b"R" + bytes(4) + message[5:9]], [])

    def release(self) -> None:
        """One of its children is gone."""
        with self._lock:
            self._children -= 1
        self._close_if_over()

    def retire(self) -> None:
        """No more forks; it ends when its last child is gone."""
        self._is_retired = True
        self._close_if_over()

    def _close_if_over(self) -> None:
        if self._is_retired and self._children <= 0:
            self.close()

    def close(self) -> None:
        """End it now, its children with it, and leave nothing behind. May be called again."""
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSING_S)
        self.kill()

    def kill(self) -> None:
        """End it at once, whatever it is doing. May be called again."""
        self._control.close()
        if self._process.returncode is None:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()

    def disown(self) -> None:
        """In a fork of this program: forget it, for it belongs to the other process."""
        self._control.close()
        self._process.returncode = 0
        if self._process.stderr:
            self._process.stderr.close()

    def _last_words(self) -> str:
        if self._process.stderr is None:
            return ""
        os.set_blocking(self._process.stderr.fileno(), False)
        with suppress(OSError):
            text = os.read(self._process.stderr.fileno(), 65536)[-_STDERR_TAIL_BYTES:].decode("utf-8", "replace")
            return f":\n{text.strip()}" if text.strip() else ""
        return ""
