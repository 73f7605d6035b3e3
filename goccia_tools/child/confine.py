"""The last step before guest code: load what the run may still need, then shut the process in."""

from __future__ import annotations

from sys import modules

from goccia_tools import jail
from goccia_tools.child import formats
from goccia_tools.jail.report import JailReport
from goccia_tools.jail.rlimits import Ceilings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from goccia_tools.child.vfs import FileSystem

_MIB: Final = 1024 * 1024
#: address space beside the guest's own memory and files: a result and its frame, at their limits, several times over
OVERHEAD_BYTES: Final = 512 * _MIB
#: how often the guest's memory may be held: by itself, and while what it left behind is being described
MEMORY_COPIES: Final = 2
#: how often a file's content may be held: in the tree, before and after, and in the diff
FILE_COPIES: Final = 4
#: files where the request sets no quota
_UNBOUNDED_FILES_BYTES: Final = 256 * _MIB
#: processor time beyond the run's own timeout; the parent's deadline comes long before, if there is a parent
_SPARE_CPU_SECONDS: Final = 120
#: codecs that the interpreter would load on first use
_CODECS: Final = ("ascii", "latin-1", "utf-16-le", "utf-8")


def profile_of(request: dict[str, Any]) -> str:
    """The jail's profile for a request: sockets only for a run that may fetch."""
    return "fetch" if request["capabilities"]["allowedFetchHosts"] else "stdio"


def load_ahead(files: FileSystem) -> None:
    """Import what the run may need later, when no file can be opened any more."""
    if "encodings.utf_16_le" not in modules:
        for codec in _CODECS:
            "".encode(codec)
    if not formats.are_all_loaded():
        found = [(node.path, node.data) for node in files.root.walk() if node.children is None]
        sources = [data for path, data in found if formats.kind_of(path) == "script"]
        formats.preload([path for path, _ in found], sources)


def ceilings(request: dict[str, Any]) -> Ceilings:
    """What the process may use: the guest's memory and files, the fixed overhead, and time well over the timeout."""
    execution, memory_bytes = request["execution"], request["engine"]["maxMemoryBytes"]
    cpu_seconds = execution["timeoutMs"] // 1000 + 1 + _SPARE_CPU_SECONDS if execution["timeoutMs"] else 0
    if not memory_bytes:
        return Ceilings(0, cpu_seconds)
    files_bytes = FILE_COPIES * (execution["fsQuotaBytes"] or _UNBOUNDED_FILES_BYTES)
    return Ceilings(MEMORY_COPIES * memory_bytes + files_bytes + OVERHEAD_BYTES, cpu_seconds)


def confine(
    request: dict[str, Any],
    files: FileSystem,
    mode: str,
    output_fd: int,
    prepared: dict[str, jail.Prepared] | None = None,
) -> JailReport:
    """Load ahead and apply the jail.

    Raises:
        JailIncomplete: it is required and could not be had in full.
    """
    load_ahead(files)
    profile = profile_of(request)
    if profile == "fetch":
        import goccia_tools.child.fetch.client  # noqa: F401
    parts = prepared.get(profile) if prepared else None
    if parts is not None and parts.output_fd != output_fd:
        parts = None
    return jail.apply(profile, mode, output_fd, ceilings(request), prepared=parts)
