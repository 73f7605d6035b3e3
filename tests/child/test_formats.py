"""Data files as modules: their exports, in order, and a sentence for what is malformed."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.child.engines._quickjs.binding import Context
from goccia_tools.child.formats import FormatError, exports_of, kind_of, literal, newlines, text_metadata


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("json5", "{ k: 'five', /* c */ n: +1, }", [("k", "five"), ("n", 1)]),
        ("json5", "[1]", [("0", 1), ("length", 1)]),
        ("toml", 'title = "tom"\n[a]\nb = 1', [("title", "tom"), ("a", {"b": 1})]),
        ("yaml", "name: yam\nlist: [no, 0o17, 1.5]", [("name", "yam"), ("list", ["no", 15, 1.5])]),
        ("yaml", "- a\n- b", [("0", "a"), ("1", "b"), ("length", 2)]),
        ("yaml", "a: 1\n---\nb: 2", [("0", {"a": 1}), ("1", {"b": 2})]),
        ("csv", "a,b\r\n1,x\n2,", [("0", {"a": "1", "b": "x"}), ("1", {"a": "2", "b": ""})]),
        ("csv", "", []),
        ("csv", 'a\r\n"x\r\ny"\r\n\r\n', [("0", {"a": "x\r\ny"}), ("1", {"a": ""})]),
        ("csv", 'a\n"q ""x"" , y"', [("0", {"a": 'q "x" , y'})]),
        ("tsv", "a\tb\n1\tx", [("0", {"a": "1", "b": "x"})]),
        ("jsonl", '{"n":1}\n\n{"n":2}\n', [("0", {"n": 1}), ("1", {"n": 2})]),
    ],
)
def test_exports(kind: str, text: str, expected: object) -> None:
    assert exports_of(kind, text, "/file") == expected


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("json5", "{ a: }"),
        ("toml", "a = "),
        ("yaml", "a: [1"),
        ("jsonl", "{"),
        ("csv", 'a\n"open'),
        ("json5", "[" * 100000),
    ],
)
def test_a_malformed_file_is_named(kind: str, text: str) -> None:
    with pytest.raises(FormatError, match=r'Failed to parse \w+ module "/d/x"'):
        exports_of(kind, text, "/d/x")


def test_dates_are_text() -> None:
    assert exports_of("yaml", "d: 2001-12-14", "/x") == [("d", "2001-12-14")]
    ((_, value),) = exports_of("toml", "d = 1979-05-27", "/x")
    assert literal(value) == '"1979-05-27"'


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(value=PLAIN)
def test_a_literal_says_the_value(library, value: object) -> None:
    from goccia_tools.child.engines._quickjs.binding import Runtime

    runtime = Runtime(library)
    try:
        context: Context = runtime.new_context()
        text = context.call(context.eval_script(f"() => JSON.stringify({literal(value)})", "/t.js"))
    finally:
        runtime.close()
    assert json.loads(text, parse_int=float) == _as_json(value)


def _as_json(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value) if abs(value) < 10**300 else None
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {_as_json(key): _as_json(item) for key, item in value.items()}
    return value


def test_a_proto_key_is_a_key() -> None:
    assert literal({"__proto__": 1}) == '{["__proto__"]: (1)}'


def test_kinds_by_extension() -> None:
    assert [kind_of(f"/a{ending}") for ending in (".js", ".mts", ".json", ".yml", ".jsonc", ".md", ".png", "")] == [
        "script",
        "script",
        "json",
        "yaml",
        "json5",
        "text",
        "script",
        "script",
    ]


def test_text_files() -> None:
    assert newlines("a\r\nb\rc") == "a\nb\nc"
    assert text_metadata("/d/Note.TXT", b"abc") == {
        "kind": "text",
        "path": "/d/Note.TXT",
        "fileName": "Note.TXT",
        "extension": ".TXT",
        "byteLength": 3,
    }
