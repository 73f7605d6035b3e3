"""The embedded engine: ready before the request is known, then one run."""

from __future__ import annotations

from goccia_tools.child import fshost, gocciahost, modules, webhost
from goccia_tools.child.engines import Outcome, Refused
from goccia_tools.child.engines._quickjs.library import load_library
from goccia_tools.child.engines._quickjs.probe import check_symbols
from goccia_tools.child.engines.guesthosts import NAMES
from goccia_tools.child.engines.realm import Realm
from goccia_tools.child.engines.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from goccia_tools.child.vfs import FileSystem


class QuickJS:
    """The engine of this process. :meth:`prepare` may run long before, and in another process than, :meth:`run`."""

    def __init__(self) -> None:
        self._realm: Realm | None = None

    def prepare(self) -> None:
        """Load the library, make the heap and run the prelude; after it no file of the engine is opened again.

        Raises:
            EngineUnavailable: the engine cannot be used here; the message says why and what to do.
        """
        if self._realm is None:
            library = load_library()
            check_symbols(library)
            self._realm = Realm(
                library, dict.fromkeys((*NAMES, *fshost.NAMES, *gocciahost.NAMES, *webhost.NAMES), _no_program)
            )

    def twin(self) -> QuickJS:
        """Another engine on the same library, with a heap of its own."""
        self.prepare()
        twin = QuickJS()
        if self._realm is not None:
            twin._realm = Realm(self._realm.runtime.library, dict(self._realm.context.hosts))
        return twin

    def settle(self) -> None:
        """Collect the garbage of the start, so that a fork of this process has none to look through."""
        if self._realm is not None:
            self._realm.runtime.collect()

    def close(self) -> None:
        """Free the heap; :meth:`prepare` makes another."""
        realm, self._realm = self._realm, None
        if realm is not None:
            realm.close()

    def check(self, request: dict[str, Any]) -> None:
        """Refuse what this engine cannot honour.

        Raises:
            Refused: names the member of the request.
        """
        if request["execution"]["unsafeFFI"]:
            raise Refused("execution.unsafeFFI", "the embedded engine has no foreign function interface")

    def run(self, request: dict[str, Any], files: FileSystem, write: Callable[[str], None]) -> Outcome:
        """Run the request's program on the filesystem; ``write`` gets the text it prints."""
        self.prepare()
        realm = self._realm
        if realm is None:
            raise LookupError("the engine is not prepared")
        try:
            return Session(request, realm).run(request["entry"], files, write)
        except modules.ImportMapError as error:
            return Outcome("host-error", str(error))


def _no_program(*arguments: object) -> None:
    raise LookupError("no program is running")
