"""Direct: a run with the guest's program as the runner's own entry, classified by its exit status and its report.

Such a run tells less than one under the driver (no result value, no contents of files) and is exact where that one
is not: the driver's own run stands above the guest's, so the guest has another random stream in deterministic mode,
one level less to nest, and shares its ceiling of instructions.
"""

from __future__ import annotations

from goccia_tools.child.bounds import BoundedText
from goccia_tools.child.engines import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_RESOURCE_TEXTS: Final = (
    "memory limit exceeded: Allocation of ",
    "sandbox byte quota exhausted",
    "sandbox node quota exhausted",
    "sandbox runScript nesting limit exceeded",
)
_SKIPPED_CONFIGURATION: Final = "Warning: ignoring discovered configuration "


class Printed:
    """What a direct run printed, kept up to its bound."""

    def __init__(self) -> None:
        self._bounded = BoundedText()
        self._rest = b""

    def take(self, data: bytes) -> None:
        """Take in bytes of the process's output."""
        data = self._rest + data
        # a character may be split between two reads
        whole = len(data)
        for back in range(1, min(4, len(data)) + 1):
            if data[-back] >= 0xC0:
                if back < (2 if data[-back] < 0xE0 else 3 if data[-back] < 0xF0 else 4):
                    whole -= back
                break
            if data[-back] < 0x80:
                break
        self._rest = data[whole:]
        self._bounded.add(data[:whole].decode("utf-8", "replace"))

    def text(self) -> str:
        """All of it, with the marker when something was lost."""
        if self._rest:
            self._bounded.add(self._rest.decode("utf-8", "replace"))
            self._rest = b""
        return self._bounded.text()


def without_warnings(text: str) -> str:
    """What is printed without the parser's warnings, which the process prints before all that the program does."""
    while text.startswith("Warning: "):
        lines = text.split("\n", 3)
        place = next((index for index in (1, 2) if index < len(lines) and lines[index].startswith("  --> ")), 0)
        if not place:
            break
        text = "\n".join(lines[place + 1 :])
    return text


def limit_text(text: str, request: dict[str, Any]) -> str | None:
    """The failureKind that a runner's message about a ceiling of this request stands for; None for any other text."""
    execution = request["execution"]
    if execution["timeoutMs"] and text == f"file timed out after {execution['timeoutMs']}ms":
        return "timeout"
    if (
        execution["maxInstructions"]
        and text == f"Execution exceeded instruction limit of {execution['maxInstructions']}"
    ):
        return "resource-limit"
    return "resource-limit" if text.startswith(_RESOURCE_TEXTS) else None


def report_text(stderr: str) -> str:
    """The error report in what the process wrote to its standard error."""
    if stderr.startswith(_SKIPPED_CONFIGURATION):
        stderr = stderr.partition("\n")[2]
    return stderr.removesuffix("\n")


def outcome(status: int, stderr: str, request: dict[str, Any], kind: str | None, elapsed_ms: float) -> Outcome:
    """The outcome of a direct run.

    ``kind`` is what the runner said itself of the same run under the driver, when there was one. Without it a text
    that a guest may throw as well counts as the ceiling's only when the clock agrees.
    """
    if status == 0:
        return Outcome()
    text = report_text(stderr)
    if kind in (None, "none"):
        kind = limit_text(text, request)
        if kind == "timeout" and elapsed_ms < request["execution"]["timeoutMs"]:
            kind = None
    return Outcome(kind or "script-error", text)
