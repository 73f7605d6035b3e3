"""Python values as JSON data, and what cannot be said in it."""

from __future__ import annotations

import json
import math

import numpy
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools import OptionError, run
from goccia_tools.magic.values import MAX_SAFE_INTEGER, import_map, plain, value_files

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER) | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)  # fmt: skip


@given(JSON)
def test_json_data_stays_what_it_is(value):
    assert plain(value, "v") == value
    assert json.loads(value_files({"v": value})["/in/v.json"]) == value


def test_tables_are_records_and_arrays_lists():
    frame = pandas.DataFrame({"n": [1, 2], "x": [0.5, math.nan], "t": ["a", None]})
    assert plain(frame, "v") == [{"n": 1, "x": 0.5, "t": "a"}, {"n": 2, "x": None, "t": None}]
    assert plain(pandas.Series([1, 2], name="s"), "v") == [1, 2]
    assert plain(numpy.arange(4).reshape(2, 2), "v") == [[0, 1], [2, 3]]
    assert plain({"a": numpy.float64(0.5), "b": (1, numpy.int32(2))}, "v") == {"a": 0.5, "b": [1, 2]}
    assert plain(pandas.DataFrame({"d": pandas.to_datetime(["2026-01-02"])}), "v") == [{"d": "2026-01-02T00:00:00"}]


def circular():
    value = {}
    value["me"] = value
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "v is a object"),
        ({"a": [1, {2}]}, "v['a'][1] is a set"),
        ({1: 2}, "v has the key 1"),
        ([math.nan], "v[0] is nan"),
        (2**53, "v is 9007199254740992, which JavaScript's numbers cannot hold"),
        (numpy.array([1.0, math.inf]), "v[1] is inf"),
        (b"x", "v is a bytes"),
        (circular(), "v['me'] is inside itself"),
        (pandas.DataFrame([[1, 2]], columns=["a", "a"]), "two columns of one name"),
    ],
)
def test_what_json_cannot_say_is_refused_by_place(value, message):
    with pytest.raises(OptionError) as caught:
        plain(value, "v")
    assert message in str(caught.value)


def test_values_arrive_as_a_module_and_as_files():
    result = run(
        'import all, { a, delete as gone } from "sandbox:in"; import fs from "fs";'
        'console.log(a, gone, all.delete, fs.readFileSync("/in/a.json", "utf8"));',
        seeds=value_files({"a": {"k": [1]}, "delete": "é"}),
        import_map=import_map(None),
    )
    assert result.output == '{ k: [ 1 ] } é é {"k": [1]}\n', result.error_message


def test_an_import_map_of_the_user_stays():
    assert import_map({"imports": {"x": "/y.js"}, "scopes": {}})["imports"]["x"] == "/y.js"
