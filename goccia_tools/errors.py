"""Exceptions for what the caller did wrong; whatever a guest does is a RunResult instead."""

from __future__ import annotations

from difflib import get_close_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .result import RunResult


class GocciaError(Exception):
    """Base of every exception this package raises on purpose."""


class OptionError(GocciaError, ValueError):
    """An option has an unknown name, a wrong type or a value out of range."""


class SeedError(GocciaError, ValueError):
    """A seed cannot become a file of the sandbox: missing, a symlink, unreadable, twice, over quota."""


class ConfigError(GocciaError, ValueError):
    """A configuration file cannot be read or says something unknown; the text starts with ``file:line``."""


class UnavailableError(GocciaError, RuntimeError):
    """Something asked for by name (an engine, a launcher, a jail layer) does not exist on this machine."""


class RunFailed(GocciaError):
    """Raised by :meth:`RunResult.raise_for_failure`; ``result`` is the whole run-result."""

    def __init__(self, result: RunResult) -> None:
        super().__init__(f"{result.failure_kind}: {result.error_message}".rstrip(": \n"))
        self.result = result


def nearest(word: str, known: Iterable[str]) -> str:
    """The hint ``; did you mean "x"?`` for a misspelt word, or an empty string when nothing is near."""
    folded = {name.lower().replace("_", "").replace("-", ""): name for name in known}
    match = get_close_matches(word.lower().replace("_", "").replace("-", ""), folded, n=1, cutoff=0.6)
    return f'; did you mean "{folded[match[0]]}"?' if match else ""
