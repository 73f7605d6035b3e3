"""``goccia-tools run``: one program in a fresh sandbox, its output on stdout, the verdict on stderr."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..config import find_config, read_config
from ..display import EXIT_STATUS, facts, report_text, verdict_text
from ..result import FailureKind, RunResult
from ..runner import Runner
from ..settings import run_options
from .options import SectionedCommand, choice, given_settings, sectioned, setting_options
from .output import color_on, say, write_output
from .program import find_program
from .wire import answer_request, print_result

HELP = """Run one JavaScript program in a fresh sandbox.

FILE is a file of this machine; it runs under its own name at the root of the sandbox (hello.js as /hello.js).
A single - reads the program from standard input. A file inside a seeded folder is run with --entry.

The program's output goes to standard output, an error report and a verdict to standard error. Exit status:
0 all well, 1 script-error, 2 usage, 3 resource-limit, 4 timeout, 5 child-process-crash, 6 host-error.
"""


@click.command(cls=SectionedCommand, help=HELP)
@click.argument("file", required=False)
@sectioned("-e", "--eval", "code", section="Program", metavar="CODE", help="run this text")
@sectioned("--entry", section="Program", metavar="PATH", help="sandbox path to run, or to run FILE under")
@sectioned("--config", section="Program", metavar="PATH", help="apply a configuration file, or the one in a folder")
@sectioned("--request", section="Program", metavar="FILE", help="answer a run-request of the wire; - is stdin")
@setting_options
@sectioned("--json", "as_json", is_flag=True, section="Result", help="print the run-result as JSON, nothing else")
@sectioned("-q", "--quiet", is_flag=True, section="Result", help="no verdict, no notes")
@choice("--engine", "quickjs", "goccia", section="Engine", summary="what runs the program")
@sectioned("--runner", section="Engine", metavar="PATH", help="the GocciaSandboxRunner of --engine goccia")
@choice("--launcher", "auto", "spawn", "fork-server", section="Engine", summary="how a child starts")
@choice("--jail", "auto", "required", "off", section="Engine", summary="confinement by the operating system")
@click.pass_context
def run(ctx: click.Context, /, **parameters: Any) -> int:
    """Run the program that the command line means and return the exit status."""
    runner_options = {name: parameters[name] for name in ("engine", "launcher", "jail")}
    if parameters["runner"] is not None:
        runner_options["runner_path"] = parameters["runner"]
    if parameters["request"] is not None:
        _refuse_beside_request(ctx)
        with Runner(**runner_options) as runner:
            return answer_request(runner, parameters["request"])
    settings = _settings(parameters)
    options = run_options(settings)
    diff_output = _diff_output(settings)
    program = find_program(parameters["file"], parameters["code"], parameters["entry"], options.fs_quota_bytes)
    with Runner(**runner_options) as runner:
        result = runner.run(entry=program.entry, seeds=program.seeds(settings), options=options)
    return _show(result, program.entry, settings, diff_output, parameters)


def _refuse_beside_request(ctx: click.Context) -> None:
    """A run-request carries every option of its run, so one given beside it would be silently lost."""
    for param in ctx.command.params:
        if param.name in ("request", "engine", "runner", "launcher", "jail", "quiet"):
            continue
        if ctx.get_parameter_source(param.name or "") == ParameterSource.COMMANDLINE:
            name = "FILE" if param.name == "file" else param.opts[-1]
            raise click.UsageError(f"{name} cannot be combined with --request, which says all about its run", ctx)


def _settings(parameters: dict[str, Any]) -> dict[str, Any]:
    """The settings of the command line over those of the configuration file that it names."""
    if parameters["config"] is not None:
        config = read_config(parameters["config"])
        for note in config.notes:
            _note(note, parameters)
        return {**config.values, **given_settings(parameters)}
    file = parameters["file"]
    skipped = find_config(Path(file).parent if file not in (None, "-") else Path())
    if skipped is not None:
        _note(f"{skipped} is not applied; a run takes only what --config names", parameters)
    return given_settings(parameters)


def _note(text: str, parameters: dict[str, Any]) -> None:
    if not parameters["quiet"]:
        say(f"goccia-tools: note: {text}")


def _diff_output(settings: dict[str, Any]) -> Path | None:
    """Where the diff goes, checked before the run rather than after it."""
    if not settings.get("diff-output"):
        return None
    path = Path(settings["diff-output"])
    if path.is_dir():
        raise click.UsageError(f"--diff-output {path} is a folder")
    if not path.parent.is_dir():
        raise click.UsageError(f"--diff-output {path}: the folder {path.parent} does not exist")
    return path


def _show(
    result: RunResult, entry: str, settings: dict[str, Any], diff_output: Path | None, parameters: dict[str, Any]
) -> int:
    problem = _write_diff(result, diff_output) if diff_output else None
    if parameters["as_json"]:
        status = print_result(result)
    else:
        known = facts(result, entry)
        color = color_on(sys.stderr)
        status = EXIT_STATUS[result.failure_kind]
        written = write_output(result.output)
        if known.report:
            say(report_text(known, color=color))
        if settings.get("print") and known.value is not None:
            written = written or write_output(known.value + "\n")
        if result.diff is not None and diff_output is None:
            written = written or write_output(result.diff)
        if written is not None:
            problem = f"cannot write to standard output: {written}"
        for note in known.notes:
            _note(note, parameters)
        if not parameters["quiet"]:
            say(f"goccia-tools: {verdict_text(known, color=color)}")
    if problem is not None:
        say(f"goccia-tools: {problem}")
        return EXIT_STATUS[FailureKind.HOST_ERROR]
    return status


def _write_diff(result: RunResult, path: Path) -> str | None:
    if result.diff is None:
        return f"there is no diff to write to {path}"
    try:
        path.write_bytes(result.diff.encode("utf-8", "replace"))
    except OSError as error:
        return f"cannot write the diff to {path}: {error.strerror or error}"
    return None
