"""``goccia-tools init``: a folder of example tests that pass, to read and to begin from."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from .output import say


@click.command()
@click.argument("folder", default="sandbox_examples", type=click.Path(path_type=Path))
@click.option("-f", "--force", is_flag=True, help="Replace files that are there already.")
def init(folder: Path, force: bool) -> int:
    """Write example tests into FOLDER (sandbox_examples), one file for each feature.

    They pass, and their README.md says what each of them shows. Files that are there already are not touched
    without --force.
    """
    if folder.exists() and not folder.is_dir():
        raise click.UsageError(f"{folder} is a file; name a folder")
    texts = dict(_texts(files("goccia_tools.cases") / "examples", Path()))
    there = [name for name in texts if (folder / name).exists()]
    if there and not force:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise click.UsageError(f"{folder / there[0]}{more} would be overwritten; name another folder, or use --force")
    for name, data in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    say(f"wrote {len(texts)} files; run them with: pytest {folder}")
    return 0


def _texts(place: Traversable, below: Path) -> list[tuple[Path, bytes]]:
    """Every file of the examples by its path, in order."""
    found: list[tuple[Path, bytes]] = []
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            found.extend(_texts(entry, below / entry.name))
        elif entry.is_file() and not entry.name.endswith(".pyc"):
            found.append((below / entry.name, entry.read_bytes()))
    return found
