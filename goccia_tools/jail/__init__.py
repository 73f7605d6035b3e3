"""The jail: what the operating system keeps a child from, applied after loading and before the first guest byte.

Each layer stands alone, so that one may fail: code pages, privileges, resource limits, Landlock, descriptors, and
last the system call filter, after which nothing more can be done. The report says which of them hold.

Imports here are few and cheap, since a spawned child pays for them on every run.
"""

from __future__ import annotations

import sys

from goccia_tools.jail.report import APPLIED, LAYERS, REFUSED, UNAVAILABLE, JailReport, Layer, Unavailable

if sys.platform == "linux":
    from goccia_tools.jail.layers import Prepared, steps
else:
    from goccia_tools.jail.nolayers import Prepared, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from goccia_tools.jail.rlimits import Ceilings

__all__ = ["LAYERS", "MODES", "JailIncomplete", "JailReport", "Prepared", "apply"]

MODES: Final = ("auto", "required", "off")

_ENOSYS: Final = 38


class JailIncomplete(Exception):
    """A jail was required and ``report`` names the layers it lacks."""

    def __init__(self, report: JailReport) -> None:
        lacking = "; ".join(f"{layer.name}: {layer.state}, {layer.detail}" for layer in report.missing)
        super().__init__(f'the jail is incomplete ({lacking}); jail="auto" runs with what there is')
        self.report = report


def apply(
    profile: str,
    mode: str,
    output_fd: int,
    ceilings: Ceilings | None = None,
    *,
    prepared: Prepared | None = None,
    layers: tuple[str, ...] = LAYERS,
) -> JailReport:
    """Confine this process, for good, and say to what.

    ``output_fd`` is the one descriptor, beside 0, 1 and 2, that stays; ``prepared`` are parts of the same profile and
    descriptor made earlier; ``layers`` leaves out all others, which only a test of one layer wants.

    Raises:
        JailIncomplete: ``mode`` is ``required`` and a layer could not be had; the others hold.
    """
    report = JailReport(mode, profile, [])
    if mode == "off":
        return report
    for name, step in steps(profile, output_fd, ceilings, prepared).items():
        if name not in layers:
            continue
        try:
            layer = Layer(name, APPLIED, step())
        except Unavailable as lack:
            layer = Layer(name, UNAVAILABLE, str(lack))
        except OSError as error:
            layer = Layer(name, UNAVAILABLE if error.errno == _ENOSYS else REFUSED, error.strerror or str(error))
        report.layers.append(layer)
    if mode == "required" and report.missing:
        raise JailIncomplete(report)
    return report
