"""Start a child: what a launcher promises, whichever way it makes the process.

Theory of operation. One run has two processes and three pipes::

    parent (any thread)                              child (leader of its own process group)
      stdin  ── run-request frame, then EOF ──────▶  0
      stdout ◀── run-result frame ─────────────────  1
      stderr ◀── diagnostics, never parsed ────────  2
      exit_fd    readable once the leader has ended

The parent owns one end of each pipe, all three non-blocking, and nothing else of the child is open in it. The
child has exactly 0, 1 and 2, no environment, and an empty working directory.

Whoever starts a child reaps it: the thread that called :meth:`Launcher.start` drives the exchange and, whatever
happens (a result, a deadline, an exception such as KeyboardInterrupt), does the same four things in this order:
kill the group with SIGKILL *while the leader is un-reaped*, because after that its number may belong to somebody
else; wait for the leader, blocking, because after SIGKILL it ends; close the pipes. There is no SIGTERM: the child
holds nothing worth saving, and its polite moment was the grace.

A child that is the fork of a template (:mod:`goccia_tools.launch.fork_server`) is the template's to reap, which it
does when that thread asks for it: the order and its reason are the same.

The thread that starts a child thus outlives it. That is what makes PR_SET_PDEATHSIG usable: the kernel sends it
when the *thread* that made the child ends, and here this means that the parent is gone. A child of this package
arms it before it runs guest code, then compares its parent with the one it was told; until then it only reads its
request, and a dead parent is the end of that pipe. A program run as ``child_command`` has only the pipes to tell it.

A descendant that leaves the group (``setsid``) is out of reach of a group kill. It delays nothing, because nothing
here waits for the end of a pipe, and preventing it is the jail's work.
"""

from __future__ import annotations

from typing import Protocol


class LaunchError(Exception):
    """No child came to be; the text says why. This is a fault of the host, never of the guest (C51)."""


class TemplateUnavailable(LaunchError):
    """No fork server can be had here; the text says why."""


class ReapError(Exception):
    """The child's exit status could not be read: a retried wait failed (C52); the text says why."""


class Child(Protocol):
    """A started child, owned by the thread that started it."""

    #: the parent's ends of the three pipes, non-blocking
    stdin: int
    stdout: int
    stderr: int
    #: the leader, and its process group
    pid: int
    #: becomes readable when the leader has ended, None where the platform has no such descriptor
    exit_fd: int | None
    #: the child is known to read its request before it does anything else, so that its first read says
    #: "I have started"; False for a program that may never read
    reads_first: bool
    #: what is worth knowing of how it was made
    notes: tuple[str, ...]

    def has_ended(self) -> bool:
        """Whether the leader has ended, without reaping it."""

    def close_stdin(self) -> None:
        """End the request: the child reads EOF. May be called again."""

    def kill_group(self) -> None:
        """SIGKILL to the leader's process group, if the leader is still there to be reaped."""

    def wait(self) -> int:
        """Block until the leader has ended and reap it: exit status, or minus the signal's number.

        Raises:
            ReapError: somebody else has reaped it.
        """

    def close(self) -> None:
        """Close every descriptor of the parent that belongs to this child. May be called again."""


class Launcher(Protocol):
    """One way of making children; usable from any thread."""

    def start(self) -> Child:
        """Make one child.

        Raises:
            LaunchError: the host could not.
        """

    def jail_report(self, profile: str) -> str | None:
        """What the jail of a profile applies on this machine, found out by trying; None where it cannot be told."""

    def close(self) -> None:
        """Give up whatever the launcher keeps between runs. May be called again."""
