"""load_cases: the cases of a test file, in its order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from ..baseline import Seed
from ..options import RunOptions
from .attributes import CASE_WORDS, FILE_WORDS, Attributes, read_attributes
from .calls import Call
from .callsyntax import CALL_WORDS, read_call
from .case import Case
from .document import Document, parse_document, read_document
from .expect import Expectation, read_expectation, read_negative
from .front import At, read_front
from .inline import Inline, read_inline
from .names import slug, unique
from .parameters import PARAMETERS_PATH, names_expected, read_rows, substitute
from .settings import json_file, read_files, read_options

OUTCOME_WORDS = ("expect", "negative", "calls")


def load_cases(
    path: str | Path, *, text: str | None = None, default_options: dict[str, Any] | None = None
) -> list[Case]:
    """Read a test file and return its cases. ``text`` stands for the file's content when it is given.

    ``default_options`` are fields of RunOptions that the file may override.

    Raises:
        CaseFileError: the file cannot be read, decoded or understood; the text starts with ``file:line``.
    """
    path = Path(path)
    document = read_document(path) if text is None else parse_document(text, path)
    inline, body = read_inline(document)
    root = read_front(document)
    cases = _File(document, body, inline, root, default_options or {}).cases()
    checksum = crc32(document.text.encode("utf-8", "surrogatepass"))
    for case in cases:
        case.checksum = checksum
    return cases


@dataclass(frozen=True, slots=True)
class _Named:
    """A case and the parts of its id."""

    slug: str
    suffix: str
    case: Case


@dataclass(slots=True)
class _File:
    """One file while its cases are read."""

    document: Document
    body: str
    inline: Inline | None
    root: At | None
    default_options: dict[str, Any]

    def cases(self) -> list[Case]:
        if self.root is None:
            return [self._plain()]
        _refuse_side_by_side(self.root, self.inline)
        self.root.mapping(FILE_WORDS)
        found: list[_Named] = []
        if "cases" in self.root.value:
            items = self.root["cases"].items()
            if not items:
                raise self.root["cases"].problem("cases is empty, so there would be no test")
            for item in items:
                found.extend(self._of_mapping(item))
        else:
            found.extend(self._of_mapping(None))
        ids = unique([named.slug for named in found], [named.suffix for named in found])
        for named, case_id in zip(found, ids, strict=True):
            named.case.id = case_id
        return [named.case for named in found]

    def _plain(self) -> Case:
        return Case(
            path=self.document.path,
            id=slug(_stem(self.document.path)),
            name=_stem(self.document.path),
            line=1,
            body=self.body,
            entry=f"/{self.document.path.name}",
            options=RunOptions.of(None, **self.default_options),
            inline=self.inline,
        )

    def _of_mapping(self, own: At | None) -> list[_Named]:
        """The cases of one item of ``cases`` (of the file itself for None): one, or one for each row and call."""
        assert self.root is not None  # noqa: S101
        if own is not None:
            own.mapping(CASE_WORDS, "a case")
            if "name" not in own.value:
                raise own.problem("a case needs a name; its id is made of it")
            _refuse_side_by_side(own, self.inline)
        rows_at = _key("parametrize", self.root, own)
        if rows_at is None:
            return self._of_row(self.root, own, "", None)
        found = []
        rows = read_rows(rows_at)
        for row, suffix in zip(rows, unique([row.id for row in rows]), strict=True):
            outside = names_expected(self.root.value)
            inside = {name: value for name, value in row.values.items() if name not in outside}
            parameter = Seed(PARAMETERS_PATH, json_file(inside), replace=True)
            root = _substituted(self.root, row.values, ("parametrize", "cases"))
            case = None if own is None else _substituted(own, row.values, ("parametrize",))
            found.extend(self._of_row(root, case, f"[{suffix}]", parameter))
        return found

    def _of_row(self, root: At, own: At | None, suffix: str, parameter: Seed | None) -> list[_Named]:
        options = dict(self.default_options)
        seeds: dict[str, Seed] = {} if parameter is None else {parameter.path: parameter}
        folder = self.document.path.parent
        for level in (root, own):
            if level is not None and "options" in level.value:
                options.update(read_options(level["options"]))
            if level is not None and "files" in level.value:
                seeds.update(read_files(level["files"], folder))
        outcome = _outcome(root, own)
        attributes = read_attributes(root, own, self.document)
        calls = outcome.get("calls")
        if calls is not None:
            return self._of_calls(calls, root, own, options, seeds, attributes, suffix, parameter is not None)
        name = attributes.name or _stem(self.document.path)
        case = self._case(attributes, name + suffix, options, seeds)
        case.parametrised = parameter is not None
        case.key_path = own.path if own is not None else ()
        case.inline = self.inline
        if "negative" in outcome:
            case.negative_phase, case.expect = read_negative(outcome["negative"])
        elif "expect" in outcome:
            case.expect = read_expectation(outcome["expect"], unified=case.options.diff_format == "unified")
            if case.expect.wants_diff:
                case.options = RunOptions.of(case.options, include_diff=True)
            if self.inline is not None and self.inline.stdout and case.expect.wants("output"):
                raise outcome["expect"].problem(
                    "output contradicts the // stdout: comments; keep one of them", "output"
                )
        return [_Named(slug(name), suffix, case)]

    def _case(self, attributes: Attributes, name: str, options: dict[str, Any], seeds: dict[str, Seed]) -> Case:
        return Case(
            path=self.document.path,
            id="",
            name=name,
            line=attributes.line,
            body=self.body,
            entry=f"/{self.document.path.name}",
            options=RunOptions.of(None, **options),
            description=attributes.description,
            seeds=list(seeds.values()),
            skip=attributes.skip,
            xfail=attributes.xfail,
            marks=attributes.marks,
            tags=attributes.tags,
            points=attributes.points,
            visibility=attributes.visibility,
            fixtures=dict(attributes.fixtures),
        )

    def _of_calls(
        self,
        calls: At,
        root: At,
        own: At | None,
        options: dict[str, Any],
        seeds: dict[str, Seed],
        attributes: Attributes,
        suffix: str,
        parametrised: bool,
    ) -> list[_Named]:
        items = calls.items()
        if not items:
            raise calls.problem("calls is empty, so there would be no test")
        from_at = _key("from", root, own)
        shared = {"from": from_at} if from_at is not None else {}
        default = f"/{self.document.path.name}" if self.body.strip() else None
        found = []
        for item in items:
            item.mapping((*CALL_WORDS, *_CALL_ATTRIBUTES), "a call")
            call = read_call(item, default, shared)
            its_options = {**options, **(read_options(item["options"]) if "options" in item.value else {})}
            files = read_files(item["files"], self.document.path.parent) if "files" in item.value else {}
            name = _call_name(attributes, item, call, own)
            case = self._case(
                read_attributes(root, own, self.document, item),
                name + suffix,
                {**its_options, "source_type": "script"},
                {**seeds, **files},
            )
            case.call = call
            case.expect = Expectation(stated=True)
            case.parametrised = parametrised
            case.key_path = item.path
            found.append(_Named(slug(name), suffix, case))
        return found


_CALL_ATTRIBUTES = (
    "name",
    "description",
    "options",
    "files",
    "skip",
    "skipif",
    "xfail",
    "marks",
    "tags",
    "points",
    "visibility",
    "fixtures",
)


def _call_name(attributes: Attributes, item: At, call: Call, own: At | None) -> str:
    name = item["name"].text() if "name" in item.value else call.shown
    return f"{attributes.name}: {name}" if own is not None else name


def _stem(path: Path) -> str:
    return path.name.removesuffix(".js").removesuffix(".sandbox") or path.name


def _key(key: str, root: At, own: At | None) -> At | None:
    for level in (own, root):
        if level is not None and key in level.value:
            return level[key]
    return None


def _outcome(root: At, own: At | None) -> dict[str, At]:
    """What is expected: the case's own when it says anything, else the file's."""
    for level in (own, root):
        if level is not None:
            found = {word: level[word] for word in OUTCOME_WORDS if word in level.value}
            if found:
                return found
    return {}


def _substituted(at: At, row: dict[str, Any], but: tuple[str, ...]) -> At:
    return at.with_value(
        {key: value if key in but else substitute(value, row, at[key]) for key, value in at.value.items()}
    )


def _refuse_side_by_side(at: At, inline: Inline | None) -> None:
    """Two ways of saying what is expected, of which one would be ignored."""
    stated = [word for word in OUTCOME_WORDS if word in at.value]
    if len(stated) > 1:
        raise at.problem(f"{stated[1]} contradicts {stated[0]}: keep one of them", stated[1])
    if inline is not None and stated and stated[0] != "expect":
        raise at.problem(f"{stated[0]} contradicts the expectations in comments of the program", stated[0])
    if "from" in at.value and not at.path and "calls" not in at.value and "cases" not in at.value:
        raise at.problem("from says where the functions of calls are, and there are no calls here", "from")
