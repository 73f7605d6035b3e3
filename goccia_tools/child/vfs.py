"""The in-memory filesystem that is all a guest can see: a tree of bytes under two quotas."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class FsError(Exception):
    """A refused operation. ``code`` is the errno name (``ENOENT``), ``reason`` what a person reads about ``path``."""

    def __init__(self, code: str, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.code = code
        self.path = path
        self.reason = reason


def now_ms() -> float:
    """Wall-clock milliseconds since 1970; file stamps stay real in deterministic runs too (behaviour section 10)."""
    return time.time_ns() / 1e6


def normalise(path: str, base: str = "/") -> str:
    """The canonical absolute path: ``\\`` counts as ``/``, ``.`` and empty parts vanish, ``..`` stops at the root.

    Raises:
        FsError: EINVAL for a NUL.
    """
    path = path.replace("\\", "/")
    if "\0" in path:
        raise FsError("EINVAL", "", "path contains a NUL byte")
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{base}/{path}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def byte_order(name: str) -> bytes:
    """The sort key of a listing: the bytes of the name."""
    return name.encode("utf-8", "surrogatepass")


class Node:
    """A file (``data`` is its bytes, ``children`` None) or a directory; four stamps in milliseconds."""

    __slots__ = ("atime", "birthtime", "children", "ctime", "data", "mtime", "name", "parent")

    def __init__(self, name: str, stamp: float, children: dict[str, Node] | None) -> None:
        self.name = name
        self.parent: Node | None = None
        self.children = children
        self.data = b""
        self.atime = self.mtime = self.ctime = self.birthtime = stamp

    @property
    def path(self) -> str:
        """Where the node is now."""
        parts: list[str] = []
        node: Node = self
        while node.parent is not None:
            parts.append(node.name)
            node = node.parent
        return "/" + "/".join(reversed(parts))

    @property
    def size(self) -> int:
        """Bytes of a file, number of children of a directory."""
        return len(self.data) if self.children is None else len(self.children)

    def entries(self) -> dict[str, Node]:
        """The children by name; ENOTDIR for a file."""
        if self.children is None:
            raise FsError("ENOTDIR", self.path, "not a directory")
        return self.children

    def sorted_children(self) -> list[Node]:
        """The children in byte order of their names; none for a file."""
        return [self.children[name] for name in sorted(self.children, key=byte_order)] if self.children else []

    def walk(self) -> Iterator[Node]:
        """The node and everything below it, parents first, in listing order."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.sorted_children()))

    def attach(self, child: Node, stamp: float) -> None:
        """Take ``child`` in under its own name."""
        self.entries()[child.name] = child
        child.parent = self
        self.mtime = self.ctime = stamp

    def detach(self, stamp: float) -> None:
        """Leave the parent."""
        if self.parent is not None:
            del self.parent.entries()[self.name]
            self.parent.mtime = self.parent.ctime = stamp
            self.parent = None

    def copy(self, stamp: float | None) -> Node:
        """A copy of the subtree: stamped anew (a copy reads its source), or with every stamp kept for None."""
        twins: dict[int, Node] = {}
        for node in list(self.walk()):
            twin = Node(node.name, node.birthtime if stamp is None else stamp, None if node.children is None else {})
            twin.data = node.data
            twins[id(node)] = twin
            if node is not self:
                twins[id(node.parent)].attach(twin, twin.birthtime)
            if stamp is not None:
                node.atime = stamp
        if stamp is None:
            for node in self.walk():
                twin = twins[id(node)]
                twin.atime, twin.mtime, twin.ctime = node.atime, node.mtime, node.ctime
        return twins[id(self)]


class FileSystem:
    """The tree and its quotas: ``quota_bytes`` of file content and ``node_limit`` nodes, the root not counted.

    A quota of 0 is none. Paths are normalised by every operation. Operations raise :class:`FsError`; what a refused
    write leaves behind (a file created and empty) is the reference's behaviour, section 7.
    """

    def __init__(self, quota_bytes: int, node_limit: int) -> None:
        self.quota_bytes = quota_bytes
        self.node_limit = node_limit
        self.used_bytes = 0
        self.node_count = 0
        self.root = Node("", now_ms(), {})

    # -- finding

    def find(self, path: str) -> Node | None:
        """The node at a path, or None."""
        node: Node | None = self.root
        for part in normalise(path).split("/"):
            if part and node is not None:
                node = node.children.get(part) if node.children is not None else None
        return node

    def require(self, path: str) -> Node:
        """The node at a path; ENOENT when there is none."""
        node = self.find(path)
        if node is None:
            raise FsError("ENOENT", normalise(path), "no such file or directory")
        return node

    def require_file(self, path: str) -> Node:
        """The file at a path; ENOENT, or EISDIR for a directory."""
        node = self.require(path)
        if node.children is not None:
            raise FsError("EISDIR", normalise(path), "is a directory")
        return node

    def require_directory(self, path: str) -> Node:
        """The directory at a path; ENOENT, or ENOTDIR for a file."""
        node = self.require(path)
        if node.children is None:
            raise FsError("ENOTDIR", normalise(path), "not a directory")
        return node

    def is_file(self, path: str) -> bool:
        """Whether a file is there."""
        node = self.find(path)
        return node is not None and node.children is None

    def _parent_of(self, canonical: str) -> tuple[Node, str]:
        parts = canonical[1:].split("/")
        if canonical == "/":
            raise FsError("EINVAL", "/", "operation not permitted on root")
        node = self.root
        for part in parts[:-1]:
            below = node.entries().get(part)
            if below is None:
                raise FsError("ENOENT", canonical, "no such file or directory")
            node = below
        node.entries()
        return node, parts[-1]

    # -- quotas

    def check_bytes(self, more: int) -> None:
        """ENOSPC when ``more`` bytes would go over the quota."""
        if self.quota_bytes > 0 and more > 0 and self.used_bytes + more > self.quota_bytes:
            raise FsError(
                "ENOSPC",
                "",
                f"quota exceeded: {human_bytes(self.used_bytes)} used + {human_bytes(more)} requested"
                f" > {human_bytes(self.quota_bytes)} limit",
            )

    def check_nodes(self, more: int) -> None:
        """ENOSPC when ``more`` nodes would go over the limit."""
        if self.node_limit > 0 and more > 0 and self.node_count + more > self.node_limit:
            raise FsError(
                "ENOSPC",
                "",
                f"node quota exceeded: {self.node_count} used + {more} requested > {self.node_limit} limit",
            )

    # -- reading

    def read(self, path: str) -> bytes:
        """The bytes of a file; moves its atime."""
        node = self.require_file(path)
        node.atime = now_ms()
        return node.data

    def list(self, path: str) -> list[Node]:
        """The children of a directory in byte order; moves its atime."""
        node = self.require_directory(path)
        node.atime = now_ms()
        return node.sorted_children()

    # -- changing

    def write(self, path: str, data: bytes) -> None:
        """Replace or create a file. Refused for want of bytes it leaves the file there, empty."""
        canonical = normalise(path)
        node = self.find(canonical)
        if node is not None and node.children is not None:
            raise FsError("EISDIR", canonical, "is a directory")
        if node is None:
            node = self._create(canonical)
        self.used_bytes -= len(node.data)
        node.data = b""
        node.mtime = node.ctime = now_ms()
        self.check_bytes(len(data))
        node.data = data
        self.used_bytes += len(data)
        if data:
            node.mtime = node.ctime = now_ms()

    def _create(self, canonical: str) -> Node:
        self.check_nodes(1)
        parent, name = self._parent_of(canonical)
        stamp = now_ms()
        node = Node(name, stamp, None)
        parent.attach(node, stamp)
        self.node_count += 1
        return node

    def touch(self, path: str) -> None:
        """Move all stamps of what is there, or create an empty file."""
        canonical = normalise(path)
        node = self.find(canonical)
        if node is None:
            self._create(canonical)
        else:
            node.atime = node.mtime = node.ctime = now_ms()

    def mkdir(self, path: str, *, recursive: bool = False) -> str | None:
        """Make a directory; with ``recursive`` its parents too. The first path made, or None for none."""
        canonical = normalise(path)
        if canonical == "/":
            if recursive:
                return None
            raise FsError("EEXIST", "/", "already exists")
        parts = canonical[1:].split("/")
        node: Node = self.root
        depth = 0
        while depth < len(parts) and node.children is not None and parts[depth] in node.children:
            node = node.children[parts[depth]]
            depth += 1
        if node.children is not None:
            self.check_nodes(len(parts) - depth)
        if depth == len(parts):
            if not recursive:
                raise FsError("EEXIST", canonical, "already exists")
            if node.children is None:
                raise FsError("ENOTDIR", canonical, "not a directory")
            return None
        if node.children is None:
            raise FsError("ENOTDIR", node.path, "not a directory")
        if depth < len(parts) - 1 and not recursive:
            raise FsError("ENOENT", canonical, "no such file or directory")
        first: str | None = None
        for part in parts[depth:]:
            stamp = now_ms()
            made = Node(part, stamp, {})
            node.attach(made, stamp)
            self.node_count += 1
            first = first or made.path
            node = made
        return first

    def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file or an empty directory; a full one only with ``recursive``."""
        node = self.require(path)
        if node is self.root:
            raise FsError("EINVAL", "/", "cannot delete the root")
        if node.children and not recursive:
            raise FsError("ENOTEMPTY", node.path, "directory not empty")
        self.used_bytes -= subtree_bytes(node)
        self.node_count -= sum(1 for _ in node.walk())
        node.detach(now_ms())

    def _target(self, source: Node, destination: str, verb: str) -> tuple[Node, str, Node | None]:
        """Where a move or copy lands: into an existing directory it keeps its name."""
        canonical = normalise(destination)
        there = self.find(canonical)
        if there is not None and there.children is not None:
            parent, name = there, source.name
        else:
            parent, name = self._parent_of(canonical)
        there = parent.entries().get(name)
        above: Node | None = parent
        while above is not None:
            if above is source:
                raise FsError("EINVAL", source.path, f"cannot {verb} a directory into itself")
            above = above.parent
        if there is not None and there is not source and (there.children is not None or source.children is not None):
            raise FsError("EEXIST", there.path, "already exists")
        return parent, name, there

    def move(self, source: str, destination: str) -> None:
        """Rename; a file replaces a file, nothing replaces a directory."""
        node = self.require(source)
        if node is self.root:
            raise FsError("EINVAL", "/", "cannot move the root")
        parent, name, there = self._target(node, destination, "move")
        if there is node:
            return
        if there is not None:
            self.remove(there.path)
        stamp = now_ms()
        node.detach(stamp)
        node.name = name
        node.ctime = stamp
        parent.attach(node, stamp)

    def copy(self, source: str, destination: str, *, recursive: bool = False) -> None:
        """Copy a file, or with ``recursive`` a tree; replaces a file by a file only."""
        node = self.require(source)
        if node.children is not None and not recursive:
            raise FsError("EISDIR", node.path, "is a directory (use recursive copy)")
        parent, name, there = self._target(node, destination, "copy")
        if there is node:
            return
        new_bytes, new_nodes = subtree_bytes(node), sum(1 for _ in node.walk())
        self.check_bytes(new_bytes - (there.size if there is not None else 0))
        self.check_nodes(new_nodes - (1 if there is not None else 0))
        stamp = now_ms()
        twin = node.copy(stamp)
        if there is not None:
            self.remove(there.path)
        twin.name = name
        parent.attach(twin, stamp)
        self.used_bytes += new_bytes
        self.node_count += new_nodes

    def fork(self) -> FileSystem:
        """An independent copy with the same quotas, use and stamps."""
        twin = FileSystem(self.quota_bytes, self.node_limit)
        twin.root = self.root.copy(None)
        twin.used_bytes, twin.node_count = self.used_bytes, self.node_count
        return twin


def subtree_bytes(node: Node) -> int:
    """Bytes of file content at and below a node."""
    return sum(len(item.data) for item in node.walk())


def human_bytes(count: int) -> str:
    """``5 B``, ``1.0 KiB``, ``2.5 MiB``: as the reference's messages write sizes."""
    value, unit = float(count), 0
    while value >= 1024 and unit < 4:
        value /= 1024
        unit += 1
    return f"{value:.1f} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}" if unit else f"{count} B"
