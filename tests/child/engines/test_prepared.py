"""An engine that was prepared before a fork: what the fork-server template relies on."""

from __future__ import annotations

import os
from typing import Any

from goccia_tools.child import main
from goccia_tools.child.engines.quickjs import QuickJS
from goccia_tools.messages import read_request


def request_for(text: str, **blocks: Any) -> dict[str, Any]:
    from base64 import b64encode

    entry = {"path": "/main.js", "kind": "file", "base64": b64encode(text.encode()).decode()}
    return read_request({"type": "run-request", "v": 1, "entry": "/main.js", "baseline": {"files": [entry]}, **blocks})


def run_in_a_fork(prepared: QuickJS, text: str, **blocks: Any) -> str:
    """The failureKind and the result value of a program run by a forked copy of the engine."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            request = request_for(text, **blocks)
            outcome = prepared.run(request, main.build_filesystem(request), lambda line: None)
            os.write(writing, f"{outcome.failure_kind} {outcome.value_json}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    _, status = os.waitpid(pid, 0)
    assert status == 0
    return text


def test_forks_of_one_engine_are_fresh_and_apart() -> None:
    engine = QuickJS()
    engine.prepare()
    assert run_in_a_fork(engine, "globalThis.mark = 1; Array.prototype.push = null; 1;") == "none 1"
    assert run_in_a_fork(engine, "[typeof mark, typeof [].push];") == 'none ["undefined","function"]'


def test_forks_have_random_numbers_of_their_own() -> None:
    engine = QuickJS()
    engine.prepare()
    numbers = {run_in_a_fork(engine, "Math.random();") for _ in range(5)}
    assert len(numbers) == 5
    fixed = {run_in_a_fork(engine, "Math.random();", execution={"deterministic": True}) for _ in range(2)}
    assert fixed == {"none 0.8833108082136426"}


def test_limits_hold_in_a_fork() -> None:
    engine = QuickJS()
    engine.prepare()
    loop = "for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) }) { x; }"
    assert run_in_a_fork(engine, loop, execution={"timeoutMs": 100}) == "timeout null"
    assert run_in_a_fork(engine, loop, execution={"maxInstructions": 50_000}) == "resource-limit null"
    grow = "const a = []; const f = () => { a.push({}); return Promise.resolve().then(f); }; await f();"
    small = {"maxMemoryBytes": 16_000_000}
    assert run_in_a_fork(engine, grow, engine=small, execution={"timeoutMs": 20_000}) == "resource-limit null"
    deep = "const f = (n) => (n ? f(n - 1) : 'end'); f(1500);"
    assert run_in_a_fork(engine, deep) == 'none "end"'
