"""Rewriting expectations in the front matter, and nothing else of the file.

ruamel.yaml reads the front matter into nodes that know their place; only the text of values that change is replaced,
so comments, order, quotes, line ends and the byte order mark stay. The outcome is read again before it is written.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path
from shutil import copymode
from typing import Any
from zlib import crc32

from ..errors import GocciaError
from .document import CLOSES, Document, read_document
from .emit import yaml_key, yaml_value
from .load import load_cases
from .proposal import Proposal
from .yamltext import YamlError, parse_yaml

Edit = tuple[int, int, str]


class RewriteError(GocciaError):
    """A file is left as it is; the text says why."""


def rewrite(path: Path, proposals: Iterable[Proposal], checksum: int | None = None) -> None:
    """Write ``proposals`` into a test file, in one step that leaves either the old file or the new one.

    ``checksum`` is that of the text the cases were read from; another text is not touched.

    Raises:
        RewriteError: the file has changed, or cannot be rewritten so that only the expectations change.
    """
    path = Path(os.path.realpath(path))
    document = read_document(path)
    if checksum is not None and crc32(document.text.encode("utf-8", "surrogatepass")) != checksum:
        raise RewriteError(f"{path} has changed since it was read; run again")
    text = rewritten(document, list(proposals))
    data = text.encode("utf-8")
    _write(path, b"\xef\xbb\xbf" + data if document.has_mark else data)


def rewritten(document: Document, proposals: list[Proposal]) -> str:
    """The text of the file with every proposal written into its front matter."""
    newline = "\r\n" if "\r\n" in document.text else "\n"
    if document.head is None or parse_yaml(document.head).data is None:
        return _with_new_head(document, proposals, newline)
    head = document.head
    wanted = parse_yaml(head).data
    for proposal in proposals:
        head = _one(head, proposal, newline)
        _apply(wanted, proposal)
    try:
        found = parse_yaml(head).data
    except YamlError as error:
        raise RewriteError(f"{document.path}: its layout cannot be rewritten ({error})") from None
    if found != wanted or CLOSES in head:
        raise RewriteError(f"{document.path}: its layout cannot be rewritten; change the expectation by hand")
    start = document.head_start
    text = document.text[:start] + head + document.text[start + len(document.head) :]
    load_cases(document.path, text=text)
    return text


def _with_new_head(document: Document, proposals: list[Proposal], newline: str) -> str:
    """A file without front matter gets one, below an interpreter line."""
    values: dict[str, Any] = {}
    for proposal in proposals:
        values.update(proposal.values)
    lines = ["expect:"]
    lines += [f"  {yaml_key(key)}: {yaml_value(value, indent=4, newline=newline)}" for key, value in values.items()]
    block = newline.join(["/*---", *lines, CLOSES, ""])
    if document.head is not None:
        start, end = document.head_start, document.head_start + len(document.head)
        return document.text[:start] + newline + newline.join(lines) + newline + document.text[end:]
    if document.text.startswith("#!"):
        first, end_of_line, rest = document.text.partition("\n")
        return first + (end_of_line or newline) + block + rest
    return block + document.text


def _apply(data: Any, proposal: Proposal) -> None:
    target = data
    for part in proposal.key_path:
        target = target[part]
    if not proposal.in_call:
        if "expect" not in target and proposal.key_path and "expect" in data:
            target["expect"] = deepcopy(data["expect"])
        target = target.setdefault("expect", {})
    target.update(deepcopy(proposal.values))


def _one(head: str, proposal: Proposal, newline: str) -> str:
    tree = _compose(head)
    node = tree
    for part in proposal.key_path:
        node = _child(node, part)
    data = parse_yaml(head).data
    if proposal.in_call:
        edits = _edits(head, node, proposal.values, (), newline)
    elif (own := _pair(node, "expect")) is not None:
        edits = _edits(head, own[1], proposal.values, (), newline)
    else:
        inherited = data.get("expect", {}) if proposal.key_path else {}
        value = {**inherited, **proposal.values}
        edits = [_insertion(head, node, "expect", value, newline)]
    for start, end, text in sorted(edits, reverse=True):
        head = head[:start] + text + head[end:]
    return head


def _compose(text: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="rt", pure=True).compose(text)


def _child(node: Any, part: str | int) -> Any:
    if isinstance(part, int):
        return node.value[part]
    pair = _pair(node, part)
    assert pair is not None  # noqa: S101
    return pair[1]


def _pair(node: Any, key: str) -> tuple[Any, Any] | None:
    return next((pair for pair in node.value if pair[0].value == key), None)


def _edits(head: str, node: Any, values: dict[str, Any], removed: Iterable[str], newline: str) -> list[Edit]:
    """The edits that set keys of a mapping and remove others; mappings in it are changed key by key."""
    edits: list[Edit] = []
    new: list[tuple[str, Any]] = []
    for key, value in values.items():
        pair = _pair(node, key)
        if pair is None:
            new.append((key, value))
        elif pair[1].id == "mapping" and pair[1].value and isinstance(value, dict) and value:
            gone = [name.value for name, _ in pair[1].value if name.value not in value]
            old = parse_yaml(head[pair[1].start_mark.index : _end(head, pair[1])]).data if pair[1].flow_style else {}
            changed = {name: item for name, item in value.items() if name not in old or old[name] != item}
            edits += _edits(head, pair[1], changed, gone, newline)
        else:
            edits.append(_replacement(head, node, pair, value, newline))
    edits += [_removal(head, node, key) for key in removed if _pair(node, key) is not None]
    if new and not node.flow_style:
        at = _line_end(head, _end(head, node.value[-1][1]))
        indent = node.value[0][0].start_mark.column
        text = "".join(
            f"{newline}{' ' * indent}{yaml_key(key)}: {yaml_value(value, indent=indent + 2, newline=newline)}"
            for key, value in new
        )
        edits.append((at, at, text))
    elif new:
        at = _end(head, node.value[-1][1]) if node.value else node.start_mark.index + 1
        text = ", ".join(f"{yaml_key(key)}: {yaml_value(value)}" for key, value in new)
        edits.append((at, at, f", {text}" if node.value else text))
    return edits


def _insertion(head: str, node: Any, key: str, value: dict[str, Any], newline: str) -> Edit:
    return _edits(head, node, {key: value}, (), newline)[0]


def _replacement(head: str, mapping: Any, pair: tuple[Any, Any], value: Any, newline: str) -> Edit:
    key, old = pair
    indent = None if mapping.flow_style else key.start_mark.column + 2
    start, end = old.start_mark.index, _end(head, old)
    if old.id != "scalar" and not old.flow_style:
        # a block begins on a line of its own; its replacement goes behind the colon
        start = head.index(":", key.end_mark.index) + 1
    text = yaml_value(value, indent=indent, newline=newline)
    after = head[end : _line_end(head, end)].strip()
    if after and newline in text:  # a comment behind the value stays behind its first line
        text = yaml_value(value)
    return start, end, (" " if head[start - 1] == ":" else "") + text


def _removal(head: str, mapping: Any, key: str) -> Edit:
    index = next(index for index, (name, _) in enumerate(mapping.value) if name.value == key)
    name, value = mapping.value[index]
    end = _end(head, value)
    if not mapping.flow_style:
        start = head.rfind("\n", 0, name.start_mark.index) + 1
        return start, min(_line_end(head, end) + (2 if head[_line_end(head, end) :][:1] == "\r" else 1), len(head)), ""
    if index:
        return _end(head, mapping.value[index - 1][1]), end, ""
    if len(mapping.value) > 1:
        return name.start_mark.index, mapping.value[1][0].start_mark.index, ""
    return name.start_mark.index, end, ""


def _end(head: str, node: Any) -> int:
    """Where the text of a node ends, without the blanks and comments that follow it."""
    if node.id == "scalar":
        end = int(node.end_mark.index)
        if node.style in ("|", ">"):
            return max(len(head[:end].rstrip(" \r\n")), int(node.start_mark.index))
        return end
    if node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(head, last[1] if isinstance(last, tuple) else last)


def _line_end(head: str, index: int) -> int:
    """The index of the line end at or after ``index`` (of its CR, where there is one)."""
    end = head.find("\n", index)
    if end < 0:
        return len(head.rstrip(" ")) if not head[index:].strip() else len(head)
    return end - 1 if head[end - 1 : end] == "\r" else end


def _write(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        copymode(path, name)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
