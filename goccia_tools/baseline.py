"""Baseline: seeds become the entries of a run-request, within the filesystem's quotas."""

from __future__ import annotations

import os
from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

from .errors import SeedError
from .hostfiles import printable, walk


@dataclass(frozen=True, slots=True)
class Seed:
    """One thing to put into the sandbox before the program starts.

    ``path`` is where it goes. ``source`` is text (encoded as UTF-8), bytes, a host file or folder as
    ``pathlib.Path``, or None for an empty folder. A host folder seeds its *contents* at ``path``; a host file
    whose ``path`` is ``/``, ends in a slash or is a folder already keeps its name below it. ``replace`` lets this
    seed take the place of a file that an earlier one put there, which is an error otherwise.
    """

    path: str
    source: str | bytes | os.PathLike[str] | None
    replace: bool = False


#: what ``run(seeds=…)`` takes: sandbox path -> source, or Seed objects
Seeds = Mapping[str, str | bytes | os.PathLike[str] | None] | Iterable[Seed]


#: stands for a quota of 0, which is none (ADR 0107 section 3a)
NO_QUOTA = 1 << 62


def sandbox_path(path: str) -> str:
    """The canonical absolute form of a sandbox path (goccia-behaviour section 6); the root is ``/``.

    Raises:
        SeedError: the path holds NUL or is not valid Unicode.
    """
    if "\0" in path:
        raise SeedError(f"the sandbox path {path!r} holds a NUL character")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise SeedError(f"the sandbox path {printable(path)} is not valid UTF-8") from None
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def materialise(seeds: Seeds | None, *, quota_bytes: int, node_limit: int) -> list[dict[str, str]]:
    """Read every seed and return the baseline's entries (``path``, ``kind``, ``base64``), parents first.

    A quota of 0 is none.

    Raises:
        SeedError: a seed cannot become a file of the sandbox; the message names it and says why.
    """
    tree = _Tree(quota_bytes or NO_QUOTA)
    for seed in _each(seeds):
        _add(tree, seed)
    tree.check(node_limit or NO_QUOTA)
    # by code point: a folder sorts before what it holds, and the order is the same on every host
    return [_entry(path, content) for path, content in sorted(tree.nodes.items(), key=lambda node: node[0])]


def _entry(path: str, content: bytes | None) -> dict[str, str]:
    if content is None:
        return {"path": path, "kind": "dir"}
    return {"path": path, "kind": "file", "base64": b2a_base64(content, newline=False).decode("ascii")}


def _each(seeds: Seeds | None) -> Iterator[Seed]:
    if seeds is None:
        return
    if isinstance(seeds, Mapping):
        for path, source in seeds.items():
            if not isinstance(path, str):
                raise SeedError(f"a sandbox path must be a string, not {type(path).__name__}")
            yield Seed(path, source)
        return
    if isinstance(seeds, (str, bytes, os.PathLike)) or not isinstance(seeds, Iterable):
        raise SeedError(f"seeds must be a mapping of sandbox path to source, not {type(seeds).__name__}")
    for seed in seeds:
        if not isinstance(seed, Seed):
            raise SeedError(f"seeds must hold Seed objects, not {type(seed).__name__}")
        yield seed


class _Tree:
    """The filesystem being built (sandbox path -> bytes, or None for a folder) and what it adds up to."""

    __slots__ = ("nodes", "quota_bytes", "sizes_bytes", "total_bytes")

    def __init__(self, quota_bytes: int) -> None:
        self.nodes: dict[str, bytes | None] = {}
        self.sizes_bytes: dict[str, int] = {}
        self.quota_bytes = quota_bytes
        self.total_bytes = 0

    def room_bytes(self) -> int:
        return self.quota_bytes - self.total_bytes

    def add_folder(self, path: str, origin: str) -> None:
        missing: list[str] = []
        while path != "/" and path not in self.nodes:
            missing.append(path)
            path = path.rpartition("/")[0] or "/"
        if self.nodes.get(path) is not None:
            raise SeedError(f'{origin}: "{path}" is a file already and cannot also be a folder')
        self.nodes.update(dict.fromkeys(reversed(missing)))

    def add_file(self, path: str, content: bytes, size_bytes: int, origin: str, *, replace: bool) -> None:
        if path == "/":
            raise SeedError(f"{origin}: the sandbox root is a folder and cannot be a file")
        self.add_folder(path.rpartition("/")[0] or "/", origin)
        if path in self.nodes:
            if self.nodes[path] is None:
                raise SeedError(f'{origin}: "{path}" is a folder already and cannot also be a file')
            if not replace:
                raise SeedError(f'{origin}: "{path}" is seeded twice')
            self.total_bytes -= self.sizes_bytes[path]
        self.total_bytes += size_bytes
        self.sizes_bytes[path] = size_bytes
        self.nodes[path] = content

    def check(self, node_limit: int) -> None:
        if self.total_bytes > self.quota_bytes:
            raise SeedError(
                f"the baseline holds {self.total_bytes} bytes, {self.total_bytes - self.quota_bytes} more than"
                f" fs_quota_bytes allows ({self.quota_bytes})"
            )
        if len(self.nodes) > node_limit:
            raise SeedError(
                f"the baseline holds {len(self.nodes)} files and folders, {len(self.nodes) - node_limit} more than"
                f" fs_node_limit allows ({node_limit})"
            )


def _add(tree: _Tree, seed: Seed) -> None:
    if not isinstance(seed.path, str):
        raise SeedError(f"a sandbox path must be a string, not {type(seed.path).__name__}")
    path = sandbox_path(seed.path)
    origin = f"seed {printable(seed.path)}"
    match seed.source:
        case None:
            tree.add_folder(path, origin)
        case str() as text:
            # a JavaScript string may hold lone surrogates, UTF-8 may not: they become U+FFFD, as in the sandbox
            data = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
            tree.add_file(path, data, len(data), origin, replace=seed.replace)
        case bytes() | bytearray() | memoryview():
            data = bytes(seed.source)
            tree.add_file(path, data, len(data), origin, replace=seed.replace)
        case os.PathLike() as host:
            _add_host(tree, seed, path, host)
        case other:
            raise SeedError(f"{origin} must be text, bytes, a pathlib.Path or None, not {type(other).__name__}")


def _add_host(tree: _Tree, seed: Seed, path: str, host: os.PathLike[str]) -> None:
    keep_name = path == "/" or seed.path.endswith(("/", "\\")) or (path in tree.nodes and tree.nodes[path] is None)
    with closing(walk(host, tree.room_bytes)) as entries:
        for entry in entries:
            origin = f"seed {printable(entry.shown)}"
            target = path + entry.below
            if entry.content is not None and entry.below == "" and keep_name:
                target = f"{path}/{os.path.basename(entry.shown)}"
            try:
                target = sandbox_path(target)
            except SeedError as error:
                raise SeedError(f"{origin}: {error}; rename the file") from None
            if entry.content is None:
                tree.add_folder(target, origin)
            else:
                tree.add_file(target, entry.content, entry.size_bytes, origin, replace=seed.replace)
