"""ForkServerLauncher: each child is one fork of a template that is ready to run and never runs itself."""

from __future__ import annotations

import os
import select
import signal
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from time import monotonic

from . import LaunchError, ReapError, TemplateUnavailable
from .template import TemplateGone, TemplateProcess

#: children of one template share its address layout: after so many, or so long, another one takes over
RUNS_PER_TEMPLATE = 1000
SECONDS_PER_TEMPLATE = 600.0

# process descriptors, and sockets that carry them; elsewhere nothing below is looked at
assert sys.platform == "linux"  # noqa: S101


class ForkServerLauncher:
    """Forks children of this package from a template that is started on first use.

    Shared by threads. The template is replaced after ``runs_per_template`` forks or ``seconds_per_template``, by one
    that was started in the meantime; a dead one is replaced at once. A fork of this program starts its own.
    """

    def __init__(
        self,
        child_options: Sequence[str] = (),
        *,
        runs_per_template: int = RUNS_PER_TEMPLATE,
        seconds_per_template: float = SECONDS_PER_TEMPLATE,
    ) -> None:
        self._templates = _Templates(tuple(child_options), runs_per_template, seconds_per_template)
        self._finalizer = weakref.finalize(self, self._templates.close)

    def start(self) -> ForkedChild:
        notes: tuple[str, ...] = ()
        while True:
            template = self._templates.current()
            try:
                return ForkedChild(template, notes)
            except TemplateGone as error:
                self._templates.drop(template)
                if notes:
                    raise LaunchError(f"two template processes ended before they had made a child: {error}") from error
                notes = ("the template process had ended before it made this run's child; another one made it",)

    def jail_report(self, profile: str) -> str | None:
        """What the jail of a profile is on this machine, tried by a fork that ran nothing."""
        return self._templates.jail_report(profile)

    def close(self) -> None:
        """End the template when the runs under way have ended. May be called again."""
        self._templates.retire()


class ForkedChild:
    """One fork of a template, and the parent's ends of its pipes (see the package's theory of operation)."""

    #: the acknowledgement of the fork is the start: there is nothing to wait for before the request is written
    reads_first = False

    def __init__(self, template: TemplateProcess, notes: tuple[str, ...]) -> None:
        self.notes = notes
        self.exit_fd: int | None = None
        self._template: TemplateProcess | None = None
        self._open: list[int] = []
        theirs: list[int] = []
        try:
            for number in range(3):
                reading, writing = os.pipe()
                self._open.append(writing if number == 0 else reading)
                theirs.append(reading if number == 0 else writing)
            self.stdin, self.stdout, self.stderr = self._open
            for descriptor in self._open:
                os.set_blocking(descriptor, False)
            self.pid, self.exit_fd = template.fork(theirs)
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise LaunchError(f"cannot make the child's pipes: {error.strerror or error}") from error
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        self._template = template

    def has_ended(self) -> bool:
        return self._ends_within(0)

    def _ends_within(self, milliseconds: int | None) -> bool:
        watch = select.poll()
        watch.register(-1 if self.exit_fd is None else self.exit_fd, select.POLLIN)
        return bool(watch.poll(milliseconds))

    def close_stdin(self) -> None:
        if self.stdin in self._open:
            self._open.remove(self.stdin)
            os.close(self.stdin)

    def kill_group(self) -> None:
        # The template reaps a child only when asked to, so the number is the child's own for as long as the child
        # can be signalled by its descriptor; that fails when the template is dead and somebody else has reaped it.
        if self.exit_fd is not None:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self.exit_fd, signal.SIGKILL)
                os.killpg(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        self._ends_within(None)
        if self._template is None:
            raise ReapError("the child is closed")
        try:
            return os.waitstatus_to_exitcode(self._template.reap(self.pid))
        except TemplateGone as error:
            raise ReapError("the template process ended before it could say how the child did") from error
        except LaunchError as error:
            raise ReapError(str(error)) from error

    def close(self) -> None:
        while self._open:
            os.close(self._open.pop())
        if self.exit_fd is not None:
            os.close(self.exit_fd)
            self.exit_fd = None
        template, self._template = self._template, None
        if template is not None:
            template.release()


class _Templates:
    """The template in use and, when it is about to be replaced, the next one."""

    def __init__(self, options: tuple[str, ...], runs: int, seconds: float) -> None:
        self._options = options
        self._runs = runs
        self._seconds = seconds
        self._lock = Lock()
        self._template: TemplateProcess | None = None
        self._next: TemplateProcess | None = None
        self._jail_reports: dict[str, str] = {}
        _everywhere.add(self)

    def current(self) -> TemplateProcess:
        """A template that can fork.

        Raises:
            TemplateUnavailable: none can be had.
        """
        with self._lock:
            template = self._template
            if template is None:
                template, self._next = self._next or TemplateProcess(self._options), None
                try:
                    template.wait_until_ready()
                except BaseException:
                    template.kill()
                    raise
                self._template = template
            elif template.forks >= self._runs or monotonic() - template.started_at > self._seconds:
                self._replace(template)
            return self._template or template

    def _replace(self, worn: TemplateProcess) -> None:
        """Start the next template, or let it take over if it is ready; the worn one goes on until then."""
        if self._next is None:
            self._next = TemplateProcess(self._options)
            return
        try:
            if self._next.is_ready():
                self._template, self._next = self._next, None
                worn.retire()
        except TemplateUnavailable:
            self._next = None

    def drop(self, gone: TemplateProcess) -> None:
        """Forget a template that has ended."""
        with self._lock:
            if self._template is gone:
                self._template = None
        gone.retire()

    def jail_report(self, profile: str) -> str | None:
        report = self._jail_reports.get(profile)
        if report is None:
            try:
                report = self._jail_reports[profile] = self.current().probe(profile)
            except (TemplateGone, LaunchError):
                return None
        return report

    def retire(self) -> None:
        with self._lock:
            templates, self._template, self._next = (self._template, self._next), None, None
        for template in templates:
            if template is not None:
                template.retire()

    def close(self) -> None:
        """End every template now: this program ends, or nobody can use the launcher any more."""
        self.retire()

    def disown(self) -> None:
        """In a fork of this program: start anew."""
        for template in (self._template, self._next):
            if template is not None:
                template.disown()
        self._template = self._next = None
        self._lock = Lock()


_everywhere: weakref.WeakSet[_Templates] = weakref.WeakSet()


def _disown_all() -> None:
    for templates in list(_everywhere):
        templates.disown()


os.register_at_fork(after_in_child=_disown_all)
