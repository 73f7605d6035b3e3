"""Offsets of a text as lines and columns: both from 1, columns in UTF-16 units."""

from __future__ import annotations


class Lines:
    """Line starts of one text; ``\\r\\n``, ``\\r``, U+2028 and U+2029 end lines too unless ``newlines_only``."""

    __slots__ = ("_ascii", "_starts", "_text")

    def __init__(self, text: str, *, newlines_only: bool = False) -> None:
        self._text = text
        self._ascii = text.isascii()
        starts = [0]
        find = text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        if not newlines_only:
            extra = []
            for end in "\r\u2028\u2029":
                at = find(end)
                while at >= 0:
                    if end != "\r" or text[at + 1 : at + 2] != "\n":
                        extra.append(at + 1)
                    at = find(end, at + 1)
            if extra:
                starts = sorted(starts + extra)
        self._starts = starts

    @property
    def count(self) -> int:
        return len(self._starts)

    def position(self, offset: int) -> tuple[int, int]:
        starts = self._starts
        low, high = 0, len(starts)
        while high - low > 1:
            middle = (low + high) // 2
            if starts[middle] <= offset:
                low = middle
            else:
                high = middle
        begin = starts[low]
        if self._ascii:
            return low + 1, offset - begin + 1
        return low + 1, utf16_length(self._text[begin:offset]) + 1

    def offset(self, line: int, column: int) -> int:
        """The offset of a position; positions outside the text are moved to its nearest end."""
        if line < 1:
            return 0
        if line > len(self._starts):
            return len(self._text)
        begin = self._starts[line - 1]
        end = self._starts[line] - 1 if line < len(self._starts) else len(self._text)
        if self._ascii:
            return min(begin + max(column, 1) - 1, end)
        units = 1
        at = begin
        while at < end and units < column:
            units += 2 if self._text[at] > "\uffff" else 1
            at += 1
        return at


def utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
