import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.display import EXIT_STATUS, facts, number_text, report_text, value_text, verdict_text
from goccia_tools.result import FailureKind, RunResult

REPORT = """TypeError: x is not a function
  Suggestion: call something else
  --> /main.js:2:4
   1 | const x = 1;
   2 | x.y();
     |    ^"""


def failed(kind=FailureKind.SCRIPT_ERROR, **fields) -> RunResult:
    return RunResult(ok=False, exit_code=1, failure_kind=kind, duration_ms=31.4, **fields)


def well(**fields) -> RunResult:
    return RunResult(ok=True, exit_code=0, failure_kind=FailureKind.NONE, duration_ms=12.6, **fields)


class TestFacts:
    def test_success(self):
        diff = json.dumps({"changes": [{"kind": "create", "path": "/a", "oldBytes": 0, "newBytes": 1}]})
        known = facts(well(output="hi\n", result_value=3, diff_requested=True, diff=diff), "/main.js")
        assert known.verdict == "ok: /main.js ran in 13 ms, 1 file change"
        assert (known.report, known.output, known.value, known.changes[0].path) == ("", "hi\n", "3", "/a")

    def test_failure_shows_the_report_once(self):
        known = facts(failed(error_message=REPORT, error_output=REPORT + "\n"), "/main.js")
        assert known.report == REPORT
        assert known.verdict == "script-error: /main.js failed after 31 ms"

    def test_a_synthesised_failure_shows_its_message(self):
        message = "execution deadline exceeded; child hard-killed after 6000ms"
        known = facts(failed(FailureKind.CHILD_PROCESS_CRASH, error_message=message), "/main.js")
        assert known.report == message
        assert known.verdict.startswith("child-process-crash: ")

    def test_truncation_is_said(self):
        assert "too large" in facts(well(truncated=True, notes=("n",)), "/main.js").notes[0]

    def test_every_kind_has_its_status(self):
        assert sorted(EXIT_STATUS.values()) == [0, 1, 3, 4, 5, 6]
        assert set(EXIT_STATUS) == set(FailureKind)


class TestTerminal:
    def test_without_color_the_report_is_exact(self):
        assert report_text(facts(failed(error_message="E: \x1b[2J"), "/m"), color=False) == "E: \x1b[2J"

    def test_with_color_it_is_the_same_text_between_our_own_escapes(self):
        shown = report_text(facts(failed(error_message=REPORT), "/m"), color=True)
        assert re.sub(r"\x1b\[\d+m", "", shown) == REPORT
        assert all(line.count("\x1b[0m") for line in shown.split("\n") if "\x1b[" in line)

    @given(st.text())
    def test_a_guest_cannot_send_escapes_to_the_terminal(self, text):
        shown = re.sub(r"\x1b\[\d+m", "", report_text(facts(failed(error_message=text), "/m"), color=True))
        assert all(char.isprintable() or char in "\n\t" for char in shown)
        assert facts(well(), text).verdict.isprintable()

    def test_the_verdict_is_colored_by_kind(self):
        assert "\x1b[32mok\x1b[0m" in verdict_text(facts(well(), "/m"), color=True)
        assert "\x1b[31mscript-error\x1b[0m" in verdict_text(facts(failed(), "/m"), color=True)


class TestValues:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (None, None),
            ("text", "text"),
            (True, "true"),
            (False, "false"),
            (42, "42"),
            (-1.5, "-1.5"),
            ([1, "a", None], '[1,"a",null]'),
            ({"a": {"b": 0.1}}, '{"a":{"b":0.1}}'),
        ],
    )
    def test_value(self, value, text):
        assert value_text(value) == text

    @pytest.mark.parametrize(
        ("number", "text"),
        [
            (0.0, "0"),
            (-0.0, "0"),
            (5.0, "5"),
            (0.1, "0.1"),
            (-0.000001, "-0.000001"),
            (1e-7, "1e-7"),
            (1.25e-9, "1.25e-9"),
            (123456789012345680000.0, "123456789012345680000"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (-1.5e300, "-1.5e+300"),
            (5e-324, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (4294967296.5, "4294967296.5"),
        ],
    )
    def test_numbers_are_written_as_javascript_writes_them(self, number, text):
        assert number_text(number) == text

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_number_text_keeps_the_number(self, number):
        assert float(number_text(number)) == number
