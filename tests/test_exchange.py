"""The conversation itself: its one deadline, signals, and every fault the parent's own side can have."""

import os
import signal
import sys
import threading
import time

import orjson
import psutil
import pytest

from goccia_tools.exchange import Stopped, Timing, exchange
from goccia_tools.launch.posix import SpawnedChild
from goccia_tools.observation import Answer, Exited, Fault, Killed, Overdue, Signalled, Silence, Unread, Unwaited

READ = """
import os, sys, time
def read(count):
    data = bytearray()
    while len(data) < count:
        part = os.read(0, count - len(data))
        if not part:
            os._exit(90)
        data += part
    return data
def request():
    return bytes(read(int.from_bytes(read(4), "big")))
def answer(data=b"{}"):
    data = memoryview(len(data).to_bytes(4, "big") + data)
    while data:
        data = data[os.write(1, data):]
"""


def child(code, *, reads_first=False):
    return SpawnedChild([sys.executable, "-I", "-S", "-c", READ + code], reads_first=reads_first)


@pytest.fixture(autouse=True)
def nothing_is_left():
    descriptors, children = set(os.listdir("/proc/self/fd")), psutil.Process().children()
    yield
    assert set(os.listdir("/proc/self/fd")) == descriptors
    assert psutil.Process().children() == children


def test_the_payload_goes_out_and_the_answer_comes_back():
    observation = exchange(child("answer(request())"), b'{"x":1}', Timing(5000))
    assert (observation.outcome.payload, observation.ending) == (b'{"x":1}', Exited(0))


@pytest.mark.adr("C53")
def test_a_slow_start_is_not_taken_out_of_the_programs_time():
    # the child's first read tells that it has started; it takes far longer to get there than its program may run
    slow = child("time.sleep(1); request(); answer()", reads_first=True)
    assert isinstance(exchange(slow, b"{}", Timing(100, grace_ms=200)).outcome, Answer)


@pytest.mark.adr("C53")
def test_a_start_that_never_ends_has_a_limit_of_its_own():
    observation = exchange(child("time.sleep(60)", reads_first=True), b"{}", Timing(5000, start_up_ms=300))
    assert observation.outcome == Unread(300)
    assert observation.ending == Killed()


@pytest.mark.adr("C50", "C53")
def test_the_deadline_is_the_sum_of_time_and_grace():
    started = time.monotonic()
    observation = exchange(child("request(); time.sleep(60)"), b"{}", Timing(300, grace_ms=200))
    assert observation.outcome == Overdue(500)
    assert 0.5 <= time.monotonic() - started < 3


@pytest.mark.adr("C17")
@pytest.mark.parametrize("code", ["request(); time.sleep(60)", "time.sleep(60)", "os.close(0); time.sleep(60)"])
def test_waiting_costs_no_processor_time(code):
    before = time.process_time()
    exchange(child(code), b" " * 5_000_000, Timing(500, grace_ms=500, start_up_ms=1000))
    assert time.process_time() - before < 0.25


@pytest.mark.adr("C15", "C52")
def test_a_storm_of_signals_disturbs_nothing():
    count = 0

    def tick(*_):
        nonlocal count
        count += 1

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        large = b'"' + b"x" * 3_000_000 + b'"'
        observation = exchange(child("data = request(); time.sleep(0.3); answer(data)"), large, Timing(5000))
        late = exchange(child("request(); time.sleep(60)"), b"{}", Timing(200, grace_ms=100))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert count > 100
    assert observation.outcome.payload == large
    assert late.outcome == Overdue(300)


@pytest.mark.adr("C15")
def test_a_signal_handler_that_raises_ends_the_run_and_the_child():
    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    running = child("request(); time.sleep(60)")
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Enough):
            exchange(running, b"{}", Timing(30_000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(ProcessLookupError):
        os.kill(running.pid, 0)


def test_it_can_be_called_off_from_another_thread():
    stop, stopping = os.pipe()
    timer = threading.Timer(0.2, os.close, [stopping])
    timer.start()
    try:
        with pytest.raises(Stopped):
            exchange(child("request(); time.sleep(60)"), b"{}", Timing(30_000), stop)
    finally:
        timer.join()
        os.close(stop)


@pytest.mark.adr("C51", "C55")
def test_a_child_that_somebody_else_reaps_is_a_failed_wait_and_its_answer_stands(monkeypatch):
    stolen = child("request(); answer()")
    wait = type(stolen).wait

    def wait_too_late(self):
        os.waitpid(self.pid, 0)
        return wait(self)

    monkeypatch.setattr(type(stolen), "wait", wait_too_late)
    observation = exchange(stolen, b"{}", Timing(5000))
    assert observation.outcome.payload == b"{}"
    assert observation.ending == Unwaited("another part of this program has reaped the child, or SIGCHLD is ignored")


@pytest.mark.adr("C51", "C52")
def test_a_program_that_ignores_the_end_of_its_children_cannot_be_told_how_they_ended():
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        silent = exchange(child("request()"), b"{}", Timing(5000))
        answered = exchange(child("request(); answer()"), b"{}", Timing(5000))
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert (silent.outcome, type(silent.ending)) == (Silence(0, None), Unwaited)
    assert isinstance(answered.outcome, Answer)


@pytest.mark.adr("C16", "C51")
def test_a_write_that_fails_is_a_fault_unless_the_child_answers():
    def broken(code):
        faulty = child(code)
        # a descriptor that cannot be written to stands in for the pipe
        reading, writing = os.pipe()
        os.dup2(reading, faulty.stdin)
        os.close(reading)
        os.close(writing)
        return faulty

    silent = exchange(broken("time.sleep(60)"), b"{}", Timing(300, grace_ms=200))
    assert silent.outcome == Fault("writing the request failed: Bad file descriptor")
    dying = exchange(broken("sys.exit(3)"), b"{}", Timing(5000))
    assert dying.outcome == Fault("writing the request failed: Bad file descriptor")
    answered = exchange(broken("answer()"), b"{}", Timing(5000))
    assert answered.outcome.faults == ("writing the request failed: Bad file descriptor",)


@pytest.mark.adr("C51")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_read_that_fails_is_a_fault(stream):
    faulty = child("request(); time.sleep(60)")
    folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    os.dup2(folder, getattr(faulty, stream))
    os.close(folder)
    observation = exchange(faulty, b"{}", Timing(5000))
    assert observation.outcome == Fault("talking to the child failed: Is a directory")
    assert observation.ending == Killed()


@pytest.mark.adr("C16")
def test_a_host_program_that_dies_of_sigpipe_does_not_die_of_ours():
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        observation = exchange(child("os.close(0); time.sleep(0.3); answer()"), b" " * 3_000_000, Timing(5000))
        assert signal.SIGPIPE not in signal.sigpending()
    finally:
        signal.signal(signal.SIGPIPE, before)
    assert isinstance(observation.outcome, Answer)


class BlindChild:
    """A child on a platform that has no descriptor for its end."""

    exit_fd = None

    def __init__(self, code):
        self._child = child(code)
        os.close(self._child.exit_fd)
        self._child.exit_fd = None

    def __getattr__(self, name):
        return getattr(self._child, name)


def test_without_an_exit_descriptor_the_end_is_seen_all_the_same():
    died = exchange(BlindChild("request(); os.kill(os.getpid(), 11)"), b"{}", Timing(5000))
    assert (died.outcome, died.ending) == (Silence(0, None), Signalled(11))
    held = exchange(BlindChild("request(); os.fork() or time.sleep(60); os._exit(4)"), b"{}", Timing(5000))
    assert (held.outcome, held.ending) == (Silence(0, None), Exited(4))
    answered = exchange(BlindChild("answer(request())"), b"{}", Timing(5000))
    assert (answered.outcome.payload, answered.ending) == (b"{}", Exited(0))
    late = exchange(BlindChild("request(); time.sleep(60)"), b"{}", Timing(200, grace_ms=100))
    assert late.outcome == Overdue(300)


@pytest.mark.adr("C14")
def test_large_payloads_go_both_ways():
    large = orjson.dumps("é" * 10_000_000)
    for reads_first in (False, True):
        observation = exchange(child("answer(request())", reads_first=reads_first), large, Timing(20_000))
        assert observation.outcome.payload == large
