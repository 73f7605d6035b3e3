"""Source texts of a run: checked against the dialect, and rewritten into what the engine runs."""

from __future__ import annotations

import sys

from ..dialect import Dialect
from .callees import Calls
from .edits import PositionMap
from .parser import Parser
from .positions import Lines
from .problems import SourceError, Violation

__all__ = ["Prepared", "SourceError", "prepare"]

MAX_CHARACTERS = 16 * 1024 * 1024
#: pure-Python calls take no C stack, so this only bounds how deep a text may nest
_RECURSION = 12_000


class Prepared:
    """A text the engine can run, and the way from its positions back to the original."""

    __slots__ = (
        "_calls",
        "_elements",
        "_ends",
        "_lines",
        "_map",
        "_old",
        "_spans",
        "_starts",
        "imports",
        "strict",
        "text",
        "uses_top_level_await",
        "warnings",
    )

    def __init__(self, parser: Parser, path: str) -> None:
        text, spans = parser.edits.apply()
        self.text = text
        self.strict = not parser.dialect.sloppy
        self.uses_top_level_await = parser.top_level_await and parser.module
        self._old = parser.text
        self._spans = spans
        self._lines: Lines | None = None
        self._map: PositionMap | None = None
        self._calls = parser.calls
        self._starts, self._ends = parser.s, parser.e
        self._elements = parser.elements
        #: (specifier, type attribute, imported names, line, column) of a module's static imports
        self.imports: list[tuple[str, str, tuple[str, ...], int, int]] = []
        for specifier, attribute, names, offset in parser.static_imports:
            self.imports.append((specifier, attribute, names, *self._original_lines().position(offset)))
        self.warnings: list[dict[str, object]] = []
        if parser.warnings:
            lines = self._original_lines()
            for message, suggestion, offset in parser.warnings:
                line, column = lines.position(offset)
                warning: dict[str, object] = {
                    "message": message,
                    "suggestion": suggestion,
                    "path": path,
                    "line": line,
                    "column": column,
                }
                self.warnings.append(warning)

    def _original_lines(self) -> Lines:
        if self._lines is None:
            self._lines = Lines(self._old)
        return self._lines

    def _positions(self) -> PositionMap:
        if self._map is None:
            self._map = PositionMap(Lines(self.text, newlines_only=True), self._original_lines(), self._spans)
        return self._map

    def original_position(self, line: int, column: int) -> tuple[int, int]:
        """Where a position of the rewritten text (as the engine counts) is in the original."""
        return self._positions().original(line, column)

    def call_site(self, line: int, column: int, callee: str) -> tuple[int, int] | None:
        """Where the reference reports the call that entered ``callee``; None when no call is there.

        The engine's position is that of the last name it read before the call, give or take one: in the callee or in
        an argument. So the calls around it are candidates, and the one that calls by that name is meant, else the
        innermost one; what runs in an operator's stead (accessors, conversions, iterators) was not called.
        """
        offset = self._positions().old_offset(line, column)
        best: tuple[int, int] | None = None
        named = False
        for last, reported, end in self._calls:
            if not self._starts[last] - 1 <= offset <= self._ends[end - 1]:
                continue
            by_name = self._old[self._starts[last] : self._ends[last]] == callee
            start = self._starts[last]
            if (by_name and not named) or (by_name == named and (best is None or start >= best[0])):
                best, named = (start, self._starts[reported]), by_name
        if best is None or (not named and _is_implicit(callee)):
            at = next((at for at in self._elements if abs(at - offset) <= 1), None)
            return None if at is None else self._original_lines().position(at)
        return self._original_lines().position(best[1])

    def failed_calls(self, line: int, column: int, *, new: bool) -> list[tuple[str, tuple[int, int]]]:
        """The callees that an engine's "not a function" at a position can mean, and where each call is reported."""
        offset = self._positions().old_offset(line, column)
        calls = Calls(self._old, self._starts, self._ends, self._calls)
        return [(name, self._original_lines().position(at)) for name, at in calls.failed(offset, new=new)]


def _is_implicit(callee: str) -> bool:
    """Whether operators run functions of that name: accessors, conversions and iterator methods."""
    return callee.startswith(("get ", "set ", "[")) or callee in ("valueOf", "toString", "toJSON", "next", "return")


def prepare(
    text: str,
    path: str,
    *,
    kind: str,
    flags: frozenset[str],
    strict_types: bool = False,
    warn_unsupported: bool = False,
    want_completion: bool = False,
) -> Prepared:
    """Check and rewrite one source text, or raise the first violation as a SourceError.

    ``function`` is the text of a Function constructor, already put together as one parenthesised function.
    ``want_completion`` makes a module hand its completion value to ``ǃg_done``.
    """
    extension = path[path.rfind(".") + 1 :].lower() if "." in path else ""
    typescript = extension in ("ts", "tsx", "mts")
    if text.startswith("\ufeff"):
        text = text[1:]
    if len(text) > MAX_CHARACTERS:
        raise SourceError("SyntaxError", f"The file is longer than {MAX_CHARACTERS} characters", path, 1, 1)
    dialect = Dialect(flags, module=kind == "module", warn=warn_unsupported)
    parser = Parser(
        text,
        dialect,
        path=path,
        kind=kind,
        typescript=typescript,
        jsx=extension not in ("ts", "mts") and kind != "function",
        strict_types=strict_types,
    )
    parser.completion = want_completion and kind == "module"
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        if kind == "function":
            parser.function_text()
        else:
            parser.program()
    except Violation as problem:
        line, column = Lines(text).position(problem.offset)
        where = "" if problem.pathless else path
        raise SourceError("SyntaxError", problem.message, where, line, column, problem.suggestion) from None
    except RecursionError:
        at = parser.s[parser.i] if parser.i < len(parser.s) else 0
        line, column = Lines(text).position(at)
        raise SourceError(
            "SyntaxError", "The program nests too deeply", path, line, column, "Use fewer levels"
        ) from None
    finally:
        sys.setrecursionlimit(limit)
    return Prepared(parser, path)
