"""Runs untrusted JavaScript in one fresh child process per run and returns one honest result."""

from __future__ import annotations

# The child imports this package too, and so does whoever wants a name of it: nothing is loaded before it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .baseline import Seed as Seed
    from .errors import ConfigError as ConfigError
    from .errors import GocciaError as GocciaError
    from .errors import OptionError as OptionError
    from .errors import RunFailed as RunFailed
    from .errors import SeedError as SeedError
    from .errors import UnavailableError as UnavailableError
    from .options import RunOptions as RunOptions
    from .result import FailureKind as FailureKind
    from .result import FileChange as FileChange
    from .result import RunResult as RunResult
    from .runner import Runner as Runner
    from .runner import run as run

#: public name -> the module that has it
_HOMES = {
    "ConfigError": "errors",
    "FailureKind": "result",
    "FileChange": "result",
    "GocciaError": "errors",
    "OptionError": "errors",
    "RunFailed": "errors",
    "RunOptions": "options",
    "RunResult": "result",
    "Runner": "runner",
    "Seed": "baseline",
    "SeedError": "errors",
    "UnavailableError": "errors",
    "run": "runner",
}

__all__ = [
    "ConfigError",
    "FailureKind",
    "FileChange",
    "GocciaError",
    "OptionError",
    "RunFailed",
    "RunOptions",
    "RunResult",
    "Runner",
    "Seed",
    "SeedError",
    "UnavailableError",
    "run",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def load_ipython_extension(ipython: Any) -> None:
    """``%load_ext goccia_tools``: adds the cell magic ``%%sandbox``."""
    from importlib import import_module

    import_module(".magic", __name__).load_ipython_extension(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """``%unload_ext goccia_tools``: takes the magic away and ends what it kept."""
    from importlib import import_module

    import_module(".magic", __name__).unload_ipython_extension(ipython)
