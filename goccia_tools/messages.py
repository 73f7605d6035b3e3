"""The two messages of the wire as plain data: their members, types and defaults (ADR 0107 section 3).

Codec-free and free of imports, because parent and child share it and a spawned child must start fast. A message
here is what a JSON decoder returns: dicts, lists, str, int, float, bool and None.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

#: the protocol version this build speaks; compared for equality, never negotiated (ADR 0107 section 3)
PROTOCOL_VERSION: Final = 1

#: the ten flags that change what the parser accepts; "all" in a front end means these
SYNTAX_FLAGS: Final = (
    "compat-asi",
    "compat-var",
    "compat-function",
    "compat-traditional-for-loop",
    "compat-while-loops",
    "compat-loose-equality",
    "compat-non-strict-mode",
    "compat-arguments-object",
    "compat-label",
    "compat-for-in-loop",
)
COMPATIBILITY_FLAGS: Final = (*SYNTAX_FLAGS, "experimental-js-module-source")

IN_BAND_KINDS: Final = ("none", "script-error", "resource-limit", "timeout", "host-error")


class MessageError(Exception):
    """A message does not have the shape the protocol gives it; ``member`` names the place (``engine.fetch``)."""

    def __init__(self, member: str, problem: str) -> None:
        super().__init__(f"{member}: {problem}")
        self.member = member
        self.problem = problem


class VersionError(Exception):
    """A message has another protocol version; ``version`` is what it said (any JSON value)."""

    def __init__(self, version: object) -> None:
        super().__init__(f"protocol version {version!r} is not {PROTOCOL_VERSION}")
        self.version = version


def _kind(value: object) -> str:
    """The JSON name of a value's type, for messages."""
    if value is None:
        return "null"
    return {
        bool: "boolean",
        int: "integer",
        float: "number",
        str: "string",
        list: "array",
        dict: "object",
    }.get(type(value), type(value).__name__)


def _flag(value: object) -> str | None:
    return None if type(value) is bool else f"must be true or false, not {_kind(value)}"


def _count(value: object) -> str | None:
    if type(value) is not int:
        return f"must be a whole number, not {_kind(value)}"
    return None if 0 <= value < 2**53 else "must be between 0 and 2^53 - 1"


def _text(value: object) -> str | None:
    return None if type(value) is str else f"must be a string, not {_kind(value)}"


def _one_of(*choices: str) -> Callable[[object], str | None]:
    def check(value: object) -> str | None:
        if type(value) is str and value in choices:
            return None
        shown = f'"{value}"' if type(value) is str else _kind(value)
        return f"must be one of {', '.join(choices)}, not {shown}"

    return check


def _texts(value: object) -> str | None:
    if type(value) is not list:
        return f"must be an array of strings, not {_kind(value)}"
    wrong = next((item for item in value if type(item) is not str), None)
    return None if wrong is None and None not in value else "must hold only strings"


def _flags(value: object) -> str | None:
    problem = _texts(value)
    if problem is None and type(value) is list:
        unknown = [name for name in value if name not in COMPATIBILITY_FLAGS]
        if unknown:
            problem = f'unknown flag "{unknown[0]}"; known are {", ".join(COMPATIBILITY_FLAGS)}'
    return problem


def _import_map(value: object) -> str | None:
    return None if value is None or type(value) is dict else f"must be an object or null, not {_kind(value)}"


#: block -> member -> (check, default); the nested ``fetch`` block is spelt ``engine.fetch``
REQUEST_MEMBERS: Final[dict[str, dict[str, tuple[Callable[[object], str | None], Any]]]] = {
    "engine": {
        "sourceType": (_one_of("script", "module"), "script"),
        "compatibility": (_flags, []),
        "warnUnsupportedFeatures": (_flag, False),
        "strictTypes": (_flag, False),
        "unsafeFunctionConstructor": (_flag, False),
        "unsafeShadowRealm": (_flag, False),
        "maxMemoryBytes": (_count, 67108864),
    },
    "engine.fetch": {
        "denyPrivateRanges": (_flag, False),
        "maxResponseBytes": (_count, 8388608),
    },
    "execution": {
        "mode": (_one_of("interpreter", "bytecode"), "interpreter"),
        "timeoutMs": (_count, 5000),
        "maxInstructions": (_count, 0),
        "deterministic": (_flag, False),
        "unsafeFFI": (_flag, False),
        "fsQuotaBytes": (_count, 16777216),
        "fsNodeLimit": (_count, 4096),
        "importMap": (_import_map, None),
        "aliases": (_texts, []),
    },
    "capabilities": {
        "allowedFetchHosts": (_texts, []),
        "hostFilesystemLoading": (_flag, False),
    },
    "run": {
        "isolated": (_flag, True),
        "includeDiff": (_flag, False),
        "diffMetadata": (_flag, False),
        "diffFormat": (_one_of("json", "unified"), "json"),
    },
}


def check_version(message: object, expected_type: str) -> dict[str, Any]:
    """Read ``v`` before anything else, then ``type`` (ADR 0107 section 3, C18).

    Raises:
        VersionError: ``v`` is present and is not the integer 1.
        MessageError: not an object, ``v`` missing, or another ``type``.
    """
    if type(message) is not dict:
        raise MessageError("message", f"must be an object, not {_kind(message)}")
    if "v" not in message:
        raise MessageError("v", "is missing")
    if type(message["v"]) is not int or message["v"] != PROTOCOL_VERSION:
        raise VersionError(message["v"])
    if message.get("type") != expected_type:
        raise MessageError("type", f'must be "{expected_type}"')
    return message


def _block(source: object, name: str) -> dict[str, Any]:
    if type(source) is not dict:
        raise MessageError(name, f"must be an object, not {_kind(source)}")
    values: dict[str, Any] = {}
    for member, (check, default) in REQUEST_MEMBERS[name].items():
        if member not in source:
            values[member] = list(default) if type(default) is list else default
            continue
        problem = check(source[member])
        if problem:
            raise MessageError(f"{name}.{member}", problem)
        values[member] = source[member]
    return values


def read_request(message: object) -> dict[str, Any]:
    """Validate a run-request and fill in its defaults; unknown extra members are ignored (design section 10).

    The answer has the blocks ``engine`` (with ``fetch``), ``execution``, ``capabilities``, ``run``, the text
    ``entry`` and ``baseline`` with ``files``: entries ``{"path", "kind": "file"|"dir", "base64"?}``.

    Raises:
        VersionError: another protocol version.
        MessageError: a member is missing or has a wrong type or value.
    """
    message = check_version(message, "run-request")
    entry = message.get("entry")
    if type(entry) is not str:
        raise MessageError("entry", "is missing" if entry is None else f"must be a string, not {_kind(entry)}")
    engine = message.get("engine", {})
    request: dict[str, Any] = {"type": "run-request", "v": PROTOCOL_VERSION, "entry": entry}
    request["engine"] = _block(engine, "engine")
    request["engine"]["fetch"] = _block(engine.get("fetch", {}), "engine.fetch")
    for name in ("execution", "capabilities", "run"):
        request[name] = _block(message.get(name, {}), name)
    request["baseline"] = {"files": _baseline_files(message.get("baseline", {}))}
    return request


def _baseline_files(baseline: object) -> list[dict[str, str]]:
    if type(baseline) is not dict:
        raise MessageError("baseline", f"must be an object, not {_kind(baseline)}")
    files = baseline.get("files", [])
    if type(files) is not list:
        raise MessageError("baseline.files", f"must be an array, not {_kind(files)}")
    for index, item in enumerate(files):
        place = f"baseline.files[{index}]"
        if type(item) is not dict:
            raise MessageError(place, f"must be an object, not {_kind(item)}")
        if type(item.get("path")) is not str:
            raise MessageError(f"{place}.path", "must be a string")
        if item.get("kind") not in ("file", "dir"):
            raise MessageError(f"{place}.kind", 'must be "file" or "dir"')
        if item["kind"] == "file" and type(item.get("base64")) is not str:
            raise MessageError(f"{place}.base64", f'must be a string for the file "{item["path"]}"')
    return files


#: the members of a run-result after ``type`` and ``v``, with the check of each (ADR 0107 section 3b)
RESULT_MEMBERS: Final[dict[str, Callable[[object], str | None]]] = {
    "ok": _flag,
    "exitCode": lambda value: None if type(value) is int else f"must be a whole number, not {_kind(value)}",
    "failureKind": _one_of(*IN_BAND_KINDS),
    "errorMessage": _text,
    "output": _text,
    "errorOutput": _text,
    "resultValue": lambda value: None,
    "diffRequested": _flag,
    "diff": lambda value: (
        None if value is None or type(value) is str else f"must be a string or null, not {_kind(value)}"
    ),
    "truncated": _flag,
}


def read_result(message: object) -> dict[str, Any]:
    """Validate a run-result as a parent must before it trusts one; unknown extra members are ignored.

    Raises:
        VersionError: another protocol version (a host-error, C20).
        MessageError: anything else that makes the frame untrustworthy (a child-process-crash, design section 3).
    """
    message = check_version(message, "run-result")
    for member, check in RESULT_MEMBERS.items():
        if member not in message:
            raise MessageError(member, "is missing")
        problem = check(message[member])
        if problem:
            raise MessageError(member, problem)
    if message["ok"] != (message["failureKind"] == "none"):
        raise MessageError("ok", f'contradicts failureKind "{message["failureKind"]}"')
    if message["ok"] and message["exitCode"] != 0:
        raise MessageError("exitCode", f"contradicts ok: {message['exitCode']}")
    return message
