"""SpawnLauncher: a fresh child by exec, the way that works for any program."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from . import Child, LaunchError

#: the packages beside this one that a child may import; where they live goes onto its path
_CHILD_PACKAGES = (
    "_cffi_backend",
    "quickjs",
    "json5",
    "ruamel",
)

# Without `site` nothing but the standard library can be imported, so the few roots are appended. They come after
# it: whatever lies in site-packages cannot stand in for a standard module.
_BOOT = "import sys; sys.path += {roots!r}; from goccia_tools.child.main import main; main()"


class SpawnLauncher:
    """Starts ``command`` as a child; with no command, this package's own child (:func:`child_command`)."""

    def __init__(self, command: Sequence[str] | None = None, child_options: Sequence[str] = ()) -> None:
        self._command = None if command is None else tuple(command)
        self._child_options = tuple(child_options)

    def start(self) -> Child:
        if sys.platform == "win32":
            raise LaunchError("this version starts children on Linux and macOS only")
        else:  # the type checker follows one branch on each platform
            from .posix import SpawnedChild

            if self._command is not None:
                return SpawnedChild(self._command, reads_first=False)
            # the child compares this with its parent once its death signal is armed
            command = (*child_command(self._child_options), "--parent", str(os.getpid()))
            return SpawnedChild(command, reads_first=True)

    def close(self) -> None:
        pass


@cache
def child_command(options: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The command line of this package's child: this interpreter, isolated, without ``site``.

    ``-c`` with the roots instead of ``-m``, which costs three times the start of the interpreter.
    """
    if not sys.executable:
        raise LaunchError("this Python does not know its own executable (sys.executable is empty)")
    # no -B even where this process has it: without compiled modules every run would compile the child again
    flags = ["-I", "-S", "-X", "utf8"]
    if sys.pycache_prefix:
        flags += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    return (sys.executable, *flags, "-c", _BOOT.format(roots=_roots()), *options)


def _roots() -> list[str]:
    """The folders that hold this package and what its child imports, in the order they are found."""
    roots = [str(Path(__file__).absolute().parents[2])]
    for name in _CHILD_PACKAGES:
        spec = find_spec(name)
        if spec is None:
            continue
        places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
        depth = 2 if spec.submodule_search_locations and spec.origin else 1
        roots += [str(Path(place).absolute().parents[depth - 1]) for place in places if place]
    return list(dict.fromkeys(roots))
