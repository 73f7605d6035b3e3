"""Configuration files (goccia.toml, goccia.json5, goccia.json): keys are option names, ``extends`` names a base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .errors import ConfigError, OptionError
from .options import RunOptions
from .settings import ABSENT, SETTINGS, run_options, setting_named
from .textfiles import line_of, parse_json, parse_json5, parse_toml, read_text

#: in this order of preference
FILE_NAMES = ("goccia.toml", "goccia.json5", "goccia.json")
MAX_EXTENDS_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Config:
    """What a configuration file and the ones it extends say: setting values by option name.

    ``notes`` are sentences about keys that have no effect; whoever reads the file should show them.
    """

    path: Path
    values: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def options(self, base: RunOptions | None = None) -> RunOptions:
        """RunOptions over ``base``; settings that are no field of it (seeds, printing) are left out."""
        return run_options(self.values, base)


def find_config(start: Path) -> Path | None:
    """The nearest configuration file in ``start`` or a folder above it. Nothing applies it by itself:
    a run of untrusted code must not pick up settings by accident of where it was started.
    """
    for folder in (start.absolute(), *start.absolute().parents):
        for name in FILE_NAMES:
            if (folder / name).is_file():
                return folder / name
    return None


def read_config(path: str | Path) -> Config:
    """Read a named configuration file, or the one in a named folder (the folders above are not searched).

    Values of a file win over those of the file it extends; lists add up, own items first, and an empty list
    clears what would be inherited. Unknown keys are ignored, because the file may serve other programs too,
    but one that looks like a misspelt option is noted.

    Raises:
        ConfigError: a file is missing or malformed, or a value is of the wrong type; begins with ``file:line``.
    """
    path = Path(path)
    if path.is_dir():
        found = next((path / name for name in FILE_NAMES if (path / name).is_file()), None)
        if found is None:
            raise ConfigError(f"{path}: this folder holds none of {', '.join(FILE_NAMES)}")
        path = found
    values: dict[str, Any] = {}
    notes: list[str] = []
    _merge(path, values, notes, ())
    return Config(path, MappingProxyType(values), tuple(notes))


def _merge(path: Path, values: dict[str, Any], notes: list[str], seen: tuple[Path, ...]) -> None:
    text, data = _parse(path)
    resolved = path.resolve()
    if resolved in seen:
        raise ConfigError(f"{seen[-1]}: extends goes in a circle, back to {path}")
    if len(seen) > MAX_EXTENDS_DEPTH:
        raise ConfigError(f"{path}: more than {MAX_EXTENDS_DEPTH} files extend one another")
    base = data.pop("extends", None)
    for key, value in data.items():
        setting = setting_named(key)
        place = f"{path}:{line_of(text, key)}"
        if setting is None:
            notes.extend(f"{place}: {note}" for note in _unknown(key))
            continue
        if value is None or isinstance(value, dict):
            continue
        try:
            read = setting.read(value)
        except OptionError as error:
            raise ConfigError(f"{place}: {key} {error}") from None
        if setting.kind != "list":
            values.setdefault(setting.name, read)
        elif setting.name not in values or values[setting.name]:
            values[setting.name] = (*values.get(setting.name, ()), *read)
    if base is None:
        return
    place = f"{path}:{line_of(text, 'extends')}"
    if not isinstance(base, str):
        raise ConfigError(f"{place}: extends must be the path of a configuration file")
    target = path.parent / base
    if not target.is_file():
        raise ConfigError(f"{place}: extends {target}, which does not exist")
    _merge(target, values, notes, (*seen, resolved))


def _unknown(key: str) -> list[str]:
    if key in ABSENT:
        return [f"{key} has no effect here: {ABSENT[key]}"]
    near = get_close_matches(key.lower().replace("_", "-"), SETTINGS, n=1, cutoff=0.8)
    return [f'unknown key "{key}" has no effect; did you mean "{near[0]}"?'] if near else []


def _parse(path: Path) -> tuple[str, dict[str, Any]]:
    suffix = path.suffix.lower()
    if suffix not in (".toml", ".json5", ".json"):
        raise ConfigError(f'{path}: a configuration file ends in .toml, .json5 or .json, not in "{path.suffix}"')
    text = read_text(path)
    if suffix == ".json":
        data = parse_json(path, text)
    elif suffix == ".json5":
        data = parse_json5(path, text)
    else:
        data = parse_toml(path, text)
    if not isinstance(data, dict):
        raise ConfigError(f"{path}:1: must hold an object, not {type(data).__name__}")
    return text, data
