"""Observation: everything a parent can learn about one child, as plain data for :mod:`goccia_tools.classify`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole frame came; ``surplus_bytes`` is what followed it and was not kept."""

    payload: bytes | bytearray
    surplus_bytes: int = 0
    #: what went wrong on the parent's side while the frame came all the same
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Silence:
    """The child ended, or closed its output, without a whole frame; with a whole prefix it has declared a length."""

    received_bytes: int
    declared_bytes: int | None


@dataclass(frozen=True, slots=True)
class Oversize:
    """The child declared a payload over the limit; nothing was allocated for it."""

    declared_bytes: int


@dataclass(frozen=True, slots=True)
class Overdue:
    """The deadline passed before a whole frame came."""

    deadline_ms: int


@dataclass(frozen=True, slots=True)
class Unread:
    """The child did not take its request within the time for starting up."""

    start_up_ms: int


@dataclass(frozen=True, slots=True)
class Fault:
    """The parent's own side failed, and no outcome of the child was observed."""

    problem: str


Outcome = Answer | Silence | Oversize | Overdue | Unread | Fault


@dataclass(frozen=True, slots=True)
class Exited:
    """The child ended by itself with this status."""

    status: int


@dataclass(frozen=True, slots=True)
class Signalled:
    """A signal that did not come from the parent ended the child."""

    number: int


@dataclass(frozen=True, slots=True)
class Killed:
    """The parent killed the child, which had not ended by itself."""


@dataclass(frozen=True, slots=True)
class Unwaited:
    """The wait failed, so nobody knows how the child ended."""

    problem: str


@dataclass(frozen=True, slots=True)
class NeverStarted:
    """There was no child."""


Ending = Exited | Signalled | Killed | Unwaited | NeverStarted


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of the exchange, how the child ended, and the last it said on stderr."""

    outcome: Outcome
    ending: Ending
    stderr_tail: str = ""
