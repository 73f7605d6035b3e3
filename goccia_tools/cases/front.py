"""At: a value of the front matter together with the place where it stands, so that every complaint has a line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import nearest
from .document import Document
from .problem import CaseFileError
from .yamltext import Path, Tree, YamlError, parse_yaml

#: what people who know other tools write -> what to write here
FOREIGN = {
    "flags": "say it with options, for example options: {sourceType: module}",
    "includes": "put what the program needs under files and import it",
    "features": "use tags",
    "esid": "use description or tags",
    "info": "use description",
    "timeout": "write options: {timeoutMs: 500}",
    "timeoutMs": "write options: {timeoutMs: 500}",
    "compatibility": "write options: {compatibility: all}",
    "sourceType": "write options: {sourceType: module}",
    "output": "write expect: {output: …}",
    "stdout": "write expect: {output: …}",
    "stderr": "write expect: {errorOutput: …}",
    "returns": "write expect: {resultValue: …}, or calls to test a function",
    "throws": "write expect: {error: {name: TypeError}}",
    "title": "use name or description",
    "env": "a program has no environment; put values in a file under files",
    "main": "the program is the rest of the file",
}


def kind_name(value: Any) -> str:
    """The kind of a value in words for a person."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the text "{value if len(value) <= 40 else value[:40] + "…"}"'
    if isinstance(value, (int, float)):
        return f"the number {value}"
    return "a list" if isinstance(value, list) else "a mapping"


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter of a document: its data and its lines."""

    document: Document
    tree: Tree

    def problem(self, path: Path, message: str) -> CaseFileError:
        """The error that says ``message`` about what stands at ``path``."""
        return CaseFileError(self.document.path, self.document.head_line + self.tree.line(path) - 1, message)


@dataclass(frozen=True, slots=True)
class At:
    """A value and where it stands. Every reader below raises CaseFileError with that place."""

    front: Front
    path: Path
    value: Any

    def problem(self, message: str, *keys: str | int) -> CaseFileError:
        """The error about this value, or about what is below it at ``keys``."""
        return self.front.problem((*self.path, *keys), message)

    @property
    def line(self) -> int:
        """The line in the file, from 1."""
        return self.problem("").line

    @property
    def name(self) -> str:
        """The key this value stands under."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "the front matter")

    def __getitem__(self, key: str | int) -> At:
        return At(self.front, (*self.path, key), self.value[key])

    def with_value(self, value: Any) -> At:
        """Another value at the same place."""
        return replace(self, value=value)

    def fail(self, wanted: str) -> CaseFileError:
        """The error that this value is not ``wanted``."""
        return self.problem(f"{self.name} must be {wanted}, not {kind_name(self.value)}")

    def text(self, wanted: str = "text") -> str:
        if not isinstance(self.value, str):
            hint = f'; write it in quotes: "{self.value}"' if type(self.value) in (int, float) else ""
            raise self.problem(f"{self.name} must be {wanted}, not {kind_name(self.value)}{hint}")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            hint = f"; YAML 1.2 reads {self.value} as text" if self.value in ("yes", "no", "on", "off") else ""
            raise self.problem(f"{self.name} must be true or false, not {kind_name(self.value)}{hint}")
        return self.value

    def integer(self) -> int:
        if type(self.value) is not int:
            raise self.fail("a whole number")
        return self.value

    def number(self) -> float:
        if type(self.value) not in (int, float) or not math.isfinite(self.value):
            raise self.fail("a number")
        return self.value  # type: ignore[no-any-return]

    def items(self) -> list[At]:
        if not isinstance(self.value, list):
            raise self.fail("a list")
        return [self[index] for index in range(len(self.value))]

    def texts(self) -> tuple[str, ...]:
        """A list of texts; one text alone stands for a list of one."""
        if isinstance(self.value, str):
            return (self.value,)
        return tuple(item.text("a list of texts") for item in self.items())

    def choice(self, known: Iterable[str]) -> str:
        known = tuple(known)
        if self.value not in known:
            hint = nearest(self.value, known) if isinstance(self.value, str) else ""
            raise self.problem(f"{self.name} must be one of {', '.join(known)}, not {kind_name(self.value)}{hint}")
        return str(self.value)

    def mapping(self, known: Iterable[str] | None = None, where: str = "") -> dict[str, At]:
        """The members of a mapping; with ``known``, any other key is an error with the nearest known one."""
        if not isinstance(self.value, dict):
            raise self.fail("a mapping")
        if known is not None:
            self.refuse_unknown(self.value, known, where)
        return {key: self[key] for key in self.value}

    def refuse_unknown(self, keys: Iterable[str], known: Iterable[str], where: str = "") -> None:
        known = tuple(known)
        for key in keys:
            if key in known:
                continue
            hint = f"; {FOREIGN[key]}" if not where and key in FOREIGN else nearest(key, known)
            if not hint:
                hint = f"; known are {', '.join(known)}"
            raise self.problem(f'unknown key "{key}"{f" in {where}" if where else ""}{hint}', key)


def read_front(document: Document) -> At | None:
    """The root of a document's front matter, or None when there is none or it is empty.

    Raises:
        CaseFileError: it is not YAML, or not a mapping.
    """
    if document.head is None:
        return None
    try:
        tree = parse_yaml(document.head)
    except YamlError as error:
        raise CaseFileError(document.path, document.head_line + error.line - 1, str(error)) from None
    root = At(Front(document, tree), (), tree.data)
    if tree.data is None:
        return None
    if not isinstance(tree.data, dict):
        raise root.problem(f"the front matter must be a mapping (key: value), not {kind_name(tree.data)}")
    return root


def refuse_non_json(at: At) -> None:
    """Raise for NaN and infinities, which JSON cannot hold."""
    if isinstance(at.value, float) and not math.isfinite(at.value):
        raise at.problem(f"{at.name} holds {at.value}, which JSON cannot hold")
    if isinstance(at.value, Mapping):
        for key in at.value:
            refuse_non_json(at[key])
    elif isinstance(at.value, list):
        for item in at.items():
            refuse_non_json(item)
