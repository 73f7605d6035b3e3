"""Which program a command line means, under which path it runs, and what else is in the sandbox."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..baseline import Seed, sandbox_path
from ..errors import SeedError
from ..hostfiles import read_host_file
from ..seedspec import read_seed_file, seed_of_spec
from .output import say

DEFAULT_ENTRY = "/main.js"


@dataclass(frozen=True, slots=True)
class Program:
    """What to run: the entry's sandbox path, and its text, or None when a seed brings it."""

    entry: str
    source: str | bytes | None

    def seeds(self, settings: dict[str, Any]) -> list[Seed]:
        """Everything the sandbox holds: the seeds that settings name, and the program itself, which wins."""
        found = [seed_of_spec(spec) for spec in settings.get("seed", ())]
        for path in settings.get("seed-config", ()):
            found += read_seed_file(Path(path))
        if self.source is not None:
            found.append(Seed(self.entry, self.source, replace=True))
        return found


def find_program(file: str | None, code: str | None, entry: str | None, limit_bytes: int) -> Program:
    """The one program that FILE, ``-e CODE`` or ``--entry`` name.

    Raises:
        click.UsageError: none or two are given.
        SeedError: FILE cannot be read.
    """
    if file is not None and code is not None:
        raise click.UsageError("give FILE or -e CODE, not both")
    if code is not None:
        # arguments are bytes; in a locale that cannot read them they come as escapes
        return Program(sandbox_path(entry or DEFAULT_ENTRY), code.encode("utf-8", "surrogateescape"))
    if file == "-":
        return Program(sandbox_path(entry or DEFAULT_ENTRY), _read_stdin(limit_bytes))
    if file is not None:
        return Program(sandbox_path(entry or os.path.basename(os.path.abspath(file))), _read_file(file))
    if entry is not None:
        return Program(sandbox_path(entry), None)
    raise click.UsageError("nothing to run: give FILE, - for standard input, -e CODE, or --entry with a seeded file")


def _read_file(file: str) -> bytes:
    try:
        return read_host_file(file)
    except SeedError as error:
        if os.path.isdir(file):
            raise SeedError(f"{error}; to run a file in it: --seed {file} --entry /main.js") from None
        if file.startswith("/") and not os.path.lexists(file):
            raise SeedError(f"{error}; a file that is in the sandbox already is run with --entry {file}") from None
        raise


def _read_stdin(limit_bytes: int) -> bytes:
    if sys.stdin is None:
        raise SeedError("the program is to come from standard input, which is closed")
    if sys.stdin.isatty():
        say("goccia-tools: reading the program from the terminal; Ctrl-D ends it")
    # one byte more than can ever fit, so that the quota's own sentence tells
    return sys.stdin.buffer.read(limit_bytes + 1)
