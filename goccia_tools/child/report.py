"""The error text of a failed run: report, code frame or stack, as the reference prints them (behaviour section 4)."""

from __future__ import annotations

from goccia_tools.child.jsontext import loads
from goccia_tools.child.source.callees import failure_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

    from goccia_tools.child.source import Prepared, SourceError

    Callers = Sequence["Frame"]
    Sources = Mapping[str, Prepared]
    Texts = Mapping[str, str]

_PRELUDE_FILE: Final = "<prelude>"
_CONTEXT_LINES: Final = 2
_GUTTER_WIDTH: Final = 4


class Frame:
    """One call that was running: the callee's name and where the call is written."""

    __slots__ = ("column", "line", "name", "path")

    def __init__(self, name: str, path: str, line: int, column: int) -> None:
        self.name = name
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"    at {self.name} ({self.path}:{self.line}:{self.column})"


def _file(name: str | None) -> str | None:
    """The sandbox path in an engine's file name: without the mark of a module that was loaded again; None for none."""
    if name is None or name == _PRELUDE_FILE or name.startswith("<"):
        return None
    return name.partition("\x01")[0]


def call_frames(capture: dict[str, Any], sources: Sources, texts: Texts) -> list[Frame]:
    """The reference's frames, innermost first, from the engine's.

    The engine says where each function was; the reference says where each was called. So a frame is placed
    where the next outer one stands, provided that a call is written there; what a builtin calls pushes none.
    """
    rows = capture["frames"]
    frames: list[Frame] = []
    index = 0
    if "failed" in capture:
        _, file, line, column = rows[0]
        for _, place in _failed_calls(file, line, column, sources, new=capture["failed"] == "constructor")[:1]:
            frames.append(Frame("<anonymous>", file, *place))
    while index < len(rows) - 1:
        while index < len(rows) - 1 and _file(rows[index][1]) is None and _file(rows[index + 1][1]) is None:
            index += 1
        if index == len(rows) - 1:
            break
        name, (_, file, line, column) = rows[index][0], rows[index + 1]
        index += 1
        path = _file(file)
        prepared = sources.get(path) if path is not None else None
        if path is None or prepared is None:
            continue
        site = prepared.call_site(line, column, name or "")
        if site is not None:
            frames.append(Frame(name or "<anonymous>", path, *site))
    return _without_construction(frames, texts) if capture["derived"] else frames


def _failed_calls(
    file: str | None, line: int, column: int, sources: Sources, *, new: bool
) -> list[tuple[str, tuple[int, int]]]:
    path = _file(file)
    prepared = sources.get(path) if path is not None else None
    return prepared.failed_calls(line, column, new=new) if prepared is not None else []


def failed_call_text(file: str, line: int, column: int, kind: str, sources: Sources) -> str:
    """The message for a call of what is not a ``kind`` (``function`` or ``constructor``); empty where none is found."""
    new = kind == "constructor"
    callees = [name for name, _ in _failed_calls(file, line, column, sources, new=new)]
    return failure_message(callees, new=new) if callees else ""


def _without_construction(frames: list[Frame], texts: Texts) -> list[Frame]:
    """Drop the calls that made the error itself: its classes' ``super(…)`` and the ``new`` that started them."""
    for index, frame in enumerate(frames):
        before, after = _around(texts, frame)
        if after.startswith("new"):
            return frames[index + 1 :]
        if not before.rstrip().endswith("super"):
            break
    return frames


def _around(texts: Texts, frame: Frame) -> tuple[str, str]:
    """The parts of a frame's source line before and from its column."""
    lines = split_lines(texts.get(frame.path, ""))
    units = (lines[frame.line - 1] if 0 < frame.line <= len(lines) else "").encode("utf-16-le", "surrogatepass")
    cut = 2 * (frame.column - 1)
    return units[:cut].decode("utf-16-le", "replace"), units[cut:].decode("utf-16-le", "replace")


def parse_frames(stack: str) -> list[Frame]:
    """The frames of a text that :func:`stack_text` made."""
    frames = []
    for text in stack.split("\n"):
        if text.startswith("    at ") and text.endswith(")"):
            name, _, place = text[len("    at ") : -1].rpartition(" (")
            path, line, column = place.rsplit(":", 2)
            frames.append(Frame(name, path, int(line), int(column)))
    return frames


def stack_text(capture_json: str, sources: Sources, texts: Texts, callers: Callers = ()) -> str:
    """``error.stack`` of a captured error."""
    capture = loads(capture_json.encode("utf-8", "surrogatepass"))
    return "\n".join([capture["header"], *map(str, [*call_frames(capture, sources, texts), *callers])])


def render_report(
    described: dict[str, Any],
    sources: Sources,
    texts: Texts,
    entry: str,
    mode: str = "interpreter",
    callers: Callers = (),
) -> str:
    """The report of an uncaught exception, without its last newline.

    ``described`` is what the prelude's ``describeError`` says; ``sources`` and ``texts`` are the program's prepared
    files and their original texts by path; ``callers`` are the frames of the program that runs this one.
    """
    lines = split_lines(texts.get(entry, ""))
    if described.get("report"):
        return _made_by_host(described["report"], lines)
    if "text" in described:
        return str(described["text"])
    capture = described["capture"]
    head = f"{described['name']}: {described['message']}"
    if mode != "bytecode" and not capture["made"] and described["name"] == "ReferenceError":
        return f"{head}\n  --> :0:0"
    frames = [*call_frames(capture, sources, texts), *callers]
    if frames and mode != "bytecode" and frames[0].line <= len(lines):
        return head + _located(frames[0].path, frames[0].line, frames[0].column, lines)
    if described["stack"] is not None:
        return str(described["stack"])
    return "\n".join([capture["header"], *map(str, frames)])


def _made_by_host(report: dict[str, Any], entry_lines: list[str]) -> str:
    head = f"{report['name']}: {report['message']}"
    if report.get("suggestion"):
        head += f"\n  Suggestion: {report['suggestion']}"
    if report.get("path") is None:
        return head
    return head + _located(report["path"], report["line"], report["column"], entry_lines if report["frame"] else [])


def render_source_error(error: SourceError, texts: Texts) -> str:
    """The report of a refused source, without its last newline; its code frame shows the refused file."""
    head = f"{error.name}: {error.message}"
    if error.suggestion:
        head += f"\n  Suggestion: {error.suggestion}"
    return head + _located(error.path, error.line, error.column, split_lines(texts.get(error.path, "")))


def split_lines(text: str) -> list[str]:
    """Source lines: LF, CRLF and CR end one."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _located(path: str, line: int, column: int, lines: list[str]) -> str:
    """The location line and, where ``lines`` reach, the code frame."""
    text = f"\n  --> {path}:{line}:{column}"
    if not 0 < line <= len(lines):
        return text
    first, last = max(1, line - _CONTEXT_LINES), min(len(lines), line + _CONTEXT_LINES)
    width = max(_GUTTER_WIDTH, len(str(last)))
    for number in range(first, last + 1):
        text += f"\n{number:>{width}} | {lines[number - 1]}"
        if number == line:
            before = lines[number - 1].encode("utf-16-le", "surrogatepass")[: 2 * (column - 1)]
            blanks = "".join("\t" if unit == "\t" else " " for unit in before.decode("utf-16-le", "replace"))
            text += f"\n{'':>{width}} | {blanks:<{column - 1}}^"
    return text
