"""AutoLauncher: the fork server where it can be had, a spawned child elsewhere, and a note that says why."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import Child, Launcher, TemplateUnavailable
from .spawn import SpawnLauncher


def fork_server(child_options: Sequence[str] = ()) -> Launcher:
    """A fork server.

    Raises:
        TemplateUnavailable: this platform has none.
    """
    if sys.platform == "linux":
        from .fork_server import ForkServerLauncher

        return ForkServerLauncher(child_options)
    raise TemplateUnavailable("the fork server is for Linux")


class AutoLauncher:
    """Decides with the first run, and stays with it."""

    def __init__(self, child_options: Sequence[str] = ()) -> None:
        self._spawn = SpawnLauncher(child_options=child_options)
        self._why = ""
        self._fork_server: Launcher | None = None
        if sys.platform == "linux":
            self._fork_server = fork_server(child_options)

    def start(self) -> Child:
        fork_server = self._fork_server
        if fork_server is not None:
            try:
                return fork_server.start()
            except TemplateUnavailable as error:
                self._why = f"the fork server cannot be used, children are spawned: {error}"
                self._fork_server = None
                fork_server.close()
        child = self._spawn.start()
        if self._why:
            child.notes = (*child.notes, self._why)
        return child

    def jail_report(self, profile: str) -> str | None:
        """What the jail of a profile is on this machine."""
        return (self._fork_server or self._spawn).jail_report(profile)

    def close(self) -> None:
        """Give up what is kept between runs. May be called again."""
        if self._fork_server is not None:
            self._fork_server.close()
