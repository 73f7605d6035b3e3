"""Outcome: what a cell's run comes to in a notebook: what is shown of it, and the files that go on from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..display import Facts, facts
from ..display.bundle import bundle
from ..display.images import Image, image_of
from ..errors import OptionError
from ..result import FailureKind, RunResult
from .arguments import Arguments
from .cell import Cell, contents_before
from .defaults import Defaults
from .failures import FAILURES, CellFailed, ExpectedFailure
from .filestores import Files, changed
from .hostfolder import write_changes


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished cell. ``files`` are what the next cell of its ``--fs`` finds."""

    arguments: Arguments
    result: RunResult
    facts: Facts
    images: tuple[Image, ...]
    files: Files

    def failure(self, defaults: Defaults, *, color: bool = False) -> CellFailed | None:
        """The exception that the cell raises, or None."""
        kind, expected = self.result.failure_kind, self.arguments.expected
        if expected is not None:
            if kind == expected:
                return None
            return ExpectedFailure(self.result, self.facts, expected=expected, color=color)
        if kind == FailureKind.NONE or self.arguments.flag("no-raise-error") or not defaults.raise_error:
            return None
        return FAILURES[kind](self.result, self.facts, color=color)

    def shown(self, defaults: Defaults) -> dict[str, str]:
        """The MIME bundle that the cell shows, empty when it shows nothing.

        The error report is in it when the cell does not raise, else it is the traceback.
        """
        if defaults.display == "none" or self.arguments.flag("quiet"):
            return {}
        with_report = self.failure(defaults) is None
        made = bundle(self.facts, limits=defaults.limits, with_report=with_report, images=self.images)
        if defaults.display == "text":
            del made["text/html"]
        return made


def outcome_of(
    arguments: Arguments,
    program: Cell,
    request: Mapping[str, Any],
    result: RunResult,
    files: Files,
    *,
    source: str | None = None,
    fs_out: Path | None = None,
) -> Outcome:
    """What ``result`` of ``request`` means for the cell ``program``, which was run with ``files`` of its ``--fs``.

    ``source`` is the text of a cell, None for a line. Changed files are written into ``fs_out``, which stands for the
    folder that ``--fs-out`` names.
    """
    known = facts(result, program.label, timed=False, before=contents_before(request, result))
    notes = list(known.notes)
    if arguments.expected not in (None, FailureKind.NONE) and arguments.expected == result.failure_kind:
        notes.append(f"--expect {result.failure_kind}: as expected")
    if arguments.text("fs") is not None:
        files, lost = changed(files, known.changes)
        if source is not None and (arguments.text("name") or "").startswith("/"):
            files = {**files, program.entry: source.encode("utf-8", "replace")}
        notes += [f"{path} does not go on to other cells: it was too large for the diff" for path in lost]
    folder = arguments.text("fs-out")
    if folder is not None:
        notes += _written(known, fs_out or Path(folder), folder)
    images, problems = _images(known, arguments)
    known = replace(known, notes=(*notes, *problems))
    if arguments.flag("no-diff"):
        known = replace(known, changes=(), patch="")
    return Outcome(arguments, result, known, images, files)


def _written(known: Facts, folder: Path, name: str) -> list[str]:
    try:
        written, problems = write_changes(known.changes, folder, name)
    except OptionError as error:
        written, problems = 0, (str(error),)
    return [f"{written} file{'s' if written != 1 else ''} written to {name}", *problems]


def _images(known: Facts, arguments: Arguments) -> tuple[tuple[Image, ...], list[str]]:
    images: list[Image] = []
    notes: list[str] = []
    written = {change.path: change.content for change in known.changes if change.content is not None}
    for path in arguments.all("show"):
        path = path if path.startswith("/") else f"/{path}"
        if path not in written:
            notes.append(f"--show {path}: the program wrote no such file")
            continue
        image = image_of(path, written[path])
        if isinstance(image, str):
            notes.append(image)
        else:
            images.append(image)
    return tuple(images), notes
