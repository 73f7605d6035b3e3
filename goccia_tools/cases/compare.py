"""Comparing JSON data as JavaScript sees it, with the first place where two values differ."""

from __future__ import annotations

import math
from typing import Any

#: shown of one value in a sentence
MAX_SHOWN_CHARS = 200


def shown(value: Any) -> str:
    """A value as compact JSON for a sentence, cut when it is long."""
    text = json_text(value)
    return text if len(text) <= MAX_SHOWN_CHARS else text[:MAX_SHOWN_CHARS] + "…"


def json_text(value: Any, *, indent: bool = False) -> str:
    """A value as JSON text; NaN and infinities by their JavaScript names."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    import json

    return json.dumps(
        value, ensure_ascii=False, indent=2 if indent else None, separators=None if indent else (", ", ": ")
    )


def difference(expected: Any, actual: Any, *, tolerance: float | None = None, place: str = "") -> str | None:
    """None when equal, else one sentence on the first difference and where it is.

    Numbers are equal by value whatever their type, but a boolean is no number. With ``tolerance`` numbers may
    differ by that much.
    """
    at = f"at {place}: " if place else ""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in expected:
            if key not in actual:
                return f"{at}the member {shown(key)} is missing"
        for key in actual:
            if key not in expected:
                return f"{at}the member {shown(key)} is not expected"
        pairs = [(f"{place}.{key}" if key.isidentifier() else f"{place}[{shown(key)}]", key) for key in expected]
        found = (difference(expected[key], actual[key], tolerance=tolerance, place=below) for below, key in pairs)
        return next((problem for problem in found if problem), None)
    if isinstance(expected, list) and isinstance(actual, list):
        for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
            problem = difference(one, other, tolerance=tolerance, place=f"{place}[{index}]")
            if problem:
                return problem
        if len(expected) != len(actual):
            return f"{at}{len(expected)} items expected, got {len(actual)}"
        return None
    if same_scalar(expected, actual, tolerance):
        return None
    within = f" within {tolerance:g}" if tolerance is not None and _is_number(expected) else ""
    return f"{at}expected {shown(expected)}{within}, got {shown(actual)}"


def same_scalar(expected: Any, actual: Any, tolerance: float | None = None) -> bool:
    if _is_number(expected) and _is_number(actual):
        if expected == actual or (math.isnan(expected) and math.isnan(actual)):
            return True
        return tolerance is not None and abs(expected - actual) <= tolerance
    return type(expected) is type(actual) and bool(expected == actual)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)
