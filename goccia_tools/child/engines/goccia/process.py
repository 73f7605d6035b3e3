"""One run of the runner as a process: started, read, and never left behind.

It shares the process group of this child, so the parent's kill reaches both, and the kernel ends it when this child
is gone. It gets an empty environment, the child's own empty directory, and beside 0, 1 and 2 only the files in memory
that its command line names; nothing of a run is ever on a disk.
"""

from __future__ import annotations

import posix
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, NoReturn

_CHUNK_BYTES: Final = 256 * 1024
_STDERR_BYTES: Final = 8 * 1024 * 1024
#: the status of a fork that could not become the runner; its reason comes through a pipe of its own
_NOT_STARTED: Final = 127
_SIGKILL: Final = 9
_MOST_DESCRIPTORS: Final = 65536


class NotStarted(Exception):
    """The runner could not be started; the message says why."""


class Ended:
    """How a runner ended: ``status`` is its exit status or minus a signal's number; ``overdue`` when it was killed
    because its time was over."""

    __slots__ = ("overdue", "status", "stderr")

    def __init__(self, status: int, stderr: str, *, overdue: bool) -> None:
        self.status = status
        self.stderr = stderr
        self.overdue = overdue


class MemoryFile:
    """A file without a place on any disk, which the runner opens by :attr:`path`."""

    __slots__ = ("descriptor",)

    def __init__(self, content: bytes = b"") -> None:
        self.descriptor = _anonymous_file()
        view = memoryview(content)
        while view:
            view = view[posix.write(self.descriptor, view) :]
        posix.lseek(self.descriptor, 0, 0)

    @property
    def path(self) -> str:
        """What names it in a process that has inherited it."""
        return f"/dev/fd/{self.descriptor}"

    def read(self) -> bytes:
        """Everything in it."""
        data = bytearray()
        while chunk := posix.pread(self.descriptor, _CHUNK_BYTES, len(data)):
            data += chunk
        return bytes(data)

    def close(self) -> None:
        """Give it up; its content is gone with the last process that has it."""
        posix.close(self.descriptor)


def _anonymous_file() -> int:
    if sys.platform == "linux":
        return posix.memfd_create("goccia-tools", posix.MFD_CLOEXEC)
    import tempfile

    descriptor, path = tempfile.mkstemp(prefix="goccia-tools-")
    posix.unlink(path)
    return descriptor


class Ceilings:
    """What the process may use at most; 0 is no ceiling."""

    __slots__ = ("cpu_seconds", "memory_bytes")

    def __init__(self, memory_bytes: int = 0, cpu_seconds: int = 0) -> None:
        self.memory_bytes = memory_bytes
        self.cpu_seconds = cpu_seconds


def run(
    command: list[str],
    files: list[MemoryFile],
    take: Callable[[bytes], None],
    *,
    ceilings: Ceilings,
    deadline: float | None = None,
) -> Ended:
    """Run a command to its end; ``take`` gets what it prints as it comes.

    ``deadline`` is an absolute time of the monotonic clock at which it is killed.

    Raises:
        NotStarted: it could not be started.
    """
    output, into_output = posix.pipe()
    errors, into_errors = posix.pipe()
    report, into_report = posix.pipe()
    parent = posix.getpid()
    pid = posix.fork()
    if pid == 0:
        try:
            _become(
                command, [file.descriptor for file in files], into_output, into_errors, into_report, parent, ceilings
            )
        finally:
            posix._exit(_NOT_STARTED)
    for descriptor in (into_output, into_errors, into_report):
        posix.close(descriptor)
    has_ended = False
    try:
        reason = _read_all(report)
        stderr = bytearray()
        overdue = not _drain({output: take, errors: lambda data: _keep(stderr, data)}, deadline)
        if overdue:
            posix.kill(pid, _SIGKILL)
        status = posix.waitpid(pid, 0)[1]
        has_ended = True
    finally:
        if not has_ended:
            posix.kill(pid, _SIGKILL)
            posix.waitpid(pid, 0)
        for descriptor in (output, errors, report):
            posix.close(descriptor)
    if reason:
        raise NotStarted(f"cannot start {command[0]}: {reason.decode('utf-8', 'replace')}")
    code = posix.waitstatus_to_exitcode(status) if hasattr(posix, "waitstatus_to_exitcode") else _exit_code(status)
    return Ended(code, stderr.decode("utf-8", "replace"), overdue=overdue)


def _exit_code(status: int) -> int:
    return posix.WEXITSTATUS(status) if posix.WIFEXITED(status) else -posix.WTERMSIG(status)


def _keep(kept: bytearray, data: bytes) -> None:
    kept += data[: max(0, _STDERR_BYTES - len(kept))]


def _read_all(descriptor: int) -> bytes:
    data = b""
    while chunk := posix.read(descriptor, 4096):
        data += chunk
    return data


def _drain(streams: dict[int, Callable[[bytes], None]], deadline: float | None) -> bool:
    """Read the streams to their ends; False when the deadline came first."""
    watch = select.poll()
    for descriptor in streams:
        watch.register(descriptor, select.POLLIN)
    left = set(streams)
    while left:
        wait_ms = None if deadline is None else max(0.0, (deadline - time.monotonic()) * 1000)
        events = watch.poll(wait_ms)
        if not events and wait_ms is not None:
            return False
        for descriptor, _ in events:
            data = posix.read(descriptor, _CHUNK_BYTES)
            if data:
                streams[descriptor](data)
            else:
                watch.unregister(descriptor)
                left.discard(descriptor)
    return True


def _become(
    command: list[str],
    kept: list[int],
    output: int,
    errors: int,
    report: int,
    parent: int,
    ceilings: Ceilings,
) -> NoReturn:
    """What the fork does instead of going on: only the three streams and the named files, then the command."""
    try:
        from goccia_tools.child.parent import die_with_parent

        die_with_parent(parent)
        nothing = posix.open("/dev/null", posix.O_RDONLY)
        for number, descriptor in enumerate((nothing, output, errors)):
            posix.dup2(descriptor, number)
        for descriptor in kept:
            posix.set_inheritable(descriptor, True)
        at = 3
        for descriptor in sorted({*kept, report}):
            posix.closerange(at, descriptor)
            at = descriptor + 1
        posix.closerange(at, max(at, _MOST_DESCRIPTORS))
        _lower_limits(ceilings)
        posix.execve(command[0], command, {})
    except OSError as error:
        posix.write(report, (error.strerror or str(error)).encode())
    except BaseException as error:
        posix.write(report, f"{type(error).__name__}: {error}".encode())
    posix._exit(_NOT_STARTED)


def _lower_limits(ceilings: Ceilings) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for which, value in ((resource.RLIMIT_AS, ceilings.memory_bytes), (resource.RLIMIT_CPU, ceilings.cpu_seconds)):
        hard = resource.getrlimit(which)[1]
        if value and (hard == resource.RLIM_INFINITY or hard > value):
            resource.setrlimit(which, (value, value))
