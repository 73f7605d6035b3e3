"""CommonJS files as the target of calls: `module.exports = …` and `exports.name = …`, which GocciaScript does not have.

The two names are made on the first line of the file, and whatever is told about that line is put right, so that places
stay those of the file. `require` is not there: a file of a test stands alone.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..result import RunResult
from .report import code_frame, parse_report

_MARKS = re.compile(r"\bmodule\.exports\b|^[ \t]*exports\.[A-Za-z_$]", re.MULTILINE)
_HEADER = "globalThis.module = { exports: {} }; globalThis.exports = globalThis.module.exports; "
_EXPORTS = "globalThis.module.exports"


def is_commonjs(text: str) -> bool:
    """Whether a file that exports nothing as a module exports something this way."""
    return _MARKS.search(text) is not None


def with_exports(text: str) -> str:
    """The file with the names it assigns to, on its first line."""
    start = _start(text)
    return text[:start] + _HEADER + text[start:]


def lookup(name: str) -> str:
    """JavaScript for what such a file exports, or else declares, as ``name``."""
    if name == "default":
        return f"({_EXPORTS}?.default ?? {_EXPORTS})"
    return f'({_EXPORTS}?.{name} ?? (typeof {name} === "undefined" ? undefined : {name}))'


def own_column(text: str, line: int, column: int) -> int:
    """The column in the file of a place in :func:`with_exports` of it."""
    header_line = text.count("\n", 0, _start(text)) + 1
    return max(1, column - len(_HEADER)) if line == header_line else column


def own_places(result: RunResult, path: str, text: str) -> RunResult:
    """The result with the place of its error report in the file as it is."""
    report = parse_report(result.error_message)
    if report.path != path or report.line is None or report.column is None:
        return result
    column = own_column(text, report.line, report.column)
    if column == report.column:
        return result
    head = result.error_message.rpartition(f"\n  --> {path}:")[0]
    return replace(result, error_message=f"{head}\n{code_frame(text, path, report.line, column)}")


def _start(text: str) -> int:
    """Behind an interpreter line, which has to be the first one."""
    return text.find("\n") + 1 if text.startswith("#!") else 0
