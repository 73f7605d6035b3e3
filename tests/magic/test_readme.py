"""The cells in the README show what stands below them."""

from __future__ import annotations

import re
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_cells(notebook):
    cells = re.findall(r"^```ipython\n(.*?)^```$(?:[^`]*?^```output\n(.*?)^```$)?", README, re.MULTILINE | re.DOTALL)
    assert len([expected for _, expected in cells if expected]) >= 2
    for source, expected in cells:
        shown = notebook.run(source)
        assert shown.error is None
        got = shown.plain or ("" if shown.result is None else repr(shown.result))
        assert got == expected.rstrip("\n")
