"""The engine goccia: drives an installed GocciaSandboxRunner, one process per run (design section 4).

Theory of operation. The runner has a command line and prints text; a run-result wants a value, a failureKind and the
contents of files. So the runner's entry is a driver of ours (:mod:`.driver`) that starts the guest's program inside it
with ``runScript`` and prints all that. Three things are different for a program that another one started: the random
stream of deterministic mode, the levels it may nest, and instructions, which it shares with the driver. Where one of
them can matter the program also runs directly (:mod:`.direct`), and that run decides; a run whose driver did not come
to tell everything, because a ceiling ended both, is repeated that way too.

Nothing of the runner is confined here: it is another program, which needs what this child gives up. It shares the
process group and dies with this child.
"""

from __future__ import annotations

import posix
import time

from goccia_tools.child.engines import Crashed, Outcome, Refused
from goccia_tools.child.engines.goccia import changes, command, direct
from goccia_tools.child.engines.goccia.driver import Driver
from goccia_tools.child.engines.goccia.process import Ceilings, Ended, MemoryFile, NotStarted, run
from goccia_tools.child.jsontext import dumps, scrub
from goccia_tools.child.vfs import FileSystem, FsError, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

_MIB: Final = 1024 * 1024
#: address space of the runner beside the guest's memory and files: itself, what was printed, a diff
_OVERHEAD_BYTES: Final = 2048 * _MIB
_SPARE_CPU_SECONDS: Final = 120
#: how long after the guest's own deadline a repeated run may end; the parent waits a second
_LATEST_MS: Final = 600
#: long after any parent's own deadline
_LAST_RESORT_MS: Final = 30_000
#: stands for output that is gone
_LOST: Final = "… [the output is lost: the runner ended before it could tell it]"
#: what a chunk of uncounted output is made of
_FILLER: Final = "\0" * 65536


class Goccia:
    """The installed runner at ``path`` as this process's engine."""

    def __init__(self, path: str) -> None:
        self.path = path

    def prepare(self) -> None:
        """Nothing has to be loaded: the engine is another program."""

    settle = prepare
    close = prepare

    def check(self, request: dict[str, Any]) -> None:
        """Refuse what this engine cannot honour.

        Raises:
            Refused: names the member of the request.
        """
        if not self.path:
            raise Refused("engine", 'the engine "goccia" needs the path of a GocciaSandboxRunner (--runner)')
        command.check(request)

    def run(self, request: dict[str, Any], files: FileSystem, write: Callable[[str], None]) -> Outcome:
        """Run the request's program on the filesystem; ``write`` gets the text it prints.

        Raises:
            Crashed: the runner died, and this child has to die the same way.
        """
        try:
            entry = normalise(request["entry"])
        except FsError:
            entry = request["entry"]
        if "\0" in entry or not files.is_file(entry):
            return Outcome("script-error", f"sandbox entry file not found: {entry}", stderr="")
        return _Run(self.path, request, entry, files).outcome(write)


def same_text(told: tuple[str, int] | None, printed: str) -> bool:
    """Whether two runs printed the same; the process's own output has a question mark for half a surrogate pair."""
    if told is None:
        return False
    text, lost_bytes = told
    if lost_bytes or text == printed:
        return True
    return scrub(text).replace("\ufffd", "?") == printed.replace("\ufffd", "?")


class _Run:
    """One request on the runner."""

    def __init__(self, path: str, request: dict[str, Any], entry: str, files: FileSystem) -> None:
        self._path = path
        self._request = request
        self._entry = entry
        self._files = files
        self._timeout_ms: int = request["execution"]["timeoutMs"]
        self._include_diff: bool = request["run"]["includeDiff"]
        self._started = time.monotonic()
        import_map = request["execution"]["importMap"]
        self._import_map = None if import_map is None else MemoryFile(dumps(import_map).encode())

    def outcome(self, write: Callable[[str], None]) -> Outcome:
        """Run it, once or twice."""
        if not self._decided_directly():
            return self._driven(write)
        return self._direct(write)

    def _decided_directly(self) -> bool:
        """Whether the program may notice that another one started it."""
        execution = self._request["execution"]
        if self._empty_folders() and posix.listdir("."):
            return False  # the runner takes a folder only from the host, and here is none that is surely empty
        if execution["deterministic"] or execution["maxInstructions"]:
            return True
        return any(b"runScript" in node.data for node in self._files.root.walk() if node.children is None)

    # -- under the driver

    def _driven(self, write: Callable[[str], None]) -> Outcome:
        driver, ended, diff = self._run_driver()
        if ended.overdue:
            raise Crashed(-9, ended.stderr)
        outcome = driver.report.outcome
        if outcome is not None:
            self._take(driver, outcome, diff, write)
            return outcome
        text = direct.report_text(ended.stderr)
        kind = direct.limit_text(text, self._request)
        if driver.report.is_lost:
            if self._timeout_ms and time.monotonic() - self._started >= self._timeout_ms / 1000:
                kind, text = "timeout", f"file timed out after {self._timeout_ms}ms"
            else:
                kind, text = "resource-limit", "memory limit exceeded: what the program printed is larger"
        if kind is None:
            # no program of the guest's has run: what the runner says is about its options
            return Outcome("host-error", text or "GocciaSandboxRunner ended without a word")
        return self._repeated(kind, text, write)

    def _repeated(self, kind: str, text: str, write: Callable[[str], None]) -> Outcome:
        """The run again, directly, for what a ceiling kept the driver from telling."""
        deadline = self._latest()
        if deadline is not None and time.monotonic() >= deadline - _LATEST_MS / 2000:
            write(_LOST)
            return Outcome(kind, text)
        printed, ended, diff, elapsed_ms = self._run_directly(deadline)
        if ended.overdue:
            write(_LOST)
            return Outcome(kind, text)
        outcome = direct.outcome(ended.status, ended.stderr, self._request, kind, elapsed_ms)
        outcome.diff = self._reported(diff, None)
        write(self._printed(printed))
        return outcome

    def _run_driver(self, *, second: bool = False, slack: bool = False) -> tuple[Driver, Ended, MemoryFile]:
        run_block, execution = self._request["run"], dict(self._request["execution"])
        driver = Driver(
            self._files,
            self._entry,
            self._empty_folders(),
            with_files=self._include_diff,
            with_stamps=self._include_diff and run_block["diffMetadata"],
            with_random=second and execution["deterministic"],
        )
        sizes = [len(data) for data in driver.contents.values()]
        if execution["fsQuotaBytes"]:  # where it cannot do without a few bytes more
            held = self._files.used_bytes - (self._files.require_file(self._entry).size if self._entry in driver.contents else 0)
            execution["fsQuotaBytes"] = max(execution["fsQuotaBytes"], held + sum(sizes))
        if execution["fsNodeLimit"] and driver.entry != self._entry:
            execution["fsNodeLimit"] = max(execution["fsNodeLimit"], self._files.node_count + 1)
        if slack:
            execution["maxInstructions"] *= 2
        report = driver.report
        deadline = self._latest() if second else self._last_resort()
        ended, diff = self._run_process(driver, execution, report.take, deadline)
        if ended.status not in (0, 1) and not ended.overdue and not report.has_all_files:
            raise Crashed(ended.status, ended.stderr)
        return driver, ended, diff

    def _take(self, driver: Driver, outcome: Outcome, diff: MemoryFile, write: Callable[[str], None]) -> None:
        """What the driver told of output and files."""
        text, lost_bytes = driver.report.output or ("", 0)
        write(text)
        while lost_bytes > 0:
            write(_FILLER[:lost_bytes])
            lost_bytes -= len(_FILLER)
        self._take_files(driver, outcome, diff)

    def _take_files(self, driver: Driver, outcome: Outcome, diff: MemoryFile) -> None:
        if not self._include_diff:
            return
        if driver.report.has_all_files:
            changes.adopt(self._files, driver.report.before, driver.report.after)
        else:
            outcome.diff = self._reported(diff, driver)

    # -- directly

    def _direct(self, write: Callable[[str], None]) -> Outcome:
        """The program as the runner's entry, then what only the driver can tell of it."""
        printed, ended, diff, elapsed_ms = self._run_directly(self._last_resort())
        if ended.overdue:
            raise Crashed(-9, ended.stderr)
        text = self._printed(printed)
        outcome = direct.outcome(ended.status, ended.stderr, self._request, None, elapsed_ms)
        if outcome.ok or (outcome.failure_kind != "timeout" and self._is_doubtful(outcome)) or self._wants_files(outcome):
            outcome = self._completed(outcome, ended, diff, text, elapsed_ms, write)
        else:
            outcome.diff = self._reported(diff, None)
            write(text)
        return outcome

    @staticmethod
    def _is_doubtful(outcome: Outcome) -> bool:
        """Whether a guest can have thrown this text or the runner can have written it on its own account."""
        return "\n" not in outcome.error_text

    def _wants_files(self, outcome: Outcome) -> bool:
        return self._include_diff and outcome.failure_kind != "timeout"

    def _completed(
        self,
        outcome: Outcome,
        ended: Ended,
        diff: MemoryFile,
        text: str,
        elapsed_ms: float,
        write: Callable[[str], None],
    ) -> Outcome:
        """The outcome of a direct run with the value, the kind and the files that the driver tells of another run."""
        driver, second, second_diff = self._run_driver(second=True, slack=outcome.ok)
        told = driver.report.outcome
        if told is None:
            known = direct.limit_text(direct.report_text(second.stderr), self._request) is not None
            if second.overdue or known or driver.report.is_lost:
                if outcome.ok and not driver.report.is_lost:
                    return Outcome("timeout", f"file timed out after {self._timeout_ms}ms")
            else:
                outcome.failure_kind = "host-error"
            outcome.diff = self._reported(diff, None)
            write(text)
            return outcome
        if told.ok == outcome.ok and same_text(driver.report.output, text):
            if outcome.ok:
                outcome.value_json = told.value_json
            else:
                outcome = direct.outcome(ended.status, ended.stderr, self._request, told.failure_kind, elapsed_ms)
            write(text)
            self._take_files(driver, outcome, second_diff)
            return outcome
        if told.ok and outcome.ok and told.value_json != "null" and not self._request["execution"]["deterministic"]:
            # it does something else every time: only output and value of the same run belong together
            self._take(driver, told, second_diff, write)
            return told
        outcome.diff = self._reported(diff, None)
        write(text)
        return outcome

    def _printed(self, printed: direct.Printed) -> str:
        text = printed.text()
        return direct.without_warnings(text) if self._request["engine"]["warnUnsupportedFeatures"] else text

    def _run_directly(self, deadline: float | None) -> tuple[direct.Printed, Ended, MemoryFile, float]:
        printed = direct.Printed()
        started = time.monotonic()
        ended, diff = self._run_process(None, self._request["execution"], printed.take, deadline)
        if ended.status not in (0, 1) and not ended.overdue:
            raise Crashed(ended.status, ended.stderr)
        return printed, ended, diff, (time.monotonic() - started) * 1000

    # -- both

    def _run_process(
        self,
        driver: Driver | None,
        execution: dict[str, Any],
        take: Callable[[bytes], None],
        deadline: float | None,
    ) -> tuple[Ended, MemoryFile]:
        seeds, diff = MemoryFile(self._seeds(driver)), MemoryFile()
        shared = [seeds, diff] + ([self._import_map] if self._import_map else [])
        import_map = self._import_map.path if self._import_map else None
        request = {**self._request, "execution": execution}
        entry = driver.entry if driver is not None else self._entry
        words = [self._path, entry, f"--seed-config={seeds.path}", *command.options(request, import_map=import_map)]
        words += driver.options if driver is not None else []
        if self._include_diff:
            words += ["--diff-format=json", f"--diff-output={diff.path}"]
            if self._request["run"]["diffMetadata"]:
                words.append("--diff-metadata")
        memory_bytes = self._request["engine"]["maxMemoryBytes"]
        ceilings = Ceilings(
            2 * memory_bytes + 4 * min(execution["fsQuotaBytes"], 1024 * _MIB) + _OVERHEAD_BYTES if memory_bytes else 0,
            self._timeout_ms // 1000 + 1 + _SPARE_CPU_SECONDS if self._timeout_ms else 0,
        )
        try:
            return run(words, shared, take, ceilings=ceilings, deadline=deadline), diff
        except NotStarted as error:
            raise Refused("engine", str(error)) from None
        finally:
            seeds.close()

    def _seeds(self, driver: Driver | None) -> bytes:
        """The seed file: every file of the baseline, and what the driver makes of it."""
        from binascii import b2a_base64

        contents = {node.path: node.data for node in self._files.root.walk() if node.children is None}
        items = []
        if driver is not None:
            contents |= driver.contents  # it makes the empty folders itself
        else:
            items = [{"from": posix.getcwd(), "to": folder} for folder in self._empty_folders()]
        items += [{"path": path, "base64": b2a_base64(data, newline=False).decode()} for path, data in contents.items()]
        return dumps({"files": items}).encode()

    def _empty_folders(self) -> list[str]:
        return [node.path for node in self._files.root.walk() if node.children == {} and node.parent is not None]

    def _reported(self, diff: MemoryFile, driver: Driver | None) -> str | None:
        if not self._include_diff:
            return None
        ours = None if driver is None else driver.entry
        return changes.reported_diff(diff.read(), ours, unified=self._request["run"]["diffFormat"] == "unified")

    def _last_resort(self) -> float | None:
        """When a runner that does not heed its own deadline is killed, should there be no parent to do it earlier."""
        return self._started + (self._timeout_ms + _LAST_RESORT_MS) / 1000 if self._timeout_ms else None

    def _latest(self) -> float | None:
        return self._started + (self._timeout_ms + _LATEST_MS) / 1000 if self._timeout_ms else None
