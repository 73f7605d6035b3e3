"""A diff of two texts for a person: bounded, with what cannot be seen made visible."""

from __future__ import annotations

from difflib import SequenceMatcher

#: lines of a diff, and characters of one line, that are shown
MAX_LINES = 60
MAX_LINE_CHARS = 240
CONTEXT_LINES = 3
#: more differing lines than this on a side are shown as two blocks, because aligning them takes too long
MAX_ALIGNED_LINES = 400


def visible(line: str, *, ends: bool = False) -> str:
    """A line (without its LF) in which control characters show: CR as ␍, the others as escapes, blanks at the end as ·.

    With ``ends`` the LF shows as well.
    """
    stripped = line.rstrip(" ")
    text = stripped + "·" * (len(line) - len(stripped))
    shown = "".join(char if char.isprintable() or char == "\t" else _escape(char) for char in text)
    if len(shown) > MAX_LINE_CHARS:
        shown = f"{shown[:MAX_LINE_CHARS]}… ({len(line)} characters)"
    return shown + ("␊" if ends else "")


def _escape(char: str) -> str:
    if char == "\r":
        return "␍"
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"


def text_diff(expected: str, actual: str) -> list[str]:
    """Lines that begin with ``-`` (expected), ``+`` (got) or a blank (both), around the differences.

    Lines end at LF only: the other line ends of Unicode are characters of a JavaScript string.
    """
    old, new = expected.split("\n"), actual.split("\n")
    ends = expected.replace("\r", "") == actual.replace("\r", "")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    stop = 0
    while stop < min(len(old), len(new)) - start and old[-1 - stop] == new[-1 - stop]:
        stop += 1
    old_end, new_end = len(old) - stop, len(new) - stop
    shown = [f"@@ line {start + 1} @@"] if start > CONTEXT_LINES else []
    shown += [_line(" ", text, ends) for text in old[max(0, start - CONTEXT_LINES) : start]]
    shown += _changed(old[start:old_end], new[start:new_end], ends)
    after = old[old_end : old_end + CONTEXT_LINES]
    if old_end + len(after) == len(old) and after and not after[-1]:
        after.pop()  # what follows a last newline is no line
    shown += [_line(" ", text, ends) for text in after]
    if len(shown) > MAX_LINES:
        left = len(shown) - MAX_LINES
        shown = [*shown[:MAX_LINES], f"… {left} more lines"]
    return shown


def _changed(old: list[str], new: list[str], ends: bool) -> list[str]:
    # the parts after a last newline are empty in texts that end in one, and then one text has a newline too many
    if old == [""] and new and new[-1] == "":
        old = []
        new = new[:-1]
    elif new == [""] and old and old[-1] == "":
        new = []
        old = old[:-1]
    shown: list[str] = []
    if len(old) > MAX_ALIGNED_LINES or len(new) > MAX_ALIGNED_LINES:
        half = MAX_LINES // 2
        for sign, lines in (("-", old), ("+", new)):
            shown += [_line(sign, text, ends) for text in lines[: half - 1]]
            if len(lines) > half - 1:
                shown.append(f"{sign} … {len(lines) - half + 1} more lines")
        return shown
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            shown += [_line(" ", text, ends) for text in old[old_start:old_end]]
            continue
        shown += [_line("-", text, ends) for text in old[old_start:old_end]]
        shown += [_line("+", text, ends) for text in new[new_start:new_end]]
    return shown


def _line(sign: str, text: str, ends: bool) -> str:
    return f"{sign} {visible(text, ends=ends)}"
