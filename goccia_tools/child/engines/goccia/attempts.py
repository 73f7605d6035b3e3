"""Attempts: runs of one request's program on the runner, directly or under the driver, as processes."""

from __future__ import annotations

import posix
import time

from goccia_tools.child.engines import Crashed, Refused
from goccia_tools.child.engines.goccia import changes, command
from goccia_tools.child.engines.goccia.direct import Printed
from goccia_tools.child.engines.goccia.driver import Driver
from goccia_tools.child.engines.goccia.process import Ceilings, Ended, MemoryFile, NotStarted, run
from goccia_tools.child.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from goccia_tools.child.vfs import FileSystem

_MIB: Final = 1024 * 1024
#: address space of the runner beside the guest's memory and files: itself, what was printed, a diff
_OVERHEAD_BYTES: Final = 2048 * _MIB
_SPARE_CPU_SECONDS: Final = 120
_SIGKILL: Final = 9


class Attempt:
    """One process that has ended, with what it left: ``driver`` or ``printed``, and its own list of changes."""

    __slots__ = ("_diff", "driver", "elapsed_ms", "ended", "printed")

    def __init__(self, ended: Ended, diff: bytes, elapsed_ms: float, driver: Driver | None, printed: Printed) -> None:
        self.ended = ended
        self._diff = diff
        self.elapsed_ms = elapsed_ms
        self.driver = driver
        self.printed = printed

    def diff(self, *, unified: bool) -> str | None:
        """What the runner itself says of the changes, without contents."""
        return changes.reported_diff(self._diff, self.driver.entry if self.driver else None, unified=unified)


class Attempts:
    """The runner at ``path`` for one request."""

    def __init__(self, path: str, request: dict[str, Any], entry: str, files: FileSystem) -> None:
        self._path = path
        self._request = request
        self._entry = entry
        self._files = files
        self._include_diff: bool = request["run"]["includeDiff"]
        #: folders that no file stands for; the runner makes one only from a folder of the host
        self.empty_folders = [
            node.path for node in files.root.walk() if node.children == {} and node.parent is not None
        ]

    def driven(self, deadline: float | None, *, again: bool = False, slack: bool = False) -> tuple[Attempt, Driver]:
        """Run the program under the driver, by itself or ``again`` after a direct run; ``slack`` doubles its steps.

        Raises:
            Crashed: the runner died, or was killed at the deadline of an attempt that nothing comes after.
            Refused: it cannot be started.
        """
        execution = dict(self._request["execution"])
        driver = Driver(
            self._files,
            self._entry,
            self.empty_folders,
            with_files=self._include_diff,
            with_stamps=self._include_diff and self._request["run"]["diffMetadata"],
            with_random=again and execution["deterministic"],
        )
        if execution["fsQuotaBytes"]:  # where the driver cannot do without a few bytes or a file more
            replaced = self._files.require_file(self._entry).size if self._entry in driver.contents else 0
            needed = self._files.used_bytes - replaced + sum(map(len, driver.contents.values()))
            execution["fsQuotaBytes"] = max(execution["fsQuotaBytes"], needed)
        if execution["fsNodeLimit"] and driver.entry != self._entry:
            execution["fsNodeLimit"] = max(execution["fsNodeLimit"], self._files.node_count + 1)
        if slack:
            execution["maxInstructions"] *= 2
        report = driver.report
        attempt = self._run(driver, execution, report.take, deadline, Printed())
        if not report.has_all_files:
            self._check_death(attempt.ended, may_be_overdue=again)
        return attempt, driver

    def direct(self, deadline: float | None, *, again: bool = False) -> Attempt:
        """Run the program as the runner's own entry. Raises what :meth:`driven` does."""
        printed = Printed()
        attempt = self._run(None, self._request["execution"], printed.take, deadline, printed)
        self._check_death(attempt.ended, may_be_overdue=again)
        return attempt

    @staticmethod
    def _check_death(ended: Ended, *, may_be_overdue: bool) -> None:
        if ended.overdue:
            if not may_be_overdue:
                raise Crashed(-_SIGKILL, ended.stderr)
        elif ended.status not in (0, 1):
            raise Crashed(ended.status, ended.stderr)

    def _run(
        self,
        driver: Driver | None,
        execution: dict[str, Any],
        take: Callable[[bytes], None],
        deadline: float | None,
        printed: Printed,
    ) -> Attempt:
        seeds, diff = MemoryFile(self._seeds(driver)), MemoryFile()
        shared = [seeds, diff]
        import_map = None
        if execution["importMap"] is not None:
            shared.append(MemoryFile(dumps(execution["importMap"]).encode()))
            import_map = shared[-1].path
        request = {**self._request, "execution": execution}
        entry = driver.entry if driver is not None else self._entry
        words = [self._path, entry, f"--seed-config={seeds.path}", *command.options(request, import_map=import_map)]
        words += driver.options if driver is not None else []
        if self._include_diff:
            words += ["--diff-format=json", f"--diff-output={diff.path}"]
            words += ["--diff-metadata"] if self._request["run"]["diffMetadata"] else []
        started = time.monotonic()
        try:
            ended = run(words, shared, take, ceilings=self._ceilings(), deadline=deadline)
            return Attempt(ended, diff.read(), (time.monotonic() - started) * 1000, driver, printed)
        except NotStarted as error:
            raise Refused("engine", str(error)) from None
        finally:
            for file in shared:
                file.close()

    def _ceilings(self) -> Ceilings:
        execution, memory_bytes = self._request["execution"], self._request["engine"]["maxMemoryBytes"]
        files_bytes = 4 * min(execution["fsQuotaBytes"] or 1024 * _MIB, 1024 * _MIB)
        cpu_seconds = execution["timeoutMs"] // 1000 + 1 + _SPARE_CPU_SECONDS if execution["timeoutMs"] else 0
        return Ceilings(2 * memory_bytes + files_bytes + _OVERHEAD_BYTES if memory_bytes else 0, cpu_seconds)

    def _seeds(self, driver: Driver | None) -> bytes:
        """The seed file: every file of the baseline, and what the driver makes of it."""
        from binascii import b2a_base64

        contents = {node.path: node.data for node in self._files.root.walk() if node.children is None}
        items = []
        if driver is not None:
            contents |= driver.contents  # it makes the empty folders itself
        else:
            items = [{"from": posix.getcwd(), "to": folder} for folder in self.empty_folders]
        items += [{"path": path, "base64": b2a_base64(data, newline=False).decode()} for path, data in contents.items()]
        return dumps({"files": items}).encode()
