"""What a RunResult says to a person: facts first, then text (or ``display.bundle``) from them."""

from __future__ import annotations

from .facts import EXIT_STATUS, Facts, facts
from .terminal import report_text, verdict_text
from .text import number_text, printable, value_text

__all__ = [
    "EXIT_STATUS",
    "Facts",
    "facts",
    "number_text",
    "printable",
    "report_text",
    "value_text",
    "verdict_text",
]
