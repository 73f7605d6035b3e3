"""What a run costs, beside what it cannot cost less than. Not part of the test run:

pytest tests/benchmarks/bench_run.py
"""

import os
import shutil
import subprocess
import sys
from time import perf_counter

import pytest

from goccia_tools import Runner

pytestmark = pytest.mark.timeout(0)
HELLO = "console.log('hello'); 42;"


def settings(rounds):
    return {"rounds": rounds, "iterations": 1, "warmup_rounds": 2}


def start(command):
    return lambda: subprocess.run(command, check=True, capture_output=True)


def seconds(do):
    started = perf_counter()
    do()
    return perf_counter() - started


@pytest.mark.benchmark(group="hello")
def test_bare_interpreter(benchmark):
    benchmark.pedantic(start([sys.executable, "-I", "-S", "-c", "pass"]), **settings(40))


@pytest.mark.benchmark(group="hello")
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node(benchmark):
    benchmark.pedantic(start(["node", "-e", "1"]), **settings(40))


@pytest.mark.benchmark(group="hello")
def test_hello_spawned(benchmark):
    with Runner(launcher="spawn") as runner:
        result = benchmark.pedantic(lambda: runner.run(HELLO), **settings(40))
    assert result.output == "hello\n"


def test_a_spawned_hello_costs_at_most_two_and_a_half_bare_interpreters():
    bare = start([sys.executable, "-I", "-S", "-c", "pass"])
    with Runner(launcher="spawn") as runner:
        runner.run(HELLO)
        # in turns, so that whatever else the machine does falls on both
        pairs = [(seconds(bare), seconds(lambda: runner.run(HELLO))) for _ in range(40)]
    cheapest_bare, cheapest_run = (min(column) for column in zip(*pairs, strict=True))
    print(f"bare {cheapest_bare * 1000:.1f} ms, run {cheapest_run * 1000:.1f} ms")
    assert cheapest_run <= 2.5 * cheapest_bare


@pytest.mark.benchmark(group="baseline")
@pytest.mark.parametrize("size_mib", [0, 1, 8, 16])
def test_baseline(benchmark, size_mib):
    data = os.urandom(size_mib << 20)
    with Runner() as runner:
        run = lambda: runner.run("1", seeds={"/data.bin": data}, fs_quota_bytes=32 << 20)  # noqa: E731
        result = benchmark.pedantic(run, **settings(15))
    assert result.ok


@pytest.mark.benchmark(group="throughput of 40 runs")
@pytest.mark.parametrize("jobs", [1, 2])
def test_throughput(benchmark, jobs):
    with Runner() as runner:
        requests = [runner.request(HELLO)] * 40
        results = benchmark.pedantic(lambda: list(runner.run_many(requests, jobs=jobs)), **settings(5))
    assert all(result.ok for _, result in results)
