"""File stores: files that go on from cell to cell under a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from threading import Lock
from types import MappingProxyType

from ..errors import OptionError
from ..result import FileChange

#: the files of one store: sandbox path -> content, None for a folder
Files = Mapping[str, bytes | None]

_lock = Lock()
_stores: dict[str, Files] = {}


def stored(name: str) -> Files:
    """The files under ``name``, none when no cell has used it."""
    with _lock:
        return _stores.get(name, {})


def keep(name: str, files: Files) -> None:
    """Let ``files`` be what the next cell that uses ``name`` finds."""
    with _lock:
        _stores[name] = MappingProxyType(dict(files))


def forget() -> None:
    """Empty every store."""
    with _lock:
        _stores.clear()


def sandbox_files(name: str) -> dict[str, bytes]:
    """The files that cells with ``--fs NAME`` have left: sandbox path -> content.

    Raises:
        OptionError: no cell has used the name.
    """
    with _lock:
        if name not in _stores:
            near = get_close_matches(name, _stores, n=1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            raise OptionError(f'no cell has run with --fs "{name}" yet{hint}')
        return {path: content for path, content in _stores[name].items() if content is not None}


def changed(files: Files, changes: Iterable[FileChange]) -> tuple[Files, tuple[str, ...]]:
    """``files`` after the changes of a run, and the paths whose new content the run could not carry."""
    after = dict(files)
    lost: list[str] = []
    for change in changes:
        if change.kind in ("delete", "replace"):
            for path in [path for path in after if path == change.path or path.startswith(change.path + "/")]:
                del after[path]
        if change.kind == "delete":
            continue
        if change.kind == "mkdir" or (change.kind == "replace" and change.content is None):
            after[change.path] = None
        elif change.content is None and change.new_bytes:
            lost.append(change.path)
        else:
            after[change.path] = change.content or b""
    return after, tuple(lost)
