"""SandboxSession: what all sandbox tests of a test run share, made when the first one is collected."""

from __future__ import annotations

from collections.abc import Generator
from functools import cached_property
from typing import Any

import pytest

from goccia_tools.cases.attributes import skip_reason
from goccia_tools.cases.case import Case
from goccia_tools.cases.conditions import evaluate, facts
from goccia_tools.cases.proposal import Proposal, Refusal, propose
from goccia_tools.cases.verdict import Verdict

from .failure import HostFault
from .settings import make_runner, read_settings

_KEY = pytest.StashKey["SandboxSession"]()


class SandboxSession:
    """Settings, the one Runner, and hooks that only matter once there is a sandbox test."""

    def __init__(self, config: pytest.Config) -> None:
        self.settings = read_settings(config)
        self._update: str | None = config.getoption("sandbox_update_mode", default=None)
        self._runner: Any = None
        self._second_runner: Any = None
        self._runners: dict[tuple[Any, ...], Any] = {}

    @property
    def runner(self) -> Any:
        """The Runner, made when it is first needed."""
        if self._runner is None:
            self._runner = make_runner(self.settings)
        return self._runner

    def runner_of(self, **chosen: Any) -> Any:
        """A Runner for other settings than those of the test run, kept for the next who asks for the same."""
        from goccia_tools import Runner

        key = tuple(chosen.values())
        if key not in self._runners:
            self._runners[key] = Runner(**chosen)
        return self._runners[key]

    @property
    def second_runner(self) -> Any:
        """The Runner that every case is compared with, made when it is first needed."""
        if self._second_runner is None:
            from goccia_tools import Runner

            self._second_runner = Runner(**{**self.settings.runner, "engine": "goccia"})
        return self._second_runner

    def runs_on_the_second(self, case: Case) -> bool:
        """Whether both engines are asked for and the case is not skipped on the other one."""
        if not self.settings.compares:
            return False
        there = facts("goccia")
        return all(skip_reason(skip, there) is None for skip in case.skip)

    def must_pass_on_the_second(self, case: Case) -> bool:
        """Whether the case is not expected to fail there."""
        xfail = case.xfail
        return xfail is None or not (xfail.condition is None or evaluate(xfail.condition, facts("goccia")))

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What conditions of skip and xfail are about."""
        return facts("quickjs" if self.settings.compares else self.settings.runner.get("engine", "quickjs"))

    def holds(self, condition: str) -> bool:
        """Whether a condition is true here."""
        return evaluate(condition, self.facts)

    def proposal(self, verdict: Verdict) -> Proposal | Refusal | None:
        """How the front matter is to be rewritten, when the run was asked to rewrite."""
        if self._update is None:
            return None
        return propose(verdict, only_new=self._update == "new")

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()
            self._runner = None
        if self._second_runner is not None:
            self._second_runner.close()
            self._second_runner = None
        for runner in self._runners.values():
            runner.close()
        self._runners.clear()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report: Any = yield
        if call.when == "call":
            if call.excinfo is not None and isinstance(call.excinfo.value, HostFault) and report.failed:
                report.when = "setup"  # an error, not a failure of the test
            proposal = getattr(item, "proposal", None)
            if proposal is not None:
                report.sandbox_update = _plain(item, proposal)
        return report

    def pytest_unconfigure(self) -> None:
        self.close()


def _plain(item: Any, proposal: Proposal | Refusal) -> dict[str, Any]:
    where = {"path": str(item.case.path), "checksum": item.case.checksum}
    if isinstance(proposal, Refusal):
        return {**where, "refused": proposal.reason}
    return {**where, "proposal": proposal.to_plain()}


def sandbox_session(config: pytest.Config) -> SandboxSession:
    """The one of this test run."""
    session = config.stash.get(_KEY, None)
    if session is None:
        session = config.stash[_KEY] = SandboxSession(config)
        config.pluginmanager.register(session, "sandbox-session")
    return session
