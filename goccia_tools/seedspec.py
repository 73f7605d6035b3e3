"""Seeds in the notations of the reference runner: ``HOST[=SANDBOX]`` and JSON seed files."""

from __future__ import annotations

import binascii
from pathlib import Path
from typing import Any

from .baseline import Seed
from .errors import ConfigError, SeedError, nearest
from .textfiles import line_of, parse_json, read_text


def seed_of_spec(spec: str) -> Seed:
    """The seed that ``HOST[=SANDBOX]`` means: a host file or folder, at the sandbox's root when nothing else is said.

    Raises:
        SeedError: the host part is empty.
    """
    host, separator, path = spec.partition("=")
    if not host:
        raise SeedError(f'"{spec}" names no host file; write HOST or HOST=/sandbox/path')
    return Seed(path if separator else "/", Path(host))


def read_seed_file(path: Path) -> list[Seed]:
    """The seeds that a JSON file lists: ``{"files": [{"from", "to"?} | {"path", "text"} | {"path", "base64"}]}``.

    Host paths in it are relative to the folder it lies in.

    Raises:
        ConfigError: the file is missing or malformed; begins with ``file:line``.
    """
    text = read_text(path)
    data = parse_json(path, text)
    files = data.get("files") if isinstance(data, dict) else None
    if not isinstance(files, list):
        raise ConfigError(f'{path}:1: a seed file is an object with an array "files"')
    return [_seed(item, path, f"{path}:{line_of(text, 'files')}: files[{index}]") for index, item in enumerate(files)]


def _seed(item: Any, path: Path, place: str) -> Seed:
    if not isinstance(item, dict):
        raise ConfigError(f"{place} must be an object")
    known = ("from", "to", "path", "text", "base64")
    for key, value in item.items():
        if key not in known:
            raise ConfigError(f'{place} has the unknown member "{key}"{nearest(key, known)}')
        if not isinstance(value, str):
            raise ConfigError(f"{place}.{key} must be a string")
    sources = [key for key in ("from", "text", "base64") if key in item]
    if len(sources) != 1:
        raise ConfigError(f"{place} must have exactly one of from, text and base64")
    if sources == ["from"]:
        return Seed(item.get("to") or "/", path.parent / item["from"])
    if "path" not in item:
        raise ConfigError(f'{place} has "{sources[0]}" but no "path"')
    if sources == ["text"]:
        return Seed(item["path"], item["text"])
    try:
        return Seed(item["path"], binascii.a2b_base64(item["base64"], strict_mode=True))
    except binascii.Error:
        raise ConfigError(f"{place}.base64 is not valid base64") from None
