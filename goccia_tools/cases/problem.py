"""CaseFileError: what is wrong with a test file, and on which line."""

from __future__ import annotations

from pathlib import Path

from ..errors import GocciaError


class CaseFileError(GocciaError, ValueError):
    """A test file cannot be read, decoded or understood; the text starts with ``file:line``.

    ``path`` is the file, ``line`` counts from 1, ``message`` is the sentence without the place.
    """

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.message = message
