"""What a run changed: a snapshot after seeding, and the JSON diff against it (behaviour section 11)."""

from __future__ import annotations

from binascii import b2a_base64

from goccia_tools.child.jsontext import scrub
from goccia_tools.child.unified import unified_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goccia_tools.child.vfs import FileSystem, Node

STAMPS = (("atimeMs", "atime"), ("mtimeMs", "mtime"), ("ctimeMs", "ctime"), ("birthtimeMs", "birthtime"))


class Entry:
    """One path as it was: ``data`` is None for a directory, whose ``size`` is its number of children."""

    __slots__ = ("data", "size", "stamps")

    def __init__(self, node: Node) -> None:
        self.data = node.data if node.children is None else None
        self.size = node.size
        self.stamps = (node.atime, node.mtime, node.ctime, node.birthtime)

    def same_content(self, other: Entry) -> bool:
        """Equal files, or two directories with as many children."""
        return self.data == other.data and (self.data is not None or self.size == other.size)


Snapshot = dict[str, Entry]


def capture(files: FileSystem) -> Snapshot:
    """Every path but the root, as it is now; file bytes are shared with the tree, which never changes them in place."""
    snapshot: Snapshot = {}
    pending = [("", child) for child in files.root.sorted_children()]
    while pending:
        above, node = pending.pop()
        path = f"{above}/{node.name}"
        snapshot[path] = Entry(node)
        pending.extend((path, child) for child in node.sorted_children())
    return snapshot


def path_order(path: str) -> tuple[str, str]:
    """The order of paths in a diff: letters count as upper case; names equal but for case follow byte order."""
    return path.upper(), path


_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def escape(text: str) -> str:
    """A path inside a JSON diff: control characters escaped as the reference does, others raw."""
    out = []
    for char in scrub(text):
        if char in '"\\':
            out.append("\\" + char)
        elif char < " ":
            out.append(
                {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}.get(char, f"\\u{ord(char):04X}")
            )
        else:
            out.append(char)
    return "".join(out)


class Change:
    """One changed path with what was there before and after (None for nothing)."""

    __slots__ = ("new", "old", "path")

    def __init__(self, path: str, old: Entry | None, new: Entry | None) -> None:
        self.path, self.old, self.new = path, old, new

    @property
    def kind(self) -> str:
        """``create``, ``mkdir``, ``replace``, ``modify`` or ``delete``."""
        if self.new is None:
            return "delete"
        if self.old is None:
            return "mkdir" if self.new.data is None else "create"
        return "replace" if (self.old.data is None) != (self.new.data is None) else "modify"


def changes(before: Snapshot, after: Snapshot) -> list[Change]:
    """The changes in the reference's order: current paths first, deletions after them."""
    found = [
        Change(path, before.get(path), after[path])
        for path in sorted(after, key=path_order)
        if path not in before or not before[path].same_content(after[path])
    ]
    found += [Change(path, before[path], None) for path in sorted(before.keys() - after.keys(), key=path_order)]
    return found


def json_diff(before: Snapshot, files: FileSystem, *, metadata: bool = False, budget_bytes: int) -> str:
    """The JSON diff document; new file content rides along as ``base64`` while ``budget_bytes`` lasts, small first."""
    after = capture(files)
    found = changes(before, after)
    heads = []
    for change in found:
        new_bytes = change.new.size if change.new is not None and change.kind != "mkdir" else 0
        heads.append(
            f'    {{ "kind": "{change.kind}", "path": "{escape(change.path)}", '
            f'"oldBytes": {change.old.size if change.old else 0}, "newBytes": {new_bytes}'
        )
    tail = _json_metadata(before, after) if metadata else ""
    room = budget_bytes - sum(len(head) * 3 + 4 for head in heads) - len(tail) * 3 - 64
    carried: dict[int, str] = {}
    contents = [(index, item.new.data) for index, item in enumerate(found) if item.new and item.new.data is not None]
    for index, data in sorted(contents, key=lambda item: len(item[1])):
        cost = (len(data) + 2) // 3 * 4 + 14
        if cost > room:
            break
        room -= cost
        carried[index] = b2a_base64(data, newline=False).decode("ascii")
    items = [
        head + (f', "base64": "{carried[index]}" }}' if index in carried else " }") for index, head in enumerate(heads)
    ]
    return '{\n  "changes": [\n' + ",\n".join(items) + ("\n" if items else "") + "  ]" + tail + "\n}\n"


def _stamp_changes(before: Snapshot, after: Snapshot) -> list[tuple[str, list[tuple[str, float, float]]]]:
    listed = []
    for path in sorted(before.keys() & after.keys(), key=path_order):
        pairs = zip(STAMPS, before[path].stamps, after[path].stamps, strict=True)
        moved = [(name, old, new) for (name, _), old, new in pairs if old != new]
        if moved:
            listed.append((path, moved))
    return listed


def stamp_text(stamp_ms: float) -> str:
    """A time stamp in milliseconds as a diff shows it."""
    return f"{stamp_ms:.3f}".rstrip("0").rstrip(".")


def _json_metadata(before: Snapshot, after: Snapshot) -> str:
    items = []
    for path, moved in _stamp_changes(before, after):
        stamps = ", ".join(f'"{n}": {{ "old": {stamp_text(old)}, "new": {stamp_text(new)} }}' for n, old, new in moved)
        items.append(f'    {{ "path": "{escape(path)}", "changes": {{ {stamps} }} }}')
    return ',\n  "metadataChanges": [\n' + ",\n".join(items) + ("\n" if items else "") + "  ]"


def unified_diff(before: Snapshot, files: FileSystem, *, metadata: bool = False) -> str:
    """A unified diff of every changed file that ``patch -p0`` and ``git apply -p0`` accept (design section 11)."""
    after = capture(files)
    parts = []
    for change in changes(before, after):
        old = change.old.data if change.old is not None else None
        new = change.new.data if change.new is not None else None
        if old is not None or new is not None:
            parts.append(unified_file(change.path, old, new))
    if metadata:
        for path, moved in _stamp_changes(before, after):
            parts.append(f"@@ sandbox metadata changed {path} @@\n")
            parts += [f"-{name}: {stamp_text(old)}\n+{name}: {stamp_text(new)}\n" for name, old, new in moved]
    return scrub("".join(parts))
