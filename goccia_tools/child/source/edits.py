"""Edits of a source text that keep its lines, and the way back from the result to the original."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .positions import Lines

_CLOSE, _OPEN, _REPLACE = 0, 1, 2


class Edits:
    """Insertions and replacements collected in any order while the text is parsed.

    Wrapping is recorded after the wrapped part was parsed: of two openings at one place the later one is the
    outer one and comes first, of two closings the earlier one.
    """

    __slots__ = ("_items", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._items: list[tuple[int, int, int, int, str]] = []

    def __len__(self) -> int:
        return len(self._items)

    def mark(self) -> int:
        return len(self._items)

    def forget(self, mark: int, begin: int = 0, end: int = -1) -> None:
        """Drop the edits made since ``mark`` (inside ``begin:end`` when given)."""
        if end < 0:
            del self._items[mark:]
        else:
            self._items[mark:] = [item for item in self._items[mark:] if not begin <= item[0] < end]

    def extract(self, begin: int, end: int) -> str:
        """The text of ``begin:end`` with its edits, which are then done with."""
        inner = Edits(self._text)
        inner._items = [item for item in self._items if begin <= item[0] <= end]
        self._items = [item for item in self._items if not begin <= item[0] <= end]
        whole, _spans = inner.apply()
        return whole[begin : len(whole) - (len(self._text) - end)]

    def take(self, mark: int, begin: int, end: int) -> str:
        """The text of ``begin:end`` with the edits made since ``mark``, which are then done with."""
        inner = Edits(self._text)
        inner._items = [item for item in self._items[mark:] if begin <= item[0] <= end]
        del self._items[mark:]
        whole, _spans = inner.apply()
        return whole[begin : len(whole) - (len(self._text) - end)]

    def wrap(self, begin: int, before: str, end: int, after: str) -> None:
        self.open(begin, before)
        self.close(end, after)

    def open(self, at: int, text: str) -> None:
        self._items.append((at, _OPEN, -len(self._items), at, text))

    def close(self, at: int, text: str) -> None:
        self._items.append((at, _CLOSE, len(self._items), at, text))

    def replace(self, begin: int, end: int, text: str) -> None:
        """Put ``text`` where ``begin:end`` was; line ends of the old part stay, after the new text."""
        missing = self._text.count("\n", begin, end) - text.count("\n")
        self._items.append((begin, _REPLACE, len(self._items), end, text + "\n" * missing))

    def blank(self, begin: int, end: int, first: str = "") -> None:
        """Turn ``begin:end`` into blanks (after ``first``), so that columns behind it stay."""
        old = self._text[begin:end]
        new = "".join(char if char in "\r\n" else " " for char in old)
        self._items.append((begin, _REPLACE, len(self._items), end, first + new[len(first) :]))

    def apply(self) -> tuple[str, list[tuple[int, int, int]]]:
        """The new text and its spans ``(new begin, old begin, length)`` of unchanged text, in order."""
        text = self._text
        if not self._items:
            return text, [(0, 0, len(text))]
        parts: list[str] = []
        spans: list[tuple[int, int, int]] = []
        old = new = 0
        for begin, _kind, _order, end, insert in sorted(self._items):
            if begin < old:
                continue  # inside a part that was replaced as a whole
            if begin > old:
                parts.append(text[old:begin])
                spans.append((new, old, begin - old))
                new += begin - old
            parts.append(insert)
            new += len(insert)
            old = end
        parts.append(text[old:])
        spans.append((new, old, len(text) - old))
        return "".join(parts), spans


class PositionMap:
    """Positions of a rewritten text, as the engine counts them, in the original text."""

    __slots__ = ("_new", "_old", "_spans")

    def __init__(self, new: Lines, old: Lines, spans: list[tuple[int, int, int]]) -> None:
        self._new = new
        self._old = old
        self._spans = spans

    def old_offset(self, line: int, column: int) -> int:
        offset = self._new.offset(line, column)
        spans = self._spans
        low, high = 0, len(spans)
        while high - low > 1:
            middle = (low + high) // 2
            if spans[middle][0] <= offset:
                low = middle
            else:
                high = middle
        new_begin, old_begin, length = spans[low]
        # inside inserted text: the place where it was inserted
        return old_begin + min(max(offset - new_begin, 0), length)

    def original(self, line: int, column: int) -> tuple[int, int]:
        return self._old.position(self.old_offset(line, column))
