"""Failures of sandbox tests: exceptions that carry data, and how they are drawn."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goccia_tools.cases.explain import Line, explain, summary
from goccia_tools.cases.problem import CaseFileError
from goccia_tools.cases.textdiff import visible
from goccia_tools.cases.verdict import Verdict

_MARKUP: dict[str, dict[str, bool]] = {
    "problem": {"red": True, "bold": True},
    "expected": {"red": True},
    "actual": {"green": True},
    "title": {"bold": True},
    "report": {"cyan": True},
    "note": {"light": True},
    "hint": {"light": True},
}


class SandboxFailure(Exception):
    """A case did not run as it expects."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(summary(verdict))
        self.verdict = verdict


class ExpectedKindOfFailure(SandboxFailure):
    """The failure that an xfail with ``raises`` names."""


class HostFault(Exception):
    """This machine could not run a case, which says nothing about it."""

    def __init__(self, message: str, verdict: Verdict | None = None) -> None:
        super().__init__(message)
        self.verdict = verdict


class UnreadableFile(Exception):
    """A test file that cannot be read, decoded or understood."""

    def __init__(self, error: CaseFileError) -> None:
        super().__init__(f"line {error.line}: {error.message}")
        self.error = error


class FailureRepr:
    """Draws a failure: in colour on a terminal, as plain text in files and across processes."""

    def __init__(self, excinfo: pytest.ExceptionInfo[BaseException], lines: list[Line], path: Path, line: int) -> None:
        self.lines = lines
        # pytest's own data of a failure, with our text in it: it is what travels between xdist's processes
        base: Any = excinfo.getrepr(style="value")
        self.reprcrash = base.reprcrash
        self.reprcrash.path, self.reprcrash.lineno = str(path), line
        self.reprcrash.message = visible(str(excinfo.value).partition("\n")[0])
        self.reprtraceback = base.reprtraceback
        self.reprtraceback.reprentries[0].lines = [line.text for line in lines]
        self.sections: list[tuple[str, str, str]] = []

    def toterminal(self, tw: Any) -> None:
        """Write to pytest's terminal writer."""
        for line in self.lines:
            tw.line(line.text, **_MARKUP.get(line.role, {}))

    def __str__(self) -> str:
        return "\n".join(line.text for line in self.lines)


def failure_lines(verdict: Verdict, item: pytest.Item) -> list[Line]:
    """What is shown for a failure: the case, what was wrong, how to run it again and how to accept what came."""
    from goccia_tools.cases.proposal import Proposal, propose

    case = verdict.case
    where = f"{relative(case.path, item)}:{case.line}"
    told = f"{where}: {visible(case.name)}" + (f" ({visible(case.description)})" if case.description else "")
    lines = [Line("title", told)]
    lines += [replace(line, text=f"  {line.text}") for line in explain(verdict)]
    lines.append(Line("hint", f"rerun: {rerun_command(item)}"))
    if isinstance(propose(verdict), Proposal):
        lines.append(Line("hint", "accept what came as expected: the same command with --sandbox-update"))
    return lines


def unreadable_lines(error: CaseFileError, item: pytest.Item) -> list[Line]:
    """What is shown for a file that cannot be understood: the place, the sentence and the line itself."""
    lines = [Line("problem", f"{relative(error.path, item)}:{error.line}: {visible(error.message)}")]
    try:
        source = error.path.read_bytes().decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError):
        return lines
    for number in range(max(1, error.line - 1), min(len(source), error.line + 1) + 1):
        sign = ">" if number == error.line else " "
        lines.append(Line("same", f"{sign} {number:3} | {visible(source[number - 1].removesuffix(chr(13)))}"))
    return lines


def relative(path: Path, item: pytest.Item) -> str:
    """A path as the person who started pytest would write it."""
    start = item.config.invocation_params.dir
    return path.relative_to(start).as_posix() if path.is_relative_to(start) else str(path)


def rerun_command(item: pytest.Item) -> str:
    """The command line that runs one item again."""
    path = relative(item.path, item)
    if path.startswith("-"):
        path = f"./{path}"
    if "[" in path:  # pytest takes a bracket in the path of an argument for a parameter
        folder = path.rpartition("/")[0] or "."
        return f"pytest {shlex.quote(folder)} -k {shlex.quote(item.name.partition('[')[0])}"
    return f"pytest {shlex.quote(f'{path}::{item.name}')}"
