"""The recorded corpus: cases of the reference runner as requests, and the comparison of a result with a record."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

#: what a run gets where a case names nothing, so that a slow machine does not turn a record into a timeout
DEFAULT_MEMORY_BYTES = 256 * 1024 * 1024
DEFAULT_TIMEOUT_MS = 20_000

#: every field of a record that can be compared
FIELDS = (
    "ok",
    "exitCode",
    "failureKind",
    "output",
    "resultValue",
    "diff",
    "error.name",
    "error.message",
    "error.line",
    "error.column",
    "error.path",
)

_LOCATION = re.compile(r"^\s*--> (?P<path>.*):(?P<line>\d+):(?P<column>\d+)$", re.M)
_FRAME = re.compile(r"^    at (?:.*) \((?P<path>.*):(?P<line>\d+):(?P<column>\d+)\)$", re.M)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True)
class Case:
    """One recorded program: ``topic/name``, its run-request and what the reference answered."""

    topic: str
    name: str
    request: dict[str, Any]
    expect: dict[str, Any]
    required: bool
    accidents: frozenset[str] = frozenset()
    masks: tuple[tuple[str, str], ...] = ()
    notes: str = ""

    @property
    def id(self) -> str:
        return f"{self.topic}/{self.name}"

    def wire(self) -> dict[str, Any]:
        """The run-request frame's object for this case."""
        request = json.loads(json.dumps(self.request))
        files = request.pop("files")
        entries = [{"path": path, "kind": "dir"} for path in request.pop("dirs", [])]
        for path, content in files.items():
            encoded = (
                base64.b64encode(content.encode("utf-8", "surrogatepass")).decode()
                if isinstance(content, str)
                else content["base64"]
            )
            entries.append({"path": path, "kind": "file", "base64": encoded})
        request.setdefault("engine", {}).setdefault("maxMemoryBytes", DEFAULT_MEMORY_BYTES)
        request.setdefault("execution", {}).setdefault("timeoutMs", DEFAULT_TIMEOUT_MS)
        return {"type": "run-request", "v": 1, **request, "baseline": {"files": entries}}


@dataclass(frozen=True)
class Difference:
    """One field that is not what was recorded."""

    name: str
    expected: Any
    got: Any
    accident: bool = field(default=False)


def load(folder: Path = HERE / "cases") -> list[Case]:
    """Every case below ``folder``, sorted by id."""
    cases = []
    for path in sorted(folder.glob("*/*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        cases.append(
            Case(
                topic=path.parent.name,
                name=path.stem,
                request=raw["request"],
                expect=raw["expect"],
                required=raw["parity"] == "required",
                accidents=frozenset(raw.get("engineSpecificFields", ())),
                masks=tuple((pattern, text) for pattern, text in raw.get("record", {}).get("mask", ())),
                notes=str(raw.get("engineNotes", "")),
            )
        )
    return cases


def parse_error(report: str) -> dict[str, Any] | None:
    """Name, message and location of an error report, as the corpus records them; None for an empty report."""
    if not report:
        return None
    name: str | None = None
    head, separator, rest = report.partition(": ")
    message = report
    if separator and _NAME.fullmatch(head):
        name, message = head, rest
    place = _LOCATION.search(report) or _FRAME.search(report)
    end = re.search(r"\n\s*(?:Suggestion: |--> |at .*\()", message)
    return {
        "name": name,
        "message": message[: end.start()] if end else message,
        "path": place["path"] if place else None,
        "line": int(place["line"]) if place else None,
        "column": int(place["column"]) if place else None,
    }


def _same(expected: Any, got: Any) -> bool:
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(_same(expected[key], got[key]) for key in expected)
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(_same, expected, got))
    return bool(expected == got)


def _diff_of(result: dict[str, Any]) -> Any:
    """The diff without the ``base64`` members that this toolkit adds to the reference's."""
    diff = result["diff"]
    return re.sub(r', "base64": "[^"]*"', "", diff) if diff is not None else None


def compare(case: Case, result: dict[str, Any]) -> list[Difference]:
    """The fields of a wire run-result that differ from the record."""
    masked: dict[str, Any] = {"output": result["output"], "diff": _diff_of(result)}
    expected = dict(case.expect)
    for pattern, text in case.masks:
        for name in ("output", "diff"):
            masked[name] = re.sub(pattern, text, masked[name]) if masked[name] is not None else None
            expected[name] = re.sub(pattern, text, expected[name]) if expected[name] is not None else None
    error = parse_error(result["errorMessage"])
    differences = []
    for name in FIELDS:
        if name.startswith("error."):
            member = name.removeprefix("error.")
            if expected["error"] is None or error is None:
                wanted, got = expected["error"], error
                if member != "name":
                    continue
            elif member not in expected["error"]:
                continue
            else:
                wanted, got = expected["error"][member], error[member]
        else:
            wanted = expected[name]
            got = masked[name] if name in masked else result[name]
        if not _same(wanted, got):
            differences.append(Difference(name, wanted, got, accident=name in case.accidents))
    return differences


def failures(case: Case, result: dict[str, Any]) -> list[Difference]:
    """The differences that count: accidents of the reference in a required case are left out."""
    return [difference for difference in compare(case, result) if not difference.accident]
