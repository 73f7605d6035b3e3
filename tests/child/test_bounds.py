"""Bounds: every cut is valid UTF-8 within its limit, and every frame fits and parses."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.child.bounds import MEMORY_FRAMES, BoundedText, RunResultFields, cut, result_frame
from goccia_tools.child.jsontext import JsonError, dumps, loads
from goccia_tools.frames import MAX_FRAME_BYTES, FrameDecoder
from goccia_tools.messages import read_result

ANY_TEXT = st.text(alphabet=st.characters(codec=None, categories=None))


def parse(frame: bytes) -> dict[str, object]:
    decoder = FrameDecoder()
    decoder.feed(frame)
    assert decoder.payload is not None
    assert decoder.surplus_bytes == 0
    return read_result(json.loads(decoder.payload.decode("utf-8")))


@pytest.mark.adr("C39")
@given(ANY_TEXT, st.integers(64, 200))
def test_a_cut_is_within_its_limit(text: str, limit: int) -> None:
    got = cut(text, limit).encode("utf-8")
    assert len(got) <= limit
    clean = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if len(clean.encode()) <= limit:
        assert got.decode() == clean
    else:
        assert got.decode().endswith(" bytes]")


@pytest.mark.adr("C36")
@given(st.lists(ANY_TEXT), st.integers(64, 200))
def test_bounded_text_equals_one_cut(parts: list[str], limit: int) -> None:
    bounded = BoundedText(limit)
    for part in parts:
        bounded.add(part)
    clean = "".join(p.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for p in parts)
    assert bounded.text() == cut(clean, limit)


def test_the_marker_says_how_much_is_gone() -> None:
    bounded = BoundedText(100)
    bounded.add("é" * 100)
    kept = bounded.text().partition("…")[0]
    assert bounded.text() == f"{kept}… [truncated {200 - len(kept.encode())} bytes]"


@pytest.mark.adr("C38")
def test_a_large_value_triggers_the_fallback_and_the_run_stays_ok() -> None:
    big = '"' + "x" * (17 * 1024 * 1024) + '"'
    result = parse(result_frame(RunResultFields(value_json=big, diff_requested=True, diff="{}")))
    assert (result["ok"], result["resultValue"], result["diff"], result["truncated"]) == (True, None, None, True)
    assert result["diffRequested"] is True


@pytest.mark.adr("C40")
def test_a_frame_that_escaping_makes_too_large_still_fits() -> None:
    fields = RunResultFields(
        "script-error",
        error_message="\x01" * 200_000,
        output="\x01" * (5 * 1024 * 1024),
        error_output="\x02" * (5 * 1024 * 1024),
        diff_requested=True,
        diff="\x01" * (24 * 1024 * 1024),
    )
    frame = result_frame(fields)
    assert len(frame) <= MAX_FRAME_BYTES
    result = parse(frame)
    assert (result["failureKind"], result["truncated"], result["diff"]) == ("script-error", True, None)
    assert str(result["errorMessage"]).endswith(" bytes]")


@pytest.mark.adr("C37", "C42")
def test_an_ordinary_frame_is_not_truncated() -> None:
    result = parse(result_frame(RunResultFields(output="a\n", value_json="[1,null]", diff_requested=True, diff="")))
    assert (result["truncated"], result["diff"], result["diffRequested"]) == (False, "", True)
    assert parse(result_frame(RunResultFields()))["diffRequested"] is False


def test_the_prebuilt_frame_is_a_result() -> None:
    for wanted, frame in MEMORY_FRAMES.items():
        assert (parse(frame)["failureKind"], parse(frame)["diffRequested"]) == ("resource-limit", wanted)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_json_round_trip(value: object) -> None:
    assert loads(dumps(value).encode("utf-8")) == value


@pytest.mark.parametrize(
    "text", [b"", b"NaN", b"[Infinity]", b"[1,", b"\xff", b"{}x", b"\xef\xbb\xbf{}", b"{'a':1}", b"[" * 100_000]
)
def test_what_is_not_json_is_refused(text: bytes) -> None:
    with pytest.raises(JsonError):
        loads(text)


def test_nan_is_never_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps([float("nan")])
