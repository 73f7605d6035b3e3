"""One program in one realm: evaluate the entry, run its jobs, clone its value, or report how it failed."""

from __future__ import annotations

from goccia_tools.child import modules, report
from goccia_tools.child.engines import Outcome, Stop
from goccia_tools.child.engines._quickjs import values
from goccia_tools.child.engines._quickjs.binding import Interrupted, JSThrown, Slot
from goccia_tools.child.engines.guesthosts import GuestHosts, UncaughtInJob
from goccia_tools.child.engines.loader import Loader
from goccia_tools.child.fshost import FsHost
from goccia_tools.child.gocciahost import GocciaHost
from goccia_tools.child.jsontext import loads
from goccia_tools.child.shell import Shell
from goccia_tools.child.source.problems import SourceError
from goccia_tools.child.vfs import normalise
from goccia_tools.child.webhost import WebHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from goccia_tools.child.engines._quickjs.context import Context
    from goccia_tools.child.engines.limits import Limits
    from goccia_tools.child.engines.realm import Realm
    from goccia_tools.child.engines.session import Session
    from goccia_tools.child.vfs import FileSystem

#: extensions that make an entry a module whatever the request's sourceType says
MODULE_EXTENSIONS = (".mjs", ".mts")


class Program:
    """The program at ``entry`` of a filesystem; ``run`` once."""

    def __init__(
        self,
        session: Session,
        realm: Realm,
        files: FileSystem,
        entry: str,
        write: Callable[[str], None],
        shell: Shell | None = None,
        callers: Sequence[report.Frame] = (),
    ) -> None:
        self.session = session
        self.files = files
        self.entry = normalise(entry)
        self.write = write
        self.shell = shell or Shell(files)
        #: the frames of the program that runs this one, innermost first
        self.callers = callers
        self._is_nested = session.depth > 0
        self._options_json = "{}"
        self._realm = realm
        self._context: Context = realm.context
        self._limits: Limits = session.limits
        self._resolver = modules.Resolver(files, session.import_map, session.aliases)
        self._loader = Loader(files, self._resolver, session.source_options, self.entry)
        self._adopt(self._context, self._loader)

    def _adopt(self, context: Context, loader: Loader) -> GuestHosts:
        """Give a context its modules, its host functions and what the request says of it."""
        hosts = GuestHosts(self, context, loader)
        context.loader = loader
        context.hosts.update(hosts.functions())
        context.hosts.update(FsHost(context, self.files).functions())
        context.hosts.update(GocciaHost(context, self).functions())
        context.hosts.update(WebHost(self.session.request, context.runtime.collect, self.session.limits).functions())
        return hosts

    def configure(self, options_json: str) -> None:
        """Tell the prelude of the main context what the request says."""
        self._options_json = options_json
        self._context.call("configure", options_json)

    def new_shadow(self) -> GuestHosts:
        """Another context of this program, with globals and modules of its own."""
        context = self._realm.new_context(dict(self._context.hosts))
        hosts = self._adopt(context, Loader(self.files, self._resolver, self.session.source_options, self.entry))
        context.call("configure", self._options_json)
        context.call("becomeShadow")
        return hosts

    def run(self) -> Outcome:
        """Run the program to its end; every failure of it is an outcome."""
        if not self.files.is_file(self.entry):
            return Outcome("script-error", f"sandbox entry file not found: {self.entry}", stderr="")
        try:
            return self._run()
        except SourceError as error:
            return _failed(report.render_source_error(error, self._loader.texts))
        except (JSThrown, UncaughtInJob) as thrown:
            self._realm.runtime.clear_fatal()
            return self._uncaught(thrown.slot)
        except Stop as stop:
            return Outcome(stop.kind, stop.message)
        except MemoryError:
            return self._out_of_memory()
        except RecursionError:
            # engine and host have called each other (imports of imports) until Python had enough
            self._realm.runtime.clear_fatal()
            return _failed("RangeError: Maximum call stack size exceeded")
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
        clone = "freezeValue" if self._is_nested else "cloneToJson"
        return Outcome(value_json=str(self._context.call(clone, value)))

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
        handle = self._loader.compile_entry(self._context, text, self.entry, data)
        try:
            promise = self._context.run_module(handle)
        except JSThrown as thrown:
            raise self._loader.unlinked(self._context, thrown) from None
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
        limit = self._context.call("limitMessage", slot)
        if limit is not None:
            return Outcome("resource-limit", str(limit))
        try:
            described = loads(str(self._context.call("describeError", slot)).encode("utf-8", "surrogatepass"))
        except Stop as stop:
            return Outcome(stop.kind, stop.message)
        text = report.render_report(
            described, self._loader.sources, self._loader.texts, self.entry, self.session.mode, self.callers
        )
        return _failed(text)

    def _out_of_memory(self) -> Outcome:
        stop = self._limits.memory_exhausted()
        return Outcome(stop.kind, stop.message)


def _failed(text: str) -> Outcome:
    """A script-error; on standard error a located report keeps its own line end before the one that is added."""
    return Outcome("script-error", text, stderr=text + ("\n\n" if "\n  --> " in text else "\n"))
