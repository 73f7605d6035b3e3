"""How each layer of the jail is applied on Linux, and what of it can be made before a fork."""

from __future__ import annotations

import sys

from goccia_tools.jail.report import Unavailable

# nothing below is looked at on other systems
assert sys.platform == "linux"  # noqa: S101

from goccia_tools.jail import codepages, landlock, privileges, rlimits  # noqa: E402
from goccia_tools.jail._linux import MACHINE, syscall  # noqa: E402
from goccia_tools.jail.seccomp import Filter  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from goccia_tools.jail.rlimits import Ceilings

_LAST_FD: Final = 2**32 - 1


class Prepared:
    """The parts of a profile that can be made before a fork: the ruleset and the filter."""

    __slots__ = (
        "abi",
        "address_space_bytes",
        "filter",
        "has_no_privileges",
        "is_sealed",
        "output_fd",
        "problem",
        "profile",
        "ruleset_fd",
    )

    def __init__(self, profile: str, output_fd: int) -> None:
        self.profile = profile
        self.output_fd = output_fd
        self.ruleset_fd = -1
        self.abi = 0
        self.filter: Filter | None = None
        #: the code pages are sealed, and no closure is made any more
        self.is_sealed = False
        #: the privileges are gone
        self.has_no_privileges = False
        #: what the process had taken when this was made; 0 when the child has to look for itself
        self.address_space_bytes = 0
        #: why there is no ruleset although the kernel knows them
        self.problem: OSError | None = None
        if MACHINE:
            try:
                self.abi = landlock.version()
                if self.abi:
                    self.ruleset_fd = landlock.open_ruleset(profile, self.abi)
            except OSError as error:
                self.problem = error
            self.filter = Filter(profile, output_fd)

    def give_up(self) -> None:
        """What a process that forks can do for its children: seal the code pages, when every closure has been made,
        and drop its privileges, of which it needs none. A failure is left to the child, which tries again and says so.
        """
        if not MACHINE:
            return
        try:
            codepages.seal()
            self.is_sealed = True
            privileges.drop()
            self.has_no_privileges = True
        except OSError:
            pass
        self.address_space_bytes = rlimits.address_space_bytes()


def steps(
    profile: str, output_fd: int, ceilings: Ceilings | None, prepared: Prepared | None
) -> dict[str, Callable[[], str]]:
    """The layers by name; every step answers a detail for the report, or raises OSError or Unavailable."""
    parts = prepared if prepared is not None else Prepared(profile, output_fd)

    def seal_code() -> str:
        if not parts.is_sealed:
            codepages.seal()
        return ""

    def drop_privileges() -> str:
        if not parts.has_no_privileges:
            privileges.drop()
        return ""

    def lower_limits() -> str:
        return rlimits.lower(profile, ceilings or rlimits.Ceilings(), output_fd, parts.address_space_bytes)

    def enforce_landlock() -> str:
        if parts.problem is not None:
            raise parts.problem
        if not MACHINE:
            raise Unavailable("its calls are not known for this machine")
        if not parts.abi:
            raise Unavailable("this kernel has none, or it is switched off")
        landlock.enforce(parts.ruleset_fd)
        return f"ABI {parts.abi}"

    def close_descriptors() -> str:
        if output_fd > 3:
            syscall("close_range", 3, output_fd - 1)
        syscall("close_range", max(output_fd, 2) + 1, _LAST_FD)
        return ""

    def install_filter() -> str:
        if parts.filter is None:
            raise Unavailable("no filter is written for this machine")
        parts.filter.install()
        return ""

    return {
        "code pages": seal_code,
        "privileges": drop_privileges,
        "rlimits": lower_limits,
        "landlock": enforce_landlock,
        "descriptors": close_descriptors,
        "seccomp": install_filter,
    }
