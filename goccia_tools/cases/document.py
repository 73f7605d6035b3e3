"""Document: a test file as text, split into its front matter and the program that is left when it is blanked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .problem import CaseFileError

OPENS = "/*---"
CLOSES = "---*/"

#: what may stand before the front matter: an interpreter line, blank lines and comments
_BEFORE = re.compile(r"(?:#![^\r\n]*(?:\r\n?|\n|$))?(?:[ \t\f\r\n]+|//[^\r\n]*|/\*(?!---(?!-))(?:(?!\*/)[\s\S])*\*/)*")
#: a comment with a misspelt opening and something like a key in it; a banner of dashes is only a comment
_NEARLY = re.compile(r"(/\*+[ \t]*--+)(?:(?!\*/)[\s\S])*?^[ \t]*\w+:", re.MULTILINE)
_LATER = re.compile(r"^[ \t]*/\*---(?!-)", re.MULTILINE)
_MARKS = ((b"\xff\xfe\x00\x00", "UTF-32"), (b"\xfe\xff", "UTF-16"), (b"\xff\xfe", "UTF-16"))


@dataclass(frozen=True, slots=True)
class Document:
    """A test file in memory.

    ``text`` is the whole file without its byte order mark and with the line ends it has; ``head`` is the YAML
    between the delimiters (None when there is none), from ``head_start`` in ``text`` on, ``head_line`` its first
    line; ``body`` is the program, in which the front matter is blanks, so that lines and columns stay.
    """

    path: Path
    text: str
    head: str | None
    head_start: int
    head_line: int
    body: str
    has_mark: bool = False


def read_document(path: Path) -> Document:
    """Read a test file.

    Raises:
        CaseFileError: the file cannot be read or is not UTF-8, or its front matter does not begin or end as it must.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CaseFileError(path, 1, f"cannot be read: {error.strerror or error}") from None
    return parse_document(decode(data, path), path, has_mark=data.startswith(b"\xef\xbb\xbf"))


def decode(data: bytes, path: Path) -> str:
    """The text of a file, which must be UTF-8, with or without a byte order mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            raise CaseFileError(path, 1, f"is encoded as {encoding}; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CaseFileError(
            path, line, f"byte 0x{data[error.start]:02x} is not UTF-8 ({error.reason}); save the file as UTF-8"
        ) from None


def parse_document(text: str, path: Path, *, has_mark: bool = False) -> Document:
    """Split the text of a test file; raises CaseFileError as :func:`read_document` does."""
    before = _BEFORE.match(text)
    start = before.end() if before else 0
    if not text.startswith(OPENS, start) or text.startswith(OPENS + "-", start):
        _refuse_what_looks_like_one(text, start, path)
        return Document(path, text, None, 0, 1, text, has_mark)
    head_start = start + len(OPENS)
    end = text.find(CLOSES, head_start)
    if end < 0:
        raise CaseFileError(path, _line(text, start), f"the front matter opened by {OPENS} is not closed by {CLOSES}")
    body = text[:start] + blanked(text[start : end + len(CLOSES)]) + text[end + len(CLOSES) :]
    return Document(path, text, text[head_start:end], head_start, _line(text, head_start), body, has_mark)


def blanked(text: str) -> str:
    """Spaces in place of everything but line ends; a character outside the BMP takes two UTF-16 columns."""
    if text.isascii():
        return re.sub(r"[^\r\n]", " ", text)
    return re.sub(r"[^\r\n\u2028\u2029]", lambda found: "  " if found[0] > "\uffff" else " ", text)


def _line(text: str, offset: int) -> int:
    """The line of an offset, counted as editors do; a lone CR ends a line too."""
    return len(re.findall(r"\r\n?|\n", text[:offset])) + 1


def _refuse_what_looks_like_one(text: str, start: int, path: Path) -> None:
    """A misspelt or misplaced front matter would be a comment, and its test would check nothing."""
    nearly = _NEARLY.search(text, 0, start)
    if nearly is not None:
        raise CaseFileError(
            path, _line(text, nearly.start()), f'front matter begins with "{OPENS}", not with "{nearly[1]}"'
        )
    later = _LATER.search(text, start)
    if later is not None:
        raise CaseFileError(
            path, _line(text, later.end()), f'front matter ("{OPENS}") must come first, before any JavaScript'
        )
