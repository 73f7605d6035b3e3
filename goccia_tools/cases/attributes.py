"""Attributes: what a case is apart from its program and its expectations (marks, skip, xfail, points …)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..baseline import sandbox_path
from ..errors import SeedError
from ..result import FailureKind
from .case import VISIBILITIES, Skip, XFail
from .conditions import ConditionError, check_condition, evaluate
from .document import Document
from .front import At

ATTRIBUTE_WORDS = (
    "name", "description", "options", "files", "fixtures",
    "skip", "skipif", "xfail", "marks", "tags", "points", "visibility",
)  # fmt: skip
FILE_WORDS = (*ATTRIBUTE_WORDS, "expect", "negative", "calls", "from", "parametrize", "cases")
CASE_WORDS = tuple(word for word in FILE_WORDS if word != "cases")


@dataclass(frozen=True, slots=True)
class Attributes:
    """See :class:`Case` for the meaning of each."""

    line: int
    name: str
    description: str
    skip: tuple[Skip, ...]
    xfail: XFail | None
    marks: tuple[tuple[str, tuple[Any, ...], Mapping[str, Any]], ...]
    tags: tuple[str, ...]
    points: float | None
    visibility: str
    fixtures: Mapping[str, str]


def read_attributes(root: At, own: At | None, document: Document, call: At | None = None) -> Attributes:
    """The attributes of a case: marks, tags, skips and fixtures add up from the file down, the others replace."""
    levels = [level for level in (root, own, call) if level is not None]
    skips: list[Skip] = []
    marks: list[tuple[str, tuple[Any, ...], Mapping[str, Any]]] = []
    tags: list[str] = []
    fixtures: dict[str, str] = {}
    last: dict[str, At] = {}
    for level in levels:
        for word in ("name", "description", "xfail", "points", "visibility"):
            if word in level.value:
                last[word] = level[word]
        for word in ("skip", "skipif"):
            if word in level.value and (skip := _read_skip(level[word])) is not None:
                skips.append(skip)
        marks.extend(_read_marks(level["marks"]) if "marks" in level.value else ())
        tags.extend(level["tags"].texts() if "tags" in level.value else ())
        fixtures.update(_read_fixtures(level["fixtures"]) if "fixtures" in level.value else {})
    return Attributes(
        line=levels[-1].line if len(levels) > 1 else document.head_line,
        name=last["name"].text() if "name" in last else "",
        description=last["description"].text() if "description" in last else "",
        skip=tuple(skips),
        xfail=_read_xfail(last["xfail"]) if "xfail" in last else None,
        marks=tuple(marks),
        tags=tuple(dict.fromkeys(tags)),
        points=_read_points(last["points"]) if "points" in last else None,
        visibility=last["visibility"].choice(VISIBILITIES) if "visibility" in last else "visible",
        fixtures=fixtures,
    )


def _read_points(at: At) -> float:
    points = at.number()
    if points < 0:
        raise at.fail("0 or more")
    return points


def _condition(at: At) -> str:
    text = at.text("a condition")
    try:
        check_condition(text)
    except ConditionError as error:
        raise at.problem(str(error)) from None
    return text


def _read_skip(at: At) -> Skip | None:
    if isinstance(at.value, bool) and at.name == "skip":
        return Skip("skipped") if at.value else None
    if isinstance(at.value, str):
        if at.name == "skipif":
            return Skip(f"skipped where {at.value}", _condition(at))
        if not at.value.strip():
            raise at.problem("skip needs a reason")
        return Skip(at.value)
    members = at.mapping(("reason", "if"), at.name)
    if at.name == "skipif" and "if" not in members:
        raise at.problem("skipif needs if: a condition, such as platform == 'win32'")
    if "reason" not in members and "if" not in members:
        raise at.problem("skip needs a reason")
    condition = _condition(members["if"]) if "if" in members else None
    reason = members["reason"].text() if "reason" in members else f"skipped where {condition}"
    return Skip(reason, condition)


def _read_xfail(at: At) -> XFail | None:
    if isinstance(at.value, bool):
        return XFail("") if at.value else None
    if isinstance(at.value, str):
        return XFail(at.value)
    members = at.mapping(("reason", "strict", "raises", "if"), "xfail")
    raises = members["raises"].choice(FailureKind) if "raises" in members else None
    if raises == "none":
        raise members["raises"].problem("raises none contradicts xfail, which expects a failure")
    return XFail(
        reason=members["reason"].text() if "reason" in members else "",
        strict=members["strict"].flag() if "strict" in members else None,
        raises=raises,
        condition=_condition(members["if"]) if "if" in members else None,
    )


def _read_marks(at: At) -> list[tuple[str, tuple[Any, ...], Mapping[str, Any]]]:
    items = [at] if isinstance(at.value, str) else at.items()
    return [_read_mark(item) for item in items]


def _read_mark(at: At) -> tuple[str, tuple[Any, ...], Mapping[str, Any]]:
    """``slow``, or ``{timeout: 5}`` with one argument, a list of arguments or a mapping of named ones."""
    arguments: tuple[Any, ...] = ()
    named: Mapping[str, Any] = {}
    if isinstance(at.value, dict):
        if len(at.value) != 1:
            raise at.problem("a mark with arguments is a mapping of one name to them")
        ((name, value),) = at.value.items()
        if isinstance(value, dict):
            named = value
        else:
            arguments = tuple(value) if isinstance(value, list) else (value,)
    else:
        name = at.text("the name of a mark")
    if not name.isidentifier():
        raise at.problem(f"{name!r} cannot be the name of a mark")
    if name in ("skip", "skipif", "xfail", "parametrize", "usefixtures"):
        other = "fixtures" if name == "usefixtures" else name
        raise at.problem(f"{name} is no mark here; use the key {other}")
    return name, arguments, named


def _read_fixtures(at: At) -> dict[str, str]:
    """``[data]`` becomes ``/data.json``; ``{data: /in/data.json}`` says where."""
    if not isinstance(at.value, dict):
        items = [at] if isinstance(at.value, str) else at.items()
        pairs = [(item.text("the name of a fixture"), "", item) for item in items]
    else:
        pairs = [(name, item.text("a sandbox path"), item) for name, item in at.mapping().items()]
    found: dict[str, str] = {}
    for name, path, item in pairs:
        if not name.isidentifier():
            raise item.problem(f"{name!r} cannot be the name of a fixture")
        try:
            found[name] = sandbox_path(path or f"/{name}.json")
        except SeedError as error:
            raise item.problem(str(error)) from None
    return found


def skip_reason(skip: Skip, facts: dict[str, Any]) -> str | None:
    """Why a case is skipped here, or None when it is not."""
    return skip.reason if skip.condition is None or evaluate(skip.condition, facts) else None
