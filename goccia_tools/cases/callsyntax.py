"""Reading `calls`: what to call, with which arguments, and what must come of it."""

from __future__ import annotations

import math
import re

from ..baseline import sandbox_path
from ..errors import SeedError
from .calls import DEFAULT, Call
from .compare import json_text
from .front import At
from .matchers import Condition, Matcher, read_text_condition, read_value_condition

CALL_WORDS = ("call", "new", "js", "get", "args", "do", "then", "from", "returns", "throws", "output")
STEP_WORDS = ("call", "get", "args")
_MADE = "$made$"
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_PATH = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")


def javascript(at: At) -> str:
    """A value as a JavaScript expression; ``{js: …}`` is one already."""
    value = at.value
    if isinstance(value, dict):
        if list(value) == ["js"]:
            return f"({at['js'].text()})"
        # a computed key, because __proto__ alone would set the prototype
        return "{" + ", ".join(f"[{json_text(key)}]: {javascript(at[key])}" for key in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(javascript(item) for item in at.items()) + "]"
    return json_text(value)


def read_call(at: At, default_source: str | None, shared: dict[str, At]) -> Call:
    """One item of ``calls``. ``shared`` are keys of the call that stand beside ``calls`` for all of them."""
    members = {**shared, **at.mapping()}
    starts = [word for word in ("call", "new", "js", "get") if word in members]
    if not starts:
        raise at.problem("a call says what to call: call: name, new: Class, get: name, or js: expression")
    if "from" not in members and default_source is None:
        raise at.problem("a call needs from: the sandbox path of the file with the function (this file has no program)")
    source = _sandbox_path(members["from"]) if "from" in members else str(default_source)
    outcomes = [word for word in ("returns", "throws") if word in members]
    if len(outcomes) == 2:
        raise members["throws"].problem("throws contradicts returns: no call does both")
    if not outcomes and "output" not in members:
        raise at.problem("a call must say returns, throws or output; it would check nothing")
    subject, expression, text = _expression(at, members)
    return Call(
        shown=text,
        subject=subject,
        expression=expression,
        source=source,
        returns=_read_returns(members["returns"]) if "returns" in members else None,
        throws=_read_throws(members["throws"]) if "throws" in members else None,
        output=read_text_condition(members["output"]) if "output" in members else None,
        line=at.line,
    )


def _read_returns(at: At) -> Condition:
    if isinstance(at.value, float) and not math.isfinite(at.value):
        return Condition("returns", (Matcher("equals", at.value),), at.line)
    return read_value_condition(at, "returns")


def _read_throws(at: At) -> tuple[Condition, ...]:
    if at.value is True:
        return ()
    if isinstance(at.value, str):
        return (Condition("name", (Matcher("equals", at.value),), at.line),)
    members = at.mapping(("name", "message"), "throws")
    if not members:
        raise at.problem("throws is empty; write throws: true when any error will do")
    return tuple(read_text_condition(item) for item in members.values())


def _expression(at: At, members: dict[str, At]) -> tuple[str, str, str]:
    """The name looked up first, the JavaScript, and the text that people read."""
    if "js" in members:
        for word in ("call", "new", "get", "args", "do", "then"):
            if word in members:
                raise members[word].problem(f"{word} contradicts js, which is the whole expression")
        text = members["js"].text("a JavaScript expression")
        return "", text, text
    rest = "".join(_step(item) for item in members["then"].items()) if "then" in members else ""
    if "new" in members:
        name, args = _constructor(members["new"])
        if "get" in members and "call" in members:
            raise members["get"].problem("get contradicts call; read what a call gives with then: [{get: name}]")
        if "get" in members:
            rest = f".{_name(members['get'], _PATH)}{rest}"
        if "call" in members:
            rest = f".{_name(members['call'], _PATH)}{_arguments(members.get('args'))}{rest}"
        elif "args" in members:
            raise members["args"].problem("args belongs to call; a constructor's are new: {class: …, args: […]}")
        made, told = f"new {_local(name)}{args}", f"new {name}{args}"
        if "do" in members:
            steps = [_step(item) for item in members["do"].items()]
            # in a list, because a promise would take an object with then for another promise
            body = "".join(f"await {_MADE}{step}; " for step in steps)
            made = f"(await (async ({_MADE}) => {{ {body}return [{_MADE}]; }})({made}))[0]"
            told = " ".join([told, *steps]) + (" " if rest else "")
        return name, f"{made}{rest}", f"{told}{rest}"
    if "do" in members:
        raise members["do"].problem("do is for an object made by new")
    if "get" in members:
        if "call" in members or "args" in members:
            raise at.problem("get reads an export and call calls one; use one of them")
        path = _name(members["get"], _PATH)
    else:
        path = _name(members["call"], _PATH)
        rest = _arguments(members.get("args")) + rest
    name, dot, below = path.partition(".")
    return name, f"{_local(name)}{dot}{below}{rest}", f"{path}{rest}"


def _constructor(at: At) -> tuple[str, str]:
    if not isinstance(at.value, dict):
        return _name(at, _NAME), "()"
    parts = at.mapping(("class", "args"), "new")
    if "class" not in parts:
        raise at.problem("new needs class: the name of the class")
    return _name(parts["class"], _NAME), _arguments(parts.get("args"))


def _local(name: str) -> str:
    return DEFAULT if name == "default" else name


def _step(at: At) -> str:
    members = at.mapping(STEP_WORDS, f"a step of {at.name}")
    if ("call" in members) == ("get" in members):
        raise at.problem(f"a step of {at.name} says call or get")
    if "get" in members:
        if "args" in members:
            raise at.problem("get takes no args")
        return f".{_name(members['get'], _PATH)}"
    return f".{_name(members['call'], _PATH)}{_arguments(members.get('args'))}"


def _arguments(at: At | None) -> str:
    return "(" + ", ".join(javascript(item) for item in at.items()) + ")" if at is not None else "()"


def _name(at: At, pattern: re.Pattern[str]) -> str:
    name = at.text("a name")
    if not pattern.fullmatch(name):
        raise at.problem(f"{at.name} must be a name, not {name!r}; for more than a name use js: expression")
    return name


def _sandbox_path(at: At) -> str:
    try:
        return sandbox_path(at.text("a sandbox path"))
    except SeedError as error:
        raise at.problem(str(error)) from None
