"""ErrorReport: the parts of an error report's text (goccia-behaviour section 4)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLACE = re.compile(r"  --> (.*):(\d+):(\d+)")
_FRAME = re.compile(r"    at (?:.* )?\(?(.*?):(\d+):(\d+)\)?")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """What a report says; ``path``, ``line`` and ``column`` are None where it names no place."""

    name: str
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None


def parse_report(text: str) -> ErrorReport:
    """Take a report apart. A thrown value that is no error has no name, and its text as message."""
    lines = text.split("\n")
    head, place = _head_and_place(lines)
    name, colon, message = head.partition(": ")
    if _NAME.fullmatch(name) and (colon or name.endswith("Error")):
        return ErrorReport(name, message, *place)
    return ErrorReport("", head, *place)


def _head_and_place(lines: list[str]) -> tuple[str, tuple[str | None, int | None, int | None]]:
    # the message may hold a line that looks like a place, so the last one counts; the frame below has a gutter
    for index in range(len(lines) - 1, -1, -1):
        found = _PLACE.fullmatch(lines[index])
        if found:
            above = lines[:index]
            if above and above[-1].startswith("  Suggestion: "):
                above.pop()
            line, column = int(found[2]), int(found[3])
            return "\n".join(above), (found[1] or None, line or None, column or None)
    for index, line_text in enumerate(lines):
        found = _FRAME.fullmatch(line_text)
        if found:
            return "\n".join(lines[:index]), (found[1], int(found[2]), int(found[3]))
    return "\n".join(lines), (None, None, None)


def frame_places(stack: str) -> list[tuple[str, int, int]]:
    """The places in the text of ``error.stack``, innermost first."""
    found = (_FRAME.fullmatch(line) for line in stack.split("\n"))
    return [(match[1], int(match[2]), int(match[3])) for match in found if match]


def code_frame(source: str, path: str, line: int, column: int) -> str:
    """The place and the code around it, as error reports show it."""
    lines = re.split(r"\r\n?|\n", source)
    shown = [f"  --> {path}:{line}:{column}"]
    width = max(4, len(str(line + 2)))
    for number in range(max(1, line - 2), min(len(lines), line + 2) + 1):
        shown.append(f"{number:{width}} | {lines[number - 1]}")
        if number == line:
            before = "".join("\t" if char == "\t" else " " for char in lines[number - 1][: column - 1])
            shown.append(f"{' ' * width} | {before}^")
    return "\n".join(shown)
