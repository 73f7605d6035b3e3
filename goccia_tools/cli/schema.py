"""``goccia-tools schema``: the JSON Schema of the front matter, for editors."""

from __future__ import annotations

import json

import click

from ..cases.frontschema import schema as front_matter_schema
from .output import write_output


@click.command()
def schema() -> int:
    """Print the JSON Schema of the YAML at the head of *.sandbox.js files.

    An editor that reads YAML with the YAML language server takes it from this comment:

      # yaml-language-server: $schema=sandbox.schema.json
    """
    problem = write_output(json.dumps(front_matter_schema(), indent=2, ensure_ascii=False) + "\n")
    if problem is not None:
        raise click.ClickException(f"cannot write to standard output: {problem}")
    return 0
