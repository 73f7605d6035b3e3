"""Notebooks: the ``%%sandbox`` cells of an ``.ipynb`` file as items of pytest, compared with their stored outputs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goccia_tools.cases.explain import Line
from goccia_tools.cases.names import slug
from goccia_tools.cases.textdiff import text_diff, visible
from goccia_tools.errors import GocciaError, OptionError, SeedError
from goccia_tools.magic.defaults import Defaults
from goccia_tools.magic.replay import Replay, Step
from goccia_tools.magic.storedoutput import shown_text, stored_text
from goccia_tools.notebook import Notebook, NotebookError, read_notebook

from .failure import FailureRepr, HostFault, relative
from .session import sandbox_session

IGNORE_TAG = "nbval-ignore-output"
RAISES_TAGS = ("raises-exception", "nbval-raises-exception")
#: the names that Defaults has for fields of RunOptions
_OPTIONS = ("timeout_ms", "max_memory_bytes")
_START_OF_CELL = re.compile(r'"(?:[ \t]|\\n|\\t)*%%sandbox(?![\w?])')


class CellFailure(Exception):
    """A cell of a notebook did not end as the notebook says; ``lines`` are what is shown of it."""

    def __init__(self, problem: str, lines: list[Line]) -> None:
        super().__init__(problem)
        self.lines = lines


class NotebookFile(pytest.File):
    """A notebook. One that cannot be read is one failing item, so that the others still run."""

    def collect(self) -> Iterator[pytest.Item]:
        try:
            notebook = read_notebook(self.path)
        except NotebookError as error:
            yield BrokenNotebook.from_parent(self, name="notebook", error=error)
            return
        self.add_marker("sandbox")
        session = sandbox_session(self.config)
        options = dict(session.settings.options)
        known = {name: options.pop(name) for name in _OPTIONS if name in options}
        known["compat"] = ",".join(options.pop("compatibility", ()))
        defaults = Defaults(**known, **session.settings.runner)
        replay = Replay(notebook, session.runner_of, defaults, options)
        lines = _lines_of_cells(notebook)
        for step, line in zip(replay.steps, lines, strict=True):
            cell = step.cell
            name = f"cell-{cell.number}" + (f"[{slug(cell.id)}]" if cell.id else "")
            item: pytest.Item = CellItem.from_parent(self, name=name, step=step, replay=replay, line=line)
            if step.skip is not None:
                item.add_marker(pytest.mark.skip(reason=f"{cell.place}: {visible(step.skip)}"))
            yield item


def _lines_of_cells(notebook: Notebook) -> list[int]:
    """The line of the file on which each cell's source begins, 1 for all when they cannot be told apart."""
    text = notebook.path.read_bytes().decode("utf-8-sig", "replace")
    starts = [text.count("\n", 0, match.start()) + 1 for match in _START_OF_CELL.finditer(text)]
    count = len(notebook.sandbox_cells)
    return starts if len(starts) == count else [1] * count


class CellItem(pytest.Item):
    """A cell of a notebook."""

    def __init__(self, *, step: Step, replay: Replay, line: int, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.step, self.replay, self.line = step, replay, line
        self.fixturenames: list[str] = []

    @property
    def obj(self) -> Any:
        return self.runtest

    def runtest(self) -> None:
        try:
            outcome = self.replay.outcome(self.step)
        except (OptionError, SeedError) as error:
            problem = f"%%sandbox: {visible(str(error))}"
            raise CellFailure(problem, [Line("problem", problem)]) from None
        except GocciaError as error:
            raise HostFault(f"{self._place}: {error}") from None
        result = outcome.result
        self.user_properties += [
            ("failureKind", result.failure_kind.value),
            ("exitCode", result.exit_code),
            ("duration", round(result.duration_ms / 1000, 4)),
            ("truncated", result.truncated),
        ]
        self.ihook.pytest_sandbox_result(item=self, result=result)
        cell = self.step.cell
        failure = outcome.failure(self.step.defaults)
        if result.failure_kind == "host-error" and outcome.arguments.expected is None:
            raise HostFault(f"{self._place}: {result.error_message}")
        if cell.outputs and IGNORE_TAG not in cell.tags:
            _compare(stored_text(cell.outputs), shown_text(outcome, self.step.defaults))
        elif failure is not None and not cell.tags.intersection(RAISES_TAGS):
            report = [Line("report", visible(line)) for line in failure._render_traceback_()]
            raise CellFailure(f"{type(failure).__name__}: {visible(str(failure))}", report)

    @property
    def _place(self) -> str:
        return f"{relative(self.path, self)}: {visible(self.step.cell.place)}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        error = excinfo.value
        if isinstance(error, CellFailure):
            lines = [Line("title", self._place)]
            lines += [Line(line.role, f"  {line.text}") for line in error.lines]
            lines.append(Line("hint", f"rerun: {self._rerun()}"))
            if isinstance(error, OutputDiffers):
                lines.append(
                    Line(
                        "hint",
                        "if what came is right, run the notebook again and save it;"
                        f" an output that is never the same gets the cell tag {IGNORE_TAG}",
                    )
                )
            return FailureRepr(excinfo, lines, self.path, self.line)
        if isinstance(error, HostFault):
            return str(error)
        return super().repr_failure(excinfo)

    def _rerun(self) -> str:
        path = relative(self.path, self)
        path = f"./{path}" if path.startswith("-") else path
        return f"pytest --sandbox-notebooks {shlex.quote(f'{path}::{self.name}')}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, self.name


class OutputDiffers(CellFailure):
    """A cell showed something else than what is stored with it."""


def _compare(stored: str, shown: str) -> None:
    if stored == shown:
        return
    problem = "the output is not the stored one"
    lines = [Line("problem", f"{problem} (- stored, + now):")]
    roles: dict[str, Any] = {"-": "expected", "+": "actual"}
    lines += [Line(roles.get(line[:1], "same"), line) for line in text_diff(stored, shown)]
    raise OutputDiffers(problem, lines)


class BrokenNotebook(pytest.Item):
    """Stands for a notebook that cannot be read."""

    def __init__(self, *, error: NotebookError, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.error = error
        self.fixturenames: list[str] = []

    @property
    def obj(self) -> Any:
        return self.runtest

    def runtest(self) -> None:
        raise self.error

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if excinfo.value is self.error:
            text = f"{relative(self.path, self)}: {visible(self.error.reason)}"
            return FailureRepr(excinfo, [Line("problem", text)], self.path, 1)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name
