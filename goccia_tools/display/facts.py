"""Facts: what a RunResult says to a person, before any form of showing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..result import FailureKind, FileChange, RunResult
from .text import printable, value_text

#: exit status of the command line for each way a run can end (2 is a usage error)
EXIT_STATUS: dict[FailureKind, int] = {
    FailureKind.NONE: 0,
    FailureKind.SCRIPT_ERROR: 1,
    FailureKind.RESOURCE_LIMIT: 3,
    FailureKind.TIMEOUT: 4,
    FailureKind.CHILD_PROCESS_CRASH: 5,
    FailureKind.HOST_ERROR: 6,
}


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a display shows, so that text and HTML cannot differ in what they say."""

    kind: FailureKind
    #: one sentence on how the run ended, without the report
    verdict: str
    #: the error report without its last newline, empty on success
    report: str
    output: str
    #: the result value as text, None when there is none to show
    value: str | None
    changes: tuple[FileChange, ...]
    notes: tuple[str, ...]
    #: the result value itself, plain data
    data: Any = None
    #: sandbox path -> content before the run, of the files whose content is known
    before: Mapping[str, bytes] = field(default_factory=dict)
    #: the diff in unified form, where that was asked for; ``changes`` is empty then
    patch: str = ""


def facts(result: RunResult, entry: str, *, timed: bool = True, before: Mapping[str, bytes] | None = None) -> Facts:
    """The facts of a run of ``entry``.

    ``timed`` puts the duration into the verdict, which then differs from run to run. ``before`` holds the contents
    of the files the run was given, by sandbox path, for diffs of the text in them.
    """
    # a jail that holds is the usual thing; one that lacks a layer is news
    notes = tuple(note for note in result.notes if not note.startswith("jail ") or "; not applied: " in note)
    if result.truncated:
        notes = ("the result was too large for one frame: its diff and value were dropped", *notes)
    return Facts(
        kind=result.failure_kind,
        verdict=_verdict(result, entry, timed),
        report=(result.error_output or result.error_message).removesuffix("\n"),
        output=result.output,
        value=value_text(result.result_value),
        changes=result.changes,
        notes=notes,
        data=result.result_value,
        before=before or {},
        patch=result.diff if result.diff and not result.diff.startswith("{") else "",
    )


def _verdict(result: RunResult, entry: str, timed: bool) -> str:
    took = f"{result.duration_ms:.0f} ms"
    if result.ok:
        changed = len(result.changes)
        files = f", {changed} file change{'s' if changed != 1 else ''}" if result.changes else ""
        return f"ok: {printable(entry)} ran{f' in {took}' if timed else ''}{files}"
    return f"{result.failure_kind}: {printable(entry)} failed{f' after {took}' if timed else ''}"
