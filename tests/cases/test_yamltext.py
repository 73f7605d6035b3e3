"""YAML 1.2 as it is read here: its core schema, places, and sentences for what is wrong."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from goccia_tools.cases.emit import yaml_value
from goccia_tools.cases.yamltext import YamlError, parse_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("yes", "yes"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("null", None),
        ("010", 10),
        ("0o10", 8),
        ("0xff", 255),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2001-12-14", "2001-12-14"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.inf", -math.inf),
        ("'6'", "6"),
        ("!!str 6", "6"),
        ("[1, a, {b: 2}]", [1, "a", {"b": 2}]),
        ("{1: a, true: b}", {"1": "a", "true": "b"}),
        ("&x a", "a"),
        ('"\\/\\u00e9"', "/é"),
    ],
)
def test_values_of_the_core_schema(text, value):
    assert parse_yaml(text).data == value


def test_nan_is_a_number():
    assert math.isnan(parse_yaml(".nan").data)


def test_aliases_stand_for_what_they_name():
    assert parse_yaml("a: &x [1]\nb: *x\n").data == {"a": [1], "b": [1]}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: [1\n", 3, "expected ',' or ']'"),
        ("a:\n\tb: 1", 2, "a tab cannot indent"),
        ("a: 1\na: 2", 2, 'the key "a" stands here twice'),
        ("a: b: c", 1, 'text that holds ": " needs quotes'),
        ("a: 1\nb: @x", 2, 'text that begins with "@" needs quotes'),
        ("a: *x", 1, "undefined alias"),
        ("a: &x [*x]", 1, "contains it"),
        ("a: !!js/function x", 1, "the tag !!js/function has no meaning"),
        ("? [a]\n: 1", 1, "a key must be text"),
        ("a: 1\n---\nb: 2", 2, "document"),
        ("a: 1\nb: \x01", 2, "U+0001 must be written as an escape"),
        ("a: " + "9" * 5000, 1, "not a number that can be read"),
        ("[" * 5000, None, ""),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text, line, words):
    with pytest.raises(YamlError) as caught:
        parse_yaml(text)
    assert words in str(caught.value)
    assert line is None or caught.value.line == line


def test_lines_of_keys_and_items():
    tree = parse_yaml("a: 1\nb:\n  - x\n  - c: 2\n    d: 3\n")
    paths = [("a",), ("b",), ("b", 0), ("b", 1), ("b", 1, "d"), ("b", 1, "missing"), ("nothing",)]
    assert [tree.line(path) for path in paths] == [1, 2, 3, 4, 5, 4, 1]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=10,
)  # fmt: skip


@given(JSON)
def test_what_is_written_is_read_back(value):
    text = yaml_value(value)
    assert "*/" not in text
    assert "\n" not in text
    assert parse_yaml(f"key: {text}").data == {"key": value}


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_block_of_text_is_read_back(value):
    assert parse_yaml(f"a:\n  key: {yaml_value(value, indent=4)}\nb: 1").data == {"a": {"key": value}, "b": 1}


def with_keys_of_text(value):
    """A plain key is always text here, but not for ruamel."""
    if isinstance(value, dict):
        return {f"key {key}": with_keys_of_text(item) for key, item in value.items()}
    return [with_keys_of_text(item) for item in value] if isinstance(value, list) else value


@given(JSON)
def test_the_fast_reader_agrees_with_ruamel(value):
    text = f"key: {yaml_value(with_keys_of_text(value))}\n"
    assert parse_yaml(text).data == YAML(typ="safe", pure=True).load(text)
