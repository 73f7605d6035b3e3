"""Parameters: `parametrize` makes one case for each row; `${name}` in the front matter stands for the row's value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import Any

from ..errors import nearest
from .compare import json_text
from .front import At
from .names import slug

#: where the program finds the parameters that are not expectations
PARAMETERS_PATH = "/param.json"
#: keys whose values never enter the child, nor do the parameters that only they name
EXPECTATIONS = (
    "expect",
    "returns",
    "throws",
    "output",
    "negative",
    "xfail",
    "skip",
    "skipif",
    "points",
    "name",
    "description",
)

#: what is text there, so that a number becomes its text
_TEXTS = ("output", "errorOutput", "errorMessage", "message", "text", "lines", "matches")

_REFERENCE = re.compile(r"\$\$\{|\$\{([A-Za-z_]\w*)\}")


@dataclass(frozen=True, slots=True)
class Row:
    """The values of one parametrised case and the suffix of its id."""

    id: str
    values: dict[str, Any]
    at: At | None = None


def read_rows(at: At) -> list[Row]:
    """Rows from a list of mappings (``name`` in one of them names its case), or from a mapping of lists, crossed."""
    if isinstance(at.value, dict):
        lists = {name: item.items() for name, item in at.mapping().items()}
        if not lists:
            raise at.problem("parametrize is empty")
        empty = next((name for name, items in lists.items() if not items), None)
        if empty is not None:
            raise at.problem(f"the list of {empty} is empty, so there would be no case", empty)
        combinations = product(*lists.values())
        rows = [(dict(zip(lists, (item.value for item in items), strict=True)), at) for items in combinations]
        return [Row(_id(values), values, place) for values, place in rows]
    items = at.items()
    if not items:
        raise at.problem("parametrize is empty, so there would be no case")
    return [_read_row(item) for item in items]


def _read_row(item: At) -> Row:
    values = {key: part.value for key, part in item.mapping().items()}
    if not values:
        raise item.problem("a row of parametrize needs at least one parameter")
    title = values.pop("name", None)
    if title is not None and not isinstance(title, str):
        raise item["name"].fail("text")
    return Row(slug(title) if title else _id(values), values, item)


def _id(values: dict[str, Any]) -> str:
    parts = (value if isinstance(value, str) else json_text(value) for value in values.values())
    return "-".join(slug(part) for part in parts)[:60].strip("-") or "row"


def substitute(value: Any, row: dict[str, Any], at: At) -> Any:
    """``value`` with every ``${name}`` replaced. A text that is nothing else becomes the value itself.

    Unknown names are left alone, because texts may be JavaScript, but a text that is nothing else must name a
    parameter. ``$${`` stands for ``${``.
    """
    if isinstance(value, dict):
        return {key: substitute(item, row, at[key]) for key, item in value.items()}
    if isinstance(value, list):
        return [substitute(item, row, at[index]) for index, item in enumerate(value)]
    if not isinstance(value, str) or "${" not in value:
        return value
    whole = _REFERENCE.fullmatch(value)
    if whole is not None and whole[1] is not None:
        if whole[1] not in row:
            raise at.problem(f'there is no parameter "{whole[1]}"{nearest(whole[1], row)}')
        inner = row[whole[1]]
        return json_text(inner) if at.name in _TEXTS and not isinstance(inner, (str, list, dict)) else inner

    def replaced(found: re.Match[str]) -> str:
        if found[1] is None:
            return "${"
        if found[1] not in row:
            return found[0]
        inner = row[found[1]]
        return inner if isinstance(inner, str) else json_text(inner)

    return _REFERENCE.sub(replaced, value)


def names_in(value: Any) -> set[str]:
    """The parameters that a value of the front matter names."""
    if isinstance(value, dict):
        return {name for item in value.values() for name in names_in(item)}
    if isinstance(value, list):
        return {name for item in value for name in names_in(item)}
    return {name for name in _REFERENCE.findall(value) if name} if isinstance(value, str) else set()


def names_expected(value: Any) -> set[str]:
    """The parameters that expectations name, anywhere in the front matter: they stay outside the child."""
    if isinstance(value, list):
        return {name for item in value for name in names_expected(item)}
    if not isinstance(value, dict):
        return set()
    found: set[str] = set()
    for key, item in value.items():
        found |= names_in(item) if key in EXPECTATIONS else names_expected(item)
    return found
