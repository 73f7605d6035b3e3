"""Names of cases as parts of ids: short, selectable on a command line, and unique in their file."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_SLUG_CHARS = 80


def slug(name: str) -> str:
    """A name with everything but letters, digits, ``_``, ``.`` and ``-`` replaced by a dash."""
    return re.sub(r"-{2,}", "-", re.sub(r"[^\w.\-]+", "-", name)).strip("-.")[:MAX_SLUG_CHARS].strip("-.") or "case"


def unique(names: Sequence[str], suffixes: Sequence[str] | None = None) -> list[str]:
    """The names in order, a repeated one as ``name-2``, ``name-3``, none equal to another.

    ``suffixes`` come after the number: ``name-2[row]``.
    """
    pairs = list(zip(names, suffixes or [""] * len(names), strict=True))
    taken = {name + suffix for name, suffix in pairs}
    used: set[str] = set()
    found = []
    for name, suffix in pairs:
        candidate, number = name + suffix, 1
        while candidate in used or (number > 1 and candidate in taken):
            number += 1
            candidate = f"{name}-{number}{suffix}"
        used.add(candidate)
        found.append(candidate)
    return found
