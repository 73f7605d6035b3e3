"""Unified diffs of one file that ``patch -p0`` and ``git apply -p0`` accept; lines end at LF and nowhere else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_CONTEXT: Final = 3
#: texts larger than this together become one whole-file hunk, which costs no line comparison
_LINEWISE_BYTES: Final = 512 * 1024
#: the edit distance after which the middle of a file is shown as replaced
_MAX_EDITS: Final = 300
_NO_NEWLINE: Final = "\\ No newline at end of file\n"


def _name(path: str) -> str:
    """A path in a header: relative, C-quoted when it holds a control character, a quote or a backslash."""
    name = path.lstrip("/")
    if any(char < " " or char in '"\\\x7f' for char in name):
        quoted = []
        for char in name:
            if char in '"\\':
                quoted.append("\\" + char)
            elif char < " " or char == "\x7f":
                quoted.append({"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, f"\\{ord(char):03o}"))
            else:
                quoted.append(char)
        return '"' + "".join(quoted) + '"'
    return name + "\t" if " " in name else name


def _text(data: bytes) -> str | None:
    """The file as text, or None when it is binary: a NUL or invalid UTF-8."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def unified_file(path: str, old: bytes | None, new: bytes | None) -> str:
    """The diff of one file; None on a side means that there was no file. At least one side is bytes."""
    name = _name(path)
    before, after = _text(old or b""), _text(new or b"")
    if before is None or after is None:
        sides = ("/dev/null" if old is None else name.rstrip("\t"), "/dev/null" if new is None else name.rstrip("\t"))
        return f"Binary files {sides[0]} and {sides[1]} differ\n"
    if before == after:
        bare = name.rstrip("\t")
        mode = "new" if old is None else "deleted"
        return f"diff --git {bare} {bare}\n{mode} file mode 100644\n"
    header = f"--- {'/dev/null' if old is None else name}\n+++ {'/dev/null' if new is None else name}\n"
    if not before or not after or len(before) + len(after) > _LINEWISE_BYTES:
        return header + _whole(before, after)
    return header + _hunks(before, after)


def _count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _prefixed(sign: str, text: str) -> str:
    if not text:
        return ""
    if text.endswith("\n"):
        return sign + text[:-1].replace("\n", "\n" + sign) + "\n"
    return sign + text.replace("\n", "\n" + sign) + "\n" + _NO_NEWLINE


def _range(start: int, count: int) -> str:
    """A hunk's range: the line before it when it is empty, as the format has it."""
    return f"{start if count else start - 1},{count}"


def _whole(before: str, after: str) -> str:
    head = f"@@ -{_range(1, _count(before))} +{_range(1, _count(after))} @@\n"
    return head + _prefixed("-", before) + _prefixed("+", after)


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _matches(before: list[str], after: list[str]) -> list[tuple[int, int]]:
    """Pairs of indices of equal lines, increasing on both sides: a shortest edit script, or none when it is long."""
    width = len(before) + len(after)
    reach = {1: 0}
    trail: list[dict[int, int]] = []
    for edits in range(min(width, _MAX_EDITS) + 1):
        trail.append(dict(reach))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
            x = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
            y = x - diagonal
            while x < len(before) and y < len(after) and before[x] == after[y]:
                x += 1
                y += 1
            reach[diagonal] = x
            if x >= len(before) and y >= len(after):
                return _backtrack(trail, x, y)
    return []


def _backtrack(trail: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for edits in range(len(trail) - 1, -1, -1):
        reach, diagonal = trail[edits], x - y
        down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
        previous = diagonal + 1 if down else diagonal - 1
        old_x = reach[previous]
        old_y = old_x - previous
        while x > max(old_x, 0) and y > max(old_y, 0):
            x -= 1
            y -= 1
            pairs.append((x, y))
        x, y = old_x, old_y
    return pairs[::-1]


def _hunks(before_text: str, after_text: str) -> str:
    before, after = _lines(before_text), _lines(after_text)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    middle = _matches(before[start : len(before) - end], after[start : len(after) - end])
    pairs = [(index, index) for index in range(start)]
    pairs += [(start + x, start + y) for x, y in middle]
    pairs += [(len(before) - end + index, len(after) - end + index) for index in range(end)]
    # the runs of changed lines, as (old start, old end, new start, new end)
    runs: list[tuple[int, int, int, int]] = []
    x = y = 0
    for next_x, next_y in [*pairs, (len(before), len(after))]:
        if next_x > x or next_y > y:
            runs.append((x, next_x, y, next_y))
        x, y = next_x + 1, next_y + 1
    groups: list[list[tuple[int, int, int, int]]] = []
    for run in runs:
        if groups and run[0] - groups[-1][-1][1] <= 2 * _CONTEXT:
            groups[-1].append(run)
        else:
            groups.append([run])
    return "".join(_hunk(group, before, after) for group in groups)


def _hunk(runs: list[tuple[int, int, int, int]], before: list[str], after: list[str]) -> str:
    first, last = runs[0], runs[-1]
    lead = min(_CONTEXT, first[0])
    trail = min(_CONTEXT, len(before) - last[1])
    old_start, new_start = first[0] - lead, first[2] - lead
    body: list[str] = []
    x = old_start
    for run in runs:
        body += [" " + line for line in before[x : run[0]]]
        body += ["-" + line for line in before[run[0] : run[1]]]
        body += ["+" + line for line in after[run[2] : run[3]]]
        x = run[1]
    body += [" " + line for line in before[x : last[1] + trail]]
    old_count, new_count = last[1] + trail - old_start, last[3] + trail - new_start
    head = f"@@ -{_range(old_start + 1, old_count)} +{_range(new_start + 1, new_count)} @@\n"
    return head + "".join(line if line.endswith("\n") else line + "\n" + _NO_NEWLINE for line in body)
