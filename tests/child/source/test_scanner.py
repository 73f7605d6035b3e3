"""Whether a slash divides or starts a regular expression, wherever in a long text it is."""

from __future__ import annotations

import pytest

from .programs import verdict


@pytest.mark.parametrize(
    "text",
    [
        "Math.max((1) / (2));",
        "const half = [4, 2][0] / [2][0];",
        "const ratio = ({ n: 4 }) / 2;",
        "if (0) /x[(]/.test('');",
        "let part = 1; part = part++ / 2;",
        "const quotient = `${1}${2}` / 3;",
        "const named = { if: (n) => n }; named.if(8) / 2;",
        "const empty = {} / 2;",
        "const body = (() => { return /[/]/; })() / 2;",
    ],
)
def test_a_slash_is_read_the_same_at_any_distance_from_the_start(text: str) -> None:
    refused = [count for count in range(200) if verdict(f"{'-' * (count % 2)}0;{'0;' * (count // 2)}{text}")]
    assert refused == []


def test_a_regular_expression_without_an_end_is_refused_where_an_operand_must_be() -> None:
    assert verdict("const r = /abc;\n") == ("/main.js", 1, 16)
    assert verdict("f((1) / (2)) / ;\n") is not None
