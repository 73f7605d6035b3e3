"""The figures of the README, each beside what it is compared with. Not part of the test run:

pytest tests/benchmarks/bench_figures.py -s

Everything that is compared runs in one loop, in turns, so that a busy machine is busy for all of them; the figures are
medians. ``GOCCIA_SANDBOX_RUNNER`` names the reference runner; without it, or without node, their rows are left out.
"""

import base64
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time

import orjson
import psutil
import pytest

from goccia_tools import Runner

pytestmark = [pytest.mark.timeout(0), pytest.mark.skipif(sys.platform != "linux", reason="figures of Linux")]

HELLO = "console.log('hello'); 42;"
REFERENCE = os.environ.get("GOCCIA_SANDBOX_RUNNER") or shutil.which("GocciaSandboxRunner")
NODE = shutil.which("node")
#: runs of one kind before its turn is over: runs come in series, and the caches of a machine know that
TURN = 5
COMPATIBILITY = [
    "asi",
    "var",
    "function",
    "traditional-for-loop",
    "while-loops",
    "loose-equality",
    "non-strict-mode",
    "arguments-object",
    "label",
    "for-in-loop",
]


def in_turns(variants, rounds, turn=TURN):
    """Median seconds of every variant, all of them run in turns."""
    taken = {name: [] for name in variants}
    for number in range(rounds + 1):
        for name, run in variants.items():
            for _ in range(turn):
                started = time.perf_counter()
                run()
                if number:  # the first round warms up
                    taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(values) for name, values in taken.items()}


def table(title, medians, unit="ms"):
    print(f"\n{title}")
    for name, seconds in medians.items():
        print(f"  {name:<44}{seconds * 1000:10.2f} {unit}")


def command(*words):
    return lambda: subprocess.run(words, check=True, capture_output=True, stdin=subprocess.DEVNULL)


def reference(file, *options):
    return (REFERENCE, "--seed", f"{file}=/{file.name}", f"/{file.name}", *options)


@pytest.fixture
def hello(tmp_path):
    file = tmp_path / "hello.js"
    file.write_text(HELLO)
    return file


def test_one_hello(hello):
    with Runner(jail="required") as confined, Runner(jail="off") as free, Runner(launcher="spawn") as spawned:
        request = confined.request(HELLO)
        variants = {
            "default launcher, jail": lambda: confined.run_request(request),
            "default launcher, no jail": lambda: free.run_request(request),
            "spawned, jail": lambda: spawned.run_request(request),
            "python -I -S -c pass": command(sys.executable, "-I", "-S", "-c", "pass"),
            "/bin/true": command("/bin/true"),
        }
        if REFERENCE:
            variants["GocciaSandboxRunner"] = command(*reference(hello))
        if NODE:
            variants["node -e 1"] = command(NODE, "-e", "1")
        for _ in range(3):
            for run in list(variants.values())[:2]:
                run()
        time.sleep(2)  # the templates have chores
        medians = in_turns(variants, 15)
    table("one hello run", medians)
    run = medians["default launcher, jail"]
    print(f"  spawned to bare interpreter: {medians['spawned, jail'] / medians['python -I -S -c pass']:.2f}")
    for name in ("GocciaSandboxRunner", "node -e 1"):
        if name in medians:
            print(f"  default launcher to {name}: {run / medians[name]:.3f}")


def test_throughput():
    with Runner(jail="required") as runner:
        request = runner.request(HELLO)
        list(runner.run_many([request] * 100, jobs=2))
        time.sleep(2)
        for jobs in (1, 2, 4):
            rates = []
            for _ in range(5):
                started = time.perf_counter()
                assert all(result.ok for _, result in runner.run_many([request] * 300, jobs=jobs))
                rates.append(300 / (time.perf_counter() - started))
            print(f"\n  {jobs} at a time: {statistics.median(rates):.0f} runs/s", end="")


def standing(template):
    process = psutil.Process()
    return process.num_fds(), len(process.children(recursive=True)), process.memory_info().rss, template()


def test_ten_thousand_runs(request):
    """Cost per run, descriptors and memory stay where they were; a tenth of it without ``--endurance``."""
    runs = 10_000 if request.config.getoption("--endurance") else 1_000
    with Runner(jail="required") as runner:
        wanted = runner.request(HELLO)

        def template_bytes():
            return max(child.memory_info().rss for child in psutil.Process().children())

        def hundred():
            started = time.perf_counter()
            for _ in range(100):
                assert runner.run_request(wanted).ok
            return (time.perf_counter() - started) / 100

        hundred()
        time.sleep(2)
        first = statistics.median(hundred() for _ in range(3))
        before = standing(template_bytes)
        costs = [hundred() for _ in range(runs // 100)]
        after = standing(template_bytes)
    last = statistics.median(costs[-3:])
    print(f"\n  {runs} runs: {first * 1000:.2f} ms a run at first, {last * 1000:.2f} ms at last")
    print(f"  descriptors {before[0]} -> {after[0]}, processes {before[1]} -> {after[1]}")
    print(f"  parent {before[2] >> 10} -> {after[2] >> 10} KiB, template {before[3] >> 10} -> {after[3] >> 10} KiB")
    assert after[:2] == before[:2]
    assert after[2] < before[2] * 1.05
    assert after[3] < before[3] * 1.05


PROGRAMS = {
    "fib": "const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); fib(22);",
    "loops": "let n = 0; for (let i = 0; i < 300000; i++) { n = (n + i * 3) % 1000003; }",
    "objects": "let all = []; for (let i = 0; i < 30000; i++) { all.push({ id: i, next: { id: i + 1 } }); }"
    " let n = 0; for (const one of all) { n += one.next.id; }",
    "strings": "let text = ''; for (let i = 0; i < 20000; i++) { text += i; } text.length;",
    "json": "const data = []; for (let i = 0; i < 2000; i++) { data.push({ id: i, name: 'n' + i, tags: ['a', 'b'] }); }"
    " for (let i = 0; i < 4; i++) { JSON.parse(JSON.stringify(data)); }",
    "sort": "const data = []; let x = 1;"
    " for (let i = 0; i < 10000; i++) { x = (x * 16807) % 2147483647; data.push(x); } data.sort((a, b) => a - b);",
    "regexp": "let n = 0; const text = 'the quick brown fox 123 jumps over 4567 lazy dogs '.repeat(40);"
    " for (let i = 0; i < 20; i++) { for (const m of text.matchAll(/([a-z]+) (\\d+)/g)) { n += m[2].length; } }",
}


def timed(program):
    return f"const before = Date.now(); {program} console.log(Date.now() - before);"


def test_compute(tmp_path):
    """Milliseconds inside the program, by its own clock; start-up does not count."""
    slower = []
    print(f"\n{'':10}{'embedded':>10}{'node':>10}{'interpreted':>14}{'bytecode':>10}   (ms)")
    with Runner() as runner:
        for name, program in PROGRAMS.items():
            file = tmp_path / f"{name}.js"
            file.write_text(timed(program))
            wanted = runner.request(timed(program), compatibility="all", timeout_ms=60_000, max_memory_bytes=1 << 29)
            ways = {"embedded": lambda wanted=wanted: runner.run_request(wanted).output}
            if NODE:
                ways["node"] = lambda file=file: command(NODE, str(file))().stdout
            if REFERENCE:
                flags = [f"--compat-{flag}" for flag in COMPATIBILITY]
                for mode in ("interpreted", "bytecode"):
                    words = reference(file, f"--mode={mode}", *flags)
                    ways[mode] = lambda words=words: command(*words)().stdout
            taken = {way: [] for way in ways}
            for _ in range(5):
                for way, run in ways.items():
                    taken[way].append(float(run()))
            medians = {way: max(statistics.median(values), 0.5) for way, values in taken.items()}
            print(f"{name:10}", *(f"{medians.get(way, float('nan')):>10.0f}" for way in ("embedded", "node")), end="")
            print(f"{medians.get('interpreted', float('nan')):>14.0f}{medians.get('bytecode', float('nan')):>10.0f}")
            if "bytecode" in medians:
                slower.append(medians["bytecode"] / medians["embedded"])
    if slower:
        print(f"  bytecode mode to embedded engine, geometric mean: {statistics.geometric_mean(slower):.1f}")


def test_sixteen_mebibytes_each_way():
    data = os.urandom(16 << 20)
    source = "import fs from 'fs'; fs.writeFileSync('/b', fs.readFileSync('/a'));"

    def through_a_pipe(payload):
        reading, writing = os.pipe()
        writer = threading.Thread(target=lambda: (os.write(writing, payload), os.close(writing)))
        writer.start()
        parts = []
        while part := os.read(reading, 1 << 20):
            parts.append(part)
        writer.join()
        os.close(reading)
        return b"".join(parts)

    def floor():
        """What no way over a JSON frame can do without: both directions, each encoded, carried and decoded once."""
        for _ in range(2):
            payload = through_a_pipe(orjson.dumps({"base64": base64.b64encode(data).decode()}))
            base64.b64decode(orjson.loads(payload)["base64"])

    with Runner() as runner:

        def run():
            result = runner.run(source, source_type="module", seeds={"/a": data}, fs_quota_bytes=64 << 20, **wanted)
            assert result.ok, result

        wanted = {"include_diff": True, "timeout_ms": 60_000, "max_memory_bytes": 1 << 30}
        medians = in_turns({"floor: orjson, base64, pipe": floor, "run": run}, 5, turn=1)
    table("16 MiB of baseline in, 16 MiB of diff out", medians)
    print(f"  to floor: {medians['run'] / medians['floor: orjson, base64, pipe']:.2f}")


def test_importing_the_package():
    with_package = f"import sys; sys.path.append({os.getcwd()!r}); import goccia_tools"
    variants = {
        "python -I -c pass": command(sys.executable, "-I", "-c", "pass"),
        "import goccia_tools": command(sys.executable, "-I", "-c", with_package),
    }
    medians = in_turns(variants, 10)
    table("import", medians)
    print(f"  to nothing: {medians['import goccia_tools'] / medians['python -I -c pass']:.2f}")
