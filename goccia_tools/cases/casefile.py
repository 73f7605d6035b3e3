"""CaseFile: the cases of one program of a test file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..baseline import Seed
from ..options import RunOptions
from .attributes import CASE_WORDS, FILE_WORDS, Attributes, read_attributes
from .calls import Call
from .callsyntax import CALL_WORDS, read_call
from .case import Case
from .document import Document
from .expect import Expectation, read_expectation, read_negative
from .front import At
from .inline import Inline, read_inline
from .names import slug, unique
from .outcome import outcome_of, refuse_side_by_side
from .parameters import PARAMETERS_PATH, names_expected, read_rows, substitute
from .sections import Section
from .settings import json_file, read_files, read_options

_ROWS = "rows of parametrize"
_SECTIONS = "// @case comments of the file"


@dataclass(frozen=True, slots=True)
class Named:
    """A case and the parts of its id."""

    slug: str
    suffix: str
    case: Case


@dataclass(slots=True)
class CaseFile:
    """One program of a file and the front matter that says what to do with it, while its cases are read."""

    document: Document
    body: str
    inline: Inline | None
    root: At | None
    default_options: dict[str, Any]
    section: Section | None = None

    @classmethod
    def of(
        cls, document: Document, root: At | None, default_options: dict[str, Any], section: Section | None = None
    ) -> CaseFile:
        """Read the expectations in comments of the program."""
        inline, body = read_inline(document)
        return cls(document, body, inline, root, default_options, section)

    def of_section(self, own: At | None) -> list[Named]:
        """The cases of the section that the program is; ``own`` is its item of ``cases``."""
        assert self.section is not None  # noqa: S101
        if self.root is None:
            return self.cases()
        refuse_side_by_side(self.root, self.inline)
        found = self._of_mapping(own)
        for named in found if own is None else ():
            named.case.line = self.section.line
            named.case.shared_with = named.case.shared_with or _SECTIONS
        return found

    def cases(self) -> list[Named]:
        if self.root is None:
            return [self._plain()]
        refuse_side_by_side(self.root, self.inline)
        self.root.mapping(FILE_WORDS)
        found: list[Named] = []
        if "cases" in self.root.value:
            items = self.root["cases"].items()
            if not items:
                raise self.root["cases"].problem("cases is empty, so there would be no test")
            for item in items:
                found.extend(self._of_mapping(item))
        else:
            found.extend(self._of_mapping(None))
        return found

    def _plain(self) -> Named:
        name = self._title("")
        case = Case(
            path=self.document.path,
            id="",
            name=name,
            line=1 if self.section is None else self.section.line,
            body=self.body,
            entry=f"/{self.document.path.name}",
            options=RunOptions.of(None, **self.default_options),
            inline=self.inline,
            shared_with="" if self.section is None else _SECTIONS,
        )
        return Named(slug(name), "", case)

    def _title(self, name: str) -> str:
        return self.section.name if self.section is not None else name or _stem(self.document.path)

    def _of_mapping(self, own: At | None) -> list[Named]:
        """The cases of one item of ``cases`` (of the file itself for None): one, or one for each row and call."""
        assert self.root is not None  # noqa: S101
        if own is not None:
            own.mapping(CASE_WORDS, "a case")
            if "name" not in own.value:
                raise own.problem("a case needs a name; its id is made of it")
            refuse_side_by_side(own, self.inline)
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

    def _of_row(self, root: At, own: At | None, suffix: str, parameter: Seed | None) -> list[Named]:
        options = dict(self.default_options)
        seeds: dict[str, Seed] = {} if parameter is None else {parameter.path: parameter}
        folder = self.document.path.parent
        for level in (root, own):
            if level is not None and "options" in level.value:
                options.update(read_options(level["options"]))
            if level is not None and "files" in level.value:
                seeds.update(read_files(level["files"], folder))
        outcome = outcome_of(root, own)
        attributes = read_attributes(root, own, self.document)
        calls = outcome.get("calls")
        if calls is not None:
            return self._of_calls(calls, root, own, options, seeds, attributes, suffix, parameter is not None)
        name = self._title(attributes.name)
        case = self._case(attributes, name + suffix, options, seeds)
        case.shared_with = _ROWS if parameter is not None else ""
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
        return [Named(slug(name), suffix, case)]

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
    ) -> list[Named]:
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
            case.shared_with = _ROWS if parametrised else ""
            case.key_path = item.path
            found.append(Named(slug(name), suffix, case))
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


def _substituted(at: At, row: dict[str, Any], but: tuple[str, ...]) -> At:
    return at.with_value(
        {key: value if key in but else substitute(value, row, at[key]) for key, value in at.value.items()}
    )
