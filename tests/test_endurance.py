"""Many runs: descriptors, processes and memory of the parent stay where they were.

Small by default; ``pytest --endurance`` runs 2,000 in a row and 500 over eight threads.
"""

import ctypes
import gc
import os
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from goccia_tools import Runner

#: what the allocator and caches may take for themselves; a leak of one request or result per run is far more
ROOM_BYTES = 4 * 1024 * 1024
WARM_UP = 20


@pytest.fixture
def full(request):
    return request.config.getoption("--endurance")


def standing():
    """What must not grow."""
    gc.collect()
    # what is free but kept for later is no leak; each new thread may have its own such store
    getattr(ctypes.CDLL(None), "malloc_trim", lambda keep: None)(0)
    process = psutil.Process()
    return process.num_fds(), len(process.children(recursive=True)), threading.active_count(), process.memory_info().rss


def flat(before, after):
    assert after[:3] == before[:3]
    assert after[3] - before[3] < ROOM_BYTES


def one(runner, number):
    """A run of one of several kinds; every tenth carries half a megabyte each way."""
    if number % 10 == 3:
        result = runner.run("throw new Error('no');")
    elif number % 10 == 7:
        result = runner.run("'x'.repeat(500000)", seeds={"/data": b"x" * 500_000})
    else:
        result = runner.run(f"console.log({number}); {number};")
        assert result.output == f"{number}\n", result
    return result.failure_kind


@pytest.mark.adr("C01")
@pytest.mark.timeout(1800)
def test_runs_in_a_row_leave_nothing_behind(full):
    runs = 2000 if full else 60
    with Runner() as runner:
        for number in range(WARM_UP):
            one(runner, number)
        before = standing()
        kinds = Counter(one(runner, number) for number in range(runs))
        flat(before, standing())
    assert kinds == {"none": runs * 9 // 10, "script-error": runs // 10}


@pytest.mark.timeout(1800)
def test_runs_on_threads_leave_nothing_behind(full):
    runs = 500 if full else 60
    with Runner() as runner:

        def many(count):
            with ThreadPoolExecutor(8) as pool:
                return Counter(pool.map(lambda number: one(runner, number), range(count)))

        many(40)
        before = standing()
        # how much the threads hold at once is chance, and so is the most they have held; a leak would grow every time
        for _ in range(1 if full else 4):
            kinds = many(runs)
            after = standing()
            if after[3] - before[3] < ROOM_BYTES:
                break
            before = after
        flat(before, after)
    assert kinds == {"none": runs * 9 // 10, "script-error": runs // 10}


@pytest.mark.timeout(1800)
def test_crashes_and_timeouts_leave_nothing_behind(full):
    runs = 200 if full else 10
    # a large heap in the child, an abort by the kernel, a deadline: each ends another way
    crash = Runner(child_command=["/bin/sh", "-c", "kill -ABRT $$"])
    hang = Runner(child_command=["/bin/sleep", "60"], grace_ms=0)
    slow = Runner()

    def each():
        assert crash.run("1").failure_kind == "child-process-crash"
        assert hang.run("1", timeout_ms=20).failure_kind == "child-process-crash"
        assert slow.run("for (;;) {}", compatibility="all", timeout_ms=20).failure_kind == "timeout"

    for _ in range(3):
        each()
    before = standing()
    for _ in range(runs):
        each()
    flat(before, standing())
    assert "core" not in os.listdir(".")
