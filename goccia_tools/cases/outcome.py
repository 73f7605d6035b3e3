"""Outcome: where front matter says what is expected, by `expect`, `negative` or `calls`."""

from __future__ import annotations

from .front import At
from .inline import Inline

OUTCOME_WORDS = ("expect", "negative", "calls")


def outcome_of(root: At, own: At | None) -> dict[str, At]:
    """What is expected: the case's own when it says anything, else the file's."""
    for level in (own, root):
        if level is not None:
            found = {word: level[word] for word in OUTCOME_WORDS if word in level.value}
            if found:
                return found
    return {}


def refuse_side_by_side(at: At, inline: Inline | None) -> None:
    """Two ways of saying what is expected, of which one would be ignored."""
    stated = [word for word in OUTCOME_WORDS if word in at.value]
    if len(stated) > 1:
        raise at.problem(f"{stated[1]} contradicts {stated[0]}: keep one of them", stated[1])
    if inline is not None and stated and stated[0] != "expect":
        raise at.problem(f"{stated[0]} contradicts the expectations in comments of the program", stated[0])
    if "from" in at.value and not at.path and "calls" not in at.value and "cases" not in at.value:
        raise at.problem("from says where the functions of calls are, and there are no calls here", "from")
