"""Backend: where the tests of submissions run. Tasks and answers are plain JSON data, so that they can go anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

#: what JSON can hold, under text keys
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one task: its ``result``, or why there is none (``problem``).

    A task without a result was lost through no fault of the submission: its tests are not graded.
    """

    key: str
    result: Json | None
    problem: str = ""


class Backend(Protocol):
    """Runs tasks somewhere, several at a time, by calling :func:`goccia_tools.grading.perform.perform` on each.

    A task is one submission with the tests to run on it; ``task["key"]`` is a text that is the same for the same work
    and different for any other. Tasks are idempotent: one that runs twice does no harm, and yields one answer.
    Expectations stay in the process that runs a task; its children never see them.
    """

    def run(self, shared: Json, tasks: Iterable[Json]) -> Iterator[Answer]:
        """Perform every task with what they all share (the assignment), and yield an answer for each as it completes.

        Tasks are taken from the iterable only when there is room for them, so that memory does not grow with the
        class. Whoever stops early (closes the iterator, an exception) stops what is under way.
        """

    def close(self) -> None:
        """Give up workers and connections."""
