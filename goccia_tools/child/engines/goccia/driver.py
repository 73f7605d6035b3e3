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
from goccia_tools.child.engines.goccia.report import Report
from goccia_tools.child.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from goccia_tools.child.vfs import FileSystem

#: the system takes no longer word on a command line
_MOST_OPTION_BYTES: Final = 120 * 1024
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
START
for (const folder of FOLDERS) { fs.mkdirSync(folder, { recursive: true }); }
if (WITH_STAMPS) { walk("f", "d", false); }
Promise.resolve().then(runScript.bind(undefined, ENTRY, undefined)).then(report, (error) => { say("X", `${error}`); });
"""


#: Math.random of a program that nothing started, for one that the driver did (behaviour section 10)
_RANDOM: Final = """import fs from "fs";
fs.writeFileSync(ENTRY, Uint8Array.fromBase64(CONTENT));
let state = 0n;
const next = {
  random() {
    state = BigInt.asUintN(64, state + 0x9E3779B97F4A7C15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94D049BB133111EBn);
    return Number((z ^ (z >> 31n)) >> 11n) / 9007199254740992;
  },
};
Object.defineProperty(Math, "random", { value: next.random, writable: true, enumerable: false, configurable: true });
"""


class Driver:
    """The driver of one run: what it adds to the runner's files and options, and the report its lines make.

    It lies in a file of its own where there is room beside the program's. Where a quota leaves none, a few bytes in
    the place of the guest's entry import it from the command line, and it puts the entry back before anything else;
    so the quotas are the request's in either case. ``with_random`` gives the guest the random stream that it would
    have without the driver, at the cost of another first line while it is read.
    """

    def __init__(
        self,
        files: FileSystem,
        entry: str,
        folders: list[str],
        *,
        with_files: bool = False,
        with_stamps: bool = False,
        with_random: bool = False,
    ) -> None:
        self._word = posix.urandom(16).hex()
        self.report = Report(self._word.encode())
        #: contents that replace or add to the baseline's, by path
        self.contents: dict[str, bytes] = {}
        #: options of the command line
        self.options: list[str] = []
        source = files.require_file(entry).data
        if with_random:
            self._add_random(entry, source)
        names = {
            "WORD": dumps(self._word),
            "MOST_TEXT": str(OUTPUT_BYTES),
            "MOST_VALUE": str(RESULT_VALUE_BYTES + 1),
            "WITH_FILES": dumps(with_files),
            "WITH_STAMPS": dumps(with_stamps),
        }
        text = _TEXT
        for name, value in names.items():
            text = text.replace(name, value)
        places = {"FOLDERS": dumps(folders), "ENTRY": dumps(entry)}
        path = f"/{self._word[::-1]}.js"
        beside = _filled(text, {"START": f"fs.rmSync({dumps(path)});", **places}).encode()
        fits = _fits(files, len(beside) + sum(len(data) - len(source) for data in self.contents.values()))
        inside = _filled(text, {"START": _restoring(entry, source), **places})
        if fits or with_random or len(inside.encode()) > _MOST_OPTION_BYTES:
            self.entry = path
            self.contents[path] = beside
        else:
            self.entry = entry
            self.contents[entry] = f'import "{self._word}:d";'.encode()
            self.options.append(f"--module={self._word}:d={inside}")

    def _add_random(self, entry: str, source: bytes) -> None:
        text = _filled(_RANDOM, {"ENTRY": dumps(entry), "CONTENT": dumps(_encode(source))})
        if len(text) > _MOST_OPTION_BYTES:
            return
        self.options.append(f"--module={self._word}:r={text}")
        start = 0
        if source.startswith(b"\xef\xbb\xbf"):
            start = 3
        elif source.startswith(b"#!"):
            start = source.find(b"\n") + 1 or len(source)
        self.contents[entry] = source[:start] + f'import "{self._word}:r"; '.encode() + source[start:]


def _filled(text: str, places: dict[str, str]) -> str:
    """The text with each name replaced where it first stands, so that nothing within a value is replaced."""
    done = ""
    for name in sorted(places, key=text.index):
        before, _, text = text.partition(name)
        done += before + places[name]
    return done + text


def _restoring(entry: str, source: bytes) -> str:
    return f"fs.writeFileSync({dumps(entry)}, Uint8Array.fromBase64({dumps(_encode(source))}));"


def _fits(files: FileSystem, more_bytes: int) -> bool:
    """Whether one more file may lie there."""
    has_bytes = not files.quota_bytes or files.used_bytes + more_bytes <= files.quota_bytes
    return has_bytes and (not files.node_limit or files.node_count < files.node_limit)


def _encode(data: bytes) -> str:
    from binascii import b2a_base64

    return b2a_base64(data, newline=False).decode("ascii")
