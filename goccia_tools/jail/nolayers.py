"""Where there is no Linux there is no jail: every layer says so."""

from __future__ import annotations

from goccia_tools.jail.report import LAYERS, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from goccia_tools.jail.rlimits import Ceilings


class Prepared:
    """Nothing can be made before."""

    __slots__ = ("output_fd", "profile", "ruleset_fd")

    def __init__(self, profile: str, output_fd: int) -> None:
        self.profile = profile
        self.output_fd = output_fd
        self.ruleset_fd = -1

    def give_up(self) -> None:
        """There is nothing to give up."""


def _missing() -> str:
    raise Unavailable("only Linux has it")


def steps(
    profile: str, output_fd: int, ceilings: Ceilings | None, prepared: Prepared | None
) -> dict[str, Callable[[], str]]:
    """The layers by name, each of which says that it is not there."""
    return dict.fromkeys(LAYERS, _missing)
