"""The cell magic ``%%sandbox``; ``%load_ext goccia_tools`` brings it into IPython."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .filestores import sandbox_files as sandbox_files

__all__ = ["load_ipython_extension", "sandbox_files", "unload_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """Register ``%%sandbox`` and ``%sandbox`` and put ``sandbox_files`` into the namespace; twice is harmless."""
    from .sandbox import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Take away what :func:`load_ipython_extension` brought, and end the processes kept for it."""
    from .sandbox import unload

    unload(shell)


def __getattr__(name: str) -> Any:
    if name == "sandbox_files":
        from .filestores import sandbox_files

        return sandbox_files
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
