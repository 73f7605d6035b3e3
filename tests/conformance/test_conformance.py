"""Each recorded program gives the reference's run-result, but for the cases of ``unmet.toml`` with their reasons."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest

from goccia_tools import Runner

from .corpus import HERE, Case, failures, load, parse_error

CASES = load()
UNMET: dict[str, str] = tomllib.loads((HERE / "unmet.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=["spawn", "fork-server"])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    """Every way of making children, confined as far as the operating system can."""
    with Runner(launcher=request.param, jail="required") as shared:
        yield shared


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case, runner: Runner, record_property: pytest.RecordProperty) -> None:
    result = runner.run_request(case.wire())
    differences = failures(case, result.to_wire())
    record_property("conformance_case", case.id)
    record_property("conformance_topic", case.topic)
    record_property("conformance_parity", "required" if case.required else "engine-specific")
    record_property("conformance_met", not differences)
    if case.id in UNMET:
        assert differences, f"{case.id} is met now: take it out of unmet.toml"
        return
    text = "\n".join(f"{item.name}\n  recorded {item.expected!r}\n  got      {item.got!r}" for item in differences)
    assert not differences, f"{case.id} ({case.notes})\n{text}\nreport:\n{result.error_message}"


def test_unmet_names_only_cases_and_gives_reasons() -> None:
    known = {case.id for case in CASES}
    assert set(UNMET) <= known
    assert all(len(reason) > 20 for reason in UNMET.values())


def test_reports_are_parsed_as_the_corpus_does() -> None:
    located = "TypeError: no\n  --> /main.js:2:5\n   1 | a\n   2 | b()\n     |     ^\n"
    assert parse_error(located) == {"name": "TypeError", "message": "no", "path": "/main.js", "line": 2, "column": 5}
    stack = "Error: x\n    at f (/main.js:3:7)\n"
    assert parse_error(stack) == {"name": "Error", "message": "x", "path": "/main.js", "line": 3, "column": 7}
    assert parse_error("") is None
