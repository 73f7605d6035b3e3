"""Conditions of skip and xfail: a small, safe expression language about the machine."""

from __future__ import annotations

import ast
import os
import platform
import re
import sys
from collections.abc import Callable
from typing import Any

from ..errors import nearest

_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


class ConditionError(ValueError):
    """A condition is not an expression of the kind that is allowed."""


def facts(engine: str = "quickjs") -> dict[str, Any]:
    """The names a condition may use and what they are here."""
    return {
        "platform": sys.platform,
        "os": os.name,
        "machine": platform.machine(),
        "python": _version(platform.python_version()),
        "implementation": sys.implementation.name,
        "engine": engine,
        "ci": in_ci(),
        "env": dict(os.environ),
    }


def in_ci() -> bool:
    """Whether this looks like a run of continuous integration."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false", "no")


def check_condition(text: str) -> None:
    """Raise ConditionError when ``text`` cannot be evaluated anywhere."""
    evaluate(text, facts())


def evaluate(text: str, names: dict[str, Any]) -> bool:
    """Whether the condition holds, for example ``platform == "win32" and python < "3.12"``.

    Raises:
        ConditionError: another construct than comparisons, ``and``, ``or``, ``not``, ``in``, texts, numbers, lists,
            the names of :func:`facts` and ``env["NAME"]``; or an unknown name.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return bool(_value(tree.body, names))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        if isinstance(error, ConditionError):
            raise
        raise ConditionError(f"the condition {text!r} cannot be understood: {error}") from None


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    match node:
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.Name(id=name):
            if name not in names:
                raise ConditionError(
                    f'unknown name "{name}" in a condition{nearest(name, names)}; known are {", ".join(names)}'
                )
            return names[name]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, names) for item in items]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, names)
        case ast.BoolOp(op=op, values=values):
            results = (bool(_value(value, names)) for value in values)
            return all(results) if isinstance(op, ast.And) else any(results)
        case ast.Subscript(value=ast.Name(id="env"), slice=ast.Constant(value=str() as key)):
            return names["env"].get(key, "")
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return _compared(left, ops, comparators, names)
    raise ConditionError(f"a condition cannot hold {ast.unparse(node)!r}; it compares {', '.join(names)} with texts")


def _compared(left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr], names: dict[str, Any]) -> bool:
    one = _value(left, names)
    for op, node in zip(ops, comparators, strict=True):
        other = _value(node, names)
        if type(op) not in _COMPARE:
            raise ConditionError("a condition compares with ==, !=, <, <=, >, >=, in and not in")
        pair = (one, other)
        if isinstance(one, tuple) or isinstance(other, tuple):  # versions compare by their numbers
            pair = (_version(one), _version(other))
            shorter = min(map(len, pair))
            pair = (pair[0][:shorter], pair[1][:shorter])
        if not _COMPARE[type(op)](*pair):
            return False
        one = other
    return True


def _version(value: Any) -> tuple[int, ...]:
    if isinstance(value, tuple):
        return value
    return tuple(int(part) for part in re.findall(r"\d+", str(value))[:3])
