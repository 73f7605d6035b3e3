"""Inline: expectations in comments of the program: `// => value`, `// stdout: text`, `// throws: Name`.

Each `=>` and each `throws` is a run of its own: the program up to that line, without the statements that throw. So a
value is the one that the engine gives at that point, and nothing of ours is in the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..result import RunResult
from .compare import difference, shown
from .document import Document
from .problem import CaseFileError
from .report import parse_report
from .verdict import Mismatch
from .yamltext import YamlError, parse_yaml

#: cheap to look for; only a file that has one is parsed
_MAYBE = re.compile(r"//[ \t]*(?:=>|(?i:stdout|throws)\b)")
_COMMENT = re.compile(r"//[ \t]*(=>|stdout\b|throws\b)[ \t]?(:?)[ \t]?(.*?)[ \t\r]*")
_THROWS = re.compile(r"([A-Za-z_$][\w$]*)(?::[ \t]*(.*))?")


@dataclass(frozen=True, slots=True)
class Check:
    """One expectation that needs a run of its own: ``program`` up to its line, and the value or error it must give."""

    line: int
    program: str
    value: Any = None
    throws: tuple[str, str | None] | None = None

    def mismatch(self, result: RunResult) -> Mismatch | None:
        """What is not as expected, or None."""
        if self.throws is not None:
            return self._throw_mismatch(result)
        if not result.ok:
            name = parse_report(result.error_message).name or str(result.failure_kind)
            return Mismatch("// =>", f"{shown(self.value)} expected, but it failed with {name}", line=self.line)
        problem = difference(self.value, result.result_value)
        if problem is None:
            return None
        hint = "; what is printed is expected with // stdout:" if result.result_value is None and result.output else ""
        return Mismatch("// =>", f"{problem}{hint}", self.value, result.result_value, self.line)

    def _throw_mismatch(self, result: RunResult) -> Mismatch | None:
        assert self.throws is not None  # noqa: S101
        name, message = self.throws
        field = "// throws"
        if result.failure_kind != "script-error":
            ended = "nothing was thrown" if result.ok else f"the run ended with {result.failure_kind}"
            return Mismatch(field, f"{name} expected, but {ended}", line=self.line)
        report = parse_report(result.error_message)
        if report.name != name:
            return Mismatch(
                field,
                f"{name} expected, got {report.name or 'no error object'}: {report.message}",
                line=self.line,
            )
        if message is not None and message != report.message:
            problem = f"expected {shown(message)}, got {shown(report.message)}"
            return Mismatch(field, problem, message, report.message, self.line)
        return None


@dataclass(frozen=True, slots=True)
class Inline:
    """All inline expectations of a file. ``program`` is what the main run runs: without the statements that throw."""

    program: str
    checks: tuple[Check, ...]
    #: (line, text) in the order of the file; together they are the whole output
    stdout: tuple[tuple[int, str], ...]

    def output_mismatch(self, output: str) -> Mismatch | None:
        """The first line of output that is not as the comments say, or None."""
        if not self.stdout:
            return None
        lines = output.removesuffix("\n").split("\n") if output else []
        wanted = "".join(f"{text}\n" for _, text in self.stdout)
        for index, (line, text) in enumerate(self.stdout):
            if index >= len(lines):
                problem = f"{shown(text)} expected, but nothing more was printed"
            elif lines[index] != text:
                problem = f"expected {shown(text)}, got {shown(lines[index])}"
            else:
                continue
            return Mismatch("// stdout", problem, wanted, output, line)
        if len(lines) > len(self.stdout):
            extra = lines[len(self.stdout)]
            return Mismatch(
                "// stdout", f"more was printed than is expected: {shown(extra)}", wanted, output, self.stdout[-1][0]
            )
        return None


@dataclass(frozen=True, slots=True)
class _Comment:
    start: int
    end: int
    line: int
    word: str
    text: str


def read_inline(document: Document) -> tuple[Inline | None, str]:
    """The inline expectations of a document and its body without them.

    Raises:
        CaseFileError: a comment that looks like one of them cannot be understood.
    """
    if not _MAYBE.search(document.body):
        return None, document.body
    # offsets are those of the UTF-8 text, which is what the parser counts in
    data = document.body.encode("utf-8", "surrogatepass")
    comments, statements = _parse(data, document)
    if not comments:
        return None, document.body
    body = _blank(data, [(item.start, item.end) for item in comments])
    throwing: list[tuple[int, int]] = []
    checks: list[Check] = []
    for item in comments:
        if item.word == "stdout":
            continue
        ending = [found for found in statements if found.end_line == item.line and found.end <= item.start]
        statement = ending[-1] if ending else None
        if statement is None:
            raise CaseFileError(
                document.path,
                item.line,
                f"// {item.word} must follow, on its line, a statement of the top level of the program",
            )
        earlier = _blank(body, throwing)
        if item.word == "=>":
            program = earlier[: statement.end].decode("utf-8", "surrogatepass") + _value_of(statement, item, document)
            checks.append(Check(item.line, program, value=_read_value(item, document)))
        else:
            checks.append(
                Check(
                    item.line,
                    earlier[: statement.end].decode("utf-8", "surrogatepass"),
                    throws=_read_throws(item, document),
                )
            )
            throwing.append((statement.start, statement.end))
    stdout = tuple((item.line, item.text) for item in comments if item.word == "stdout")
    program = _blank(body, throwing).decode("utf-8", "surrogatepass")
    return Inline(program, tuple(checks), stdout), body.decode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class _Statement:
    start: int
    end: int
    end_line: int
    kind: str
    #: the variable of a declaration of one
    declares: str | None


def _parse(data: bytes, document: Document) -> tuple[list[_Comment], list[_Statement]]:
    from tree_sitter import Language, Parser
    from tree_sitter_typescript import language_tsx

    root = Parser(Language(language_tsx())).parse(data).root_node
    comments: list[_Comment] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "comment":
            found = _read_comment(node, document)
            if found is not None:
                comments.append(found)
        stack.extend(node.children)
    statements = []
    for node in root.children:
        if node.type in ("comment", "hash_bang_line"):
            continue
        declares = None
        if node.type in ("lexical_declaration", "variable_declaration") and node.named_child_count == 1:
            name = node.named_children[0].child_by_field_name("name")
            if name is not None and name.type == "identifier" and name.text is not None:
                declares = name.text.decode()
        statements.append(_Statement(node.start_byte, node.end_byte, node.end_point[0] + 1, node.type, declares))
    return sorted(comments, key=lambda item: item.start), statements


def _read_comment(node: Any, document: Document) -> _Comment | None:
    text = node.text.decode("utf-8", "replace")
    line = node.start_point[0] + 1
    if not _MAYBE.match(text):
        return None
    found = _COMMENT.fullmatch(text)
    if found is None or (found[1] != "=>" and not found[2]):
        if found is None and re.match(r"//[ \t]*(?i:stdout|throws):", text):
            word = text.lstrip("/ \t").partition(":")[0]
            raise CaseFileError(document.path, line, f"write // {word.lower()}: in lower case, not // {word}:")
        # a sentence that begins with the word is only a comment
        return None
    return _Comment(
        node.start_byte, node.end_byte, line, found[1], found[3] if found[1] != "=>" else (found[2] + found[3]).strip()
    )


def _read_value(item: _Comment, document: Document) -> Any:
    if item.text in ("undefined", "null"):
        return None
    if not item.text:
        raise CaseFileError(document.path, item.line, "// => must be followed by the value")
    try:
        return parse_yaml(item.text).data
    except YamlError as error:
        raise CaseFileError(document.path, item.line, f"the value after // => cannot be read: {error}") from None


def _value_of(statement: _Statement, item: _Comment, document: Document) -> str:
    """What makes the program end in the value: nothing after an expression, the name after a declaration."""
    if statement.kind == "expression_statement":
        return ""
    if statement.declares is not None:
        return f" {statement.declares};"
    raise CaseFileError(document.path, item.line, "// => must follow an expression, or the declaration of one variable")


def _read_throws(item: _Comment, document: Document) -> tuple[str, str | None]:
    found = _THROWS.fullmatch(item.text)
    if found is None:
        raise CaseFileError(
            document.path, item.line, f"// throws: must name an error, not {item.text!r}: // throws: TypeError"
        )
    return found[1], found[2]


def _blank(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    for start, end in spans:
        text = data[start:end].decode("utf-8", "surrogatepass")
        # blanks of the same length in bytes, so that the other offsets stay right
        gap = "".join(part if part in "\r\n" else " " * len(part.encode("utf-8", "surrogatepass")) for part in text)
        data = data[:start] + gap.encode() + data[end:]
    return data
