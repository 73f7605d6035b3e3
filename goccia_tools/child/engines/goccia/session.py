"""Session: one request on the runner, in one attempt or two, and the outcome that they support."""

from __future__ import annotations

import posix
import time

from goccia_tools.child.engines import Outcome
from goccia_tools.child.engines.goccia import changes, direct
from goccia_tools.child.engines.goccia.attempts import Attempt, Attempts
from goccia_tools.child.engines.goccia.driver import Driver
from goccia_tools.child.jsontext import scrub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from goccia_tools.child.vfs import FileSystem

#: how long after the guest's own deadline a second attempt may end; the parent waits a second
_LATEST_MS: Final = 600
#: long after any parent's own deadline, for a runner that does not heed its own
_LAST_RESORT_MS: Final = 30_000
#: stands for output that is gone
_LOST: Final = "… [the output is lost: the runner ended before it could tell it]"
#: what stands for output that was counted and not kept
_FILLER: Final = "\0" * 65536


class Session:
    """What is known of one request's program; ``write`` gets the text that it printed."""

    def __init__(
        self, path: str, request: dict[str, Any], entry: str, files: FileSystem, write: Callable[[str], None]
    ) -> None:
        self._request = request
        self._files = files
        self._write = write
        self._timeout_ms: int = request["execution"]["timeoutMs"]
        self._include_diff: bool = request["run"]["includeDiff"]
        self._started = time.monotonic()
        self._attempts = Attempts(path, request, entry, files)

    def outcome(self) -> Outcome:
        """Run the program, once or twice.

        Raises:
            Crashed: the runner died.
        """
        return self._direct() if self._may_notice_the_driver() else self._driven()

    def _may_notice_the_driver(self) -> bool:
        """Whether the program can do otherwise because another one started it, so that a direct run has to decide."""
        if self._attempts.empty_folders and posix.listdir("."):
            return False  # a direct run makes an empty folder from an empty one of the host, and here is none
        execution = self._request["execution"]
        if execution["deterministic"] or execution["maxInstructions"]:
            return True
        return any(b"runScript" in node.data for node in self._files.root.walk() if node.children is None)

    # -- under the driver, and directly only for what a ceiling kept it from telling

    def _driven(self) -> Outcome:
        attempt, driver = self._attempts.driven(self._until(_LAST_RESORT_MS))
        outcome = driver.report.outcome
        if outcome is not None:
            self._take_output(driver)
            self._take_files(outcome, attempt, driver)
            return outcome
        text = direct.report_text(attempt.ended.stderr)
        kind = direct.limit_text(text, self._request)
        if driver.report.is_lost:
            if self._timeout_ms and attempt.elapsed_ms >= self._timeout_ms:
                kind, text = "timeout", self._timeout_text
            else:
                kind, text = "resource-limit", "memory limit exceeded: the program has printed more than fits"
        if kind is None:
            # the guest's program has not run: what the runner says is about its options
            return Outcome("host-error", text or "GocciaSandboxRunner ended without a word")
        return self._repeated(kind, text, attempt)

    def _repeated(self, kind: str, text: str, first: Attempt) -> Outcome:
        deadline = self._until(_LATEST_MS)
        if deadline is None or time.monotonic() < deadline - _LATEST_MS / 2000:
            attempt = self._attempts.direct(deadline, again=True)
            if not attempt.ended.overdue:
                same = direct.limit_text(direct.report_text(attempt.ended.stderr), self._request) == kind
                outcome = self._judged(attempt, kind if same else None)
                self._take_report(outcome, attempt)
                self._write(self._printed(attempt))
                return outcome
        self._write(_LOST)
        outcome = Outcome(kind, text)
        self._take_report(outcome, first)
        return outcome

    # -- directly, and under the driver for what only that can tell

    def _direct(self) -> Outcome:
        attempt = self._attempts.direct(self._until(_LAST_RESORT_MS))
        outcome = self._judged(attempt, None)
        is_doubtful = "\n" not in outcome.error_text  # a guest may have thrown it, the runner may have written it
        if outcome.ok or (outcome.failure_kind != "timeout" and (is_doubtful or self._include_diff)):
            return self._completed(outcome, attempt)
        self._take_report(outcome, attempt)
        self._write(self._printed(attempt))
        return outcome

    def _completed(self, outcome: Outcome, first: Attempt) -> Outcome:
        """The outcome of a direct run with the value, the kind and the files that the driver tells of another."""
        second, driver = self._attempts.driven(self._until(_LATEST_MS), again=True, slack=outcome.ok)
        told, printed = driver.report.outcome, self._printed(first)
        if told is None:
            text = direct.report_text(second.ended.stderr)
            if not driver.report.is_lost:
                met_a_ceiling = second.ended.overdue or direct.limit_text(text, self._request) is not None
                if met_a_ceiling and outcome.ok:  # there is no time left to find out the value
                    outcome = Outcome("timeout", self._timeout_text)
                elif not met_a_ceiling:
                    outcome.failure_kind = "host-error"
        elif told.ok == outcome.ok and _same_text(driver.report.output, printed):
            if outcome.ok:
                outcome.value_json = told.value_json
            else:
                outcome = self._judged(first, told.failure_kind)
            self._write(printed)
            self._take_files(outcome, second, driver)
            return outcome
        elif told.ok and outcome.ok and told.value_json != "null" and not self._request["execution"]["deterministic"]:
            # it does something else every time: only output and value of the same run belong together
            self._take_output(driver)
            self._take_files(told, second, driver)
            return told
        self._take_report(outcome, first)
        self._write(printed)
        return outcome

    # -- what an attempt has left

    def _judged(self, attempt: Attempt, kind: str | None) -> Outcome:
        return direct.outcome(attempt.ended.status, attempt.ended.stderr, self._request, kind, attempt.elapsed_ms)

    def _printed(self, attempt: Attempt) -> str:
        text = attempt.printed.text()
        return direct.without_warnings(text) if self._request["engine"]["warnUnsupportedFeatures"] else text

    def _take_output(self, driver: Driver) -> None:
        text, lost_bytes = driver.report.output or ("", 0)
        self._write(text)
        while lost_bytes > 0:
            self._write(_FILLER[:lost_bytes])
            lost_bytes -= len(_FILLER)

    def _take_files(self, outcome: Outcome, attempt: Attempt, driver: Driver) -> None:
        if not self._include_diff:
            return
        if driver.report.has_all_files:
            changes.adopt(self._files, driver.report.before, driver.report.after)
        else:
            self._take_report(outcome, attempt)

    def _take_report(self, outcome: Outcome, attempt: Attempt) -> None:
        if self._include_diff:
            outcome.diff = attempt.diff(unified=self._request["run"]["diffFormat"] == "unified")

    @property
    def _timeout_text(self) -> str:
        return f"file timed out after {self._timeout_ms}ms"

    def _until(self, spare_ms: int) -> float | None:
        return self._started + (self._timeout_ms + spare_ms) / 1000 if self._timeout_ms else None


def _same_text(told: tuple[str, int] | None, printed: str) -> bool:
    """Whether two runs printed the same; the process's own output has a question mark for half a surrogate pair."""
    text, lost_bytes = told or ("", 0)
    if lost_bytes or text == printed:
        return True
    return scrub(text).replace("\ufffd", "?") == printed.replace("\ufffd", "?")
