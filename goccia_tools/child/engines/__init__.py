"""What every engine answers with: the outcome of one program, and the exceptions that end one from the host's side."""

from __future__ import annotations


class Stop(Exception):
    """Ends the run now, past every ``catch`` and ``finally`` of the guest; ``kind`` is the run's failureKind."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class TimedOut(Stop):
    """The run's own deadline passed (ADR 0107 section 4, ``timeout``)."""

    def __init__(self, timeout_ms: int) -> None:
        super().__init__("timeout", f"file timed out after {timeout_ms}ms")


class ResourceLimit(Stop):
    """A gated resource ran out: instructions, memory, or what the runner itself needs of the filesystem."""

    def __init__(self, message: str) -> None:
        super().__init__("resource-limit", message)


class Refused(Exception):
    """The engine cannot honour a member of the request; ``member`` names it (``execution.unsafeFFI``)."""

    def __init__(self, member: str, why: str) -> None:
        super().__init__(f"{member}: {why}")
        self.member = member


class Crashed(BaseException):
    """The process of the engine died; ``status`` is its exit status or minus the number of the signal.

    Only the death of a child is evidence of one, so whoever meets this dies in the same way, without an answer.
    """

    def __init__(self, status: int, stderr: str) -> None:
        super().__init__(status)
        self.status = status
        self.stderr = stderr


class Outcome:
    """How one program ended: a failureKind, the error text (the report without its last newline), the value.

    ``stderr`` is what the reference writes there: the text and a newline, or nothing where it writes nothing.
    ``diff`` is there when the engine itself says what the program changed, without the files that would tell.
    """

    __slots__ = ("diff", "error_text", "failure_kind", "stderr", "value_json")

    def __init__(
        self, failure_kind: str = "none", error_text: str = "", *, stderr: str | None = None, value_json: str = "null"
    ) -> None:
        self.failure_kind = failure_kind
        self.error_text = error_text
        self.stderr = stderr if stderr is not None else (error_text + "\n" if failure_kind != "none" else "")
        #: the result value as JSON text
        self.value_json = value_json
        self.diff: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the program ran to its end without a failure."""
        return self.failure_kind == "none"
