"""The template: a process that is ready to run a program and never does; every run is one fork of it.

Theory of operation. The launcher in the parent starts it by exec and holds the other end of ``control``, a socket
that keeps the borders of messages. It is single-threaded, has loaded the engine, run the prelude and frozen what
there is, and sees neither a request nor anything that a program made: those go through three pipes whose ends it
only hands on. Messages are a letter, four bytes of the parent's count, and what the letter needs:

    parent                                   template
                                             H                    ready
                                             E text               cannot be: why
    F count + three descriptors ──────────▶  forks
                          ◀──────────────────F count pid + a descriptor that tells of the child's end
    R count pid ──────────────────────────▶  kills what is left of the child's group, reaps the child
                          ◀──────────────────R count status       as ``waitpid`` gives it
    P count profile ──────────────────────▶  forks a process that tries the jail
                          ◀──────────────────P count report
                          ◀──────────────────X count text         what was asked for failed

A child leads its own process group, dies with the template, and is reaped only when the parent asks for it, so that
its number stays its own for as long as the parent may want to kill it. The template ends with the parent, whose end
it watches, and when the socket is closed.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what signal is made of, without its enums
import _socket
import gc
import posix
import select
import sys

from goccia_tools.child import formats, jailprobe
from goccia_tools.child.confine import load_ahead
from goccia_tools.child.main import HostFault, Options, Ready, load_engine
from goccia_tools.child.main import main as run_child
from goccia_tools.child.rehearsal import Rehearsal
from goccia_tools.child.vfs import FileSystem
from goccia_tools.jail import Prepared
from goccia_tools.jail._linux import syscall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, NoReturn

    from goccia_tools.child.engines.quickjs import QuickJS

if sys.platform != "linux":
    raise ImportError("a template needs Linux")

_PR_SET_PDEATHSIG: Final = 1
#: where the rulesets are kept, out of the way of what a child opens
_FIRST_RULESET_FD: Final = 100
#: the descriptor that a child's result goes to: the second one that it makes
_OUTPUT_FD: Final = 4
_MESSAGE_BYTES: Final = 512
#: after so long without a request there is time for a short chore, and after so long for a parser, lightest first
_SHORT_IDLE_MS: Final = 2
_LONG_IDLE_MS: Final = 100
_FORMATS: Final = ("jsonl", "csv", "tsv", "toml", "json5", "yaml")
#: a run makes few cycles, and a collection touches memory that is shared until then
_COLLECT_AFTER: Final = 20_000
#: how often to rehearse: after eight times the interpreter adapts a function, after some more it has settled
_REHEARSALS: Final = 16


class Template:
    """The process behind one control socket."""

    def __init__(self, control_fd: int, parent_pid: int, arguments: list[str]) -> None:
        self._control = _socket.socket(fileno=control_fd)
        self._parent_fd = posix.pidfd_open(parent_pid)
        if posix.getppid() != parent_pid:
            posix._exit(1)
        self._pid = posix.getpid()
        self._arguments = arguments
        self._chores: list[tuple[int, Callable[..., object], tuple[str, ...]]] = []
        self._ready = Ready()

    def prepare(self) -> None:
        """Load everything and freeze it.

        Raises:
            HostFault: this machine cannot run programs; says why.
        """
        options = Options(self._arguments)
        engine = load_engine(options)
        if options.engine == "goccia":  # another program: there is nothing to confine and nothing to rehearse
            self._ready = Ready(engine)
            self._freeze()
            return
        load_ahead(FileSystem(0, 0))
        jails = {}
        if options.jail != "off":
            for place, profile in enumerate(("stdio", "fetch"), _FIRST_RULESET_FD):
                parts = jails[profile] = Prepared(profile, _OUTPUT_FD)
                if parts.ruleset_fd >= 0:
                    posix.dup2(parts.ruleset_fd, place, inheritable=False)
                    posix.close(parts.ruleset_fd)
                    parts.ruleset_fd = place
                parts.give_up()
        self._ready = Ready(engine, jails)
        engine.settle()
        self._freeze()
        self._plan(engine)

    def _plan(self, engine: QuickJS) -> None:
        """What makes runs cheaper but not possible is done while nobody waits, a little at a time."""
        rehearsal = Rehearsal(engine)
        self._chores = [(_SHORT_IDLE_MS, rehearsal.once, ())] * _REHEARSALS
        self._chores += [(_SHORT_IDLE_MS, rehearsal.close, ()), (_SHORT_IDLE_MS, self._freeze, ())]
        for kind in _FORMATS:
            self._chores += [(_LONG_IDLE_MS, formats.load, (kind,)), (_SHORT_IDLE_MS, self._freeze, ())]

    def serve(self) -> NoReturn:
        """Answer the parent until it is gone."""
        self._control.send(b"H")
        watch = select.poll()
        watch.register(self._control.fileno(), select.POLLIN)
        watch.register(self._parent_fd, select.POLLIN)
        while True:
            events = watch.poll(self._chores[0][0] if self._chores else None)
            if not events:
                _, chore, arguments = self._chores.pop(0)
                chore(*arguments)
                gc.freeze()
            elif any(descriptor == self._parent_fd for descriptor, _ in events):
                posix._exit(0)
            else:
                self._answer()

    def _answer(self) -> None:
        message, extra, _, _ = self._control.recvmsg(_MESSAGE_BYTES, _socket.CMSG_SPACE(3 * 4))
        if not message:
            posix._exit(0)
        letter, count, rest = message[:1], message[1:5], message[5:]
        try:
            if letter == b"F":
                self._fork(count, _descriptors(extra))
            elif letter == b"R":
                self._reap(count, int.from_bytes(rest, "little"))
            elif letter == b"P":
                self._probe(count, rest.decode("ascii"))
        except OSError as error:
            if error.errno == 32:  # EPIPE: the parent has closed its end
                posix._exit(0)
            self._control.send(b"X" + count + (error.strerror or str(error)).encode())

    def _fork(self, count: bytes, streams: list[int]) -> None:
        try:
            pid = posix.fork()
            if pid == 0:
                self._become_child(streams)
            self._acknowledge(count, pid)
        finally:
            for descriptor in streams:
                posix.close(descriptor)

    def _acknowledge(self, count: bytes, pid: int) -> None:
        try:
            exit_fd = posix.pidfd_open(pid)
        except OSError:
            posix.kill(pid, _signal.SIGKILL)
            posix.waitpid(pid, 0)
            raise
        try:
            right = exit_fd.to_bytes(4, sys.byteorder)
            self._control.sendmsg(
                [b"F" + count + pid.to_bytes(4, "little")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, right)]
            )
        finally:
            posix.close(exit_fd)

    def _reap(self, count: bytes, pid: int) -> None:
        try:
            posix.killpg(pid, _signal.SIGKILL)
        except ProcessLookupError:
            pass
        status = posix.waitpid(pid, 0)[1]
        self._control.send(b"R" + count + status.to_bytes(4, "little"))

    def _probe(self, count: bytes, profile: str) -> None:
        reading, writing = posix.pipe()
        pid = posix.fork()
        if pid == 0:
            try:
                posix.dup2(writing, _OUTPUT_FD)
                self._close_all_but(_OUTPUT_FD)
                jails = self._ready.jails or {}
                jailprobe.confine_and_report(profile, _OUTPUT_FD, jails.get(profile))
            finally:
                posix._exit(1)
        posix.close(writing)
        text = posix.read(reading, _MESSAGE_BYTES - 5)
        posix.close(reading)
        posix.waitpid(pid, 0)
        self._control.send(b"P" + count + (text or b"jail: the probe ended without a report"))

    def _become_child(self, streams: list[int]) -> NoReturn:
        """What a fork does instead of going on as a template."""
        try:
            posix.setpgid(0, 0)
            syscall("prctl", _PR_SET_PDEATHSIG, _signal.SIGKILL)
            if posix.getppid() != self._pid:
                posix._exit(1)
            for number, descriptor in enumerate(streams):
                posix.dup2(descriptor, number)
            self._close_all_but(-1)
            gc.set_threshold(_COLLECT_AFTER)
            gc.enable()
            run_child(self._arguments, self._ready)
        finally:
            posix._exit(1)

    def _close_all_but(self, kept: int) -> None:
        """Close what a child does not have, but for the rulesets, which its jail closes."""
        if kept > 3:
            posix.closerange(3, kept)
        posix.closerange(max(kept, 2) + 1, _FIRST_RULESET_FD)
        used = len(self._ready.jails or ())
        posix.closerange(_FIRST_RULESET_FD + used, _FIRST_RULESET_FD + 1024)

    @staticmethod
    def _freeze() -> None:
        """Keep the collector of every child away from what they all share."""
        gc.collect()
        gc.disable()
        gc.freeze()


def _descriptors(extra: list[tuple[int, int, bytes]]) -> list[int]:
    data = b"".join(
        content for level, kind, content in extra if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS)
    )
    return [int.from_bytes(data[at : at + 4], sys.byteorder) for at in range(0, len(data), 4)]


def main() -> None:
    """``… --control FD --parent PID [options of the child]``; never returns."""
    control_fd, parent_pid = int(sys.argv[2]), int(sys.argv[4])
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    template = Template(control_fd, parent_pid, sys.argv[5:])
    try:
        template.prepare()
    except HostFault as fault:
        _socket.socket(fileno=control_fd).send(b"E" + str(fault).encode("utf-8", "replace")[: _MESSAGE_BYTES - 1])
        posix._exit(1)
    template.serve()
