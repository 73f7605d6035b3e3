"""A changed file for a person: a unified diff of text, size and hash of what is no text."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from hashlib import sha256

from ..result import FileChange
from .lines import Line
from .text import printable, visible_line

#: texts with more lines than this are shown whole on each side, because aligning them takes too long
MAX_ALIGNED_LINES = 2000

_WORDS = {
    "create": "created",
    "mkdir": "folder created",
    "modify": "changed",
    "replace": "replaced",
    "delete": "deleted",
}


def change_section(change: FileChange, before: bytes | None, max_lines: int) -> tuple[str, list[Line]]:
    """The title and lines of one change; ``before`` is the old content where it is known."""
    title = f"{printable(change.path)}: {_WORDS.get(change.kind, change.kind)}, {_sizes(change)}"
    if change.kind == "mkdir":
        return f"{printable(change.path)}: {_WORDS['mkdir']}", []
    if change.kind == "delete":
        return title, _shortened(_diff(before, b"", change.path), max_lines) if before is not None else []
    if change.content is None:
        return title, [Line("dim", "content not carried: it was too large for the diff")] if change.new_bytes else []
    old = b"" if change.kind == "create" else before
    lines = _diff(old, change.content, change.path) if old is not None else _whole(change.content)
    return title, _shortened(lines, max_lines)


def patch_lines(patch: str, max_lines: int) -> list[Line]:
    """The lines of a unified diff of many files."""
    return _shortened([_patch_line(line) for line in _lines(patch)], max_lines)


def _patch_line(line: str) -> Line:
    style = {"+": "added", "-": "removed", "@": "hunk"}.get(line[:1], "plain")
    return Line("plain" if line.startswith(("+++ ", "--- ")) else style, visible_line(line))


def _sizes(change: FileChange) -> str:
    if change.kind == "create":
        return f"{change.new_bytes} bytes"
    if change.kind == "delete":
        return f"{change.old_bytes} bytes"
    return f"{change.old_bytes} -> {change.new_bytes} bytes"


def _text(content: bytes) -> str | None:
    """The content as text, None when it is no text."""
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _diff(old: bytes, new: bytes, path: str) -> list[Line]:
    before, after = _text(old), _text(new)
    if before is None or after is None:
        shown = new or old
        return [Line("dim", f"binary, sha256 {sha256(shown).hexdigest()}")]
    old_lines, new_lines = _lines(before), _lines(after)
    if not old_lines or not new_lines or max(len(old_lines), len(new_lines)) > MAX_ALIGNED_LINES:
        removed = [Line("removed", f"-{visible_line(line)}") for line in old_lines]
        return removed + [Line("added", f"+{visible_line(line)}") for line in new_lines] + _no_newline(after)
    return list(_unified(old_lines, new_lines)) + _no_newline(after)


def _unified(old: list[str], new: list[str]) -> Iterator[Line]:
    for number, line in enumerate(unified_diff(old, new, n=3, lineterm="")):
        if number < 2:  # the two file names, which the title says
            continue
        style = {"+": "added", "-": "removed", "@": "hunk"}.get(line[:1], "plain")
        yield Line(style, line if style == "hunk" else line[:1] + visible_line(line[1:]))


def _whole(content: bytes) -> list[Line]:
    text = _text(content)
    if text is None:
        return [Line("dim", f"binary, sha256 {sha256(content).hexdigest()}")]
    return [Line("plain", f" {visible_line(line)}") for line in _lines(text)] + _no_newline(text)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _no_newline(text: str) -> list[Line]:
    return [] if not text or text.endswith("\n") else [Line("dim", "\\ no newline at the end")]


def _shortened(lines: list[Line], max_lines: int) -> list[Line]:
    if len(lines) <= max_lines:
        return lines
    half = max_lines // 2
    left = len(lines) - 2 * half
    return [*lines[:half], Line("dim", f"… {left} lines not shown …"), *lines[-half:]]
