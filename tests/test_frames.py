"""One frame, whichever way its bytes come."""

import itertools

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.frames import MAX_FRAME_BYTES, FrameDecoder, FrameError, frame_prefix

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


def chunks_of(data, cuts):
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def decode(chunks):
    decoder = FrameDecoder()
    for chunk in chunks:
        decoder.feed(chunk)
    return decoder


@pytest.mark.adr("C10", "C11")
@given(json_values)
def test_any_json_value_survives_a_frame(value):
    payload = orjson.dumps(value)
    decoder = decode([frame_prefix(len(payload)) + payload])
    assert orjson.loads(decoder.payload) == value
    assert decoder.surplus_bytes == 0


@pytest.mark.adr("C14")
@given(st.binary(max_size=300), st.binary(max_size=20), st.lists(st.integers(0, 400), max_size=20))
def test_any_chunking_decodes_the_same(payload, surplus, cuts):
    stream = frame_prefix(len(payload)) + payload + surplus
    decoder = decode(chunks_of(stream, cuts))
    assert decoder.payload == payload
    assert decoder.surplus_bytes == len(surplus)
    assert decoder.received_bytes == 4 + len(payload)


@given(st.binary(min_size=1, max_size=300), st.data())
def test_a_frame_cut_short_is_no_frame(payload, data):
    stream = frame_prefix(len(payload)) + payload
    cut = data.draw(st.integers(0, len(stream) - 1))
    decoder = decode([stream[:cut]])
    assert decoder.payload is None
    assert decoder.received_bytes == cut
    assert decoder.declared_bytes == (len(payload) if cut >= 4 else None)


@pytest.mark.adr("C10")
def test_the_prefix_counts_the_payload_alone_big_endian():
    assert frame_prefix(0) == b"\0\0\0\0"
    assert frame_prefix(258) == b"\0\0\1\2"
    assert frame_prefix(MAX_FRAME_BYTES) == b"\4\0\0\0"


@pytest.mark.adr("C12", "C13")
def test_one_byte_over_the_limit_is_refused_both_ways():
    with pytest.raises(FrameError) as refused:
        frame_prefix(MAX_FRAME_BYTES + 1)
    assert refused.value.length_bytes == MAX_FRAME_BYTES + 1
    with pytest.raises(FrameError):
        FrameDecoder().feed((MAX_FRAME_BYTES + 1).to_bytes(4, "big"))
    FrameDecoder().feed(MAX_FRAME_BYTES.to_bytes(4, "big"))


@given(st.integers(MAX_FRAME_BYTES + 1, 2**32 - 1), st.integers(1, 3))
def test_an_oversize_length_is_refused_however_it_is_cut(length, cut):
    prefix = length.to_bytes(4, "big")
    decoder = FrameDecoder()
    decoder.feed(prefix[:cut])
    with pytest.raises(FrameError) as refused:
        decoder.feed(prefix[cut:])
    assert refused.value.length_bytes == length
