"""Runs one probe in a child that has really confined itself, and says how it ended."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

NOBODY = 65534
HERE = Path(__file__).parent

Probe = Callable[..., str]


def _roots() -> str:
    spec = importlib.util.find_spec("_cffi_backend")
    assert spec is not None
    assert spec.origin is not None
    return os.pathsep.join([str(HERE.parents[1]), str(Path(spec.origin).parent)])


@pytest.fixture(scope="session", params=["as is", "nobody"])
def uid(request: pytest.FixtureRequest) -> int:
    """The user the confined process is: whoever runs the tests, and nobody when that is root."""
    if request.param == "as is":
        return os.getuid()
    if os.getuid() != 0:
        pytest.skip("only root can become somebody else")
    return NOBODY


@pytest.fixture
def probe(uid: int) -> Probe:
    """``probe(name, argument, layers=…, profile=…)`` answers what the probe said, or ``SIGNAL`` when one ended it."""

    def run(name: str, *arguments: object, layers: str = "all", profile: str = "stdio") -> str:
        command = [sys.executable, "-I", "-S", str(HERE / "inside.py"), _roots(), layers, profile]
        target = str(uid if uid != os.getuid() else 0)
        done = subprocess.run(
            [*command, target, name, *map(str, arguments)], capture_output=True, text=True, timeout=20, env={}
        )
        if done.returncode < 0:
            return signal.Signals(-done.returncode).name
        assert done.returncode == 0, done.stderr
        if done.stdout.startswith("missing"):
            pytest.skip(f"this machine lacks a layer: {done.stdout}")
        if done.stdout == "no such call":
            pytest.skip("this machine has no such call")
        return done.stdout

    return run
