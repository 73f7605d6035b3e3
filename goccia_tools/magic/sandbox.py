"""Sandbox: the magics ``%%sandbox`` and ``%sandbox`` of IPython."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from traitlets import Bool, Enum, Int, Unicode

from ..display import Facts, facts
from ..display.bundle import bundle
from ..display.images import Image, image_of
from ..display.sections import Limits
from ..errors import GocciaError, OptionError
from ..options import RunOptions, compatibility_flags
from ..result import FailureKind, RunResult
from ..runner import Runner
from .arguments import Arguments, parse_arguments, usage
from .cell import Cell, cell_of, contents_before
from .elapsed import telling
from .failures import FAILURES, ExpectedFailure
from .filestores import changed, forget, keep, sandbox_files, stored
from .hostfolder import write_changes
from .source import keep_source

_HELP = """Run JavaScript in a fresh sandbox: %%sandbox [options] above a program, or %sandbox [options] EXPRESSION.

The program gets nothing of this machine or this notebook but what the options give it. Its output, error report,
value and file changes are shown; a failure raises an exception named by its failureKind.

Options:
"""


@magics_class
class Sandbox(Magics):
    """Defaults of ``%%sandbox``; each can be set by ``%config Sandbox.NAME = value``."""

    #: the shell this magic is part of
    shell: Any

    timeout_ms = Int(RunOptions().timeout_ms, min=0, help="time for a program, in ms; 0: no limit").tag(config=True)
    max_memory_bytes = Int(RunOptions().max_memory_bytes, min=0, help="memory a program may use").tag(config=True)
    compat = Unicode("", help="compatibility flags by name, with commas between, or all").tag(config=True)
    engine = Enum(("quickjs", "goccia"), "quickjs", help="what runs programs").tag(config=True)
    launcher = Enum(("auto", "spawn", "fork-server"), "auto", help="how a child starts").tag(config=True)
    jail = Enum(("auto", "required", "off"), "auto", help="confinement by the operating system").tag(config=True)
    raise_error = Bool(True, help="whether a failure raises an exception").tag(config=True)
    display = Enum(("auto", "text", "none"), "auto", help="HTML and text, text alone, or nothing").tag(config=True)
    max_output_chars = Int(Limits().output_chars, min=0, help="characters of output that are shown").tag(config=True)
    max_output_lines = Int(Limits().output_lines, min=1, help="lines of output that are shown").tag(config=True)

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
            program = cell_of(arguments, source, kept, values, self._defaults())
            runner = self._runner(arguments)
            request = runner.request(entry=program.entry, seeds=program.seeds, options=program.options)
        except GocciaError as error:
            raise UsageError(f"%sandbox: {error}") from None
        result = self._run(runner, request, program)
        known = facts(result, program.label, timed=False, before=contents_before(request, result))
        if arguments.expected not in (None, FailureKind.NONE) and arguments.expected == result.failure_kind:
            known = replace(known, notes=(*known.notes, f"--expect {result.failure_kind}: as expected"))
        known = self._carry(known, arguments, program, source if cell is not None else None)
        images, known = self._images(known, arguments)
        if arguments.flag("no-diff"):
            known = replace(known, changes=(), patch="")
        self._keep_in_variables(result, arguments)
        failure = self._failure(result, known, arguments)
        if cell is None and failure is None and not arguments.flag("quiet"):
            return result  # shown, or kept by an assignment, as of any expression
        if self.display != "none" and not arguments.flag("quiet"):
            self._show(known, images, with_report=failure is None)
        if failure is not None:
            raise failure
        self.shell.displayhook.update_user_ns(result)
        return None

    def close(self) -> None:
        """End what is kept between cells."""
        for runner in self._runners.values():
            runner.close()
        self._runners.clear()

    def _defaults(self) -> RunOptions:
        return RunOptions(
            timeout_ms=self.timeout_ms,
            max_memory_bytes=self.max_memory_bytes,
            compatibility=compatibility_flags(self.compat),
        )

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

    def _runner(self, arguments: Arguments) -> Runner:
        chosen: dict[str, Any] = {
            name: arguments.text(name) or getattr(self, name) for name in ("engine", "launcher", "jail")
        }
        path = arguments.text("runner")
        key = (*chosen.values(), path)
        if key not in self._runners:
            self._runners[key] = Runner(**chosen, runner_path=path)
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

    def _carry(self, known: Facts, arguments: Arguments, program: Cell, source: str | None) -> Facts:
        """Keep and write the changed files where the line says so; what could not be is a note."""
        notes: list[str] = []
        store = arguments.text("fs")
        if store is not None:
            files, lost = changed(stored(store), known.changes)
            if source is not None and (arguments.text("name") or "").startswith("/"):
                files = {**files, program.entry: source.encode("utf-8", "replace")}
            keep(store, files)
            notes += [f"{path} does not go on to other cells: it was too large for the diff" for path in lost]
        folder = arguments.text("fs-out")
        if folder is not None:
            try:
                written, problems = write_changes(known.changes, Path(folder))
            except OptionError as error:
                written, problems = 0, (str(error),)
            notes += [f"{written} file{'s' if written != 1 else ''} written to {folder}", *problems]
        return replace(known, notes=(*known.notes, *notes))

    def _images(self, known: Facts, arguments: Arguments) -> tuple[list[Image], Facts]:
        images: list[Image] = []
        notes: list[str] = []
        written = {change.path: change.content for change in known.changes if change.content is not None}
        for path in arguments.all("show"):
            path = path if path.startswith("/") else f"/{path}"
            if path not in written:
                notes.append(f"--show {path}: the program wrote no such file")
                continue
            image = image_of(path, written[path])
            if isinstance(image, str):
                notes.append(image)
            else:
                images.append(image)
        return images, replace(known, notes=(*known.notes, *notes))

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

    def _failure(self, result: RunResult, known: Facts, arguments: Arguments) -> Exception | None:
        color = self.shell.colors.lower() != "nocolor"
        expected = arguments.expected
        if expected is not None:
            if result.failure_kind == expected:
                return None
            return ExpectedFailure(result, known, expected=expected, color=color)
        if result.failure_kind == FailureKind.NONE or arguments.flag("no-raise-error") or not self.raise_error:
            return None
        return FAILURES[result.failure_kind](result, known, color=color)

    def _show(self, known: Facts, images: list[Image], *, with_report: bool) -> None:
        limits = Limits(output_chars=self.max_output_chars, output_lines=self.max_output_lines)
        shown = bundle(known, limits=limits, with_report=with_report, images=images)
        if self.display == "text":
            del shown["text/html"]
        self.shell.display_pub.publish(shown)


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
