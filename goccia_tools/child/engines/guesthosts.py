"""What one context's prelude may ask of the host: printing, jobs, imports of scripts, dynamic code, other realms."""

from __future__ import annotations

import time

from goccia_tools.child import report
from goccia_tools.child.engines import ResourceLimit
from goccia_tools.child.engines._quickjs.binding import JSThrown, Slot
from goccia_tools.child.isodate import iso_date
from goccia_tools.child.source.problems import SourceError
from goccia_tools.child.vfs import FsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goccia_tools.child.engines._quickjs.context import Context, HostFunction
    from goccia_tools.child.engines._quickjs.values import Scalar
    from goccia_tools.child.engines.loader import Loader
    from goccia_tools.child.engines.program import Program

#: the functions of :meth:`GuestHosts.functions`, known before there is a program
NAMES = (
    "print",
    "runJob",
    "importModule",
    "evaluateModule",
    "promiseState",
    "promiseResult",
    "missingExport",
    "resolveSpecifier",
    "compileFunction",
    "newShadowRealm",
    "shadowInternal",
    "shadowEvaluate",
    "shadowParseFailed",
    "refuseMemory",
    "isProxy",
    "isoDate",
    "monotonicMs",
    "stackText",
    "failedCallText",
)


class UncaughtInJob(Exception):
    """A job threw while a script was awaiting: that ends the run as any uncaught exception does."""

    def __init__(self, slot: Slot) -> None:
        super().__init__("a job threw")
        self.slot = slot


class GuestHosts:
    """The host functions of one context of a program."""

    def __init__(self, program: Program, context: Context, loader: Loader) -> None:
        self._program = program
        self._context = context
        self._loader = loader
        self._shadows: list[GuestHosts] = []
        self._parse_failed = False

    def functions(self) -> dict[str, HostFunction]:
        """The functions by the names the prelude knows."""
        return {
            "print": self._print,
            "runJob": self._run_job,
            "importModule": self._import_module,
            "evaluateModule": lambda name: self._loader.evaluate(self._context, name),
            "promiseState": self._context.promise_state,
            "promiseResult": self._promise_result,
            "missingExport": self._missing_export,
            "resolveSpecifier": self._resolve_specifier,
            "compileFunction": self._compile_function,
            "newShadowRealm": self._new_shadow_realm,
            "shadowInternal": self._shadow_internal,
            "shadowEvaluate": self._shadow_evaluate,
            "shadowParseFailed": lambda: self._parse_failed,
            "refuseMemory": self._refuse_memory,
            "isProxy": lambda value: isinstance(value, Slot) and self._context.is_proxy(value),
            "isoDate": iso_date,
            "monotonicMs": lambda: time.monotonic_ns() / 1e6,
            "stackText": lambda capture: report.stack_text(
                capture, self._loader.sources, self._loader.texts, self._program.callers
            ),
            "failedCallText": lambda file, line, column, kind: report.failed_call_text(
                file, line, column, kind, self._loader.sources
            ),
        }

    def _print(self, line: str) -> None:
        self._program.write(line + "\n")

    def _run_job(self) -> bool:
        self._program.session.limits.check_deadline()
        try:
            return self._context.runtime.run_job()
        except JSThrown as thrown:
            raise UncaughtInJob(thrown.slot) from None

    def _promise_result(self, promise: Slot) -> Slot | None:
        state, result = self._context.promise(promise)
        if state == 2 and result is not None:
            raise JSThrown(result)
        return result

    # -- modules

    def _import_module(self, specifier: str, phase: str, referrer: str | None, *attributes: str) -> Scalar | Slot:
        """A module's namespace, or its name when it is not to be run yet (phases ``source`` and ``defer``)."""
        importer = self._program.entry if referrer is None else referrer.removeprefix("file://")
        given = dict(zip(attributes[::2], attributes[1::2], strict=True))
        if phase == "source" and "experimental-js-module-source" not in self._program.session.source_options.flags:
            message = "JavaScript ModuleSource objects require --experimental-js-module-source"
            raise self._loader.failure(self._context, message, importer, name="SyntaxError", located=True)
        name = self._loader.import_name(self._context, specifier, importer, given)
        return self._loader.evaluate(self._context, name) if phase == "evaluation" else name

    def _missing_export(self, specifier: str, name: str, line: int | None, column: int | None) -> None:
        raise self._loader.missing_export(self._context, specifier, name, line or 1, column or 1)

    def _resolve_specifier(self, referrer: str, specifier: str) -> str:
        try:
            return self._loader.address(specifier, referrer)
        except FsError as error:
            raise JSThrown(self._context.call_slot("makeError", "TypeError", str(error))) from None

    # -- dynamic code

    def _compile_function(self, prefix: str, parameters: str, body: str) -> Slot:
        """A function from text, in the global scope, under the run's dialect; not strict unless it says so."""
        text = f"({prefix} anonymous({parameters}\n) {{\n{body}\n}})"
        try:
            prepared = self._loader.prepare("<function>", text.encode("utf-8", "surrogatepass"), kind="function")
        except SourceError as error:
            raise self._loader.source_failure(self._context, error) from None
        return self._context.eval_script(prepared.text, "<function>", strict=False)

    def _new_shadow_realm(self) -> int:
        self._shadows.append(self._program.new_shadow())
        return len(self._shadows) - 1

    def _shadow_internal(self, number: int, name: str) -> Scalar | Slot:
        """A function of the other realm's prelude."""
        other = self._shadows[number]._context
        if other.internals is None:
            raise LookupError("the other realm has no prelude")
        return other.get(other.internals, name)

    def _shadow_evaluate(self, number: int, text: str) -> Slot:
        other = self._shadows[number]
        self._parse_failed = False
        try:
            prepared = self._loader.prepare("<shadow>", text.encode("utf-8", "surrogatepass"), kind="script")
        except SourceError as error:
            self._parse_failed = True
            raise self._loader.source_failure(self._context, error) from None
        return other._context.eval_script(prepared.text, "<shadow>", strict=True)

    def _refuse_memory(self, wanted_bytes: float) -> None:
        raise ResourceLimit(
            f"memory limit exceeded: Allocation of {int(wanted_bytes)} bytes would exceed"
            f" the memory budget of {self._program.session.limits.memory_bytes} bytes"
        )
