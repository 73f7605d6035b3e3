"""What a case expects of the files after its run."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from ..errors import nearest
from ..result import FileChange
from .compare import difference
from .front import At, refuse_non_json
from .matchers import TEXT_WORDS, Condition, Matcher, read_text_condition

#: word in front matter -> kind in the diff
KINDS = {"created": "create", "modified": "modify", "deleted": "delete", "mkdir": "mkdir", "replaced": "replace"}
_WORDS = {kind: word for word, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class ChangeExpectation:
    """One expected change: its kind and, when given, what the new content must be (text, bytes or JSON)."""

    path: str
    kind: str
    content: Condition | bytes | None
    as_json: bool = False
    line: int = 0

    def problem(self, actual: FileChange) -> str | None:
        """None when ``actual`` is this change, else one sentence."""
        if actual.kind != self.kind:
            return f"{self.path}: expected {_WORDS[self.kind]}, got {_WORDS[actual.kind]}"
        if self.content is None:
            return None
        if actual.content is None:
            size = actual.new_bytes
            return f"{self.path}: its {size} bytes are too many for the result to carry, so nothing was compared"
        if isinstance(self.content, bytes):
            same = self.content == actual.content
            return (
                None
                if same
                else f"{self.path}: {len(actual.content)} bytes differ from the {len(self.content)} expected"
            )
        try:
            text = actual.content.decode()
        except UnicodeDecodeError:
            return f"{self.path}: its new content is not UTF-8 text; expect {{base64: …}}"
        problem = self._json_problem(text) if self.as_json else self.content.problem(text)
        return None if problem is None else f"{self.path}: {problem}"

    def _json_problem(self, text: str) -> str | None:
        import json

        assert isinstance(self.content, Condition)  # noqa: S101
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return "its new content is not JSON"
        return difference(self.content.matchers[0].wanted, value)


def changes_problem(expected: tuple[ChangeExpectation, ...], actual: tuple[FileChange, ...]) -> str | None:
    """None when exactly the expected changes were made, else one sentence on the first that is wrong."""
    made = {change.path: change for change in actual}
    for wanted in expected:
        change = made.pop(wanted.path, None)
        if change is None:
            return f"{wanted.path} was not {wanted_word(wanted.kind)}"
        problem = wanted.problem(change)
        if problem:
            return problem
    for path, change in made.items():
        return f"{path} was {wanted_word(change.kind)}, which is not expected"
    return None


def wanted_word(kind: str) -> str:
    """A kind as a word in a sentence."""
    return {"mkdir": "made a folder"}.get(kind, _WORDS[kind])


def read_changes(at: At) -> tuple[ChangeExpectation, ...]:
    """The mapping of path to expected change under ``diff``."""
    return tuple(_read_change(path, item) for path, item in at.mapping().items())


def _read_change(path: str, at: At) -> ChangeExpectation:
    if not path.startswith("/"):
        raise at.problem(f'the path "{path}" must begin with /')
    if isinstance(at.value, str):
        if at.value not in KINDS:
            hint = nearest(at.value, KINDS) or f"; to expect its text write {path}: {{created: …}}"
            raise at.problem(f"{path} must say {', '.join(KINDS)}, not {at.value!r}{hint}")
        return ChangeExpectation(path, KINDS[at.value], None, line=at.line)
    members = at.mapping(KINDS, f"the change of {path}")
    if len(members) != 1:
        raise at.problem(f"{path} must say one of {', '.join(KINDS)}")
    ((word, item),) = members.items()
    if item.value is True:
        return ChangeExpectation(path, KINDS[word], None, line=at.line)
    if word in ("deleted", "mkdir"):
        raise item.problem(f"{word} has no content; write {path}: {word}")
    content, as_json = _read_content(item)
    return ChangeExpectation(path, KINDS[word], content, as_json, at.line)


def _read_content(item: At) -> tuple[Condition | bytes, bool]:
    if not isinstance(item.value, dict) or not {"json", "base64"} & set(item.value):
        if isinstance(item.value, dict):
            item.mapping((*TEXT_WORDS, "json", "base64"), f"the content of {item.path[-2]}")
        return read_text_condition(item), False
    members = item.mapping(("json", "base64"), f"the content of {item.path[-2]}")
    if len(members) != 1:
        raise item.problem("give json or base64, not both")
    if "json" in members:
        refuse_non_json(members["json"])
        return Condition("json", (Matcher("equals", members["json"].value),), item.line), True
    return decode_base64(members["base64"]), False


def decode_base64(at: At) -> bytes:
    """The bytes of a base64 text; white space in it is allowed."""
    try:
        return base64.b64decode("".join(at.text().split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise at.problem(f"base64 cannot be decoded: {error}") from None
