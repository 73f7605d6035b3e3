"""Positions of rewritten texts, and what hostile texts cost."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goccia_tools.child.source import Prepared, SourceError
from goccia_tools.child.source.positions import Lines

from .programs import EVERYTHING, STATEMENTS, ready


@given(text=STATEMENTS)
@settings(max_examples=400, deadline=None)
def test_lines_stay_and_untouched_text_keeps_its_place(text: str) -> None:
    prepared = _ready_or_place(text)
    if isinstance(prepared, tuple):
        assert prepared[0] <= Lines(text).count
        return
    assert prepared.text.count("\n") == text.count("\n")
    for number, (new, old) in enumerate(zip(prepared.text.split("\n"), text.split("\n"), strict=True), 1):
        line, column = prepared.original_position(number, 1)
        assert (line, column) <= (Lines(text).count, 10**6)
        if new == old and "\r" not in text:
            assert (line, column) == (number, 1)


@given(text=st.text(max_size=60))
@settings(max_examples=500, deadline=None)
def test_any_text_is_prepared_or_refused(text: str) -> None:
    prepared = _ready_or_place(text)
    if isinstance(prepared, tuple):
        assert prepared >= (1, 1)
    else:
        assert prepared.text.count("\n") == text.removeprefix("\ufeff").count("\n")


@given(text=st.text(alphabet="\n\r\u2028a\U0001f600 ", max_size=40), offset=st.integers(0, 40))
def test_an_offset_and_its_position_name_each_other(text: str, offset: int) -> None:
    lines = Lines(text)
    at = min(offset, len(text))
    line, column = lines.position(at)
    if not text[max(at - 1, 0) : at].endswith(("\r", "\n", "\u2028")) or column == 1:
        assert lines.position(lines.offset(line, column)) == (line, column)


def test_calls_are_reported_where_the_reference_reports_them() -> None:
    text = 'import { v } from "./m.js"; let n: number = f(1); a?.(2); new K(3); new p.Q(4); t`x`; v(5);'
    prepared = ready(text)

    def site(of: str, callee: str) -> tuple[int, int] | None:
        return prepared.call_site(1, prepared.text.index(of) + 1, callee)

    assert site("f(1)", "f") == (1, text.index("(1)") + 1)
    assert site("a?.(2)", "a") == (1, text.index("?.") + 1)
    assert site("K(3)", "K") == (1, text.index("new K") + 1)
    assert site("t`x`", "t") == (1, text.index("`x`") + 1)
    assert site("(5)", "v") == (1, text.index("(5)") + 1)
    assert site("let n", "get") is None


HOSTILE = [
    "[" * 100_000,
    "(" * 100_000,
    "{" * 100_000,
    "`${" * 50_000,
    "a" + "?.b" * 100_000,
    "a" + " + a" * 100_000,
    "x = " * 50_000 + "1",
    "a ? b : " * 50_000 + "c",
    "<a>" * 50_000,
    "f(() => {" * 20_000,
    "/" * 100_000,
    "x = function () {} / 1;\n" * 10_000,
    "if (a) " * 50_000,
    "!" * 100_000,
    "(a, " * 50_000,
    "({ a: " * 20_000,
    "match (" * 20_000,
    "/*" * 100_000,
    "\\u{" * 50_000,
    "let a: " + "<" * 100_000,
    "async (" * 20_000,
    "label: " * 20_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_a_hostile_text_ends_in_bounded_time(text: str) -> None:
    start = time.perf_counter()
    _ready_or_place(text)
    assert time.perf_counter() - start < 20


def _ready_or_place(text: str) -> Prepared | tuple[int, int]:
    try:
        return ready(text, *EVERYTHING)
    except SourceError as problem:
        return problem.line, problem.column
