"""Values and strings of a guest as text that a person can read and no terminal obeys."""

from __future__ import annotations

import re
from typing import Any

#: the sequences that set colours and weights on terminals
_COLORS = re.compile(r"\x1b\[[0-9;:]*m")


def value_text(value: Any) -> str | None:
    """A result value as ``--print`` shows it: text as it is, numbers as JavaScript writes them, the rest as JSON.

    None stands for both undefined and null, which the protocol does not tell apart, and is not shown.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    import orjson

    return orjson.dumps(value).decode()


def number_text(number: float) -> str:
    """A number as JavaScript's ToString writes it; Python turns to exponents at other sizes."""
    sign = "-" if number < 0 else ""
    # the shortest digits that round-trip, as repr finds them; only their layout differs
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if not digits:
        return "0"
    if -6 < point <= 21:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        rest = digits[point:]
        return sign + digits[:point].ljust(point, "0") + (f".{rest}" if rest else "")
    power = point - 1
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if power > 0 else '-'}{abs(power)}"


def printable(text: str, keep: str = "") -> str:
    """Text in which nothing can move a terminal's cursor or hide: controls are escaped but for those to keep."""
    return "".join(char if char.isprintable() or char in keep else ascii(char)[1:-1] for char in text)


def visible_line(text: str) -> str:
    """One line of a guest's text: tabs stay, a carriage return shows as ␍, colours go, other controls are escaped."""
    if text.isprintable():
        return text
    return printable(_COLORS.sub("", text).replace("\r", "␍"), keep="\t␍")
