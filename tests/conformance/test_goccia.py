"""Each recorded program on the goccia engine: all of them on the real runner, and a share on a stand-in for it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from goccia_tools import Runner

from .corpus import HERE, Case, failures, load
from .test_conformance import UNMET as UNMET_EMBEDDED

CASES = load()
UNMET: dict[str, str] = tomllib.loads((HERE / "unmet_goccia.toml").read_text(encoding="utf-8"))
REAL = os.environ.get("GOCCIA_SANDBOX_RUNNER", "")
#: the ceiling that the records were made under, where a case names none
RECORDED_MEMORY_BYTES = 8 * 1024**3
#: a start of the stand-in is a start of Python
SHARE = 6


def wire(case: Case) -> dict[str, Any]:
    request = case.wire()
    if "maxMemoryBytes" not in case.request.get("engine", {}):
        request["engine"]["maxMemoryBytes"] = RECORDED_MEMORY_BYTES
    return request


@pytest.fixture(scope="module", params=["spawn", "fork-server"])
def real(request: pytest.FixtureRequest) -> Iterator[Runner]:
    with Runner(engine="goccia", runner_path=REAL, launcher=request.param) as shared:
        yield shared


@pytest.fixture(scope="module")
def standin(standin_runner: str) -> Iterator[Runner]:
    with Runner(engine="goccia", runner_path=standin_runner) as shared:
        yield shared


def check(case: Case, request: dict[str, Any], runner: Runner, unmet: dict[str, str]) -> None:
    result = runner.run_request(request)
    differences = failures(case, result.to_wire())
    if case.id in unmet:
        assert differences, f"{case.id} is met now: take it out of the list"
        return
    text = "\n".join(f"{item.name}\n  recorded {item.expected!r}\n  got      {item.got!r}" for item in differences)
    assert not differences, f"{case.id} ({case.notes})\n{text}\nreport:\n{result.error_message}"


@pytest.mark.skipif(not REAL, reason="GOCCIA_SANDBOX_RUNNER names no real runner")
@pytest.mark.parametrize("case", CASES if REAL else CASES[:1], ids=lambda case: case.id)
def test_case_on_the_real_runner(case: Case, real: Runner) -> None:
    check(case, wire(case), real, UNMET)


@pytest.mark.parametrize("case", CASES[::SHARE], ids=lambda case: case.id)
def test_case_on_a_stand_in(case: Case, standin: Runner) -> None:
    check(case, case.wire(), standin, UNMET_EMBEDDED)


def test_unmet_names_only_cases_that_the_embedded_engine_decides_alike() -> None:
    assert set(UNMET) <= set(UNMET_EMBEDDED)
    assert all(UNMET[name] == UNMET_EMBEDDED[name] for name in UNMET)
