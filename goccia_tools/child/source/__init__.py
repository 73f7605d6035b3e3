"""Source texts of a run: checked against the dialect, and rewritten into what the engine runs."""

from __future__ import annotations

import sys

from ..dialect import Dialect
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
        "_lines",
        "_map",
        "_moves",
        "_old",
        "_spans",
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
        self._calls: list[int] | frozenset[int] = parser.calls
        self._moves = parser.call_moves
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

    def call_site(self, line: int, column: int) -> tuple[int, int] | None:
        """Where the reference reports the call at a position of the rewritten text; None when there is no call."""
        offset = self._positions().old_offset(line, column)
        moved = self._moves.get(offset)
        if moved is None:
            if not isinstance(self._calls, frozenset):
                self._calls = frozenset(self._calls)
            if offset not in self._calls:
                return None
            moved = offset
        return self._original_lines().position(moved)


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
