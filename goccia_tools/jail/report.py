"""JailReport: which layers were asked for, and for each of them whether it holds."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: in the order in which they are applied
LAYERS: Final = ("code pages", "privileges", "rlimits", "landlock", "descriptors", "seccomp")

APPLIED: Final = "applied"
#: this system does not have it
UNAVAILABLE: Final = "unavailable"
#: the system has it and said no
REFUSED: Final = "refused"


class Unavailable(Exception):
    """This system does not have a layer; the text says what is missing."""


class Layer:
    """One wall of the jail; ``detail`` says more about an applied one, and why another is missing."""

    __slots__ = ("detail", "name", "state")

    def __init__(self, name: str, state: str, detail: str = "") -> None:
        self.name = name
        self.state = state
        self.detail = detail


class JailReport:
    """What was applied, never what was only asked for."""

    __slots__ = ("layers", "mode", "profile")

    def __init__(self, mode: str, profile: str, layers: list[Layer]) -> None:
        self.mode = mode
        self.profile = profile
        self.layers = layers

    @property
    def missing(self) -> list[Layer]:
        """The layers that do not hold."""
        return [layer for layer in self.layers if layer.state != APPLIED]

    def __str__(self) -> str:
        if self.mode == "off":
            return "jail off"
        held = [
            f"{layer.name} ({layer.detail})" if layer.detail else layer.name
            for layer in self.layers
            if layer.state == APPLIED
        ]
        text = f"jail {self.profile}: {', '.join(held) or 'nothing'}"
        lacking = [f"{layer.name} {layer.state} ({layer.detail})" for layer in self.missing]
        return f"{text}; not applied: {', '.join(lacking)}" if lacking else text
