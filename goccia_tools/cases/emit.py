"""Values as YAML text that a person could have written, safe inside a JavaScript comment."""

from __future__ import annotations

import json
import re
from typing import Any

from .yamltext import plain_value

_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_KEY = re.compile(r"[A-Za-z_/$][\w$./-]*")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0", '"': '\\"', "\\": "\\\\"}


def yaml_value(value: Any, *, indent: int | None = None, newline: str = "\n") -> str:
    """A value in one line; a text of several lines as a block when ``indent`` says how far to indent it."""
    if isinstance(value, str):
        if indent is not None and _fits_block(value):
            return _block(value, indent, newline)
        return value if _WORD.fullmatch(value) and plain_value(value) == value else quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml_key(key)}: {yaml_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(yaml_value(item) for item in value) + "]"
    return json.dumps(value)


def yaml_key(key: str) -> str:
    """A key, in quotes unless it is a plain word or path."""
    return key if _KEY.fullmatch(key) else quoted(key)


def quoted(text: str) -> str:
    """A text in double quotes. ``*/`` is written so that it does not end the comment around it."""
    shown = "".join(_ESCAPES.get(char) or (char if char.isprintable() else _escape(char)) for char in text)
    return '"' + shown.replace("*/", "*\\/") + '"'


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _fits_block(text: str) -> bool:
    lines = text.removesuffix("\n").split("\n")
    return (
        len(lines) > 1
        and "*/" not in text
        and all(line.isprintable() and line == line.strip() for line in lines)
        and bool(lines[0])
        and bool(lines[-1])
    )


def _block(text: str, indent: int, newline: str) -> str:
    lines = text.removesuffix("\n").split("\n")
    head = "|" if text.endswith("\n") else "|-"
    return newline.join([head, *(" " * indent + line if line else "" for line in lines)])
