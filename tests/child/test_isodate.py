"""Which ISO-looking strings are dates to the reference."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.child.isodate import iso_date


@pytest.mark.parametrize(
    "text",
    [
        "2024-02",
        "2024-02-29",
        "2024-02-29T12:00",
        "2024-02-29T12:00:00Z",
        "2024-02-29T12:00:00.500",
        "2024-02-29T12:00:00+05:30",
        "2024-02-29T24:00:00Z",
    ],
)
def test_strict_dates_are_kept(text: str) -> None:
    assert iso_date(text) == text


def test_letters_may_be_small() -> None:
    assert iso_date("2024-02-29t12:00:00z") == "2024-02-29T12:00:00Z"


@pytest.mark.parametrize(
    "text",
    [
        "2024-2-9",
        "2023-02-29",
        "2024-13-01",
        "2024-02-29 12:00:00",
        "2024-02-29T12",
        "2024-02-29T25:00",
        "2024-02-29T12:00:00.5Z",
        "2024-02-29T12:00:00+0530",
        "2024-02-29T12:00:60Z",
    ],
)
def test_others_that_begin_so_are_invalid(text: str) -> None:
    assert iso_date(text) == "invalid"


@pytest.mark.parametrize("text", ["", "2024", "Feb 29 2024", "2024/02/29", "12:00"])
def test_the_rest_is_left_to_the_engine(text: str) -> None:
    assert iso_date(text) is None


@given(st.datetimes(min_value=datetime.datetime(1, 1, 1)))
def test_every_moment_in_the_standard_form_is_one(moment: datetime.datetime) -> None:
    text = moment.isoformat(timespec="milliseconds") + "Z"
    assert iso_date(text) == text
