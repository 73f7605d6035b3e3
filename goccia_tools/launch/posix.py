"""SpawnedChild: one process made by exec, on Linux and macOS."""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from . import LaunchError, ReapError
from .nowhere import neutral_directory

# pipes, process groups and waits work differently on Windows; nothing below is looked at there
assert sys.platform != "win32"  # noqa: S101

#: look at a child that has ended without reaping it
_PEEK = os.WEXITED | os.WNOHANG | os.WNOWAIT if sys.platform != "darwin" else 0


class SpawnedChild:
    """One process made by exec and the parent's ends of its pipes (see the package's theory of operation)."""

    def __init__(self, command: Sequence[str], *, reads_first: bool) -> None:
        self.reads_first = reads_first
        self.notes: tuple[str, ...] = ()
        self.exit_fd: int | None = None
        try:
            # vfork and exec happen inside; a preexec_fn would forbid vfork and is not safe beside threads
            self._process = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                close_fds=True,
                env={},  # nothing of the parent's is anybody's business there (C04)
                cwd=neutral_directory(),
                process_group=0,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise LaunchError(f"cannot start {command[0]!r}: {_reason(error, command[0])}") from error
        self.pid = self._process.pid
        try:
            streams = (self._process.stdin, self._process.stdout, self._process.stderr)
            self.stdin, self.stdout, self.stderr = (stream.fileno() for stream in streams if stream)
            for descriptor in (self.stdin, self.stdout, self.stderr):
                os.set_blocking(descriptor, False)
            self.exit_fd = _exit_descriptor(self.pid)
        except BaseException as error:
            self.kill_group()
            self._process.wait()
            self.close()
            if isinstance(error, OSError):
                raise LaunchError(f"cannot watch {command[0]!r}: {_reason(error, command[0])}") from error
            raise

    def close_stdin(self) -> None:
        if self._process.stdin:
            self._process.stdin.close()

    def has_ended(self) -> bool:
        if sys.platform != "darwin" and self.exit_fd is None:
            try:
                return os.waitid(os.P_PID, self.pid, _PEEK) is not None
            except ChildProcessError:
                return True
        watch = select.poll()
        watch.register(-1 if self.exit_fd is None else self.exit_fd, select.POLLIN)
        return bool(watch.poll(0))

    def kill_group(self) -> None:
        # macOS answers EPERM for a group that holds only the zombie of its leader
        with suppress(ChildProcessError, ProcessLookupError, PermissionError):
            if sys.platform != "darwin":
                # raises when the leader is not ours to reap any more: its number may be somebody else's by now
                os.waitid(os.P_PID, self.pid, _PEEK)
            os.killpg(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        try:
            _, status = os.waitpid(self.pid, 0)
        except ChildProcessError as error:
            self._process.returncode = 0  # there is nothing left for Popen to reap or to warn about
            raise ReapError("another part of this program has reaped the child, or SIGCHLD is ignored") from error
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        if self.exit_fd is not None:
            os.close(self.exit_fd)
            self.exit_fd = None


def _reason(error: Exception, program: str) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename in (None, program) else f"{error.strerror}: {error.filename!r}"
    return str(error)


def _exit_descriptor(pid: int) -> int | None:
    if sys.platform == "linux":
        try:
            return os.pidfd_open(pid)
        except OSError as error:
            # before Linux 5.3, and under a container's filter that does not know it
            if error.errno in (errno.ENOSYS, errno.EPERM):
                return None
            raise
    if sys.platform == "darwin":
        queue = select.kqueue()
        watch = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
        queue.control([watch], 0)
        return os.dup(queue.fileno())
    return None
