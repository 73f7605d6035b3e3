"""The command line ``goccia-tools``: finds a command, runs it, and turns mistakes into one sentence and a status."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import Any

import click

from ..errors import GocciaError, UnavailableError, nearest
from .output import say

#: command -> (module:attribute, what it does); a command's module is imported only when it is called
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("goccia_tools.cli.run:run", "Run one JavaScript program in a fresh sandbox."),
    "init": ("goccia_tools.cli.init:init", "Write a folder of example tests, one file for each feature."),
    "schema": ("goccia_tools.cli.schema:schema", "Print the JSON Schema of the front matter of tests."),
    "doctor": ("goccia_tools.cli.doctor:doctor", "Say what works on this machine, and try one program."),
}
USAGE_STATUS = 2
HOST_ERROR_STATUS = 6


class LazyGroup(click.Group):
    """A group that knows its commands by name and one line of help, and imports only the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name][0].split(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)  # noqa: S101
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            hint = nearest(name, COMMANDS)
            if not hint and os.path.exists(name):
                hint = f"; did you mean goccia-tools run {name}?"
            raise click.UsageError(f'no such command "{name}"{hint}', ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


def _show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from importlib.metadata import version

        click.echo(f"goccia-tools {version('goccia-tools')}")
        ctx.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
def cli() -> None:
    """Run untrusted JavaScript, one fresh child process per run, and get one honest result."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave the process with its status."""
    sys.exit(run_command_line(arguments))


def run_command_line(arguments: list[str] | None = None) -> int:
    """The exit status of one command line; everything it has to say has been said."""
    try:
        status: Any = cli.main(arguments, prog_name="goccia-tools", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        return USAGE_STATUS
    except click.ClickException as error:
        command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "goccia-tools"
        say(f"{command}: {error.format_message()}")
        if isinstance(error, click.UsageError):
            say(f"Try: {command} --help")
        return USAGE_STATUS
    except UnavailableError as error:
        say(f"goccia-tools: {error}")
        return HOST_ERROR_STATUS
    except GocciaError as error:
        say(f"goccia-tools: {error}")
        return USAGE_STATUS
    except (KeyboardInterrupt, click.Abort):
        return _die_of_interrupt()
    return status if isinstance(status, int) else 0


def _die_of_interrupt() -> int:
    """End as the interrupt would have ended us, so that a calling shell stops too."""
    say("goccia-tools: interrupted")
    if os.name == "posix":
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    return 128 + signal.SIGINT
