"""Data files as modules: what JSON5, TOML, YAML, CSV, TSV, JSON Lines, text and byte files export.

The parsers are kept libraries, loaded only for a program that has such a file; :func:`preload` does it before
the jail closes the filesystem.
"""

from __future__ import annotations

from goccia_tools.child.modules import SCRIPT_EXTENSIONS, extension

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

    Exports = list[tuple[str, Any]]

#: nesting that a data document may have (behaviour section 10)
DEPTH_LIMIT: Final = 256
_KINDS: Final = {
    ".json": "json",
    ".json5": "json5",
    ".jsonc": "json5",
    ".jsonl": "jsonl",
    ".toml": "toml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "text",
    ".md": "text",
}
_TITLES: Final = {"json5": "JSON5", "jsonl": "JSONL", "toml": "TOML", "yaml": "YAML", "csv": "CSV", "tsv": "TSV"}


class FormatError(Exception):
    """A data file is not what its extension says; the message names the file and the problem."""


def kind_of(path: str) -> str:
    """How a file without import attributes is read: ``script``, ``json``, ``text``, or the name of a data format."""
    ending = extension(path)
    return "script" if ending in SCRIPT_EXTENSIONS else _KINDS.get(ending, "script")


def newlines(text: str) -> str:
    """Text with line feeds only."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def text_metadata(path: str, data: bytes) -> dict[str, Any]:
    """The ``metadata`` export of a text file."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return {
        "kind": "text",
        "path": path,
        "fileName": name,
        "extension": name[dot:] if dot >= 0 else "",
        "byteLength": len(data),
    }


def exports_of(kind: str, text: str, path: str) -> Exports:
    """The exports of a data file, in order.

    Raises:
        FormatError: it cannot be parsed.
    """
    if text.startswith("\ufeff"):
        text = text[1:]
    try:
        return _PARSERS[kind](text)
    except FormatError as error:
        raise FormatError(f'Failed to parse {_TITLES[kind]} module "{path}": {error}') from None
    except RecursionError:
        raise FormatError(f'Failed to parse {_TITLES[kind]} module "{path}": nested too deeply') from None
    except Exception as error:
        # What a parser raises for a bad document is its own business; every one of them is the document's fault.
        problem = str(error).replace("\n", " ")
        raise FormatError(f'Failed to parse {_TITLES[kind]} module "{path}": {problem}') from None


def literal(value: Any, depth: int = 0) -> str:
    """A JavaScript expression for plain data."""
    if depth > DEPTH_LIMIT:
        raise FormatError(f"nesting deeper than {DEPTH_LIMIT}")
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return f"({value!r})" if -(2**53) < value < 2**53 else literal(_rounded(value))
    if isinstance(value, float):
        if value != value:
            return "NaN"
        return f"({value!r})" if value not in (float("inf"), float("-inf")) else f"({'-' if value < 0 else ''}Infinity)"
    if isinstance(value, dict):
        members = (f"[{_quoted(_key(key))}]: {literal(item, depth + 1)}" for key, item in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, (list, tuple, set)):
        return "[" + ", ".join(literal(item, depth + 1) for item in value) + "]"
    return _quoted(_moment(value))


def _quoted(text: str) -> str:
    from goccia_tools.child.jsontext import quote

    return quote(text)


def _rounded(value: int) -> float:
    """An integer as the number JavaScript reads its digits as."""
    try:
        return float(value)
    except OverflowError:
        return float("-inf") if value < 0 else float("inf")


def _key(key: object) -> str:
    if key is None:
        return "null"
    if key is True or key is False:
        return "true" if key else "false"
    return key if isinstance(key, str) else str(key)


def _moment(value: Any) -> str:
    """A date or time as its text; anything else a parser may make, as its text too."""
    form = getattr(value, "isoformat", None)
    if form is None:
        return str(value)
    text, dot, rest = str(form()).replace("+00:00", "Z").partition(".")
    digits = rest[:6].rstrip("0")
    return text + (dot + digits + rest[6:] if digits else rest[6:])


def _members(value: Any) -> Exports:
    if isinstance(value, dict):
        return [(_key(key), item) for key, item in value.items()]
    if isinstance(value, list):
        return [*_indexed(value), ("length", len(value))]
    return [("default", value)]


def _indexed(values: Iterable[Any]) -> Exports:
    return [(str(index), value) for index, value in enumerate(values)]


def _json5(text: str) -> Exports:
    import json5

    return _members(json5.loads(text, allow_duplicate_keys=True))


def _jsonl(text: str) -> Exports:
    from goccia_tools.child.jsontext import loads

    return _indexed(loads(line.encode("utf-8", "surrogatepass")) for line in newlines(text).split("\n") if line.strip())


def _toml(text: str) -> Exports:
    import tomllib

    return _members(tomllib.loads(newlines(text)))


def _yaml(text: str) -> Exports:
    from ruamel.yaml import YAML

    reader = YAML(typ="safe", pure=True)
    resolvers = reader.resolver.versioned_resolver
    for first, pairs in resolvers.items():
        resolvers[first] = [pair for pair in pairs if not pair[0].endswith(":timestamp")]
    documents = list(reader.load_all(text))
    if not documents:
        raise FormatError("there is no document")
    return _members(documents[0]) if len(documents) == 1 else _indexed(documents)


def _table(separator: str) -> Callable[[str], Exports]:
    def parse(text: str) -> Exports:
        import csv

        lines = [line + "\n" for line in text.split("\n")]
        if lines[-1] == "\n":
            del lines[-1]
        # an empty line is a row of one empty field
        rows = [row or [""] for row in csv.reader(lines, delimiter=separator, strict=True)]
        return _indexed(
            {name: row[index] if index < len(row) else "" for index, name in enumerate(rows[0])} for row in rows[1:]
        )

    return parse


_PARSERS: Final[dict[str, Callable[[str], Exports]]] = {
    "json5": _json5,
    "jsonl": _jsonl,
    "toml": _toml,
    "yaml": _yaml,
    "csv": _table(","),
    "tsv": _table("\t"),
}


#: parsers that are there already
_loaded: Final[set[str]] = set()


def load(kind: str) -> None:
    """Import the parser of a data format."""
    if kind not in _loaded:
        _loaded.add(kind)
        try:
            _PARSERS[kind]("{}" if kind == "json5" else "")
        except FormatError:
            pass


def are_all_loaded() -> bool:
    """Whether no parser is missing any more."""
    return len(_loaded) == len(_PARSERS)


def preload(paths: Iterable[str], texts: Iterable[bytes]) -> None:
    """Import the parsers a program may need: those for its files, and for formats its sources mention."""
    wanted = {kind_of(path) for path in paths}
    endings = [(ending.encode(), kind) for ending, kind in _KINDS.items() if kind in _PARSERS and kind not in _loaded]
    for text in texts if endings else ():
        wanted.update(kind for ending, kind in endings if kind not in wanted and ending in text)
    for kind in wanted & set(_PARSERS):
        load(kind)
