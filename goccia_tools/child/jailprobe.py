"""What the jail can be on this machine: found out by a process that confines itself, says how far it came, and ends."""

from __future__ import annotations

import posix
import sys

from goccia_tools import jail
from goccia_tools.jail.rlimits import Ceilings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, NoReturn

#: some ceilings, so that setting them is tried as well
_MEMORY_BYTES: Final = 1 << 30
_CPU_SECONDS: Final = 60


def confine_and_report(profile: str, output_fd: int, prepared: jail.Prepared | None = None) -> NoReturn:
    """Confine this process, write the report to ``output_fd`` and end."""
    report = jail.apply(profile, "auto", output_fd, Ceilings(_MEMORY_BYTES, _CPU_SECONDS), prepared=prepared)
    posix.write(output_fd, str(report).encode("utf-8", "replace"))
    posix._exit(0)


def main() -> None:
    """``… PROFILE``: the report of one profile on standard output."""
    confine_and_report(sys.argv[1], 1)
