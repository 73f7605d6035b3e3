"""What checking and rewriting a source file costs. Not part of the test run:

pytest tests/benchmarks/bench_source.py
"""

import pytest

from goccia_tools.child.source import prepare

LINES = (
    "const total{n} = (items) => {{ let sum = 0; for (const item of items) {{ sum += item.price; }} return sum; }};\n"
    "console.log(total{n}([{{ price: 1 }}, {{ price: 3 }}]), `sum: ${{1 + 2}}`, {{ a: [1, 2, 3] }});\n"
)


@pytest.mark.benchmark(group="prepare")
@pytest.mark.parametrize("lines", [20, 200, 2000])
def test_prepare(benchmark, lines):
    text = "".join(LINES.format(n=number) for number in range(lines // 2))
    prepared = benchmark(lambda: prepare(text, "/main.js", kind="script", flags=frozenset(), want_completion=True))
    assert prepared.text.count("\n") == lines
