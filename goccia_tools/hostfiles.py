"""Reading host files and folders that a caller named, without ever following a symlink below the name given."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .errors import SeedError

#: folders nested deeper than this are refused: each level holds one descriptor while it is read
MAX_FOLDER_DEPTH = 200
#: a walk that meets more files and folders than this is refused
MAX_WALK = 100_000

_OPEN_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
#: a FIFO that slips in between the check and the open must not block the caller
_FILE_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_HAS_FOLDER_DESCRIPTORS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd


@dataclass(frozen=True, slots=True)
class HostEntry:
    """One file or folder met by :func:`walk`: ``below`` is its path under the one that was named (``""`` for itself).

    ``content`` is None for a folder. Of a file too large for the room there was, ``content`` is empty and only
    ``size_bytes`` tells how large it is.
    """

    shown: str
    below: str
    content: bytes | None = None
    size_bytes: int = 0


def walk(path: str | os.PathLike[str], room_bytes: Callable[[], int]) -> Generator[HostEntry, None, None]:
    """The file ``path``, or the folder and all it holds, folders first and names in order.

    ``room_bytes`` is asked before each file how many bytes may still be read.

    Raises:
        SeedError: something is missing, unreadable, a symlink, or neither file nor folder; the message names it.
    """
    text = os.fspath(path)
    if "\0" in text:
        raise SeedError(f"the host path {text!r} holds a NUL character")
    # without a trailing separator, which would make the system follow a final symlink
    text = os.path.abspath(text)
    for count, entry in enumerate(_visit(text, text, "", None, room_bytes)):
        if count >= MAX_WALK:
            raise SeedError(f"{printable(text)} holds more than {MAX_WALK} files and folders")
        yield entry


def read_host_file(path: str | os.PathLike[str]) -> bytes:
    """The whole content of one file, by the same rules.

    Raises:
        SeedError: as for :func:`walk`, or the path is a folder.
    """
    for entry in walk(path, lambda: 1 << 40):
        if entry.content is None:
            break
        return entry.content
    raise SeedError(f"{printable(os.path.abspath(path))} is a folder, not a file")


def _visit(
    shown: str, name: str, below: str, parent: int | None, room_bytes: Callable[[], int]
) -> Generator[HostEntry, None, None]:
    """``name`` is opened relative to the descriptor ``parent``; ``shown`` is its full path for messages."""
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            yield HostEntry(shown, below)
            yield from _visit_folder(shown, name, below, parent, room_bytes)
        else:
            _insist_on_file(shown, mode)
            yield _read_entry(shown, name, below, parent, room_bytes())
    except OSError as error:
        raise SeedError(f"{printable(shown)} {_reason(error)}") from error


def _visit_folder(
    shown: str, name: str, below: str, parent: int | None, room_bytes: Callable[[], int]
) -> Generator[HostEntry, None, None]:
    if below.count("/") >= MAX_FOLDER_DEPTH:
        raise SeedError(f"{printable(shown)} is nested more than {MAX_FOLDER_DEPTH} folders deep")
    with _opened_folder(name, parent) as folder:
        with os.scandir(folder if folder is not None else shown) as found:
            names = sorted(item.name for item in found)
        for child in names:
            full = os.path.join(shown, child)
            yield from _visit(full, child if folder is not None else full, f"{below}/{child}", folder, room_bytes)


def _read_entry(shown: str, name: str, below: str, parent: int | None, room_bytes: int) -> HostEntry:
    descriptor = os.open(name, _FILE_FLAGS | _OPEN_FLAGS, dir_fd=parent)
    try:
        status = os.fstat(descriptor)
        # what the name meant a moment ago no longer counts
        _insist_on_file(shown, status.st_mode)
        content = _read(descriptor, room_bytes + 1) if status.st_size <= room_bytes else b""
    finally:
        os.close(descriptor)
    return HostEntry(shown, below, content, max(status.st_size, len(content)))


def _read(descriptor: int, limit_bytes: int) -> bytes:
    """Up to the limit: a file may grow while it is read, and some say they are empty and are not."""
    chunks: list[bytes] = []
    while limit_bytes > 0 and (chunk := os.read(descriptor, min(limit_bytes, 1 << 20))):
        chunks.append(chunk)
        limit_bytes -= len(chunk)
    return b"".join(chunks)


@contextmanager
def _opened_folder(name: str, parent: int | None) -> Iterator[int | None]:
    if not _HAS_FOLDER_DESCRIPTORS:
        yield None
        return
    descriptor = os.open(name, _FOLDER_FLAGS | _OPEN_FLAGS, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def printable(path: str) -> str:
    """A host path in quotes for a message; what is not UTF-8 or not printable is escaped."""
    text = path.encode("utf-8", "backslashreplace").decode()
    return '"' + "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text) + '"'


def _insist_on_file(shown: str, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISLNK(mode):
        raise SeedError(f"{printable(shown)} is a symbolic link, and those are never followed; name the file itself")
    kind = "something else"
    if stat.S_ISFIFO(mode):
        kind = "a FIFO"
    elif stat.S_ISSOCK(mode):
        kind = "a socket"
    elif stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        kind = "a device"
    raise SeedError(f"{printable(shown)} is {kind}, not a file or folder")


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, PermissionError):
        return "cannot be read: permission denied"
    if isinstance(error, NotADirectoryError):
        return "does not exist: a part of its path is not a folder"
    if error.errno == errno.ELOOP:
        return "is a symbolic link, and those are never followed; name the file itself"
    return f"cannot be read: {error.strerror or error}"
