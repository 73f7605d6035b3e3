"""Notebook: the code cells of an ``.ipynb`` file and what is stored with them, read without a kernel."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import GocciaError, UnavailableError
from .magic.arguments import Arguments, parse_arguments
from .magic.source import split_cell


class NotebookError(GocciaError, ValueError):
    """A file is no notebook that can be read; ``path`` is the file, ``reason`` the sentence without it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class CodeCell:
    """A code cell that is not blank.

    ``number`` counts such cells from 1: in a notebook that was run from top to bottom it is the number in ``In [1]``.
    ``id`` is what the file says, which may be nothing (before nbformat 4.5) or the same for two cells. ``outputs`` are
    as stored, in the form of nbformat 4. ``executed`` is whether the file says that the cell was run.
    """

    number: int
    id: str | None
    text: str
    outputs: tuple[Mapping[str, Any], ...] = ()
    tags: frozenset[str] = frozenset()
    executed: bool = False

    @property
    def line(self) -> str | None:
        """What follows ``%%sandbox`` on its line, or None for a cell that does not start with it."""
        found = split_cell(self.text)
        return None if found is None else found[0]

    @property
    def program(self) -> str:
        """The JavaScript below the line of ``%%sandbox``, exactly as the magic runs it."""
        found = split_cell(self.text)
        return "" if found is None else found[1]

    @property
    def arguments(self) -> Arguments:
        """The options on the line of ``%%sandbox``.

        Raises:
            OptionError: the line is one that the magic would refuse.
        """
        return parse_arguments(self.line or "")

    @property
    def place(self) -> str:
        """What a message calls the cell: its number and, where it has one, its id."""
        return f"cell {self.number}" + (f" (id {self.id})" if self.id else "")


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook file. ``cells`` are its code cells in their order."""

    path: Path
    cells: tuple[CodeCell, ...]

    @property
    def sandbox_cells(self) -> tuple[CodeCell, ...]:
        """The cells that ``%%sandbox`` runs."""
        return tuple(cell for cell in self.cells if cell.line is not None)


def read_notebook(path: Path) -> Notebook:
    """Read a notebook of nbformat 1 to 4, with whatever ids it has.

    Raises:
        NotebookError: the file cannot be read or is not such a notebook.
        UnavailableError: the library nbformat is not installed.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotebookError(path, f"it cannot be read: {error.strerror or error}") from None
    return parse_notebook(content, path)


def parse_notebook(content: bytes, path: Path) -> Notebook:
    """The notebook that ``content`` is; ``path`` is only what messages and the Notebook call it.

    Raises:
        NotebookError, UnavailableError: as :func:`read_notebook`.
    """
    node = _version_4(_json(content, path), path)
    cells = node.get("cells")
    if not isinstance(cells, list):
        raise NotebookError(path, 'it has no list of "cells"')
    return Notebook(path, tuple(_code_cells(cells, path)))


def _json(content: bytes, path: Path) -> dict[str, Any]:
    if not content.strip():
        raise NotebookError(path, "it is empty")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotebookError(path, f"it is not UTF-8: byte {error.start} is 0x{content[error.start]:02x}") from None
    try:
        node = json.loads(text)
    except RecursionError:
        raise NotebookError(path, "it is nested too deeply") from None
    except json.JSONDecodeError as error:
        conflict = re.search(r"^<{7} ", text, re.MULTILINE)
        if conflict is not None:
            line = text.count("\n", 0, conflict.start()) + 1
            raise NotebookError(path, f"line {line} holds the marks of a merge that was not finished") from None
        at_end = ", where the file ends" if error.pos >= len(text.rstrip()) else ""
        raise NotebookError(
            path, f"it is not JSON: {error.msg} at line {error.lineno}, column {error.colno}{at_end}"
        ) from None
    if not isinstance(node, dict):
        raise NotebookError(path, "it is JSON but no notebook: a notebook is an object")
    return node


def _version_4(node: dict[str, Any], path: Path) -> Mapping[str, Any]:
    try:
        import nbformat
    except ImportError:
        raise UnavailableError("reading notebooks needs nbformat: pip install 'goccia-tools[notebook]'") from None
    version = node.get("nbformat")
    if version is None and not {"cells", "worksheets"} & set(node):
        raise NotebookError(path, 'it is JSON but no notebook: it has neither "nbformat" nor "cells"')
    version = 4 if version is None and "cells" in node else version or 1
    minor = node.get("nbformat_minor", 0)
    if not isinstance(version, int) or not isinstance(minor, int):
        raise NotebookError(path, f'"nbformat" must be a whole number, not {version!r:.40}')
    if version not in nbformat.versions:
        known = max(nbformat.versions)
        raise NotebookError(path, f"it is of nbformat {version}; versions up to {known} can be read")
    try:
        # no check against the schema, and no conversion within version 4: both would stop at ids or invent them
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = nbformat.versions[version].to_notebook_json(_tidy(node) if version == 4 else node, minor=minor)
            convert: Any = nbformat.convert
            converted: Mapping[str, Any] = read if version == 4 else convert(read, 4)
    except (AttributeError, LookupError, TypeError, ValueError, nbformat.ValidationError) as error:
        raise NotebookError(path, f"it is damaged: {type(error).__name__}: {error!s:.200}") from None
    if version != 4:
        for cell in converted["cells"]:
            cell.pop("id", None)  # made up by the conversion
    return converted


def _tidy(node: dict[str, Any]) -> dict[str, Any]:
    """Without the outputs and metadata of a wrong kind, which nbformat would stop at and which do not matter here."""
    cells = node.get("cells")
    if not isinstance(cells, list):
        return node
    metadata = node.get("metadata")
    node = {**node, "metadata": metadata if isinstance(metadata, dict) else {}}
    return {**node, "cells": [_tidy_cell(cell) if isinstance(cell, dict) else cell for cell in cells]}


def _tidy_cell(cell: dict[str, Any]) -> dict[str, Any]:
    outputs, metadata = cell.get("outputs"), cell.get("metadata")
    return {
        **cell,
        "outputs": [output for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else [],
        "metadata": metadata if isinstance(metadata, dict) else {},
    }


def _code_cells(cells: list[Any], path: Path) -> Iterator[CodeCell]:
    number = 0
    for position, cell in enumerate(cells, 1):
        if not isinstance(cell, Mapping):
            raise NotebookError(path, f"it is damaged: what stands as cell {position} is no object")
        if cell.get("cell_type") != "code":
            continue
        text = cell.get("source", "")
        if not isinstance(text, str):
            raise NotebookError(path, f"it is damaged: the source of the cell at position {position} is no text")
        if not text.strip():
            continue
        number += 1
        identity = cell.get("id")
        metadata = cell.get("metadata")
        tags = metadata.get("tags") if isinstance(metadata, Mapping) else None
        outputs = cell.get("outputs")
        yield CodeCell(
            number,
            identity if isinstance(identity, str) and identity else None,
            text,
            tuple(output for output in outputs if isinstance(output, Mapping)) if isinstance(outputs, list) else (),
            frozenset(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else frozenset(),
            cell.get("execution_count") is not None,
        )
