"""The host side of module ``goccia``: shell lines, and programs run by programs, shared or isolated."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64

from goccia_tools.child import diff
from goccia_tools.child.engines import Outcome
from goccia_tools.child.engines._quickjs.callbacks import JSThrown
from goccia_tools.child.fshost import encode
from goccia_tools.child.jsontext import dumps, loads
from goccia_tools.child.report import parse_frames
from goccia_tools.child.shell import USAGE, Result, ShellError
from goccia_tools.child.vfs import FileSystem, FsError, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from goccia_tools.child.engines._quickjs.context import Context, HostFunction
    from goccia_tools.child.engines.program import Program

#: the functions of :meth:`GocciaHost.functions`, known before there is a program
NAMES = ("shellRun", "runScript")
#: programs that may be running inside each other, the first one not counted
DEPTH_LIMIT: Final = 32


class NestedRun:
    """What one program run by another gave."""

    __slots__ = ("diff", "outcome", "output")

    def __init__(self, outcome: Outcome, output: str = "", diff_text: str | None = None) -> None:
        self.outcome = outcome
        self.output = output
        self.diff = diff_text

    @property
    def error_text(self) -> str:
        """The whole report, with the line end that a located one has."""
        return self.outcome.stderr[:-1] or self.outcome.error_text


class LimitReached(Exception):
    """A limit of nested runs: an Error to the program, a resource-limit when nobody catches it."""


class GocciaHost:
    """The functions of one context; its shell belongs to the filesystem, so a shared program has the same."""

    def __init__(self, context: Context, program: Program) -> None:
        self._context = context
        self._program = program

    def functions(self) -> dict[str, HostFunction]:
        """The functions by the names the prelude knows."""
        return {"shellRun": self._shell_run, "runScript": self._run_script}

    def _shell_run(self, line: str, stack: str) -> str:
        shell = self._program.shell
        shell.commands["goccia"] = lambda arguments, result: self._command(arguments, result, stack)
        try:
            result = shell.execute(line)
        except LimitReached as limit:
            raise self._limit_error(limit) from None
        return dumps({"exitCode": result.exit_code, "stdout": result.stdout, "stderr": result.stderr})

    def _run_script(self, path: str, options_json: str, stack: str) -> str:
        options = loads(options_json.encode("utf-8", "surrogatepass"))
        try:
            run = self._run(path, options, stack)
        except LimitReached as limit:
            raise self._limit_error(limit) from None
        except Base64Error:
            raise JSThrown(self._context.call_slot("makeError", "Error", "Invalid base64 data")) from None
        outcome = run.outcome
        return dumps(
            {
                "ok": outcome.ok,
                "exitCode": 0 if outcome.ok else 1,
                "stdout": run.output,
                "stderr": outcome.stderr,
                "result": outcome.value_json if outcome.ok else None,
                "error": run.error_text or None,
                "diff": run.diff,
                "failureKind": outcome.failure_kind,
            }
        )

    def _limit_error(self, limit: LimitReached) -> JSThrown:
        report = dumps({"kind": "resource-limit", "message": str(limit)})
        return JSThrown(self._context.call_slot("makeError", "Error", str(limit), report))

    def _run(self, path: str, options: dict[str, Any], stack: str) -> NestedRun:
        """Run a program, in this filesystem or in a fresh one made of seeds; ``stack`` is where the call stands."""
        program = self._program
        callers = parse_frames(stack)
        entry = program.shell.path(path)
        if program.session.depth > DEPTH_LIMIT:
            raise LimitReached("sandbox runScript nesting limit exceeded")
        lines: list[str] = []
        if not options.get("isolated"):
            outcome = program.session.run_child(program, entry, program.files, lines.append, program.shell, callers)
            return NestedRun(outcome, "".join(lines))
        try:
            files = self._seeded(options.get("seeds", []))
        except FsError as error:
            kind = "resource-limit" if error.code == "ENOSPC" else "script-error"
            return NestedRun(Outcome(kind, str(error)))
        before = diff.capture(files)
        outcome = program.session.run_child(program, entry, files, lines.append, None, callers)
        text = None
        if options.get("includeDiff"):
            metadata = bool(options.get("diffMetadata"))
            if options.get("diffFormat") == "unified":
                text = diff.unified_diff(before, files, metadata=metadata)
            else:
                text = diff.json_diff(before, files, metadata=metadata, budget_bytes=0)
        return NestedRun(outcome, "".join(lines), text)

    def _seeded(self, seeds: list[dict[str, Any]]) -> FileSystem:
        """A filesystem within what is left of this one's quotas, with the seeds in it."""
        mine = self._program.files
        room, nodes = mine.quota_bytes - mine.used_bytes, mine.node_limit - mine.node_count
        if mine.quota_bytes and room <= 0:
            raise LimitReached("sandbox byte quota exhausted")
        if mine.node_limit and nodes <= 0:
            raise LimitReached("sandbox node quota exhausted")
        files = FileSystem(room if mine.quota_bytes else 0, nodes if mine.node_limit else 0)
        for seed in seeds:
            if "from" in seed:
                self._copy_seed(files, seed["from"], seed.get("to") or "")
                continue
            data = encode(seed["text"]) if "text" in seed else _base64(seed["base64"])
            path = normalise(seed["path"])
            files.mkdir(path.rpartition("/")[0] or "/", recursive=True)
            files.write(path, data)
        return files

    def _copy_seed(self, files: FileSystem, source: str, target: str) -> None:
        mine = self._program.files
        origin = self._program.shell.path(source)
        node = mine.require(origin)
        place = normalise(target) if target else origin
        if node.children is None:
            there = files.find(place)
            if target.replace("\\", "/").endswith("/") or (there is not None and there.children is not None):
                place = normalise(node.name, place)
            files.mkdir(place.rpartition("/")[0] or "/", recursive=True)
            files.write(place, mine.read(origin))
            return
        files.mkdir(place, recursive=True)
        for child in mine.list(origin):
            self._copy_seed(files, child.path, normalise(child.name, place))

    # -- the shell command `goccia`

    def _command(self, arguments: list[str], result: Result, stack: str) -> None:
        entry, options = _command_options(arguments)
        run = self._run(entry, options, stack)
        result.stdout += run.output + (run.diff or "")
        result.stderr += run.outcome.stderr
        if not run.outcome.ok:
            if run.error_text:
                result.stderr += f"goccia: {run.error_text}\n"
            result.exit_code = 1


def _base64(text: str) -> bytes:
    try:
        return a2b_base64(text.encode("ascii"), strict_mode=True)
    except UnicodeEncodeError as error:
        raise Base64Error(str(error)) from None


def _command_options(arguments: list[str]) -> tuple[str, dict[str, Any]]:
    """The entry and the options of the command line ``goccia [options] <entry>``.

    Raises:
        ShellError: a usage error.
    """
    options: dict[str, Any] = {"seeds": [], "diffFormat": "json"}
    entry = ""
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument == "--sandbox":
            options["isolated"] = True
        elif argument in ("--diff", "--diff-metadata"):
            options["isolated"] = options["includeDiff"] = True
            options["diffMetadata"] = options.get("diffMetadata") or argument == "--diff-metadata"
        elif name == "--seed":
            spec = value if equals else next(rest, None)
            if spec is None:
                raise ShellError("--seed requires a value", USAGE)
            source, _, target = spec.partition("=")
            options["seeds"].append({"from": source, "to": target})
            options["isolated"] = True
        elif name == "--diff-format":
            form = value if equals else next(rest, None)
            if form is None:
                raise ShellError("--diff-format requires json or unified", USAGE)
            options["diffFormat"] = form
        elif not entry:
            entry = argument
        else:
            raise ShellError(f"unexpected argument: {argument}", USAGE)
    if not entry:
        raise ShellError("expected: goccia [--sandbox] [--seed <from[=to]>] <sandbox-entry.js>", USAGE)
    if options["diffFormat"] not in ("json", "unified"):
        raise ShellError("--diff-format must be json or unified", USAGE)
    return entry, options
