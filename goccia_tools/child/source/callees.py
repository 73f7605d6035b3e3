"""Which call failed: the engine says only "not a function", and where it last read a name."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

#: calls around a failing one that cannot be the failing one, unless a program declares their first name itself
_ALWAYS_FUNCTIONS: Final = {
    "console": ("log", "info", "warn", "error", "debug", "dir", "assert", "group"),
    "JSON": ("stringify", "parse"),
    "Object": ("", "keys", "values", "entries", "assign", "freeze", "fromEntries"),
    "Array": ("", "from", "isArray", "of"),
    "Promise": ("resolve", "reject", "all", "race", "allSettled", "any"),
    "Math": ("abs", "floor", "ceil", "round", "trunc", "max", "min", "sqrt", "pow"),
    "String": ("",),
    "Number": ("",),
    "Boolean": ("",),
    "Symbol": ("",),
    "structuredClone": ("",),
}
_OPENERS: Final = {")": "(", "]": "["}
_CLOSERS: Final = {"(": ")", "[": "]"}
_CUT: Final = {"(": "(...)", "[": "[...]"}
_LINKS: Final = (".", "?.", "#")
_SILENT: Final = frozenset("()[]{},;:`.?#'\"0123456789")


class Calls:
    """The calls of one source text by its tokens: their starts and ends, and what the parser noted of each call.

    A noted call is its callee's last token (of ``new``: its first), the token where the reference reports the call, and
    the one behind the call.
    """

    __slots__ = ("_calls", "_ends", "_starts", "_text")

    def __init__(
        self, text: str, starts: Sequence[int], ends: Sequence[int], calls: Sequence[tuple[int, int, int]]
    ) -> None:
        self._text = text
        self._starts = starts
        self._ends = ends
        self._calls = calls

    def failed(self, offset: int, *, new: bool) -> list[tuple[str, int]]:
        """The callees that the engine can have meant, innermost first, each with the offset where its call is reported.

        The engine's position is that of the last name or operator it read. A call fails after its arguments were
        read, so ``f(g())`` has the same position whether ``f`` or ``g`` fails: every call is meant in which nothing
        is read behind the position. A callee that always is a function is left out while another one remains.
        """
        found: list[tuple[int, str, int]] = []
        for callee, reported, end in self._calls:
            if self._ends[end - 1] <= offset or (self._token(reported) == "new") is not new:
                continue
            first, last = (callee, self._last(callee)) if new else (self._first(callee), callee)
            behind = max(offset, self._starts[last]) if new else offset
            if self._starts[first] - 1 > offset or self._enters_function(first, offset):
                continue
            if not self._reads_behind(behind, end):
                found.append((self._starts[reported], self._name(first, last), self._starts[reported]))
        found.sort(reverse=True)
        named = [(name, at) for _, name, at in found]
        return [item for item in named if not self._always_function(item[0])] or named

    def _token(self, i: int) -> str:
        return self._text[self._starts[i] : self._ends[i]] if 0 <= i < len(self._starts) else ""

    def _first(self, last: int) -> int:
        """The first token of the member chain that ends at a token."""
        i = last
        while i > 0:
            if self._token(i) in _OPENERS:
                i = self._partner(i)
                if _ends_operand(self._token(i - 1)):
                    i -= 1
                    continue
            if self._token(i - 1) not in _LINKS:
                break
            while i > 0 and self._token(i - 1) in _LINKS:
                i -= 1
            i -= 1
        return max(i, 0)

    def _partner(self, closer: int) -> int:
        close = self._token(closer)
        depth = 0
        for i in range(closer, -1, -1):
            depth += (self._token(i) == close) - (self._token(i) == _OPENERS[close])
            if depth == 0:
                return i
        return 0

    def _last(self, first: int) -> int:
        """The last token of the callee of ``new`` that begins at a token."""
        i = first
        while self._token(i + 1) in _LINKS:
            i += 2
        return i

    def _name(self, first: int, last: int) -> str:
        """The callee as written, with what is called or indexed on the way cut short."""
        text = ""
        i = first
        while i <= last:
            token = self._token(i)
            if token in _CUT:
                depth = 0
                while i <= last:
                    depth += (self._token(i) == token) - (self._token(i) == _CLOSERS[token])
                    if depth == 0:
                        break
                    i += 1
            text += _CUT.get(token, token)
            i += 1
        return text

    def _reads_behind(self, offset: int, end: int) -> bool:
        """Whether the engine reads a name or has an operator behind ``offset`` and before token ``end``.

        Nested functions read nothing yet: where one is, the answer is no, which names one call too many at worst.
        """
        reads = False
        for i in range(end - 1, -1, -1):
            if self._starts[i] <= offset + 1:
                break
            token = self._token(i)
            if token in ("=>", "function"):
                return False
            property_name = self._token(i - 1) in _LINKS and self._token(i + 1) != "("
            if not (token[:1] in _SILENT or property_name or token in ("true", "false", "null", "")):
                reads = True
        return reads

    def _enters_function(self, first: int, offset: int) -> bool:
        """Whether ``offset`` is in the body of a function that is written behind token ``first``.

        A body is what follows ``=>``, and a block behind ``)``: inside a call only functions have one.
        """
        opened: list[str] = []  # the brackets that are open, and what they hold where it is a body
        bodies = 0
        for i in range(first, len(self._starts)):
            if self._starts[i] > offset:
                break
            word, before = self._token(i), self._token(i - 1) if i > first else ""
            if word in (",", ")", "]", "}"):
                while opened and opened[-1] == "=>":  # an arrow function without braces ends here
                    opened.pop()
                    bodies -= 1
                if word != "," and opened:
                    bodies -= opened.pop() == "body"
            if before == "=>" and word != "{":
                opened.append("=>")
                bodies += 1
            if word in ("(", "[", "{", "${"):
                body = word == "{" and before in ("=>", ")")
                opened.append("body" if body else word)
                bodies += body
        return bodies > 0

    def _always_function(self, callee: str) -> bool:
        head, _, rest = callee.partition(".")
        if rest not in _ALWAYS_FUNCTIONS.get(head, ()):
            return False
        return all(
            self._token(i + 1) in (".", "(", "?.") and self._token(i - 1) not in ("function", "class")
            for i in range(len(self._starts))
            if self._token(i) == head and self._token(i - 1) not in _LINKS
        )


def _ends_operand(token: str) -> bool:
    return token in (")", "]") or token[:1].isalpha() or token[:1] in "_$"


def failure_message(callees: Sequence[str], *, new: bool) -> str:
    """What the reference says of a call that failed, or of the calls that may have."""
    names = [name if "." in name or "(" in name or "[" in name or len(callees) > 1 else f"'{name}'" for name in callees]
    return f"{' or '.join(names)} is not a {'constructor' if new else 'function'}"
