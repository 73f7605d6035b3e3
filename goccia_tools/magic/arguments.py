"""Arguments: the line of a ``%%sandbox`` or ``%sandbox`` magic, read the same way on every system, without IPython."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import OptionError, nearest
from ..result import FailureKind
from ..settings import ABSENT, SETTINGS

DEFAULT_ENTRY = "/cell.js"


@dataclass(frozen=True, slots=True)
class _Option:
    """An option of the magic itself; ``metavar`` is None for a flag."""

    name: str
    metavar: str | None
    summary: str
    choices: tuple[str, ...] = ()
    repeated: bool = False


_OWN = (
    _Option("in", "NAMES", "Python values for the program, by name: /in/NAME.json and the module sandbox:in", (), True),
    _Option("var", "NAME=EXPR", "the value of a Python expression, likewise", (), True),
    _Option("out", "NAME", "keep the RunResult in a Python variable"),
    _Option("value", "NAME", "keep the result value in a Python variable"),
    _Option("stdout", "NAME", "keep the output in a Python variable"),
    _Option("stderr", "NAME", "keep the error report in a Python variable"),
    _Option("fs", "NAME", "files that go on from cell to cell under this name"),
    _Option("fs-in", "DIR", "copy a folder of this machine to the sandbox's root", (), True),
    _Option("fs-out", "DIR", "write changed files into a folder of this machine"),
    _Option("file", "FILE", "run a file of this machine; the cell must be empty"),
    _Option("name", "LABEL", "a name for the cell; one that starts with / is also the path it runs under"),
    _Option("entry", "PATH", "the path the cell runs under, or with an empty cell the file to run"),
    _Option("module", None, "run the cell as a module"),
    _Option("expect", "KIND", "the cell is to fail this way", tuple(kind.value for kind in FailureKind)),
    _Option("no-raise-error", None, "a failure is shown and raises nothing"),
    _Option("show", "PATH", "show an image the program wrote", (), True),
    _Option("quiet", None, "show nothing"),
    _Option("no-diff", None, "do not show changed files"),
    _Option("diff", "FORM", "ask for a diff: unified or json (shown either way)", ("unified", "json")),
    _Option("engine", "NAME", "what runs the program", ("quickjs", "goccia")),
    _Option("runner", "FILE", "the GocciaSandboxRunner of --engine goccia"),
    _Option("launcher", "NAME", "how a child starts", ("auto", "spawn", "fork-server")),
    _Option("jail", "NAME", "confinement by the operating system", ("auto", "required", "off")),
)
OWN_OPTIONS: dict[str, _Option] = {option.name: option for option in _OWN}
#: settings of a run that mean something else in a cell, or nothing
_NOT_IN_CELLS = frozenset({"print", "diff", "diff-format", "diff-output", "no-host-filesystem"})
RUN_OPTIONS = {name: setting for name, setting in SETTINGS.items() if name not in _NOT_IN_CELLS}


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a magic's line says.

    ``settings`` are run settings by their command-line names (see ``settings.py``), ``own`` the options of the magic
    by name: text, True for a flag, a tuple for what may be repeated. ``expression`` is the rest of the line of
    ``%sandbox``, as it was written.
    """

    settings: Mapping[str, Any]
    own: Mapping[str, Any]
    expression: str = ""

    def text(self, name: str) -> str | None:
        """The value of an option that takes one, or None when it was not given."""
        value: str | None = self.own.get(name)
        return value

    def flag(self, name: str) -> bool:
        """Whether a flag was given."""
        return name in self.own

    def all(self, name: str) -> tuple[str, ...]:
        """The values of an option that may be repeated."""
        values: tuple[str, ...] = self.own.get(name, ())
        return values

    @property
    def inputs(self) -> tuple[str, ...]:
        """The Python names of ``--in``, in their order."""
        return tuple(name for group in self.all("in") for name in group.replace(",", " ").split())

    @property
    def expected(self) -> FailureKind | None:
        """The failureKind of ``--expect``."""
        kind = self.text("expect")
        return None if kind is None else FailureKind(kind)

    @property
    def entry(self) -> str:
        """The path the cell runs under."""
        name = self.text("name") or ""
        return self.text("entry") or (name if name.startswith("/") else DEFAULT_ENTRY)


def parse_arguments(line: str, *, expression: bool = False) -> Arguments:
    """Read the line of ``%%sandbox``, or of ``%sandbox`` when ``expression``: then what is no option is the program.

    Raises:
        OptionError: an option is unknown (with the nearest one), its value is missing or wrong, a quote is open.
    """
    settings: dict[str, Any] = {}
    own: dict[str, Any] = {}
    rest = ""
    at = 0
    while (found := _word(line, at, lenient=expression)) is not None:
        word, start, at = found
        if expression and (word == "--" or not word.startswith("--")):
            rest = line[at:] if word == "--" else line[start:]
            break
        if word == "-q":
            word = "--quiet"
        if not word.startswith("--") or word == "--":
            raise OptionError(f'"{word}" is no option; the program goes below the line{_quote_hint(word)}')
        name, equals, value = word[2:].partition("=")
        flag = _is_flag(name)
        if flag and equals:
            raise OptionError(f"--{name} takes no value")
        if not flag and not equals:
            following = _word(line, at)
            if following is None:
                raise OptionError(f"--{name} needs a value")
            value, _, at = following
        _store(name, value, settings, own)
    _check(own)
    return Arguments(settings, own, rest.strip())


def _is_flag(name: str) -> bool:
    if name in OWN_OPTIONS:
        return OWN_OPTIONS[name].metavar is None
    if name in RUN_OPTIONS:
        return RUN_OPTIONS[name].kind == "flag"
    if name in ABSENT and name not in OWN_OPTIONS:
        raise OptionError(f"there is no --{name}: {ABSENT[name]}")
    hint = nearest(name, [*OWN_OPTIONS, *RUN_OPTIONS]).replace('"', '"--', 1)
    raise OptionError(f"there is no option --{name}{hint or '; %%sandbox? lists them'}")


def _store(name: str, value: str, settings: dict[str, Any], own: dict[str, Any]) -> None:
    setting = RUN_OPTIONS.get(name)
    if setting is not None:
        try:
            read: Any = True if setting.kind == "flag" else setting.read(value)
        except OptionError as error:
            raise OptionError(f"--{name} {error}") from None
        settings[name] = (*settings.get(name, ()), *read) if setting.kind == "list" else read
        return
    option = OWN_OPTIONS[name]
    if option.metavar is None:
        own[name] = True
        return
    if not value:
        raise OptionError(f"--{name} needs a value, not an empty text")
    if option.choices and value not in option.choices:
        raise OptionError(
            f'--{name} must be one of {", ".join(option.choices)}, not "{value}"{nearest(value, option.choices)}'
        )
    if option.repeated:
        own[name] = (*own.get(name, ()), value)
    elif name in own:
        raise OptionError(f"--{name} is given twice")
    else:
        own[name] = value


def _check(own: Mapping[str, Any]) -> None:
    for name in ("out", "value", "stdout", "stderr"):
        target = own.get(name, "x")
        if not target.isidentifier():
            raise OptionError(f'--{name} needs the name of a Python variable, not "{target}"')
    for assignment in own.get("var", ()):
        name, equals, expression = assignment.partition("=")
        if not equals or not name.isidentifier() or not expression.strip():
            raise OptionError(f'--var needs NAME=EXPRESSION, not "{assignment}"')


def _quote_hint(word: str) -> str:
    return "; a value with blanks needs quotes" if word and not word.startswith("-") else ""


def _word(line: str, at: int, *, lenient: bool = False) -> tuple[str, int, int] | None:
    """The word of a line from ``at`` on with where it starts and ends; quotes group, backslashes are characters.

    A ``lenient`` reading takes quotes for characters unless an option starts there: they belong to an expression.
    """
    while at < len(line) and line[at].isspace():
        at += 1
    if at == len(line):
        return None
    start, quote = at, ""
    parts: list[str] = []
    while at < len(line) and (quote or not line[at].isspace()):
        char = line[at]
        if quote:
            if char == quote:
                quote = ""
            else:
                parts.append(char)
        elif char in "\"'" and (not lenient or line.startswith("--", start)):
            quote = char
        else:
            parts.append(char)
        at += 1
    if quote:
        raise OptionError(f"the quote {quote} at column {start + 1} is never closed")
    return "".join(parts), start, at


def usage() -> str:
    """Every option with its meaning, as the help of the magic shows them."""
    rows = [(f"--{o.name}{f' {o.metavar}' if o.metavar else ''}", o.summary + _one_of(o.choices)) for o in _OWN]
    metavars = {"flag": "", "count": " N", "duration": " TIME", "choice": " WORD", "text": " TEXT", "list": " TEXT"}
    rows += [(f"--{s.name}{metavars[s.kind]}", s.summary + _one_of(s.choices)) for s in RUN_OPTIONS.values()]
    return "\n".join(f"  {name:<32} {summary}" for name, summary in rows)


def _one_of(choices: tuple[str, ...]) -> str:
    return f" ({', '.join(choices)})" if choices else ""
