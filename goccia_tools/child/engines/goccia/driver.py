"""The driver: a small program of ours that starts the guest's inside the runner and prints what came of it.

The guest shares the driver's files, from which the driver takes itself away first, so that every file is as the guest
left it when the driver reads them all. It is started from a microtask by a bound native function: at that moment no
function of the driver is on the call stack, so no frame of it is in any error report or ``stack``. Its lines begin
with a random word that no guest can know, because the only text that has it is gone from the files by then; anything
else that the process prints is not from the driver and is left out.
"""

from __future__ import annotations

import posix

from goccia_tools.child.bounds import OUTPUT_BYTES, RESULT_VALUE_BYTES
from goccia_tools.child.engines import Outcome
from goccia_tools.child.jsontext import JsonError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

#: nesting of a result value beyond which it is null (design section 3)
_VALUE_DEPTH: Final = 200

#: In the default dialect. A value of the guest is only ever read from its clone, which is plain data.
_TEXT: Final = """import { runScript } from "goccia";
import fs from "fs";
const word = WORD;
const say = (letter, value) => { console.log(word + letter + JSON.stringify(value)); };
const size = (text) => { try { return new TextEncoder().encode(text).length; } catch { return text.length; } };
const cut = (text) => (text.length > MOST_TEXT ? [text.slice(0, MOST_TEXT), size(text)] : [text, null]);
const tell = (letter, make) => { try { say(letter, make()); } catch { say(letter, null); } };
const stamps = (stat) => [stat.atimeMs, stat.mtimeMs, stat.ctimeMs, stat.birthtimeMs];
const content = (path) => { try { return fs.readFileSync(path).toBase64(); } catch { return null; } };
const walk = (file, folder, withContent) => {
  const folders = [""];
  for (const at of folders) {
    for (const name of fs.readdirSync(at + "/")) {
      const path = at + "/" + name;
      const stat = fs.statSync(path);
      if (stat.type === "directory") { folders.push(path); say(folder, [path, stamps(stat)]); }
      else { say(file, [path, stamps(stat), withContent ? content(path) : null]); }
    }
  }
};
const plain = (key, value) => (value === undefined ? null : value);
const valueText = (value) => {
  try { return (JSON.stringify(value, plain) ?? "null").slice(0, MOST_VALUE); } catch { return "null"; }
};
const report = (r) => {
  say("R", [r.failureKind, r.stderr !== ""]);
  tell("M", () => cut(r.error ?? ""));
  tell("O", () => cut(r.stdout));
  console.log(word + "V" + (r.ok ? valueText(r.result) : "null"));
  if (WITH_FILES) { walk("F", "D", true); }
  say("E", 0);
};
fs.rmSync(DRIVER);
for (const folder of FOLDERS) { fs.mkdirSync(folder, { recursive: true }); }
if (WITH_STAMPS) { walk("f", "d", false); }
Promise.resolve().then(runScript.bind(undefined, ENTRY, undefined)).then(report);
"""


class Driver:
    """The driver of one run: where it lies, its text, and the report its lines make."""

    def __init__(self, entry: str, folders: list[str], *, with_files: bool, with_stamps: bool) -> None:
        word = posix.urandom(16).hex()
        self.path = f"/{word[::-1]}.js"
        names = {
            "WORD": dumps(word),
            "DRIVER": dumps(self.path),
            "MOST_TEXT": str(OUTPUT_BYTES),
            "MOST_VALUE": str(RESULT_VALUE_BYTES + 1),
            "WITH_FILES": dumps(with_files),
            "WITH_STAMPS": dumps(with_stamps),
        }
        text = _TEXT
        for name, value in names.items():
            text = text.replace(name, value)
        # last and apart, so that nothing is replaced within a name of the guest's
        head, _, rest = text.partition("FOLDERS")
        middle, _, tail = rest.partition("ENTRY")
        self.text = head + dumps(folders) + middle + dumps(entry) + tail
        self.report = Report(word.encode())


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
                at = len(self._word)
                self._line(chr(line[at]), bytes(line[at + 1 :]))

    def _line(self, letter: str, text: bytes) -> None:
        if letter == "V":
            value = text.decode("utf-8", "replace").rstrip("\r")
            self.value_json = "null" if is_deeper(value, _VALUE_DEPTH) else value
            return
        try:
            told = loads(text)
        except JsonError:
            return
        if letter in "FDfd":
            path, stamps, *content = told
            data = None if not content or content[0] is None else _decode(content[0])
            file = File(path, stamps, data, is_folder=letter in "Dd")
            (self.before if letter in "fd" else self.after).append(file)
        else:
            self._told[letter] = told

    @property
    def failure_kind(self) -> str | None:
        """How the runner itself classified the guest's run; None when the driver did not come to tell it."""
        told = self._told.get("R")
        return None if told is None else str(told[0])

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
