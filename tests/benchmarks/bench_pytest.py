"""What the tests of a project cost under pytest, beside the same tests under node --test. Not part of the test run:

pytest tests/benchmarks/bench_pytest.py -s

What is compared runs in turns, so that a busy machine is busy for all of it; the figures are medians.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import time

import pytest

pytestmark = [pytest.mark.timeout(0), pytest.mark.skipif(sys.platform == "win32", reason="figures of POSIX")]

FILES = int(os.environ.get("BENCH_FILES", "1000"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
OURS = "/*---\nexpect: {{resultValue: {sum}}}\n---*/\n{number} + 1;\n"
NODES = """\
const test = require("node:test");
const assert = require("node:assert");
test("adds", () => assert.strictEqual({number} + 1, {sum}));
"""
#: tells how long every item took, how much of that the run itself, and how long the collection
TIMING = """\
import time
import pytest
from goccia_tools import Runner

spent = {"items": [], "runs": [], "collection": 0.0}

@pytest.hookimpl(wrapper=True)
def pytest_collection():
    started = time.perf_counter()
    found = yield
    spent["collection"] = time.perf_counter() - started
    return found

@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    started = time.perf_counter()
    found = yield
    spent["items"].append(time.perf_counter() - started)
    return found

bare_run = Runner.run

def run(self, *arguments, **keywords):
    started = time.perf_counter()
    result = bare_run(self, *arguments, **keywords)
    spent["runs"].append(time.perf_counter() - started)
    return result

Runner.run = run

def pytest_unconfigure():
    if spent["items"]:
        over = sorted(item - run for item, run in zip(spent["items"], spent["runs"], strict=True))
        print("OVERHEAD", sum(over) / len(over), "RUN", sum(spent["runs"]) / len(over))
    print("COLLECTION", spent["collection"])
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    for name in ("ours", "nodes", "timed"):
        (folder / name).mkdir()
        (folder / name / "pytest.ini").write_text("[pytest]\n")
    for number in range(FILES):
        values = {"number": number, "sum": number + 1}
        (folder / "nodes" / f"t{number}.test.js").write_text(NODES.format(**values))
        for name in ("ours", "timed"):
            (folder / name / f"t{number}.sandbox.js").write_text(OURS.format(**values))
    (folder / "timed" / "conftest.py").write_text(TIMING)
    return folder


def finished(folder, *command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NODE"))}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def pytest_in(folder, *arguments):
    return finished(folder, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_many_files_beside_node(project):
    variants = {
        "pytest -n 2": lambda: pytest_in(project / "ours", "-n", "2"),
        "pytest": lambda: pytest_in(project / "ours"),
        "node --test": lambda: finished(project / "nodes", "node", "--test"),
    }
    taken = {name: [] for name in variants}
    for _ in range(ROUNDS):
        for name, run in variants.items():
            started = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - started)
    print(f"\n{FILES} files of one test")
    medians = {name: statistics.median(values) for name, values in taken.items()}
    for name, seconds in medians.items():
        print(f"  {name:12} {seconds:7.2f} s   {seconds / medians['node --test']:.3f} of node --test")


def test_the_share_of_pytest_in_an_item_and_of_a_file_in_the_collection(project):
    texts = [pytest_in(project / "timed", "-s") for _ in range(ROUNDS)]
    for name, unit, scale in (("OVERHEAD", "ms an item", 1e3), ("RUN", "ms an item", 1e3), ("COLLECTION", "s", 1)):
        value = statistics.median(float(re.search(rf"{name} ([\d.e-]+)", text)[1]) for text in texts)
        print(f"\n  {name.lower():12} {value * scale:7.2f} {unit}", end="")
    print()
