"""Cell: what one ``%%sandbox`` cell asks to be run, from its line, its text and the files carried on."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..baseline import Seed, sandbox_path
from ..errors import OptionError
from ..options import RunOptions
from ..result import RunResult
from ..seedspec import read_seed_file, seed_of_spec
from ..settings import run_options
from .arguments import DEFAULT_ENTRY, Arguments
from .filestores import Files
from .values import import_map, value_files


@dataclass(frozen=True, slots=True)
class Cell:
    """A program with its files and options, ready to be a run-request. ``label`` is what messages call it."""

    label: str
    entry: str
    seeds: tuple[Seed, ...]
    options: RunOptions


def cell_of(
    arguments: Arguments, source: str, files: Files, values: Mapping[str, Any], defaults: RunOptions | None = None
) -> Cell:
    """The cell that ``source`` under the line ``arguments`` means.

    ``files`` are those of ``--fs``, ``values`` the Python values of ``--in`` and ``--var`` by name.

    Raises:
        OptionError, SeedError, ConfigError: the line asks for what cannot be had.
    """
    program: str | Path | None = source if source.strip() else None
    file, entry = arguments.text("file"), arguments.entry
    if file is not None:
        if program is not None:
            raise OptionError("--file names the program, so the cell below it must be empty")
        program = Path(file)
        entry = entry if entry != DEFAULT_ENTRY else f"/{program.name}"
    elif program is None and arguments.text("entry") is None:
        raise OptionError("nothing to run: the cell is empty; write a program in it, or give --file or --entry")
    entry = sandbox_path(entry)
    seeds = [Seed(path, content, replace=True) for path, content in files.items()]
    seeds += [replace(seed_of_spec(folder), replace=True) for folder in arguments.all("fs-in")]
    seeds += [seed_of_spec(spec) for spec in arguments.settings.get("seed", ())]
    for path in arguments.settings.get("seed-config", ()):
        seeds += read_seed_file(Path(path))
    seeds += [Seed(path, text, replace=True) for path, text in value_files(values).items()]
    if program is not None:
        seeds.append(Seed(entry, program, replace=True))
    return Cell(arguments.text("name") or entry, entry, tuple(seeds), _options(arguments, bool(values), defaults))


def _options(arguments: Arguments, with_values: bool, defaults: RunOptions | None) -> RunOptions:
    options = run_options(arguments.settings, defaults)
    unified = arguments.text("diff") == "unified"
    if unified:
        for name in ("fs", "fs-out", "show"):
            if arguments.own.get(name):
                raise OptionError(f"--{name} needs the contents that --diff unified leaves out; drop one of the two")
    fields: dict[str, Any] = {"include_diff": True, "diff_format": "unified" if unified else "json"}
    if arguments.flag("module"):
        fields["source_type"] = "module"
    if with_values:
        fields["import_map"] = import_map(options.import_map)
    return RunOptions.of(options, **fields)


def contents_before(request: Mapping[str, Any], result: RunResult) -> dict[str, bytes]:
    """The contents, before the run, of the files it changed, from the request it ran with."""
    paths = {change.path for change in result.changes}
    files = request["baseline"]["files"]
    return {file["path"]: a2b_base64(file["base64"]) for file in files if file["path"] in paths and "base64" in file}
