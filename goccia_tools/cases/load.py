"""load_cases: the cases of a test file, in its order."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zlib import crc32

from ..errors import nearest
from .attributes import FILE_WORDS
from .case import Case
from .casefile import CaseFile, Named
from .document import parse_document, read_document
from .front import At, read_front
from .names import unique
from .sections import Section, read_sections


def load_cases(
    path: str | Path, *, text: str | None = None, default_options: dict[str, Any] | None = None
) -> list[Case]:
    """Read a test file and return its cases. ``text`` stands for the file's content when it is given.

    ``default_options`` are fields of RunOptions that the file may override.

    Raises:
        CaseFileError: the file cannot be read, decoded or understood; the text starts with ``file:line``.
    """
    path = Path(path)
    document = read_document(path) if text is None else parse_document(text, path)
    root = read_front(document)
    sections = read_sections(document)
    if sections:
        cases = _of_sections(sections, root, default_options or {})
    else:
        cases = _named(CaseFile.of(document, root, default_options or {}).cases())
    checksum = crc32(document.text.encode("utf-8", "surrogatepass"))
    for case in cases:
        case.checksum = checksum
    return cases


def _named(found: list[Named]) -> list[Case]:
    """The cases with their ids."""
    ids = unique([named.slug for named in found], [named.suffix for named in found])
    for named, case_id in zip(found, ids, strict=True):
        named.case.id = case_id
    return [named.case for named in found]


def _of_sections(sections: list[Section], root: At | None, default_options: dict[str, Any]) -> list[Case]:
    """The cases of a file that ``// @case`` divides; an item of ``cases`` says more about the one of its name."""
    items: dict[str, At] = {}
    if root is not None:
        root.mapping(FILE_WORDS)
        _refuse_beside_sections(root)
        items = _items_of_sections(root, sections)
    found: list[Named] = []
    for section in sections:
        file = CaseFile.of(section.document, root, default_options, section)
        found.extend(file.of_section(items.get(section.name)))
    return _named(found)


def _items_of_sections(root: At, sections: list[Section]) -> dict[str, At]:
    names = [section.name for section in sections]
    items: dict[str, At] = {}
    for item in root["cases"].items() if "cases" in root.value else ():
        _refuse_beside_sections(item, "a case")
        name = item["name"].text() if "name" in item.mapping() else ""
        if name not in names:
            raise item.problem(f'there is no "// @case {name}" in the program{nearest(name, names)}', "name")
        if name in items or names.count(name) > 1:
            raise item.problem(f'"{name}" stands here or in the program twice', "name")
        items[name] = item
    return items


def _refuse_beside_sections(at: At, where: str = "") -> None:
    for word in ("calls", "from", *(() if where else ("name",))):
        if word in at.value:
            raise at.problem(f"{word} contradicts the // @case comments, each of which names and runs a program", word)
