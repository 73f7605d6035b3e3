"""RunResult: the one honest answer to a run, and the file changes it carries."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .errors import RunFailed
from .messages import PROTOCOL_VERSION


class FailureKind(StrEnum):
    """How a run ended (ADR 0107 section 4)."""

    #: the program ran to its end
    NONE = "none"
    #: parse, link or missing-entry failure, or an uncaught throw
    SCRIPT_ERROR = "script-error"
    #: an instruction, memory or filesystem ceiling was met
    RESOURCE_LIMIT = "resource-limit"
    #: the child saw the deadline itself and stopped
    TIMEOUT = "timeout"
    #: the child died, was killed at the deadline, or sent nothing that can be trusted
    CHILD_PROCESS_CRASH = "child-process-crash"
    #: a fault of the host: spawn, pipe, version or request
    HOST_ERROR = "host-error"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One entry of a JSON diff (goccia-behaviour section 11).

    ``kind`` is ``create``, ``mkdir``, ``modify``, ``replace`` or ``delete``; sizes are bytes, a directory's
    size is its number of children. ``content`` holds the new bytes where the child could carry them.
    """

    kind: str
    path: str
    old_bytes: int
    new_bytes: int
    content: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The run-result of the protocol (ADR 0107 section 3b) plus what only the parent knows.

    ``output``, ``error_output`` and ``error_message`` are text; ``result_value`` is plain JSON data;
    ``diff`` is the diff document in the requested format or None. ``truncated`` is true only when the frame
    had to be reduced to fit (``diff`` and ``result_value`` are then None). ``duration_ms`` is the parent's
    wall-clock time from spawn to the end of the child. ``notes`` are short sentences about the run that are
    not part of its outcome: bytes after the frame, a wait that failed, what the jail applied.
    """

    ok: bool
    exit_code: int
    failure_kind: FailureKind
    error_message: str = ""
    output: str = ""
    error_output: str = ""
    result_value: Any = None
    diff_requested: bool = False
    diff: str | None = None
    truncated: bool = False
    duration_ms: float = 0.0
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.ok

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """The parsed JSON diff, in its order; empty when there is none or it is in unified form."""
        if self.diff is None or not self.diff.startswith("{"):
            return ()
        import orjson

        return tuple(
            FileChange(
                kind=item["kind"],
                path=item["path"],
                old_bytes=item["oldBytes"],
                new_bytes=item["newBytes"],
                content=base64.b64decode(item["base64"]) if "base64" in item else None,
            )
            for item in orjson.loads(self.diff)["changes"]
        )

    def to_wire(self) -> dict[str, Any]:
        """The twelve members of a run-result frame (ADR 0107 section 3b)."""
        return {
            "type": "run-result",
            "v": PROTOCOL_VERSION,
            "ok": self.ok,
            "exitCode": self.exit_code,
            "failureKind": self.failure_kind.value,
            "errorMessage": self.error_message,
            "output": self.output,
            "errorOutput": self.error_output,
            "resultValue": self.result_value,
            "diffRequested": self.diff_requested,
            "diff": self.diff,
            "truncated": self.truncated,
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """How notebooks show a result: the same facts as text and as HTML."""
        from .display.bundle import bundle
        from .display.facts import facts

        return bundle(facts(self, "the program", timed=False))

    def raise_for_failure(self) -> RunResult:
        """Return the result itself when it is ok.

        Raises:
            RunFailed: the run ended in any other way; the exception carries the result.
        """
        if not self.ok:
            raise RunFailed(self)
        return self
