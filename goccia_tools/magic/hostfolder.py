"""A folder of this machine that takes what a run wrote; nothing is written outside it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..display import printable
from ..errors import OptionError
from ..result import FileChange


def write_changes(changes: Iterable[FileChange], folder: Path, name: str | None = None) -> tuple[int, tuple[str, ...]]:
    """Write the new and changed files into ``folder``, which is made when missing; deleted ones stay as they are.

    ``name`` is what the folder is called in sentences.
    Returns how many files were written, and a sentence for each that was not: one whose content the run could not
    carry, and one that would go through a symbolic link or over a folder.

    Raises:
        OptionError: the folder itself cannot be made or is no folder.
    """
    name = name or str(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        root = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    except OSError as error:
        raise OptionError(f"--fs-out {name}: {error.strerror or error}") from None
    written, problems = 0, []
    try:
        for change in changes:
            try:
                written += _write(change, root)
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                problems.append(f"{printable(change.path)} was not written to {name}: {reason}")
    finally:
        os.close(root)
    return written, tuple(problems)


def _write(change: FileChange, root: int) -> int:
    if change.kind == "delete":
        return 0
    *folders, name = change.path.strip("/").split("/")
    if change.kind == "mkdir":
        os.close(_folder(root, [*folders, name]))
        return 0
    if change.content is None and change.new_bytes:
        raise ValueError("its content was too large for the diff")
    at = _folder(root, folders)
    try:
        # without following links: what lies in the folder already may point anywhere
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666, dir_fd=at)
    finally:
        os.close(at)
    with open(file, "wb") as stream:
        stream.write(change.content or b"")
    return 1


def _folder(root: int, names: list[str]) -> int:
    """A descriptor of the folder below ``root``, made where it is missing, through no symbolic link."""
    at = os.dup(root)
    try:
        for name in names:
            if name in ("", ".", ".."):
                raise ValueError("its path leaves the folder")
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=at)
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
    except BaseException:
        os.close(at)
        raise
    return at
