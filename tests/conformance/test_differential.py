"""The same random program on the real runner and on the embedded engine: the same output, verdict and place."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from goccia_tools import Runner

from .corpus import parse_error
from .programs import PROGRAMS

REAL = os.environ.get("GOCCIA_SANDBOX_RUNNER", "")
#: how many programs to compare; a long comparison sets a larger number
EXAMPLES = int(os.environ.get("GOCCIA_DIFFERENTIAL_PROGRAMS", "200"))

pytestmark = pytest.mark.skipif(not REAL, reason="GOCCIA_SANDBOX_RUNNER names no real runner to compare with")


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as shared:
        yield shared


def reference(folder: Path, text: str) -> tuple[int, str, str]:
    (folder / "main.js").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [REAL, "--seed", f"{folder}=/", "/main.js", "--timeout=5000"], capture_output=True, timeout=60
    )
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


@pytest.mark.timeout(0)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=PROGRAMS)
def test_the_same_program_gives_the_same_result(runner: Runner, tmp_path: Path, text: str) -> None:
    status, output, report = reference(tmp_path, text)
    result = runner.run(text)
    # half a surrogate pair is one character of replacement in both, by design not the same one
    assert (result.exit_code, result.output.replace("\ufffd", "?")) == (status, output), (
        f"{text}\n--- reference\n{report}\n--- here\n{result.error_message}"
    )
    expected, got = parse_error(report.rstrip("\n")), parse_error(result.error_message)
    places = [error and (error["name"], error["line"], error["column"]) for error in (expected, got)]
    assert places[0] == places[1], f"{text}\n--- reference\n{report}\n--- here\n{result.error_message}"
