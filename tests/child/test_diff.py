"""JSON diffs: the reference's members and order, with contents riding along while they fit."""

from __future__ import annotations

import base64
import json

import pytest

from goccia_tools.child.diff import capture, json_diff, unified_diff
from goccia_tools.child.vfs import FileSystem

BUDGET = 1 << 20


@pytest.fixture
def files() -> FileSystem:
    made = FileSystem(0, 0)
    made.write("/b.txt", b"one\n")
    made.write("/A.txt", b"two\n")
    made.mkdir("/d")
    made.write("/d/x", b"x")
    return made


def test_nothing_changed(files: FileSystem) -> None:
    before = capture(files)
    assert json_diff(before, files, budget_bytes=BUDGET) == '{\n  "changes": [\n  ]\n}\n'
    assert unified_diff(before, files) == ""


@pytest.mark.adr("C35")
def test_kinds_and_order(files: FileSystem) -> None:
    before = capture(files)
    files.write("/b.txt", b"1")
    files.remove("/A.txt")
    files.remove("/d", recursive=True)
    files.write("/d", b"file")
    files.mkdir("/new/sub", recursive=True)
    files.write("/C.txt", b"made")
    changes = json.loads(json_diff(before, files, budget_bytes=BUDGET))["changes"]
    assert [(c["kind"], c["path"], c["oldBytes"], c["newBytes"]) for c in changes] == [
        ("modify", "/b.txt", 4, 1),
        ("create", "/C.txt", 0, 4),
        ("replace", "/d", 1, 4),
        ("mkdir", "/new", 0, 0),
        ("mkdir", "/new/sub", 0, 0),
        ("delete", "/A.txt", 4, 0),
        ("delete", "/d/x", 1, 0),
    ]
    assert base64.b64decode(changes[1]["base64"]) == b"made"
    assert "base64" not in changes[3]


def test_names_that_differ_only_in_case_are_two(files: FileSystem) -> None:
    before = capture(files)
    files.write("/Name", b"1")
    files.write("/name", b"2")
    changes = json.loads(json_diff(before, files, budget_bytes=BUDGET))["changes"]
    assert [change["path"] for change in changes] == ["/Name", "/name"]


def test_the_largest_contents_are_dropped_first(files: FileSystem) -> None:
    before = capture(files)
    files.write("/big", b"x" * 3000)
    files.write("/small", b"y" * 30)
    text = json_diff(before, files, budget_bytes=1000)
    assert len(text.encode()) <= 1000
    changes = {change["path"]: change for change in json.loads(text)["changes"]}
    assert "base64" not in changes["/big"]
    assert changes["/big"]["newBytes"] == 3000
    assert base64.b64decode(changes["/small"]["base64"]) == b"y" * 30


def test_paths_are_escaped(files: FileSystem) -> None:
    before = capture(files)
    files.write('/q"\x01é', b"")
    assert '"path": "/q\\"\\u0001é"' in json_diff(before, files, budget_bytes=BUDGET)
