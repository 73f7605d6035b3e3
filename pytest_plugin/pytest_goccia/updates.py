"""Updates: rewriting test files at the end of a run, in one process, whoever ran the tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from goccia_tools.cases.problem import CaseFileError
from goccia_tools.cases.proposal import Proposal
from goccia_tools.cases.rewrite import RewriteError, rewrite


class Updates:
    """Collects what reports propose and writes it when the run is over."""

    def __init__(self) -> None:
        self._proposals: dict[tuple[str, int], list[Proposal]] = defaultdict(list)
        self._refused: list[tuple[str, str]] = []
        self._written: list[tuple[str, int]] = []
        self._failed: list[str] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        update = getattr(report, "sandbox_update", None)
        if update is None:
            return
        if "refused" in update:
            self._refused.append((report.nodeid, update["refused"]))
        else:
            key = (update["path"], update["checksum"])
            self._proposals[key].append(Proposal.from_plain(update["proposal"]))

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        if session.exitstatus not in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR):
            self._write()
        if self._failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return (yield)

    def _write(self) -> None:
        for (path, checksum), proposals in sorted(self._proposals.items(), key=lambda pair: pair[0]):
            try:
                rewrite(Path(path), proposals, checksum)
            except (RewriteError, CaseFileError, OSError) as error:
                self._failed.append(str(error))
            else:
                self._written.append((path, len(proposals)))

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        if not (self._written or self._refused or self._failed):
            return
        terminalreporter.section("sandbox updates")
        start = config.invocation_params.dir
        for path, count in self._written:
            shown = Path(path).relative_to(start) if Path(path).is_relative_to(start) else path
            terminalreporter.write_line(f"updated {shown}: {count} case{'s' if count != 1 else ''}")
        for nodeid, reason in self._refused:
            terminalreporter.write_line(f"not updated {nodeid}: {reason}", yellow=True)
        for text in self._failed:
            terminalreporter.write_line(f"not updated {text}", red=True)
