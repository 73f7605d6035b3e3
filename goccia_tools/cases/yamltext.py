"""A fast reader of YAML 1.2 (core schema) that knows on which line everything stands."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ..errors import UnavailableError

Path = tuple[str | int, ...]

#: the tags of plain and quoted scalars in a tree; an explicit tag is spelt in full
PLAIN = "plain"
QUOTED = "quoted"
_PREFIX = "tag:yaml.org,2002:"

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


class YamlError(Exception):
    """Text is not the YAML that is read here; ``line`` counts from 1 within the text."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Tree:
    """A parsed document: ``data`` is plain data, :meth:`line` tells where a value (or its key) stands."""

    __slots__ = ("_root", "data")

    def __init__(self, root: Any) -> None:
        self._root = root
        self.data: Any = None if root is None else _construct(root, ())

    def line(self, path: Path) -> int:
        """The line, from 1, of the deepest existing part of ``path``."""
        node, line = self._root, 1
        if node is None:
            return line
        line = int(node.start_mark.line) + 1
        for part in path:
            found = None
            if node.id == "mapping":
                found = next((pair for pair in node.value if pair[0].value == part), None)
                if found is not None:
                    line, node = found[0].start_mark.line + 1, found[1]
            elif node.id == "sequence" and isinstance(part, int) and part < len(node.value):
                found = node = node.value[part]
                line = node.start_mark.line + 1
            if found is None:
                break
        return line


def parse_yaml(text: str) -> Tree:
    """Read one document.

    Raises:
        YamlError: not YAML, more than one document, a key twice, or a value that is not JSON-like data.
        UnavailableError: PyYAML, whose C parser is used, is not installed.
    """
    reader, yaml_error = _reader()
    try:
        return Tree(reader(text).get_single_node())
    except yaml_error as error:
        raise YamlError(*_explain(error, text)) from None
    except RecursionError:
        raise YamlError(1, "the YAML is nested too deeply") from None


@lru_cache(maxsize=1)
def _reader() -> tuple[Any, Any]:
    """PyYAML's composer on its C parser, with tags left to :func:`_construct` (PyYAML's own follow YAML 1.1)."""
    try:
        import yaml
    except ImportError:
        raise UnavailableError(
            "reading front matter needs PyYAML: install goccia-tools[pytest] (or [grading], [notebook])"
        ) from None

    class Untagged:
        def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
            if kind.id == "scalar":
                return PLAIN if implicit[0] else QUOTED
            return ""

        def descend_resolver(self, parent: Any, index: Any) -> None:
            return

        def ascend_resolver(self) -> None:
            return

    if yaml.__with_libyaml__:
        from yaml.cyaml import CParser

        return type("Reader", (Untagged, CParser), {}), yaml.YAMLError

    from yaml.composer import Composer
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    parts: tuple[Any, ...] = (Reader, Scanner, Parser, Composer)

    def start(self: Any, text: str) -> None:
        Reader.__init__(self, text)
        for part in parts[1:]:
            part.__init__(self)

    return type("Reader", (Untagged, *parts), {"__init__": start}), yaml.YAMLError


def _construct(node: Any, above: tuple[int, ...]) -> Any:
    kind = node.id
    if kind == "scalar":
        return _scalar(node)
    if node.tag not in ("", f"{_PREFIX}map", f"{_PREFIX}seq"):
        raise YamlError(node.start_mark.line + 1, f"the tag {_shown(node.tag)} has no meaning here")
    if id(node) in above:
        raise YamlError(node.start_mark.line + 1, "an alias stands for something that contains it")
    above = (*above, id(node))
    if kind == "sequence":
        return [_construct(item, above) for item in node.value]
    data: dict[str, Any] = {}
    for key, value in node.value:
        if key.id != "scalar":
            raise YamlError(key.start_mark.line + 1, "a key must be text, not a list or a mapping")
        if key.value in data:
            raise YamlError(key.start_mark.line + 1, f'the key "{key.value}" stands here twice')
        data[key.value] = _construct(value, above)
    return data


def _scalar(node: Any) -> Any:
    text, tag = node.value, node.tag
    if tag in (QUOTED, f"{_PREFIX}str", "!"):
        return text
    if tag not in (PLAIN, *(_PREFIX + name for name in ("int", "float", "bool", "null"))):
        raise YamlError(node.start_mark.line + 1, f"the tag {_shown(tag)} has no meaning here")
    try:
        value = plain_value(text)
        if tag == f"{_PREFIX}float":
            value = float(value)
    except ValueError:
        raise YamlError(node.start_mark.line + 1, f"{text[:40]} is not a number that can be read") from None
    return value


def plain_value(text: str) -> Any:
    """What an unquoted scalar means in the core schema: null, true, false, a number, or its text."""
    if text in _NULLS:
        return None
    if text in _FLAGS:
        return _FLAGS[text]
    if text[0] in "-+.0123456789":
        if _INTEGER.fullmatch(text):
            return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        if _SPECIAL.fullmatch(text):
            return float(text.replace(".", "", 1))
    return text


def _shown(tag: str) -> str:
    return "!!" + tag.removeprefix(_PREFIX) if tag.startswith(_PREFIX) else tag


def _explain(error: Any, text: str) -> tuple[int, str]:
    """The line and one sentence for what PyYAML says in several."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:  # the reader refuses a character
        position = getattr(error, "position", 0)
        character = getattr(error, "character", 0)
        return text[:position].count(
            "\n"
        ) + 1, f"the character U+{character:04X} must be written as an escape in quotes"
    line = min(mark.line, text.count("\n")) + 1
    problem = str(getattr(error, "problem", None) or error)
    context = getattr(error, "context", None)
    lines = text.split("\n")
    here = lines[line - 1] if line <= len(lines) else ""
    message = f"not valid YAML: {problem}" + (f" {context}" if context and context not in problem else "")
    if here[mark.column : mark.column + 1] == "\t":
        message = "not valid YAML: a tab cannot indent; use spaces"
    elif "mapping values are not allowed" in problem:
        message += '; text that holds ": " needs quotes'
    elif "cannot start any token" in problem:
        message += f'; text that begins with "{here[mark.column : mark.column + 1]}" needs quotes'
    return line, message
