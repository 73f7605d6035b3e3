"""Which strings that look like ISO dates are ones: the reference reads them strictly, the engine does not."""

from __future__ import annotations

_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
#: a string that no date parser reads
_INVALID = "invalid"


def _number(text: str, length: int, low: int, high: int) -> bool:
    return len(text) == length and text.isascii() and text.isdigit() and low <= int(text) <= high


def _is_day(text: str) -> bool:
    year, _, rest = text.partition("-")
    month, dash, day = rest.partition("-")
    if not (_number(year, 4, 0, 9999) and _number(month, 2, 1, 12)):
        return False
    leap = int(year) % 4 == 0 and (int(year) % 100 != 0 or int(year) % 400 == 0)
    return not dash or _number(day, 2, 1, _DAYS[int(month) - 1] + (leap and int(month) == 2))


def _is_clock(text: str) -> bool:
    hour, _, rest = text.partition(":")
    minute, colon, second = rest.partition(":")
    whole, dot, fraction = second.partition(".")
    if hour == "24":
        return minute == "00" and second.strip("0.") == "" and (not colon or len(whole) == 2)
    if not (_number(hour, 2, 0, 23) and _number(minute, 2, 0, 59)):
        return False
    return not colon or (_number(whole, 2, 0, 59) and (not dot or _number(fraction, 3, 0, 999)))


def _is_zone(text: str) -> bool:
    hour, colon, minute = text.partition(":")
    return bool(colon) and _number(hour, 2, 0, 23) and _number(minute, 2, 0, 59)


def iso_date(text: str) -> str | None:
    """What the engine should read instead of ``text``; None when it does not begin as an ISO date does."""
    if len(text) < 5 or text[4] != "-" or not text[:4].isdigit():
        return None
    upper = text.upper()
    day, has_clock, clock = upper.partition("T")
    if not _is_day(day):
        return _INVALID
    if not has_clock:
        return upper
    zone = ""
    if clock.endswith("Z"):
        clock = clock[:-1]
    else:
        for sign in "+-":
            clock, found, zone = clock.partition(sign)
            if found:
                break
        if zone and not _is_zone(zone):
            return _INVALID
    return upper if _is_clock(clock) else _INVALID
