"""neutral_directory: where children start, an empty folder in which nothing can be created."""

from __future__ import annotations

import atexit
import os
import tempfile
import threading
from contextlib import suppress

_lock = threading.Lock()
_path: str | None = None


def neutral_directory() -> str:
    """The path of this program's empty folder; it is removed when the program ends (C05).

    One for all children, because none can change it. It is made again if somebody has cleaned it away.
    """
    global _path
    with _lock:
        if _path is None or not os.path.isdir(_path):
            try:
                _path = tempfile.mkdtemp(prefix="goccia-nowhere-")
            except OSError:
                return os.sep  # no place for temporary files: the root grants no reach either
            os.chmod(_path, 0o500)
            atexit.register(_remove, _path, os.getpid())
        return _path


def _remove(path: str, owner_pid: int) -> None:
    if os.getpid() == owner_pid:  # a fork of this program must not take it away from its parent
        with suppress(OSError):
            os.rmdir(path)
