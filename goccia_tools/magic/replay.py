"""Replay: the ``%%sandbox`` cells of a notebook run without its kernel, each as a run from top to bottom would."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import GocciaError, OptionError
from ..notebook import CodeCell, Notebook
from ..options import RunOptions
from ..result import FailureKind
from ..runner import Runner
from .arguments import Arguments, parse_arguments
from .cell import cell_of
from .defaults import Defaults
from .filestores import Files
from .outcome import Outcome, outcome_of

#: cells with one of these tags are not run, as nbclient and nbval have it
SKIP_TAGS = ("skip-execution", "nbval-skip")
_CONFIG = re.compile(r"^%config[ \t]+Sandbox\.(\w+)[ \t]*=[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_LINE_MAGIC = re.compile(r"^[ \t]*(?:\w+[ \t]*=[ \t]*)?%sandbox[ \t](.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """A cell as it can be run: ``skip`` says why it cannot, ``after`` is the cell whose files of ``--fs`` it gets."""

    cell: CodeCell
    defaults: Defaults
    skip: str | None = None
    after: Step | None = None


class Replay:
    """The steps of one notebook.

    ``defaults`` and the run options ``options`` are for cells that say nothing else; ``runner`` gives the Runner of
    an engine, launcher, jail and runner_path. Paths of this machine in a cell are relative to the notebook's folder,
    and ``--fs-out`` goes to a folder that is gone after the run.
    """

    def __init__(
        self,
        notebook: Notebook,
        runner: Callable[..., Runner],
        defaults: Defaults | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._folder = notebook.path.parent
        self._runner = runner
        self._options = dict(options or {})
        self._files: dict[int, Files] = {}
        self.steps: tuple[Step, ...] = tuple(_steps(notebook, defaults or Defaults()))

    def outcome(self, step: Step) -> Outcome:
        """Run a step, after those whose files it gets and that did not run yet.

        Raises:
            GocciaError: the line of the cell asks for what cannot be had, or this machine could not run a cell
                whose files it gets.
        """
        chain = []
        before = step.after
        while before is not None and before.cell.number not in self._files:
            chain.append(before)
            before = before.after
        for earlier in reversed(chain):
            self._run_earlier(earlier)
        return self._run(step)

    def _run_earlier(self, step: Step) -> None:
        try:
            outcome = self._run(step)
        except (OptionError, GocciaError):
            # in a notebook too, a line that is refused leaves the files as they were
            self._files[step.cell.number] = self._given(step)
            return
        if outcome.result.failure_kind == FailureKind.HOST_ERROR:
            del self._files[step.cell.number]
            raise GocciaError(f"{step.cell.place}, whose files this cell gets: {outcome.result.error_message}")

    def _given(self, step: Step) -> Files:
        return {} if step.after is None else self._files[step.after.cell.number]

    def _run(self, step: Step) -> Outcome:
        arguments, source = step.cell.arguments, step.cell.program
        options = RunOptions.of(step.defaults.options, **self._options)
        files = self._given(step)
        values = {name: ast.literal_eval(text) for name, text in _variables(arguments)}
        with chdir(self._folder), TemporaryDirectory(prefix="goccia-fs-out-") as folder:
            program = cell_of(arguments, source, files, values, options)
            runner = self._runner(**step.defaults.runner_of(arguments))
            request = runner.request(entry=program.entry, seeds=program.seeds, options=program.options)
            result = runner.run_request(request)
            outcome = outcome_of(arguments, program, request, result, files, source=source, fs_out=Path(folder))
        self._files[step.cell.number] = outcome.files
        return outcome


def _steps(notebook: Notebook, defaults: Defaults) -> Iterator[Step]:
    last: dict[str, Step] = {}
    written: dict[Path, CodeCell] = {}
    unknown: str | None = None
    for cell in notebook.cells:
        if cell.line is None:
            defaults, problem = _configured(cell, defaults)
            unknown = unknown or problem
            for name in _stores_of_lines(cell):
                last[name] = Step(cell, defaults, f"runs Python, which may change the files of --fs {name}")
            continue
        skipped = sorted(cell.tags.intersection(SKIP_TAGS))
        if skipped:
            yield Step(cell, defaults, f"it has the tag {skipped[0]}")
            continue
        try:
            arguments = cell.arguments
        except OptionError:
            yield Step(cell, defaults)  # fails when it is run, as in the notebook
            continue
        store = arguments.text("fs")
        after = None if store is None else last.get(store)
        reason = unknown or _needs(arguments) or _reads_written(arguments, written, notebook.path.parent)
        if reason is None and after is not None and after.skip is not None:
            reason = f"it gets files (--fs {store}) from {after.cell.place}: {after.skip}"
        step = Step(cell, defaults, reason, after)
        if store is not None:
            last[store] = step
        folder = arguments.text("fs-out")
        if folder is not None:
            written[(notebook.path.parent / folder).absolute()] = cell
        yield step


def _needs(arguments: Arguments) -> str | None:
    """Why a line needs the kernel."""
    if arguments.inputs:
        return f"it needs Python values that only a kernel has: --in {', '.join(arguments.inputs)}"
    for name, text in _variables(arguments):
        try:
            ast.literal_eval(text)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return f"it needs a Python value that only a kernel has: --var {name}={text}"
    return None


def _variables(arguments: Arguments) -> Iterator[tuple[str, str]]:
    for assignment in arguments.all("var"):
        name, _, text = assignment.partition("=")
        yield name, text.strip()


def _reads_written(arguments: Arguments, written: Mapping[Path, CodeCell], folder: Path) -> str | None:
    specs = [spec.partition("=")[0] for spec in (*arguments.all("fs-in"), *arguments.settings.get("seed", ()))]
    for text in (*specs, arguments.text("file")):
        if text is None:
            continue
        path = (folder / text).absolute()
        for place, cell in written.items():
            if path.is_relative_to(place):
                return f"it reads {text}, which {cell.place} writes (--fs-out); nothing is written there in a test"
    return None


def _configured(cell: CodeCell, defaults: Defaults) -> tuple[Defaults, str | None]:
    """The defaults after the ``%config`` lines of a cell, or why they cannot be known."""
    names = {field.name for field in fields(Defaults)}
    for match in _CONFIG.finditer(cell.text):
        name, text = match.groups()
        if name not in names:
            continue
        try:
            value = ast.literal_eval(text)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return defaults, f"{cell.place} sets Sandbox.{name} to {text}, which only a kernel can tell"
        defaults = replace(defaults, **{name: value})
    return defaults, None


def _stores_of_lines(cell: CodeCell) -> Iterator[str]:
    for match in _LINE_MAGIC.finditer(cell.text):
        try:
            store = parse_arguments(match[1], expression=True).text("fs")
        except OptionError:
            continue
        if store is not None:
            yield store
