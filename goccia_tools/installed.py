"""find_runner: the GocciaSandboxRunner that is installed on this machine, for the engine goccia."""

from __future__ import annotations

import os
import shutil
from os import PathLike

from .errors import UnavailableError

PROGRAM = "GocciaSandboxRunner"
#: names the program where it is not on PATH
VARIABLE = "GOCCIA_SANDBOX_RUNNER"
#: what to do where there is none
HOW_TO_GET_IT = (
    "it comes with GocciaScript (https://github.com/frostney/GocciaScript: a release, or a clone and its build program)"
)


def find_runner(path: str | PathLike[str] | None = None) -> str:
    """The absolute path of the runner: ``path``, else what ``GOCCIA_SANDBOX_RUNNER`` names, else the one on PATH.

    Raises:
        UnavailableError: there is none, or what was named is no program; says what to do.
    """
    named, by = (os.fspath(path), "runner_path") if path is not None else (os.environ.get(VARIABLE, ""), VARIABLE)
    if not named:
        found = shutil.which(PROGRAM)
        if found is None:
            raise UnavailableError(
                f'engine="goccia" needs an installed {PROGRAM} and there is none on PATH; {HOW_TO_GET_IT}.'
                f" A copy elsewhere is named by {VARIABLE}, --runner or runner_path"
            )
        return os.path.abspath(found)
    if not os.path.exists(named):
        raise UnavailableError(f'engine="goccia": {by} names {named!r}, and there is no such file')
    if os.path.isdir(named) or not os.access(named, os.X_OK):
        raise UnavailableError(f'engine="goccia": {by} names {named!r}, which is no program that may be executed')
    return os.path.abspath(named)
