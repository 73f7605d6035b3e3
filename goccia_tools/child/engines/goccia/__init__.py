"""The engine goccia: drives an installed GocciaSandboxRunner, one process per run (design section 4).

Theory of operation. The runner has a command line and prints text; a run-result wants a value, a failureKind and the
contents of files. So the runner's entry is a driver of ours (:mod:`.driver`) that starts the guest's program inside it
with ``runScript`` and prints all that. Three things are different for a program that another one started: the random
stream of deterministic mode, the levels it may nest, and instructions, which it shares with the driver. Where one of
them can matter the program also runs directly (:mod:`.direct`), and that run decides; a run whose driver did not come
to tell everything, because a ceiling ended both, is repeated that way too.

Nothing of the runner is confined here: it is another program, which needs what this child gives up. It shares the
process group and dies with this child.
"""

from __future__ import annotations

from goccia_tools.child.engines import Outcome, Refused
from goccia_tools.child.engines.goccia import command
from goccia_tools.child.engines.goccia.session import Session
from goccia_tools.child.vfs import FsError, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from goccia_tools.child.vfs import FileSystem


class Goccia:
    """The installed runner at ``path`` as this process's engine."""

    def __init__(self, path: str) -> None:
        self.path = path

    def prepare(self) -> None:
        """Nothing has to be loaded: the engine is another program."""

    settle = prepare
    close = prepare

    def check(self, request: dict[str, Any]) -> None:
        """Refuse what this engine cannot honour.

        Raises:
            Refused: names the member of the request.
        """
        if not self.path:
            raise Refused("engine", 'the engine "goccia" needs the path of a GocciaSandboxRunner (--runner)')
        command.check(request)

    def run(self, request: dict[str, Any], files: FileSystem, write: Callable[[str], None]) -> Outcome:
        """Run the request's program on the filesystem; ``write`` gets the text it prints.

        Raises:
            Crashed: the runner died, and this child has to die the same way.
        """
        try:
            entry = normalise(request["entry"])
        except FsError:
            entry = request["entry"]
        if "\0" in entry or not files.is_file(entry):
            return Outcome("script-error", f"sandbox entry file not found: {entry}", stderr="")
        return Session(self.path, request, entry, files, write).outcome()
