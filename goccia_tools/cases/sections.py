"""Sections: `// @case name` on a line of its own begins the program of a case of its own.

What stands above the first of them belongs to every case. Whatever is not of a case is blank in its program, so that
lines and columns stay those of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from .document import Document, blanked
from .problem import CaseFileError

#: cheap to look for; only a file that has one is parsed
_MAYBE = re.compile(r"@[ \t]*case\b", re.IGNORECASE)
_COMMENT = re.compile(r"//[ \t]*@case(?:[ \t:]+(.*?))?[ \t\r]*")
_NEARLY = re.compile(r"(?:///*|/\*+)[ \t]*@[ \t]*case\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Section:
    """A case in the text of a file: its name, its line, and the document with nothing but its program."""

    name: str
    line: int
    document: Document


def read_sections(document: Document) -> list[Section]:
    """The sections of a document in its order; none when it has no such comment.

    Raises:
        CaseFileError: a comment that looks like one has no name, or stands where it separates nothing.
    """
    if not _MAYBE.search(document.body):
        return []
    found = _comments(document)
    lines = document.body.split("\n")
    sections = []
    for index, (row, name) in enumerate(found):
        end = found[index + 1][0] if index + 1 < len(found) else len(lines)
        kept = [
            line if number < found[0][0] or row < number < end else blanked(line) for number, line in enumerate(lines)
        ]
        sections.append(Section(name, row + 1, replace(document, body="\n".join(kept))))
    return sections


def _comments(document: Document) -> list[tuple[int, str]]:
    """The line index and the name of every comment that begins a case."""
    from tree_sitter import Language, Parser
    from tree_sitter_typescript import language_tsx

    data = document.body.encode("utf-8", "surrogatepass")
    root = Parser(Language(language_tsx())).parse(data).root_node
    lines = data.split(b"\n")
    found: list[tuple[int, str]] = []
    stack: list[tuple[Any, bool]] = [(root, True)]
    while stack:
        node, is_top = stack.pop()
        if node.type == "comment" and _NEARLY.match(text := node.text.decode("utf-8", "replace")):
            row, column = node.start_point
            alone = not lines[row][:column].strip()
            found.append((row, _name(text, CaseFileError(document.path, row + 1, ""), is_top and alone)))
        stack.extend((child, node is root) for child in node.children)
    return sorted(found)


def _name(text: str, place: CaseFileError, separates: bool) -> str:
    match = _COMMENT.fullmatch(text)
    if match is None:
        raise CaseFileError(place.path, place.line, 'a case begins with "// @case name", in lower case')
    if not match[1]:
        raise CaseFileError(place.path, place.line, "// @case must be followed by the name of the case")
    if not separates:
        raise CaseFileError(
            place.path, place.line, "// @case must stand on a line of its own, outside of every function and block"
        )
    return match[1]
