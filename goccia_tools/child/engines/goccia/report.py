"""Report: what the driver's lines say of the guest's run."""

from __future__ import annotations

from goccia_tools.child.engines import Outcome
from goccia_tools.child.jsontext import JsonError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

#: nesting of a result value beyond which it is null (design section 3)
_VALUE_DEPTH: Final = 200

#: what the lists of a line hold
_SHAPES: Final = {
    "R": ([str, bool],),
    "M": ([str, int], [str, type(None)]),
    "O": ([str, int], [str, type(None)]),
}


class File:
    """A node as the driver saw it: ``content`` is None for a directory, and for a file that could not be read."""

    __slots__ = ("content", "is_folder", "path", "stamps")

    def __init__(self, path: str, stamps: list[float], content: bytes | None, *, is_folder: bool) -> None:
        self.path = path
        self.stamps = stamps
        self.content = content
        self.is_folder = is_folder


class Report:
    """What the driver has told so far; :meth:`take` gets the bytes that the process prints."""

    def __init__(self, word: bytes) -> None:
        self._word = word
        self._rest = bytearray()
        self._told: dict[str, Any] = {}
        self.value_json = "null"
        #: the nodes before the guest ran, and after it, in an order with every folder before what is in it
        self.before: list[File] = []
        self.after: list[File] = []

    def take(self, data: bytes) -> None:
        """Take in bytes of the process's output."""
        self._rest += data
        if b"\n" not in data:
            return
        *lines, rest = self._rest.split(b"\n")
        self._rest = rest
        for line in lines:
            if line.startswith(self._word):
                at = len(self._word) + 1
                self._line(line[at - 1 : at].decode("ascii", "replace"), bytes(line[at:]))

    def _line(self, letter: str, text: bytes) -> None:
        if letter == "V":
            value = text.decode("utf-8", "replace")
            self.value_json = "null" if is_deeper(value, _VALUE_DEPTH) else _without_halves(value)
            return
        try:
            told = loads(text)
            if letter and letter in "FDfd":
                path, stamps, *content = told
                data = None if not content or content[0] is None else _decode(content[0])
                file = File(path, stamps, data, is_folder=letter in "Dd")
                (self.before if letter in "fd" else self.after).append(file)
            elif letter in ("E", "X") or [type(item) for item in told or ()] in ([], *_SHAPES.get(letter, ())):
                self._told[letter] = told
        except (JsonError, ValueError, TypeError):
            return  # not the driver's: it was cut off, or another program is there in the runner's place

    @property
    def failure_kind(self) -> str | None:
        """How the runner itself classified the guest's run; None when the driver did not come to tell it."""
        told = self._told.get("R")
        return None if told is None else str(told[0])

    @property
    def is_lost(self) -> bool:
        """Whether the runner had no memory for the text that the guest had printed, and so none of it was told."""
        return "X" in self._told

    @property
    def output(self) -> tuple[str, int] | None:
        """What the guest printed, and how many bytes more than this it was; None when that was not told."""
        told = self._told.get("O")
        if told is None:
            return None
        text, size = told
        return text, 0 if size is None else max(0, size - len(text.encode("utf-8", "surrogatepass")))

    @property
    def outcome(self) -> Outcome | None:
        """The guest's outcome, or None when the driver did not come to tell all of it."""
        kind, message = self.failure_kind, self._told.get("M")
        if kind is None or message is None or self.output is None:
            return None
        wrote = bool(self._told["R"][1])
        text = message[0]
        return Outcome(kind, text, stderr=text + "\n" if wrote else "", value_json=self.value_json)

    @property
    def has_all_files(self) -> bool:
        """Whether every node, and every file's content, was told."""
        return "E" in self._told and all(file.is_folder or file.content is not None for file in self.after)


def _decode(text: str) -> bytes:
    from binascii import a2b_base64

    return a2b_base64(text)


def _without_halves(json: str) -> str:
    """JSON text in which no escape stands for half a surrogate pair."""
    if "\\ud" not in json:
        return json
    try:
        return dumps(loads(json.encode()))
    except JsonError:  # cut in the middle, because it is over the limit anyway
        return json


def is_deeper(json: str, levels: int) -> bool:
    """Whether JSON text nests more than so many levels; by whole-text operations, since the text may be long."""
    if json.count("[") + json.count("{") <= levels:
        return False
    bare = json.replace("\\\\", "").replace('\\"', "")
    brackets = "".join(char for part in bare.split('"')[::2] for char in part if char in "[]{}")
    for _ in range(levels):
        if not brackets:
            return False
        brackets = brackets.replace("[]", "").replace("{}", "")
    return bool(brackets)
