"""Regular expressions on text that a guest may have written: bounded in size and in time."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..errors import UnavailableError

#: only this much of a text is searched
MAX_TEXT_CHARS = 1 << 20
MAX_SEARCH_MS = 1000


class PatternError(Exception):
    """A regular expression cannot be compiled."""


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Any:
    """A compiled expression, in the syntax of the ``regex`` library, which has a time limit where ``re`` has none.

    Raises:
        PatternError: it is not a regular expression.
        UnavailableError: ``regex`` is not installed.
    """
    try:
        import regex
    except ImportError:
        raise UnavailableError(
            "{matches: …} needs the package regex: install goccia-tools[pytest] (or [grading], [notebook])"
        ) from None
    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise PatternError(str(error)) from None


def search(pattern: str, text: str) -> str | None:
    """None when ``pattern`` is found in ``text``, else a sentence: it was not, or the search was given up."""
    try:
        if compile_pattern(pattern).search(text[:MAX_TEXT_CHARS], timeout=MAX_SEARCH_MS / 1000):
            return None
    except TimeoutError:
        return f"the search for /{pattern}/ was given up after {MAX_SEARCH_MS} ms"
    except MemoryError:
        return f"the search for /{pattern}/ ran out of memory"
    if len(text) > MAX_TEXT_CHARS:
        return f"/{pattern}/ is not found in its first {MAX_TEXT_CHARS} characters"
    return f"/{pattern}/ is not found"
