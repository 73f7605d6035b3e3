"""The runner's files brought back: into this child's filesystem, or as the runner's own list of changes."""

from __future__ import annotations

from goccia_tools.child.diff import escape, stamp_text
from goccia_tools.child.jsontext import JsonError, loads
from goccia_tools.child.vfs import FileSystem, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from goccia_tools.child.engines.goccia.report import File


def adopt(files: FileSystem, before: list[File], after: list[File]) -> None:
    """Make ``files`` what the runner's were in the end.

    Its clock is not this process's: what is added to a stamp here is what it grew by there, from ``before``.
    """
    old_stamps = {file.path: file.stamps for file in before}
    root = Node("", files.root.birthtime, {})
    nodes: dict[str, Node] = {"": root}
    for file in after:
        folder, _, name = file.path.rpartition("/")
        node = Node(name, 0.0, {} if file.is_folder else None)
        if file.content is not None:
            node.data = file.content
        known = files.find(file.path)
        old = old_stamps.get(file.path)
        if known is None or old is None:
            node.atime, node.mtime, node.ctime, node.birthtime = file.stamps
        else:
            base = (known.atime, known.mtime, known.ctime, known.birthtime)
            node.atime, node.mtime, node.ctime, node.birthtime = (
                stamp + (new - was) for stamp, new, was in zip(base, file.stamps, old, strict=True)
            )
        nodes[folder].entries()[name] = node
        node.parent = nodes[folder]
        nodes[file.path] = node
    files.root = root


def reported_diff(text: bytes, ours: str | None, *, unified: bool) -> str | None:
    """The diff from the runner's own JSON document, for when not every content is known.

    Sizes and kinds are exact, contents are missing; ``ours`` is the driver's path, which is left out. None when the
    document is not there.
    """
    try:
        document = loads(text)
    except JsonError:
        return None
    changes = [change for change in document["changes"] if change["path"] != ours]
    if unified:
        return "".join(_differs(change) for change in changes if not _is_folder(change))
    items = [
        f'    {{ "kind": "{change["kind"]}", "path": "{escape(change["path"])}", '
        f'"oldBytes": {change["oldBytes"]}, "newBytes": {change["newBytes"]} }}'
        for change in changes
    ]
    return '{\n  "changes": [\n' + ",\n".join(items) + ("\n" if items else "") + "  ]" + _metadata(document) + "\n}\n"


def _is_folder(change: dict[str, Any]) -> bool:
    return bool(change["kind"] == "mkdir")


def _differs(change: dict[str, Any]) -> str:
    name = change["path"].lstrip("/")
    old = "/dev/null" if change["kind"] == "create" else name
    new = "/dev/null" if change["kind"] == "delete" else name
    return f"Binary files {old} and {new} differ\n"


def _metadata(document: dict[str, Any]) -> str:
    if "metadataChanges" not in document:
        return ""
    items = []
    for entry in document["metadataChanges"]:
        stamps = ", ".join(
            f'"{name}": {{ "old": {stamp_text(pair["old"])}, "new": {stamp_text(pair["new"])} }}'
            for name, pair in entry["changes"].items()
        )
        items.append(f'    {{ "path": "{escape(entry["path"])}", "changes": {{ {stamps} }} }}')
    return ',\n  "metadataChanges": [\n' + ",\n".join(items) + ("\n" if items else "") + "  ]"
