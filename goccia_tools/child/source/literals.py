"""What string literals mean."""

from __future__ import annotations

_SIMPLE_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}


def string_value(literal: str) -> str:
    """What a string literal without decimal escapes means."""
    body = literal[1:-1]
    if "\\" not in body:
        return body
    parts = []
    i = 0
    while i < len(body):
        char = body[i]
        if char != "\\":
            parts.append(char)
            i += 1
            continue
        after = body[i + 1]
        if after == "x":
            parts.append(chr(int(body[i + 2 : i + 4], 16)))
            i += 4
        elif after == "u":
            if body[i + 2] == "{":
                end = body.index("}", i)
                parts.append(chr(int(body[i + 3 : end], 16)))
                i = end + 1
            else:
                parts.append(chr(int(body[i + 2 : i + 6], 16)))
                i += 6
        else:
            parts.append(_SIMPLE_ESCAPES.get(after, after))
            i += 2
    return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
