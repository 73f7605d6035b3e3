"""Hooks that a conftest.py or another plugin may implement."""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goccia_tools import RunResult
    from goccia_tools.cases import Case


@pytest.hookspec
def pytest_sandbox_modify_case(case: Case) -> None:
    """Called for each case when it is collected; may change ``case`` in place (options, seeds, expect, tags …)."""


@pytest.hookspec
def pytest_sandbox_result(item: pytest.Item, result: RunResult) -> None:
    """Called after the run that decides ``item``, whatever came of it."""
