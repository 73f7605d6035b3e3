"""What goes wrong in a source text: the first violation, as data for the error report."""

from __future__ import annotations


class SourceError(Exception):
    """The text is refused: ``name: message`` at ``path:line:column`` with an optional suggestion.

    ``path`` is empty for the few errors which the reference reports without a file.
    """

    def __init__(self, name: str, message: str, path: str, line: int, column: int, suggestion: str = "") -> None:
        super().__init__(f"{name}: {message} ({path}:{line}:{column})")
        self.name = name
        self.message = message
        self.path = path
        self.line = line
        self.column = column
        self.suggestion = suggestion


class Violation(Exception):
    """A refusal at an offset of the text, before the offset became a position."""

    def __init__(self, message: str, offset: int, suggestion: str = "", *, pathless: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.suggestion = suggestion
        self.pathless = pathless
