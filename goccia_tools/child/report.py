"""The error text of a failed run."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from goccia_tools.child.source import Prepared, SourceError


def render_report(
    described: dict[str, Any], sources: Callable[[str], Prepared | None], entry: str, mode: str = "interpreter"
) -> str:
    """The report of an uncaught exception, without its last newline."""
    return f"{described.get('name', '')}: {described.get('message', '')}"


def render_source_error(error: SourceError, sources: Callable[[str], Prepared | None], entry: str) -> str:
    """The report of a refused source, without its last newline."""
    return f"{error.name}: {error.message}"
