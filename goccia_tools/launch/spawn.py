"""SpawnLauncher: a fresh child by exec, the way that works for any program."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from . import Child, LaunchError
from .bundle import bundle_path
from .nowhere import neutral_directory

#: the packages beside this one that a child may import; where they live goes onto its path
_CHILD_PACKAGES = (
    "_cffi_backend",
    "quickjs",
    "json5",
    "ruamel",
)

_PROBE_S = 10.0
#: one machine has one answer
_jail_reports: dict[str, str] = {}

# Without `site` nothing but the standard library can be imported, so the few roots are appended. They come after
# it: whatever lies in site-packages cannot stand in for a standard module. The collector stays off until the program
# starts, because everything made before that is kept. A bundle that is gone only makes the start slower.
_BOOT = """import sys, gc, marshal
gc.disable()
sys.path += {roots!r}
try:
    with open({bundle!r}, "rb") as file:
        install, modules = marshal.loads(file.read())
except (OSError, EOFError):
    pass
else:
    exec(marshal.loads(install), {{"modules": modules}})
from goccia_tools.child.{module} import main
main()
"""


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

    def jail_report(self, profile: str) -> str | None:
        """What the jail of a profile is on this machine, tried by a process that runs nothing; once per profile."""
        if self._command is not None:
            return None
        if profile not in _jail_reports:
            command = (*child_command(module="jailprobe"), profile)
            try:
                done = subprocess.run(  # noqa: S603
                    command,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    env={},
                    cwd=neutral_directory(),
                    timeout=_PROBE_S,
                    check=True,
                )
            except (OSError, subprocess.SubprocessError):
                return None
            _jail_reports[profile] = done.stdout.decode("utf-8", "replace")
        return _jail_reports[profile]

    def close(self) -> None:
        pass


@cache
def child_command(options: tuple[str, ...] = (), module: str = "main") -> tuple[str, ...]:
    """The command line of this package's child, or of another module of it: this interpreter, isolated, no ``site``.

    ``-c`` with the roots instead of ``-m``, which costs three times the start of the interpreter.
    """
    if not sys.executable:
        raise LaunchError("this Python does not know its own executable (sys.executable is empty)")
    # no -B even where this process has it: without compiled modules every run would compile the child again
    flags = ["-I", "-S", "-X", "utf8"]
    if sys.pycache_prefix:
        flags += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    boot = _BOOT.format(roots=_roots(), bundle=bundle_path() or os.devnull, module=module)
    return (sys.executable, *flags, "-c", boot, *options)


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
