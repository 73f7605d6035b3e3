"""A result value as an indented tree, bounded in lines and in the length of a string."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from .lines import LINE_CHARS, Line
from .text import number_text, printable

#: what still stands on one line
_SHORT_CHARS = 72


def value_lines(value: Any, max_lines: int) -> Iterator[Line]:
    """The lines of a tree; a value with more than ``max_lines`` of them ends with a sentence that says so."""
    lines = _tree(value, "", "")
    yield from islice(lines, max_lines)
    if next(lines, None) is not None:
        yield Line("dim", f"… only the first {max_lines} lines of the value are shown")


def _tree(value: Any, indent: str, name: str) -> Iterator[Line]:
    short = _short(value, _SHORT_CHARS)
    if short is not None:
        yield Line("plain", f"{indent}{name}{short}")
        return
    if isinstance(value, dict):
        yield Line("plain", f"{indent}{name}{{{len(value)} propert{'y' if len(value) == 1 else 'ies'}}}")
        for key, item in value.items():
            yield from _tree(item, indent + "  ", f"{_key(key)}: ")
    elif isinstance(value, list):
        yield Line("plain", f"{indent}{name}[{len(value)} item{'' if len(value) == 1 else 's'}]")
        for index, item in enumerate(value):
            yield from _tree(item, indent + "  ", f"{index}: ")
    else:
        yield Line("plain", f"{indent}{name}{_leaf(value)}")


def _short(value: Any, room: int) -> str | None:
    """The value on one line when it fits into ``room`` characters, else None."""
    if isinstance(value, (list, dict)):
        parts: list[str] = []
        pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
        for key, item in pairs:
            prefix = "" if key is None else f"{_key(key)}: "
            text = _short(item, room - len(prefix) - 2)
            if text is None:
                return None
            parts.append(prefix + text)
            room -= len(prefix) + len(text) + 2
            if room < 0:
                return None
        opening, closing = (
            ("{ ", " }") if isinstance(value, dict) and parts else ("{", "}") if isinstance(value, dict) else ("[", "]")
        )
        return f"{opening}{', '.join(parts)}{closing}"
    text = _leaf(value)
    return text if len(text) <= max(room, 0) else None


def _key(key: str) -> str:
    return printable(key) if key.isidentifier() else _quoted(key)


def _leaf(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, float) else str(value)


def _quoted(text: str) -> str:
    shown = text if len(text) <= LINE_CHARS else text[:LINE_CHARS]
    quoted = '"' + printable(shown.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    return quoted if shown is text else f"{quoted}… ({len(text)} characters)"
