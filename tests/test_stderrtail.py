"""The end of a stream, within its bytes and as whole characters."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.stderrtail import StderrTail


def tail_of(chunks, limit_bytes):
    tail = StderrTail(limit_bytes)
    for chunk in chunks:
        tail.feed(chunk)
    return tail.text()


@pytest.mark.adr("C56")
@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(4, 60))
def test_the_tail_is_valid_text_within_its_limit(chunks, limit_bytes):
    assert len(tail_of(chunks, limit_bytes).encode()) <= limit_bytes


@pytest.mark.adr("C39", "C56")
@given(st.text(), st.integers(4, 60), st.integers(1, 7))
def test_text_is_cut_between_characters_and_nowhere_else(text, limit_bytes, chunk_bytes):
    data = text.encode()
    tail = tail_of([data[at : at + chunk_bytes] for at in range(0, len(data), chunk_bytes)], limit_bytes)
    assert text.endswith(tail)
    lost = text[: len(text) - len(tail)]
    # nothing that would have fitted was dropped
    assert not lost or len((lost[-1] + tail).encode()) > limit_bytes


def test_bytes_that_are_no_text_show_as_replacement_characters():
    assert tail_of([b"ok \xff\xc3"], 100) == "ok \ufffd\ufffd"


@pytest.mark.adr("C56")
def test_a_flood_costs_little_memory():
    tail = StderrTail()
    chunk = b"x" * 65536
    tracemalloc.start()
    for _ in range(2000):
        tail.feed(chunk)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 200_000
    assert tail.text() == "x" * 8192
