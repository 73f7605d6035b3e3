"""Settings: what pytest.ini, pyproject.toml and the command line say about sandbox tests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from goccia_tools.cases.settings import parse_default_options
from goccia_tools.errors import OptionError, nearest

from .plugin import CHOICES


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a test run, checked."""

    #: fields of RunOptions that a test may override
    options: dict[str, Any] = field(default_factory=dict)
    runner: dict[str, Any] = field(default_factory=dict)

    @property
    def compares(self) -> bool:
        """Whether every case runs on both engines."""
        return bool(self.runner.get("engine") == "both")


def stated(config: pytest.Config, name: str) -> Any:
    """What the command line says, else the ini file; None when neither does."""
    value = config.getoption(name, default=None)
    if value is not None:
        return value
    value = config.getini(name)
    return value if value not in ("", None) else None


def read_settings(config: pytest.Config) -> Settings:
    """The settings of a run.

    Raises:
        pytest.UsageError: one of them has a wrong value; the text names the file and line, or the option.
    """
    runner: dict[str, Any] = {}
    for part, choices in CHOICES.items():
        name = f"sandbox_{part}"
        value = stated(config, name)
        if value is None:
            continue
        if value not in choices:
            raise wrong(config, name, f"must be one of {', '.join(choices)}, not {value}{nearest(value, choices)}")
        runner[part] = value
    path = stated(config, "sandbox_runner")
    if path is not None:
        if runner.get("engine") not in ("goccia", "both"):
            raise wrong(config, "sandbox_runner", "is the path of a GocciaSandboxRunner; it needs the engine goccia")
        runner["runner_path"] = path
    options: dict[str, Any] = {}
    defaults = stated(config, "sandbox_default_options")
    if defaults is not None:
        try:
            options = parse_default_options(" ".join(defaults) if isinstance(defaults, list) else defaults)
        except OptionError as error:
            raise wrong(config, "sandbox_default_options", str(error)) from None
    limit = stated(config, "sandbox_timeout_ms")
    if limit is not None:
        if not re.fullmatch(r"[0-9]{1,9}", str(limit)):
            raise wrong(config, "sandbox_timeout_ms", f"must be a whole number of milliseconds, not {limit}")
        options["timeout_ms"] = int(limit)
    return Settings(options, runner)


def wrong(config: pytest.Config, name: str, problem: str) -> pytest.UsageError:
    """The error about one setting and the place where it is said."""
    if config.getoption(name, default=None) is not None:
        return pytest.UsageError(f"--{name.replace('_', '-')} {problem}")
    path = config.inipath
    if path is None:
        return pytest.UsageError(f"{name} {problem}")
    return pytest.UsageError(f"{path}:{_line_of(path, name)}: {name} {problem}")


def _line_of(path: Path, name: str) -> int:
    lines = path.read_text("utf-8", "replace").split("\n")
    return next((number for number, line in enumerate(lines, 1) if line.strip().startswith(name)), 1)


def make_runner(settings: Settings) -> Any:
    """A Runner with these settings; GocciaError when what they ask for does not exist here."""
    from goccia_tools import Runner

    if not settings.compares:
        return Runner(**settings.runner)
    return Runner(**{**settings.runner, "engine": "quickjs", "runner_path": None})
