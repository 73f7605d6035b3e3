"""Click options made from the table of settings, and a command whose help and complaints know that table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..errors import OptionError, nearest
from ..options import RunOptions
from ..settings import ABSENT, SETTINGS, Setting

#: the headings of help, in order
SECTIONS = ("Program", "Files", "Limits", "Language", "Network", "Result", "Engine", "Other")

_METAVARS = {"count": "N", "duration": "MS", "text": "TEXT", "list": "TEXT", "choice": "WORD"}

Callback = Callable[[click.Context, click.Parameter, Any], Any]
Body = Callable[..., Any]
Decorator = Callable[[Body], Body]


class SectionedOption(click.Option):
    """An option that stands under a heading in help."""

    def __init__(self, *arguments: Any, section: str = "Other", **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.section = section


class SectionedCommand(click.Command):
    """A command with its options under headings, and a reason for each option of the reference it does not have."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {section: [] for section in SECTIONS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                rows[getattr(param, "section", "Other")].append(record)
        for section, records in rows.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records, col_max=32)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-")
            if name in ABSENT:
                raise click.UsageError(f"there is no --{name}: {ABSENT[name]}", ctx) from None
            known = [spelling.lstrip("-") for param in self.params for spelling in param.opts if len(spelling) > 2]
            hint = nearest(name, known).replace('"', '"--', 1)
            raise click.UsageError(f"no such option: {error.option_name}{hint}", ctx) from None


def sectioned(*names: str, section: str, **keywords: Any) -> Decorator:
    """A decorator that adds one option under a heading."""
    return click.option(*names, cls=SectionedOption, section=section, **keywords)


def choice(name: str, *words: str, section: str, summary: str) -> Decorator:
    """A decorator that adds an option taking one of some words; the first is the default."""

    def check(ctx: click.Context, param: click.Parameter, value: str) -> str:
        if value in words:
            return value
        raise click.UsageError(f'{name} must be one of {", ".join(words)}, not "{value}"{nearest(value, words)}', ctx)

    text = f"{summary}: {', '.join(words)}"
    return sectioned(name, section=section, metavar="WORD", default=words[0], callback=check, help=text)


def setting_options(command: Body) -> Body:
    """Give a command one option per setting; each arrives under the setting's name with underscores."""
    defaults = RunOptions()
    for setting in reversed(SETTINGS.values()):
        text = setting.summary + (f": {', '.join(setting.choices)}" if setting.choices else "")
        if setting.field and setting.kind in ("count", "duration"):
            text += f" (default {getattr(defaults, setting.field)})"
        if setting.kind == "flag":
            shape: dict[str, Any] = {"is_flag": True}
        else:
            shape = {
                "multiple": setting.kind == "list",
                "metavar": _METAVARS[setting.kind],
                "callback": _reader(setting),
            }
        command = sectioned(f"--{setting.name}", section=setting.section, help=text, **shape)(command)
    return command


def _reader(setting: Setting) -> Callback:
    def read(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        if value is None or setting.kind == "list":
            return value
        try:
            return setting.read(value)
        except OptionError as error:
            raise click.UsageError(f"--{setting.name} {error}", ctx) from None

    return read


def given_settings(parameters: dict[str, Any]) -> dict[str, Any]:
    """The settings a command line really gave, by their names; what it did not mention is left out."""
    values: dict[str, Any] = {}
    for name in SETTINGS:
        value = parameters.get(name.replace("-", "_"))
        if value is not None and value is not False and value != ():
            values[name] = value
    return values
