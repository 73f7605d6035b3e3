"""run_case: run a case, each of its programs in a fresh child, and judge it in this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol

from ..baseline import Seed
from ..errors import SeedError
from ..options import RunOptions
from ..result import FailureKind, RunResult
from .case import Case
from .commonjs import is_commonjs, own_places
from .document import decode
from .problem import CaseFileError
from .report import parse_report
from .verdict import Mismatch, Verdict


class Runs(Protocol):
    """What runs programs; :class:`goccia_tools.Runner` does."""

    def run(
        self, source: Any = None, *, entry: str = ..., seeds: Any = ..., options: RunOptions | None = ...
    ) -> RunResult:
        """See :meth:`goccia_tools.Runner.run`."""


def run_case(case: Case, runner: Runs, *, seeds: Sequence[Seed] = ()) -> Verdict:
    """Run ``case`` with further ``seeds`` and return the verdict. A fault of the host is tried once more.

    Raises:
        CaseFileError: a file that the case names cannot be read, or is too large for the sandbox.
    """
    attempt = _Attempt(case, runner, [*case.seeds, *seeds])
    verdict = attempt.verdict()
    if verdict.outcome == "error":
        second = attempt.verdict()
        return Verdict(case, second.result, second.mismatches, retried=True)
    return verdict


class _Attempt:
    def __init__(self, case: Case, runner: Runs, seeds: list[Seed]) -> None:
        self.case = case
        self.runner = runner
        self.seeds = seeds

    def verdict(self) -> Verdict:
        case = self.case
        if case.call is not None:
            result = self._run_call()
            return Verdict(case, result, case.call.mismatches(result, self._text_of))
        result = self._run(case.inline.program if case.inline is not None else case.body)
        mismatches = list(case.expect.mismatches(result))
        if case.negative_phase is not None and not mismatches:
            mismatches.extend(self._phase_mismatches(result))
        if case.inline is not None and result.failure_kind is not FailureKind.HOST_ERROR:
            mismatches.extend(self._inline_mismatches(result))
        return Verdict(case, result, tuple(mismatches))

    def _run(self, source: str, entry: str | None = None) -> RunResult:
        entry = entry or self.case.entry
        seeds = [*self.seeds, Seed(entry, source, replace=True)]
        try:
            return self.runner.run(entry=entry, seeds=seeds, options=self.case.options)
        except SeedError as error:
            raise CaseFileError(self.case.path, self.case.line, str(error)) from None

    def _run_call(self) -> RunResult:
        call = self.case.call
        assert call is not None  # noqa: S101
        text = self._text_of(call.source)
        program, place = call.program(text)
        if place is not None:
            result = self._run(program, place)
            return own_places(result, place, text) if text is not None and is_commonjs(text) else result
        paths = {seed.path for seed in self.seeds}
        entry = next(path for path in (f"/call{number or ''}.js" for number in range(1 << 20)) if path not in paths)
        if call.source == self.case.entry:
            self.seeds = [*self.seeds, Seed(self.case.entry, self.case.body, replace=True)]
        return self._run(program, entry)

    def _text_of(self, path: str) -> str | None:
        """The text of a file of the sandbox; None when it is not known before the run."""
        if path == self.case.entry and self.case.body.strip():
            return self.case.body
        for seed in reversed(self.seeds):
            if seed.path != path:
                continue
            if isinstance(seed.source, str):
                return seed.source
            data = seed.source
            if isinstance(data, Path) and data.is_file() and not data.is_symlink():
                data = data.read_bytes()
            return decode(data, self.case.path) if isinstance(data, bytes) else None
        return None

    def _phase_mismatches(self, result: RunResult) -> list[Mismatch]:
        """Whether the error came in the phase that ``negative`` names: had the program begun to run?"""
        phase = str(self.case.negative_phase)
        message = parse_report(result.error_message).message
        unresolved = message.startswith(("Module not found:", "Cannot resolve ")) or "has no export named" in message
        if unresolved:
            actual = "resolution"
        else:
            word = token_hex(8)
            head, body = _begun(self.case.body, word)
            actual = "runtime" if word in self._run(head + body).output else "parse"
        wanted = "parse" if phase == "early" else phase
        if actual == wanted:
            return []
        return [Mismatch("negative.phase", f"expected {phase}, got {actual}", phase, actual, self.case.line)]

    def _inline_mismatches(self, main: RunResult) -> list[Mismatch]:
        inline = self.case.inline
        assert inline is not None  # noqa: S101
        found = []
        output = inline.output_mismatch(main.output)
        if output is not None:
            found.append(output)
        for check in inline.checks:
            mismatch = check.mismatch(self._run(check.program))
            if mismatch is not None:
                found.append(mismatch)
        return found


def _begun(body: str, word: str) -> tuple[str, str]:
    """The program with a first statement that prints ``word``, on the line of the front matter's blanks."""
    start = len(body) - len(body.lstrip())
    return f'console.log("{word}"); ', body[start:] if not body.startswith("#!") else body.partition("\n")[2]
