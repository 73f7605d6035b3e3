"""Whatever a child does, the caller gets one honest run-result in bounded time and memory, and nothing is left."""

import ast
import gc
import os
import re
import sys
import time
import uuid
from pathlib import Path

import psutil
import pytest

from goccia_tools import FailureKind, Runner

SCRIPTS = Path(__file__).parent / "misbehaving"

#: what a scenario is held to unless it says otherwise
DEFAULTS = {
    "message": "",
    "timeout_ms": 5000,
    "grace_ms": 1000,
    "start_up_ms": 10_000,
    "within_ms": 4000,
    "memory_mib": 16,
    "request_mib": 0,
    "notes": None,
    "escapes": False,
}

#: clauses of the checklist that a scenario proves
CLAUSES = {
    "answers_at_the_deadline": ["C50", "C54"],
    "answers_in_the_grace": ["C53", "C54"],
    "answers_without_reading": ["C16"],
    "bad_payload": ["C11", "C48"],
    "closes_stdin_and_answers": ["C16"],
    "closes_stdin_and_dies": ["C16", "C48"],
    "dribbles": ["C14"],
    "floods_stderr": ["C56"],
    "floods_stderr_then_dies": ["C56", "C57"],
    "frame_on_stderr": ["C09"],
    "frame_then_exit": ["C54"],
    "frame_then_segv": ["C54"],
    "length_four_gib": ["C12", "C48"],
    "length_over_limit": ["C12", "C48"],
    "missing_member": ["C31"],
    "payload_cut": ["C16", "C48"],
    "prefix_cut": ["C16", "C48"],
    "reads_large_request": ["C14", "C17"],
    "reads_to_the_end": ["C07"],
    "reports_in_band": ["C32"],
    "reports_timeout": ["C46", "C54"],
    "segv_with_stderr": ["C49", "C57"],
    "signalled": ["C49"],
    "silent_exit": ["C48"],
    "sleeps": ["C50", "C53"],
    "truncated_result": ["C41"],
    "two_frames": ["C08"],
    "unbounded_is_not_killed": ["C53"],
    "version_before_type": ["C18", "C20"],
    "wrong_member": ["C20", "C31", "C32"],
}


def expectation(script):
    """The EXPECT of a script: a display of constants, except that it may hold one comprehension."""
    for node in ast.parse(script.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXPECT":
            return eval(compile(ast.Expression(node.value), str(script), "eval"), {})
    raise AssertionError(f"{script} says nothing about what to expect")


def scenarios():
    for script in sorted(SCRIPTS.glob("*.py")):
        if script.stem == "wire":
            continue
        marks = [pytest.mark.adr(clause) for clause in CLAUSES.get(script.stem, ())]
        expect = {**DEFAULTS, **expectation(script)}
        for argument, changes in expect.pop("cases", {"": {}}).items():
            name = f"{script.stem}[{argument}]" if argument else script.stem
            yield pytest.param(script, argument, {**expect, **changes}, id=name, marks=marks)


def memory_mib(field):
    match = re.search(rf"^{field}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(match[1]) / 1024


def processes_with(marker):
    return [
        process
        for process in psutil.process_iter(["cmdline", "status"])
        if marker in (process.info["cmdline"] or ()) and process.info["status"] != psutil.STATUS_ZOMBIE
    ]


def gone_within(marker, limit_s):
    """Whether no process bears the marker any more, soon: a killed descendant ends a moment after its leader."""
    limit = time.monotonic() + limit_s
    while processes_with(marker):
        if time.monotonic() > limit:
            return False
        time.sleep(0.01)
    return True


def matches(result, expect):
    kind, message = FailureKind(expect["kind"]), expect.get("message", "")
    return (
        result.failure_kind is kind
        and re.search(message, result.error_message, re.DOTALL)
        and ("output" not in expect or re.search(f"^(?:{expect['output']})$", result.output, re.DOTALL))
    )


@pytest.mark.parametrize(("script", "argument", "expect"), list(scenarios()))
def test_a_misbehaving_child_ends_in_one_honest_result(script, argument, expect):
    marker = f"marker-{uuid.uuid4()}"
    command = [sys.executable, "-S", "-E", "-s", "-B", str(script), *([argument] if argument else []), marker]
    runner = Runner(child_command=command, grace_ms=expect["grace_ms"], start_up_ms=expect["start_up_ms"])
    request = runner.request("done", timeout_ms=expect["timeout_ms"], fs_quota_bytes=1 << 30)
    if expect["request_mib"]:
        request["execution"]["importMap"] = {"imports": {"x": "y" * (expect["request_mib"] << 20)}}
    # a first run fills the caches, which are no leak; the memory of this one is what counts
    descriptors, children = set(os.listdir("/proc/self/fd")), psutil.Process().children()
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before_mib = memory_mib("VmRSS")

    with runner:
        result = runner.run_request(request)

    used_mib = memory_mib("VmHWM") - before_mib
    assert any(matches(result, {**expect, **one}) for one in expect.get("either", [{}])), result
    assert result.ok is (result.failure_kind is FailureKind.NONE)
    assert result.duration_ms < expect["within_ms"]
    # the encoded request is this side's own, and is not counted against the child
    assert used_mib < expect["memory_mib"] + expect["request_mib"]
    if expect["notes"] is not None:
        assert re.search(expect["notes"], "\n".join(result.notes))
    for name in ("truncated", "diff_requested"):
        assert getattr(result, name) is expect.get(name, False)
    assert set(os.listdir("/proc/self/fd")) == descriptors
    assert psutil.Process().children() == children
    assert expect["escapes"] or gone_within(marker, 2)
    gc.collect()  # an un-reaped child or an open pipe would warn here
    if expect["escapes"]:
        for process in processes_with(marker):
            process.kill()
        assert gone_within(marker, 2)


def test_every_scenario_with_clauses_exists():
    assert {script.stem for script in SCRIPTS.glob("*.py")} >= set(CLAUSES)
