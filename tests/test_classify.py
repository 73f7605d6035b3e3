"""The table of evidence: every outcome with every ending is one run-result, and the right one."""

import itertools

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools import FailureKind
from goccia_tools.classify import classify
from goccia_tools.observation import (
    Answer,
    Exited,
    Fault,
    Killed,
    NeverStarted,
    Observation,
    Overdue,
    Oversize,
    Signalled,
    Silence,
    Unread,
    Unwaited,
)

GOOD = {
    "type": "run-result",
    "v": 1,
    "ok": True,
    "exitCode": 0,
    "failureKind": "none",
    "errorMessage": "",
    "output": "out",
    "errorOutput": "err",
    "resultValue": {"a": [1]},
    "diffRequested": True,
    "diff": '{"changes":[]}',
    "truncated": False,
}
ENDINGS = [Exited(0), Exited(3), Signalled(11), Signalled(9), Killed(), Unwaited("somebody reaped it")]


def answer(**changes):
    return Answer(orjson.dumps({**GOOD, **changes}))


@pytest.mark.adr("C54", "C55")
@pytest.mark.parametrize("ending", ENDINGS, ids=repr)
def test_a_trusted_result_outranks_every_ending(ending):
    result = classify(Observation(answer(), ending, "noise on stderr"))
    assert result.to_wire() == GOOD
    # the ending is worth a note when it is not the normal one
    assert bool(result.notes) is (ending != Exited(0))


@pytest.mark.adr("C55")
def test_a_failed_wait_after_a_trusted_result_is_noted_and_changes_nothing():
    result = classify(Observation(answer(), Unwaited("somebody reaped it")))
    assert result.failure_kind is FailureKind.NONE
    assert result.notes == ("waiting for the child failed: somebody reaped it",)


@pytest.mark.adr("C16", "C51")
def test_a_fault_of_the_parent_is_a_note_beside_a_trusted_result_and_a_host_error_without_one():
    faulty = Answer(orjson.dumps(GOOD), faults=("writing the request failed: Input/output error",))
    assert classify(Observation(faulty, Exited(0))).ok
    assert classify(Observation(faulty, Exited(0))).notes == ("writing the request failed: Input/output error",)
    for ending in [*ENDINGS, NeverStarted()]:
        result = classify(Observation(Fault("writing the request failed"), ending))
        assert result.failure_kind is FailureKind.HOST_ERROR
        assert result.error_message == "writing the request failed"


@pytest.mark.adr("C48", "C49", "C57")
@pytest.mark.parametrize(
    ("silence", "ending", "message"),
    [
        (Silence(0, None), Exited(0), "the child exited with status 0; no result had come"),
        (Silence(3, None), Exited(1), "exited with status 1; only 3 of 4 bytes of the length of its result had come"),
        (Silence(4, 9), Signalled(11), "signal 11 (SIGSEGV); only 0 of 9 bytes of its result had come"),
        (Silence(6, 9), Signalled(99), "ended by signal 99; only 2 of 9 bytes"),
        (Silence(0, None), Killed(), "closed its output and lived on; no result had come; child hard-killed"),
    ],
)
def test_no_whole_frame_is_a_crash_with_its_cause(silence, ending, message):
    result = classify(Observation(silence, ending, "last words\n"))
    assert result.failure_kind is FailureKind.CHILD_PROCESS_CRASH
    assert message in result.error_message
    assert result.error_message.endswith("\nstderr of the child:\nlast words")


@pytest.mark.adr("C51")
def test_silence_with_a_failed_wait_is_nobodys_outcome():
    result = classify(Observation(Silence(0, None), Unwaited("somebody reaped it")))
    assert result.failure_kind is FailureKind.HOST_ERROR
    assert result.error_message == "waiting for the child failed: somebody reaped it; no result had come"


@pytest.mark.adr("C50")
def test_the_deadline_has_the_words_of_the_protocol():
    result = classify(Observation(Overdue(6000), Killed()))
    assert result.failure_kind is FailureKind.CHILD_PROCESS_CRASH
    assert result.error_message == "execution deadline exceeded; child hard-killed after 6000ms"


@pytest.mark.adr("C42")
@pytest.mark.parametrize("requested", [True, False])
@pytest.mark.parametrize(
    "outcome", [Silence(0, None), Oversize(2**32 - 1), Overdue(1), Unread(1), Fault("x"), Answer(b"?")], ids=repr
)
def test_a_made_up_result_tells_whether_a_diff_was_asked_for(outcome, requested):
    result = classify(Observation(outcome, Killed()), diff_requested=requested)
    assert (result.ok, result.exit_code, result.output, result.diff) == (False, 1, "", None)
    assert result.diff_requested is requested


@pytest.mark.adr("C20")
@given(st.integers() | st.floats(allow_nan=False) | st.text() | st.booleans() | st.none())
def test_any_other_version_is_a_host_error(version):
    try:
        message = orjson.dumps({**GOOD, "v": version})
    except TypeError:  # beyond 64 bits
        return
    result = classify(Observation(Answer(message), Exited(0)))
    expected = FailureKind.NONE if type(version) is int and version == 1 else FailureKind.HOST_ERROR
    assert result.failure_kind is expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.adr("C31", "C32")
@given(st.sampled_from(sorted(GOOD)), json_values)
def test_a_wrong_member_never_becomes_a_success_or_an_exception(member, value):
    result = classify(Observation(answer(**{member: value}), Exited(0)))
    same_type = type(value) is type(GOOD[member]) or (member == "diff" and value is None) or member == "resultValue"
    if not same_type:
        assert result.failure_kind is (FailureKind.HOST_ERROR if member == "v" else FailureKind.CHILD_PROCESS_CRASH)


@given(st.binary(max_size=200))
def test_no_payload_whatever_raises(payload):
    result = classify(Observation(Answer(payload), Exited(0)))
    assert result.failure_kind in (FailureKind.CHILD_PROCESS_CRASH, FailureKind.HOST_ERROR)


@pytest.mark.adr("C41")
@pytest.mark.parametrize("kind", ["none", "script-error", "resource-limit", "timeout", "host-error"])
def test_a_reduced_result_keeps_its_outcome(kind):
    ok = kind == "none"
    reduced = answer(
        ok=ok, exitCode=0 if ok else 1, failureKind=kind, diff=None, resultValue=None, truncated=True, errorMessage="x"
    )
    result = classify(Observation(reduced, Exited(0)))
    assert (result.failure_kind, result.ok, result.truncated) == (FailureKind(kind), ok, True)


def test_every_pair_of_outcome_and_ending_has_an_answer():
    outcomes = [answer(), Answer(b"?"), Silence(0, None), Oversize(2**32), Overdue(1), Unread(1), Fault("x")]
    for outcome, ending in itertools.product(outcomes, [*ENDINGS, NeverStarted()]):
        result = classify(Observation(outcome, ending, "tail"))
        assert result.ok is (result.failure_kind is FailureKind.NONE)
        assert result.ok or result.error_message
