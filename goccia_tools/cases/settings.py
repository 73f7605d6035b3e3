"""Options and files as front matter writes them: wire names and seeds."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

from ..baseline import Seed, sandbox_path
from ..errors import OptionError, SeedError, nearest
from ..options import WIRE_NAMES, RunOptions, compatibility_flags
from .changes import decode_base64
from .front import At, kind_name, refuse_non_json

#: name in front matter (the one on the wire) -> field of RunOptions
OPTION_NAMES = {member: name for name, (_, member) in WIRE_NAMES.items()}
FILE_WORDS = ("text", "base64", "json", "from", "dir")


def read_options(at: At) -> dict[str, Any]:
    """Fields of RunOptions by name, each checked by itself so that a mistake is told on its own line."""
    fields: dict[str, Any] = {}
    for key, item in at.mapping(OPTION_NAMES, "options").items():
        name = OPTION_NAMES[key]
        value = item.value
        try:
            if name == "compatibility":
                value = compatibility_flags(value)
            elif isinstance(value, list):
                value = tuple(item.texts())
            RunOptions(**{name: value})
        except OptionError as error:
            raise item.problem(str(error).replace(name, key, 1)) from None
        fields[name] = value
    return fields


def parse_default_options(text: str) -> dict[str, Any]:
    """Fields of RunOptions from ``timeoutMs=500, sourceType=module, compatibility=all``.

    A list is given by naming its option again.

    Raises:
        OptionError: an unknown option or a wrong value.
    """
    from .yamltext import plain_value

    fields: dict[str, Any] = {}
    for part in (part.strip() for part in text.replace("\n", ",").split(",")):
        if not part:
            continue
        key, equals, value_text = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise OptionError(f'"{part}" is not name=value')
        if key not in OPTION_NAMES:
            raise OptionError(f'unknown option "{key}"{nearest(key, OPTION_NAMES)}')
        name = OPTION_NAMES[key]
        if name in ("compatibility", "aliases", "allowed_fetch_hosts"):
            fields[name] = (*fields.get(name, ()), *(value_text.split() if value_text else ()))
        else:
            fields[name] = plain_value(value_text)
        try:
            RunOptions.of(None, **{name: fields[name]})
        except OptionError as error:
            raise OptionError(str(error).replace(name, key, 1)) from None
    return fields


def read_files(at: At, folder: Path) -> dict[str, Seed]:
    """Seeds by sandbox path. Host files are named relative to ``folder``; they are read when a case runs."""
    seeds: dict[str, Seed] = {}
    for key, item in at.mapping().items():
        if not key.startswith("/"):
            raise item.problem(f'the path "{key}" must begin with /; did you mean "/{key}"?')
        try:
            path = sandbox_path(key)
        except SeedError as error:
            raise item.problem(str(error)) from None
        if path in seeds:
            raise item.problem(f'"{path}" is given twice')
        if path == "/" and not (isinstance(item.value, dict) and "from" in item.value):
            raise item.problem('"/" is the root folder, not a file')
        seeds[path] = Seed(path, _source(item, folder), replace=True)
    return seeds


def _source(item: At, folder: Path) -> str | bytes | Path | None:
    path = item.path[-1]
    if isinstance(item.value, str):
        return item.value
    if not isinstance(item.value, dict):
        raise item.problem(
            f"{path} must be text, or one of {{{', '.join(FILE_WORDS)}: …}}, not {kind_name(item.value)}"
        )
    members = item.mapping(FILE_WORDS, f"the file {path}")
    if len(members) != 1:
        raise item.problem(f"{path} must say one of {', '.join(FILE_WORDS)}")
    ((word, value),) = members.items()
    if word == "text":
        return value.text()
    if word == "base64":
        return decode_base64(value)
    if word == "json":
        refuse_non_json(value)
        return json_file(value.value)
    if word == "dir":
        if value.value is not True:
            raise value.problem(f"an empty folder is {path}: {{dir: true}}; a folder of this machine is {{from: …}}")
        return None
    return host_file(value, folder)


def host_file(at: At, folder: Path) -> Path:
    """A file or folder of this machine beside the test, which must exist."""
    name = at.text("a path relative to the test file")
    if PurePosixPath(name).is_absolute() or "\\" in name:
        raise at.problem(f'from must be relative to the test file and use "/", not {name!r}')
    path = folder / name
    if not path.exists():
        siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        raise at.problem(f"there is no {path}{nearest(path.name, sorted(siblings))}")
    return path


def json_file(value: Any) -> str:
    """The text of a JSON file that holds ``value``."""
    return json.dumps(value, ensure_ascii=False)
