"""Unified diffs: what ``patch`` and ``git apply`` make of them is the new file, byte for byte."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goccia_tools.child.unified import unified_file

LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "c\n", "é\r\n", "\n", "-x\n", "+y\n", "\\ z\n", "u\u2028v\n", "@@ -1 +1 @@\n"])
)
TEXTS = st.builds(lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "", "end", "a"]))
TOOLS = [["patch", "-p0", "--binary", "-s"], ["git", "apply", "-p0", "--whitespace=nowarn"]]


def apply(tool: list[str], folder: Path, name: str, old: bytes | None, diff: str) -> bytes | None:
    target = folder / name
    target.unlink(missing_ok=True)
    if old is not None:
        target.write_bytes(old)
    done = subprocess.run(tool, input=diff.encode(), cwd=folder, capture_output=True)
    assert done.returncode == 0, (done.stdout, done.stderr, diff)
    return target.read_bytes() if target.exists() else None


@pytest.mark.parametrize("tool", TOOLS, ids=["patch", "git"])
@given(old=st.none() | TEXTS, new=TEXTS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_diff_applies(tool: list[str], tmp_path: Path, old: str | None, new: str) -> None:
    if old == new:
        return
    before = None if old is None else old.encode()
    diff = unified_file("/f.txt", before, new.encode())
    got = apply(tool, tmp_path, "f.txt", before, diff)
    assert got == new.encode()


@pytest.mark.parametrize("tool", TOOLS, ids=["patch", "git"])
@pytest.mark.parametrize("name", ["with space.txt", 'quo"te.txt', "back\\slash", "t\tab", "né.txt"])
def test_odd_names_apply(tool: list[str], tmp_path: Path, name: str) -> None:
    diff = unified_file("/" + name, b"old\n", b"new\n")
    assert apply(tool, tmp_path, name, b"old\n", diff) == b"new\n"


@pytest.mark.parametrize("tool", TOOLS, ids=["patch", "git"])
def test_a_file_created_or_deleted(tool: list[str], tmp_path: Path) -> None:
    assert apply(tool, tmp_path, "f", None, unified_file("/f", None, b"x\n")) == b"x\n"
    assert apply(tool, tmp_path, "f", b"x\n", unified_file("/f", b"x\n", None)) is None
    assert apply(tool, tmp_path, "f", None, unified_file("/f", None, b"")) == b""


def test_a_small_change_is_a_small_hunk() -> None:
    old = "".join(f"{index}\n" for index in range(1000))
    new = old.replace("\n500\n", "\nfive hundred\n")
    assert unified_file("/f", old.encode(), new.encode()) == (
        "--- f\n+++ f\n@@ -498,7 +498,7 @@\n 497\n 498\n 499\n-500\n+five hundred\n 501\n 502\n 503\n"
    )


def test_binary_files_are_named_not_shown() -> None:
    assert unified_file("/b", b"\0", b"\xff") == "Binary files b and b differ\n"
    assert unified_file("/b", None, b"\xff") == "Binary files /dev/null and b differ\n"


def test_the_default_quota_stays_within_the_grace() -> None:
    old = b"x\n" * (4 * 1024 * 1024)
    new = b"y\n" * (4 * 1024 * 1024)
    started = time.perf_counter()
    unified_file("/f", old, new)
    lines = "".join(f"{index}\n" for index in range(40_000))
    unified_file("/g", lines.encode(), "".join(reversed(lines.splitlines(True))).encode())
    assert time.perf_counter() - started < 5
