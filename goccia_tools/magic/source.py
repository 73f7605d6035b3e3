"""Source: the text of a cell taken apart before IPython tidies it, which would change whitespace inside literals."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent

MAGIC = "%%sandbox"


def split_cell(text: str) -> tuple[str, str] | None:
    """What follows ``%%sandbox`` on its line, and the program below it; None for any other cell.

    As IPython does, empty lines above are passed over and the indentation of a whole cell is taken away.
    """
    return _split((text if text.endswith("\n") else f"{text}\n").splitlines(keepends=True))


def _split(lines: Sequence[str]) -> tuple[str, str] | None:
    start = next((number for number, line in enumerate(lines) if not line.isspace()), len(lines))
    lines = lines[start:]
    if lines and lines[0][0] in " \t":
        lines = dedent("".join(lines)).splitlines(keepends=True)
    if not lines or not lines[0].startswith(MAGIC):
        return None
    name, _, line = lines[0].rstrip().partition(" ")
    return (line, "".join(lines[1:])) if name == MAGIC else None


def keep_source(lines: list[str]) -> list[str]:
    """An input transformer of IPython that hands a cell of ``%%sandbox`` over as it was written.

    IPython's own ones empty the lines that hold only blanks and take ``... `` at a start for a prompt.
    """
    found = _split(lines)
    if found is None:
        return lines
    return [f"get_ipython().run_cell_magic('sandbox', {found[0]!r}, {found[1]!r})\n"]


#: so it is left out where IPython asks whether a cell is complete, for which it looks at the ``%%``
keep_source.has_side_effects = True  # type: ignore[attr-defined]
