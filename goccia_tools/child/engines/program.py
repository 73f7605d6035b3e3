"""One program in one realm: evaluate the entry, run its jobs, clone its value, or report how it failed."""

from __future__ import annotations

from goccia_tools.child import modules, report
from goccia_tools.child.engines import Outcome, Stop
from goccia_tools.child.engines._quickjs import values
from goccia_tools.child.engines._quickjs.binding import Interrupted, JSThrown, Slot
from goccia_tools.child.engines.loader import Loader
from goccia_tools.child.jsontext import dumps, loads
from goccia_tools.child.source.problems import SourceError
from goccia_tools.child.vfs import FsError, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from goccia_tools.child.engines._quickjs.context import Context, HostFunction
    from goccia_tools.child.engines.limits import Limits
    from goccia_tools.child.engines.realm import Realm
    from goccia_tools.child.engines.session import Session
    from goccia_tools.child.vfs import FileSystem

#: extensions that make an entry a module whatever the request's sourceType says
MODULE_EXTENSIONS = (".mjs", ".mts")
#: the host functions of :meth:`Program.hosts`, known before there is a program
HOST_NAMES = ("print", "runJob", "importModule", "missingExport", "resolveSpecifier")


class UncaughtInJob(Exception):
    """A job threw while a script was awaiting: that ends the run as any uncaught exception does."""

    def __init__(self, slot: Slot) -> None:
        super().__init__("a job threw")
        self.slot = slot


class Program:
    """The program at ``entry`` of a filesystem; ``run`` once."""

    def __init__(
        self, session: Session, realm: Realm, files: FileSystem, entry: str, write: Callable[[str], None]
    ) -> None:
        self.session = session
        self.files = files
        self.entry = normalise(entry)
        self.write = write
        self._realm = realm
        self._context: Context = realm.context
        self._limits: Limits = session.limits
        resolver = modules.Resolver(files, session.import_map, session.aliases)
        self._loader = Loader(files, resolver, session.source_options, self.entry)
        runtime = realm.runtime
        runtime.resolve = self._loader.resolve
        runtime.load = self._loader.load
        runtime.on_module = self._loader.on_module
        runtime.on_loaded = self._loader.on_loaded

    def hosts(self) -> dict[str, HostFunction]:
        """The host functions of this module's part of the prelude."""
        functions = (
            self._print,
            self._run_job,
            self._import_module,
            self._missing_export,
            self._resolve_specifier,
        )
        return dict(zip(HOST_NAMES, functions, strict=True))

    def run(self) -> Outcome:
        """Run the program to its end; every failure of it is an outcome."""
        if not self.files.is_file(self.entry):
            return Outcome("script-error", f"sandbox entry file not found: {self.entry}", stderr="")
        try:
            return self._run()
        except SourceError as error:
            return Outcome("script-error", report.render_source_error(error, self._loader.sources.get, self.entry))
        except (JSThrown, UncaughtInJob) as thrown:
            self._realm.runtime.clear_fatal()
            return self._uncaught(thrown.slot)
        except Stop as stop:
            return Outcome(stop.kind, stop.message)
        except MemoryError:
            return self._out_of_memory()
        except Interrupted as stopped:
            return Outcome("host-error", str(stopped))

    def _run(self) -> Outcome:
        is_module = self.session.source_type == "module" or modules.extension(self.entry) in MODULE_EXTENSIONS
        data = self.files.read(self.entry)
        prepared = self._loader.prepare(
            self.entry, data, kind="module" if is_module else "script", want_completion=True
        )
        if is_module:
            value = self._run_module(prepared.text, data, awaits=prepared.uses_top_level_await)
        else:
            value = self._run_script(prepared.text)
        self._drain()
        return Outcome(value_json=str(self._context.call("cloneToJson", value)))

    def _run_script(self, text: str) -> Slot:
        strict = "compat-non-strict-mode" not in self.session.source_options.flags
        try:
            return self._context.eval_script(text, self.entry, strict=strict)
        except JSThrown as thrown:
            if self._context.call("isReturn", thrown.slot):
                return self._context.call_slot("returnValue", thrown.slot)
            raise

    def _run_module(self, text: str, data: bytes, *, awaits: bool) -> Slot:
        """Run the entry as a module; its promise stands for the value of one that awaits at its top level."""
        self._loader.begin_entry(self.entry, data)
        _, promise = self._context.eval_module(text, self.entry)
        self._raise_rejection(promise)
        self._drain()
        self._raise_rejection(promise)
        return promise if awaits else self._context.call_slot("moduleValue")

    def _raise_rejection(self, promise: Slot) -> None:
        state, reason = self._context.promise(promise)
        if state == 2 and reason is not None:
            raise JSThrown(reason)

    def _drain(self) -> None:
        """Run jobs until none is left; an exception of one (not of a promise reaction) ends the run."""
        limits, runtime = self._limits, self._realm.runtime
        limits.check_deadline()
        while runtime.run_job():
            limits.check_deadline()

    def _uncaught(self, slot: Slot) -> Outcome:
        """The outcome of an exception nobody caught."""
        runtime = self._realm.runtime
        exhausted = slot.tag == values.NULL and not runtime.has_room(self._limits.slack_bytes // 2)
        self._limits.relax(runtime)
        if exhausted:
            return self._out_of_memory()
        try:
            described = loads(str(self._context.call("describeError", slot)).encode("utf-8", "surrogatepass"))
        except Stop as stop:
            return Outcome(stop.kind, stop.message)
        return Outcome(
            "script-error",
            report.render_report(described, self._loader.sources.get, self.entry, self.session.mode),
        )

    def _out_of_memory(self) -> Outcome:
        stop = self._limits.memory_exhausted()
        return Outcome(stop.kind, stop.message)

    # -- host functions

    def _print(self, line: str) -> None:
        self.write(line + "\n")

    def _run_job(self) -> bool:
        self._limits.check_deadline()
        try:
            return self._realm.runtime.run_job()
        except JSThrown as thrown:
            raise UncaughtInJob(thrown.slot) from None

    def _import_module(self, specifier: str, phase: str, *attributes: str) -> Slot:
        return self._loader.import_now(
            self._context, specifier, dict(zip(attributes[::2], attributes[1::2], strict=True))
        )

    def _missing_export(self, specifier: str, name: str) -> None:
        raise self._loader.missing_export(self._context, specifier, name)

    def _resolve_specifier(self, referrer: str, specifier: str) -> str:
        try:
            return self._loader.address(specifier, referrer)
        except (modules.ResolutionError, FsError) as error:
            raise JSThrown(self._context.call_slot("makeError", "TypeError", str(error), dumps(None))) from None
