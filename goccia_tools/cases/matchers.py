"""Matchers: what an expectation says about one value, exactly or by contains, matches, lines, approx, absent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .compare import difference, json_text, shown
from .front import At, kind_name, refuse_non_json
from .patterns import PatternError, compile_pattern, search

DEFAULT_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Matcher:
    """One condition on a value: ``kind`` is its word (``equals``, ``contains`` …), ``wanted`` what it is given."""

    kind: str
    wanted: Any
    tolerance: float = DEFAULT_TOLERANCE

    def problem(self, actual: Any) -> str | None:
        """None when the condition holds, else one sentence why not."""
        return _CHECKS[self.kind](self, actual)

    def __str__(self) -> str:
        return shown(self.wanted) if self.kind == "equals" else f"{self.kind} {shown(self.wanted)}"


@dataclass(frozen=True, slots=True)
class Condition:
    """All that is expected of one field; ``line`` is where that is said."""

    field: str
    matchers: tuple[Matcher, ...]
    line: int = 0

    def problem(self, actual: Any) -> str | None:
        """None when every matcher holds, else the first sentence."""
        return next((problem for matcher in self.matchers if (problem := matcher.problem(actual))), None)

    @property
    def exact(self) -> Matcher | None:
        """The matcher that names the whole value, when there is one: a diff can be shown against it."""
        return next((matcher for matcher in self.matchers if matcher.kind in ("equals", "lines")), None)

    def __str__(self) -> str:
        return " and ".join(map(str, self.matchers))


def _equals(matcher: Matcher, actual: Any) -> str | None:
    if isinstance(matcher.wanted, str) and isinstance(actual, str):
        return None if matcher.wanted == actual else _text_difference(matcher.wanted, actual)
    return difference(matcher.wanted, actual)


def _text_difference(wanted: str, actual: str) -> str:
    if wanted.removesuffix("\n") == actual.removesuffix("\n"):
        return f"differs only in the newline at its end ({'missing' if wanted.endswith(chr(10)) else 'not expected'})"
    if wanted.replace("\r\n", "\n") == actual.replace("\r\n", "\n"):
        return "differs only in its line ends (CR LF and LF)"
    if fits_a_sentence(wanted, actual):
        return f"expected {shown(wanted)}, got {shown(actual)}"
    same = next(
        (i for i, (a, b) in enumerate(zip(wanted, actual, strict=False)) if a != b), min(len(wanted), len(actual))
    )
    line = wanted.count("\n", 0, same) + 1
    return f"differs from line {line}, column {same - wanted.rfind(chr(10), 0, same)} on"


def fits_a_sentence(one: str, other: str) -> bool:
    """Whether two texts are short and of one line each, so that a diff would say no more."""
    return len(one) + len(other) <= 120 and not any("\n" in text.removesuffix("\n") for text in (one, other))


def _contains(matcher: Matcher, actual: Any) -> str | None:
    if isinstance(actual, str):
        missing = next((part for part in matcher.wanted if not isinstance(part, str) or part not in actual), None)
    elif isinstance(actual, list):
        missing = next((part for part in matcher.wanted if all(difference(part, item) for item in actual)), None)
    else:
        return f"{kind_name(actual)} cannot contain anything"
    return None if missing is None else f"does not contain {shown(missing)}"


def _matches(matcher: Matcher, actual: Any) -> str | None:
    return search(matcher.wanted, actual) if isinstance(actual, str) else f"{kind_name(actual)} is not text"


def _lines(matcher: Matcher, actual: Any) -> str | None:
    if not isinstance(actual, str):
        return f"{kind_name(actual)} is not text"
    lines = actual.removesuffix("\n").split("\n") if actual else []
    for number, (wanted, line) in enumerate(zip(matcher.wanted, lines, strict=False), 1):
        if wanted != line:
            return f"line {number}: expected {shown(wanted)}, got {shown(line)}"
    if len(lines) != len(matcher.wanted):
        return f"{len(matcher.wanted)} lines expected, got {len(lines)}"
    return None


def _approx(matcher: Matcher, actual: Any) -> str | None:
    return difference(matcher.wanted, actual, tolerance=matcher.tolerance)


def _absent(matcher: Matcher, actual: Any) -> str | None:
    if (actual in (None, "")) == matcher.wanted:
        return None
    return f"is there: {shown(actual)}" if matcher.wanted else "is absent"


_CHECKS: dict[str, Callable[[Matcher, Any], str | None]] = {
    "equals": _equals,
    "contains": _contains,
    "matches": _matches,
    "lines": _lines,
    "approx": _approx,
    "absent": _absent,
}
TEXT_WORDS = ("equals", "contains", "matches", "lines", "absent")
VALUE_WORDS = (*TEXT_WORDS, "approx", "tolerance")


def read_text_condition(at: At) -> Condition:
    """A condition on text: the text itself or a mapping of matchers."""
    if isinstance(at.value, dict):
        parts = at.mapping(TEXT_WORDS, f"the matcher of {at.name}").get("contains")
        if parts is not None:
            parts.texts()
        return _condition(at)
    if not isinstance(at.value, str):
        hint = f'; write it in quotes: "{json_text(at.value)}"' if type(at.value) in (int, float) else ""
        if at.value is None:
            hint = '; write "" or {absent: true} when it must be empty'
        raise at.problem(
            f"{at.name} must be text or a mapping of {', '.join(TEXT_WORDS)}, not {kind_name(at.value)}{hint}"
        )
    return Condition(at.name, (Matcher("equals", at.value),), at.line)


def read_value_condition(at: At, field: str | None = None) -> Condition:
    """A condition on JSON data: the value itself, or a mapping all of whose keys are matchers."""
    if isinstance(at.value, dict) and at.value and all(key in VALUE_WORDS for key in at.value):
        return _condition(at, field)
    refuse_non_json(at)
    return Condition(field or at.name, (Matcher("equals", at.value),), at.line)


def _condition(at: At, field: str | None = None) -> Condition:
    matchers = []
    for key, item in at.mapping().items():
        if key == "tolerance":
            if "approx" not in at.value:
                raise item.problem("tolerance belongs to approx, which is missing here")
            if item.number() < 0:
                raise item.fail("0 or more")
        elif key == "approx":
            refuse_non_json(item)
            matchers.append(Matcher("approx", item.value, at.value.get("tolerance", DEFAULT_TOLERANCE)))
        else:
            matchers.append(Matcher(key, _wanted(key, item)))
    if not matchers:
        raise at.problem(f"{at.name} has no matcher; known are {', '.join(VALUE_WORDS)}")
    return Condition(field or at.name, tuple(matchers), at.line)


def _wanted(kind: str, item: At) -> Any:
    if kind == "absent":
        return item.flag()
    if kind == "matches":
        pattern = item.text("a regular expression")
        try:
            compile_pattern(pattern)
        except PatternError as error:
            raise item.problem(f"{shown(pattern)} is not a regular expression: {error}") from None
        return pattern
    if kind == "lines":
        return [line.text("a list of lines") for line in item.items()]
    if kind == "contains":
        parts = item.value if isinstance(item.value, list) else [item.value]
        if not parts or "" in parts:
            raise item.problem("contains must name something: everything contains nothing")
        return parts
    return item.value
