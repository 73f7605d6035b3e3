"""Sandbox: the magics ``%%sandbox`` and ``%sandbox`` of IPython."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import fields
from time import monotonic
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from traitlets import Bool, Enum, Int, Unicode

from ..errors import GocciaError, OptionError
from ..result import RunResult
from ..runner import Runner
from .arguments import Arguments, parse_arguments, usage
from .cell import Cell, cell_of
from .defaults import Defaults
from .elapsed import telling
from .filestores import forget, keep, sandbox_files, stored
from .outcome import outcome_of
from .source import keep_source

_HELP = """Run JavaScript in a fresh sandbox: %%sandbox [options] above a program, or %sandbox [options] EXPRESSION.

The program gets nothing of this machine or this notebook but what the options give it. Its output, error report,
value and file changes are shown; a failure raises an exception named by its failureKind.

Options:
"""


_BUILT_IN = Defaults()


@magics_class
class Sandbox(Magics):
    """Defaults of ``%%sandbox``; each can be set by ``%config Sandbox.NAME = value``."""

    #: the shell this magic is part of
    shell: Any

    timeout_ms = Int(_BUILT_IN.timeout_ms, min=0, help="time for a program, in ms; 0: no limit").tag(config=True)
    max_memory_bytes = Int(_BUILT_IN.max_memory_bytes, min=0, help="memory a program may use").tag(config=True)
    compat = Unicode("", help="compatibility flags by name, with commas between, or all").tag(config=True)
    engine = Enum(("quickjs", "goccia"), "quickjs", help="what runs programs").tag(config=True)
    launcher = Enum(("auto", "spawn", "fork-server"), "auto", help="how a child starts").tag(config=True)
    jail = Enum(("auto", "required", "off"), "auto", help="confinement by the operating system").tag(config=True)
    raise_error = Bool(True, help="whether a failure raises an exception").tag(config=True)
    display = Enum(("auto", "text", "none"), "auto", help="HTML and text, text alone, or nothing").tag(config=True)
    max_output_chars = Int(_BUILT_IN.max_output_chars, min=0, help="characters of output shown").tag(config=True)
    max_output_lines = Int(_BUILT_IN.max_output_lines, min=1, help="lines of output shown").tag(config=True)

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._runners: dict[tuple[Any, ...], Runner] = {}

    @no_var_expand
    @line_cell_magic
    def sandbox(self, line: str, cell: str | None = None) -> RunResult | None:
        try:
            arguments = parse_arguments(line, expression=cell is None)
            source = _statement(arguments) if cell is None else cell
            values = self._values(arguments)
            kept = stored(arguments.text("fs") or "")
            defaults = self._defaults()
            program = cell_of(arguments, source, kept, values, defaults.options)
            runner = self._runner(arguments, defaults)
            request = runner.request(entry=program.entry, seeds=program.seeds, options=program.options)
        except GocciaError as error:
            raise UsageError(f"%sandbox: {error}") from None
        result = self._run(runner, request, program)
        outcome = outcome_of(arguments, program, request, result, kept, source=None if cell is None else source)
        store = arguments.text("fs")
        if store is not None:
            keep(store, outcome.files)
        self._keep_in_variables(result, arguments)
        failure = outcome.failure(defaults, color=self.shell.colors.lower() != "nocolor")
        if cell is None and failure is None and not arguments.flag("quiet"):
            return result  # shown, or kept by an assignment, as of any expression
        shown = outcome.shown(defaults)
        if shown:
            self.shell.display_pub.publish(shown)
        if failure is not None:
            raise failure
        self.shell.displayhook.update_user_ns(result)
        return None

    def close(self) -> None:
        """End what is kept between cells."""
        for runner in self._runners.values():
            runner.close()
        self._runners.clear()

    def _defaults(self) -> Defaults:
        return Defaults(**{field.name: getattr(self, field.name) for field in fields(Defaults)})

    def _values(self, arguments: Arguments) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name in arguments.inputs:
            if name not in self.shell.user_ns:
                raise OptionError(f"--in {name}: there is no Python variable of that name")
            values[name] = self.shell.user_ns[name]
        for assignment in arguments.all("var"):
            name, _, expression = assignment.partition("=")
            try:
                values[name] = self.shell.ev(expression)
            except Exception as error:
                raise OptionError(f"--var {assignment}: {type(error).__name__}: {error}") from None
        return values

    def _runner(self, arguments: Arguments, defaults: Defaults) -> Runner:
        chosen = defaults.runner_of(arguments)
        key = tuple(chosen.values())
        if key not in self._runners:
            self._runners[key] = Runner(**chosen)
        return self._runners[key]

    def _run(self, runner: Runner, request: dict[str, Any], program: Cell) -> RunResult:
        started = monotonic()
        # a terminal shows no text that is taken back later
        terminal = not hasattr(self.shell, "kernel")
        waiting = nullcontext() if terminal else telling(self._show_line, self._clear, program.label)
        try:
            with waiting:
                return runner.run_request(request)
        except KeyboardInterrupt:
            took = f"{monotonic() - started:.1f} s"
            self._show_line(f"interrupted: {program.label} was stopped after {took}; nothing of it is left")
            raise

    def _show_line(self, text: str) -> None:
        self.shell.display_pub.clear_output(wait=True)
        self.shell.display_pub.publish({"text/plain": text})

    def _clear(self) -> None:
        self.shell.display_pub.clear_output(wait=True)

    def _keep_in_variables(self, result: RunResult, arguments: Arguments) -> None:
        kept: Mapping[str, Any] = {
            "out": result,
            "value": result.result_value,
            "stdout": result.output,
            "stderr": result.error_output or result.error_message,
        }
        for option, value in kept.items():
            name = arguments.text(option)
            if name is not None:
                self.shell.user_ns[name] = value


Sandbox.sandbox.__doc__ = _HELP + usage()


def _statement(arguments: Arguments) -> str:
    """The expression of a line as a program; GocciaScript's statements end in a semicolon."""
    expression = arguments.expression
    if not expression:
        if arguments.text("file") or arguments.text("entry"):
            return ""
        raise OptionError("nothing to run: write an expression after the options, or use %%sandbox")
    return expression if re.search(r"[;}]\s*$", expression) else f"{expression};"


def load(shell: Any) -> None:
    """Register the magics in a shell, once."""
    if any(isinstance(item, Sandbox) for item in shell.configurables):
        return
    sandbox = Sandbox(shell)
    shell.register_magics(sandbox)
    shell.input_transformers_cleanup.insert(0, keep_source)
    shell.user_ns["sandbox_files"] = sandbox_files


def unload(shell: Any) -> None:
    """Take the magics out of a shell and end what they kept."""
    for item in [item for item in shell.configurables if isinstance(item, Sandbox)]:
        item.close()
        shell.configurables.remove(item)
        for kind in ("line", "cell"):
            shell.magics_manager.magics[kind].pop("sandbox", None)
        shell.input_transformers_cleanup.remove(keep_source)
    forget()
    if shell.user_ns.get("sandbox_files") is sandbox_files:
        del shell.user_ns["sandbox_files"]
