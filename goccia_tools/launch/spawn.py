"""SpawnLauncher: a fresh child by exec, the way that works for any program."""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from . import LaunchError, ReapError
from .nowhere import neutral_directory

#: the packages beside this one that a child may import; where they live goes onto its path
_CHILD_PACKAGES = (
    "_cffi_backend",
    "tree_sitter",
    "tree_sitter_javascript",
    "tree_sitter_typescript",
    "json5",
    "ruamel",
)

#: look at a child that has ended without reaping it
_PEEK = os.WEXITED | os.WNOHANG | os.WNOWAIT if sys.platform != "darwin" else 0

# Without `site` nothing but the standard library can be imported, so the few roots are appended. They come after
# it: whatever lies in site-packages cannot stand in for a standard module.
_BOOT = "import sys; sys.path += {roots!r}; from goccia_tools.child.main import main; main()"


class SpawnLauncher:
    """Starts ``command`` as a child; with no command, this package's own child (:func:`child_command`)."""

    def __init__(self, command: Sequence[str] | None = None, child_options: Sequence[str] = ()) -> None:
        self._command = tuple(command) if command is not None else child_command(child_options)
        self._is_own_child = command is None

    def start(self) -> SpawnedChild:
        command = self._command
        if self._is_own_child:
            # the child compares this with its parent once its death signal is armed
            command = (*command, "--parent", str(os.getpid()))
        return SpawnedChild(command, reads_first=self._is_own_child)

    def close(self) -> None:
        pass


def child_command(options: Sequence[str] = ()) -> tuple[str, ...]:
    """The command line of this package's child: this interpreter, isolated, without ``site``.

    ``-c`` with the roots instead of ``-m``, which costs three times the start of the interpreter.
    """
    if not sys.executable:
        raise LaunchError("this Python does not know its own executable (sys.executable is empty)")
    # no -B even where this process has it: without compiled modules every run would compile the child again
    flags = ["-I", "-S", "-X", "utf8"]
    if sys.pycache_prefix:
        flags += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    return (sys.executable, *flags, "-c", _BOOT.format(roots=_roots()), *options)


def _roots() -> list[str]:
    """The folders that hold this package and what its child imports, in the order they are found."""
    roots = [str(Path(__file__).absolute().parents[2])]
    for name in _CHILD_PACKAGES:
        spec = find_spec(name)
        if spec is None:
            continue
        places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
        depth = 2 if spec.submodule_search_locations and spec.origin else 1
        roots += [str(Path(place).absolute().parents[depth - 1]) for place in places if place]
    return list(dict.fromkeys(roots))


class SpawnedChild:
    """One process made by exec and the parent's ends of its pipes (see the package's theory of operation)."""

    def __init__(self, command: Sequence[str], *, reads_first: bool) -> None:
        self.reads_first = reads_first
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
                env=_environment(),
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


def _environment() -> dict[str, str]:
    """Empty, but for what Windows cannot start a process without (C04)."""
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if sys.platform == "win32" and name in os.environ}


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
