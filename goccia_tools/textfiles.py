"""Text files that people write (JSON, JSON5, TOML), read so that every complaint begins with ``file:line``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .errors import ConfigError


def read_text(path: Path) -> str:
    """The text of a file written by people: UTF-8, with or without a byte order mark.

    Raises:
        ConfigError: it cannot be read or is not UTF-8.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: byte 0x{data[error.start]:02x} is not valid UTF-8") from None


def line_of(text: str, key: str) -> int:
    """The line where ``key`` is defined, as well as it can be told without a parser that keeps positions."""
    match = re.search(rf"""(?<![\w-])["']?{re.escape(key)}["']?\s*[:=]""", text)
    return 1 if match is None else text.count("\n", 0, match.start()) + 1


def parse_json(path: Path, text: str) -> Any:
    """Strict JSON: no constants beside null, true and false, no member twice.

    Raises:
        ConfigError: with file and line.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ConfigError(f'{path}:{line_of(text, twice)}: "{twice}" is given twice')
        return data

    def refuse(constant: str) -> Any:
        raise ConfigError(f"{path}:{text.count(chr(10), 0, text.find(constant)) + 1}: {constant} is not JSON")

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}:{error.lineno}: {error.msg}, at column {error.colno}") from None
    except RecursionError:
        raise ConfigError(f"{path}:1: nested too deeply") from None


def parse_json5(path: Path, text: str) -> Any:
    """JSON5, no member twice.

    Raises:
        ConfigError: with file and line.
    """
    import json5

    try:
        return json5.loads(text, allow_duplicate_keys=False)
    except ValueError as error:
        match = re.match(r"<string>:(\d+) (.*)", str(error), re.DOTALL)
        line, problem = (int(match[1]), match[2]) if match else (1, str(error))
        if match is None and (named := re.search(r'"(.*)"', problem)):
            line = line_of(text, named[1])
        raise ConfigError(f"{path}:{line}: {problem}") from None
    except RecursionError:
        raise ConfigError(f"{path}:1: nested too deeply") from None


def parse_toml(path: Path, text: str) -> Any:
    """TOML 1.0.

    Raises:
        ConfigError: with file and line.
    """
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = str(error)
        match = re.search(r" \(at line (\d+), column (\d+)\)$", problem)
        if match is None:
            problem = problem.removesuffix(" (at end of document)") + " at the end of the file"
            raise ConfigError(f"{path}:{len(text.splitlines()) or 1}: {problem}") from None
        raise ConfigError(f"{path}:{match[1]}: {problem[: match.start()]}, at column {match[2]}") from None
    except RecursionError:
        raise ConfigError(f"{path}:1: nested too deeply") from None
