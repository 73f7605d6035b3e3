"""The jail: what the operating system keeps a child from, applied after loading and before the first guest byte.

Each layer stands alone, so that one may fail: code pages, privileges, resource limits, Landlock, descriptors, and
last the system call filter, after which nothing more can be done. The report says which of them hold.

Imports here are few and cheap, since a spawned child pays for them on every run.
"""

from __future__ import annotations

import sys

from goccia_tools.jail.report import APPLIED, REFUSED, UNAVAILABLE, JailReport, Layer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from goccia_tools.jail.rlimits import Ceilings
    from goccia_tools.jail.seccomp import Filter

MODES: Final = ("auto", "required", "off")
LAYERS: Final = ("code pages", "privileges", "rlimits", "landlock", "descriptors", "seccomp")

_ENOSYS: Final = 38


class _Unavailable(Exception):
    """This system does not have the layer; the text says what is missing."""


class JailIncomplete(Exception):
    """A jail was required and ``report`` names the layers it lacks."""

    def __init__(self, report: JailReport) -> None:
        lacking = "; ".join(f"{layer.name}: {layer.state}, {layer.detail}" for layer in report.missing)
        super().__init__(f'the jail is incomplete ({lacking}); jail="auto" runs with what there is')
        self.report = report


class Prepared:
    """The parts of a profile that can be made before a fork: the ruleset and the filter."""

    __slots__ = ("abi", "filter", "is_sealed", "output_fd", "problem", "profile", "ruleset_fd")

    def __init__(self, profile: str, output_fd: int) -> None:
        self.profile = profile
        self.output_fd = output_fd
        self.ruleset_fd = -1
        self.abi = 0
        self.filter: Filter | None = None
        #: the code pages are sealed, and no closure is made any more
        self.is_sealed = False
        #: why there is no ruleset although the kernel knows them
        self.problem: OSError | None = None
        if _machine():
            from goccia_tools.jail import landlock
            from goccia_tools.jail.seccomp import Filter

            try:
                self.abi = landlock.version()
                if self.abi:
                    self.ruleset_fd = landlock.open_ruleset(profile, self.abi)
            except OSError as error:
                self.problem = error
            self.filter = Filter(profile, output_fd)

    def seal(self) -> None:
        """Seal the code pages before the fork, when every closure has been made; a failure is left to the child."""
        if _machine() and not self.is_sealed:
            from goccia_tools.jail import codepages

            try:
                codepages.seal()
            except OSError:
                return
            self.is_sealed = True


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
    if mode == "off":
        return JailReport(mode, profile, [])
    report = JailReport(mode, profile, [])
    steps = _steps(profile, output_fd, ceilings, prepared)
    for name in LAYERS:
        if name not in layers:
            continue
        try:
            layer = Layer(name, APPLIED, steps[name]())
        except _Unavailable as lack:
            layer = Layer(name, UNAVAILABLE, str(lack))
        except OSError as error:
            layer = Layer(name, UNAVAILABLE if error.errno == _ENOSYS else REFUSED, error.strerror or str(error))
        report.layers.append(layer)
    if mode == "required" and report.missing:
        raise JailIncomplete(report)
    return report


def _machine() -> str:
    if sys.platform != "linux":
        return ""
    from goccia_tools.jail._linux import MACHINE

    return MACHINE


def _steps(
    profile: str, output_fd: int, ceilings: Ceilings | None, prepared: Prepared | None
) -> dict[str, Callable[[], str]]:
    """How each layer is applied; every step answers a detail for the report, or raises."""
    if not _machine():
        return dict.fromkeys(LAYERS, _no_linux)
    from goccia_tools.jail import codepages, landlock, privileges, rlimits
    from goccia_tools.jail._linux import syscall

    parts = prepared if prepared is not None else Prepared(profile, output_fd)

    def seal_code() -> str:
        if not parts.is_sealed:
            codepages.seal()
        return ""

    def drop_privileges() -> str:
        privileges.drop()
        return ""

    def lower_limits() -> str:
        return rlimits.lower(profile, ceilings or rlimits.Ceilings(), output_fd)

    def enforce_landlock() -> str:
        if parts.problem is not None:
            raise parts.problem
        if not parts.abi:
            raise _Unavailable("this kernel has no Landlock, or it is switched off")
        landlock.enforce(parts.ruleset_fd)
        return f"ABI {parts.abi}"

    def close_descriptors() -> str:
        last = 2**32 - 1
        if output_fd > 3:
            syscall("close_range", 3, output_fd - 1)
        syscall("close_range", max(output_fd, 2) + 1, last)
        return ""

    def install_filter() -> str:
        if parts.filter is None:
            raise _Unavailable("no filter is written for this machine")
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


def _no_linux() -> str:
    raise _Unavailable("only Linux has it" if sys.platform != "linux" else "no filter is written for this machine")
