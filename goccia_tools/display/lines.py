"""Lines of a display, and how many of a long text are shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .text import visible_line

Style = Literal["plain", "dim", "good", "bad", "warning", "error", "place", "added", "removed", "hunk"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end, already free of what could hide or move text, and what it means."""

    style: str
    text: str


#: characters of one line that are shown
LINE_CHARS = 2000


def capped(text: str, max_lines: int, max_chars: int) -> Iterator[Line]:
    """The lines of a text; of a long one its head and tail, with a count of what is left out between them.

    Lines end at LF only: the other line ends of Unicode are characters of a JavaScript string.
    """
    lines = text.split("\n")
    if len(lines) <= max_lines and len(text) <= max_chars:
        yield from (_line(line) for line in lines)
        return
    head, room = 0, max_chars // 2
    while head < min(len(lines), max_lines // 2) and room >= 0:
        room -= min(len(lines[head]), LINE_CHARS) + 1
        head += 1
    tail, room = 0, max_chars // 2
    while tail < min(len(lines) - head, max_lines // 2) and room >= 0:
        room -= min(len(lines[-1 - tail]), LINE_CHARS) + 1
        tail += 1
    yield from (_line(line) for line in lines[:head])
    left = lines[head : len(lines) - tail]
    if left:
        size_bytes = sum(len(line.encode("utf-8", "replace")) + 1 for line in left)
        yield Line("dim", f"… {len(left)} lines ({size_bytes} bytes) not shown …")
    yield from (_line(line) for line in lines[len(lines) - tail :])


def _line(text: str) -> Line:
    if len(text) > LINE_CHARS:
        half = LINE_CHARS // 2
        left = len(text) - 2 * half
        return Line(
            "plain", f"{visible_line(text[:half])}… [{left} characters not shown] …{visible_line(text[-half:])}"
        )
    return Line("plain", visible_line(text))
