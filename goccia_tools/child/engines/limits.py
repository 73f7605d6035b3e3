"""The ceilings of one run: its deadline, its steps and its memory, checked at every poll and before every job."""

from __future__ import annotations

from time import monotonic

from goccia_tools.child.engines import ResourceLimit, TimedOut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from goccia_tools.child.engines._quickjs.runtime import Runtime

#: how many steps (branches taken or not, calls, regular expression steps) pass between two polls
STEPS_PER_POLL: Final = 10_000
#: native stack a program may use; the main thread of a process has twice as much
STACK_BYTES: Final = 4 * 1024 * 1024
#: what is left between the soft stop, which no guest can catch, and the hard limit, which it sees as an error:
#: at least so much, and at most half of the budget, so that one growing array is stopped softly
_LEAST_SLACK_BYTES: Final = 2 * 1024 * 1024
_MOST_SLACK_BYTES: Final = 64 * 1024 * 1024


class Limits:
    """What a run may use, shared by the program and every program it starts; the clock starts with :meth:`start`."""

    __slots__ = ("_deadline", "max_instructions", "memory_bytes", "steps", "timeout_ms")

    def __init__(self, timeout_ms: int, max_instructions: int, memory_bytes: int) -> None:
        self.timeout_ms = timeout_ms
        self.max_instructions = max_instructions
        self.memory_bytes = memory_bytes
        self.steps = 0
        self._deadline: float | None = None

    @property
    def slack_bytes(self) -> int:
        """Room kept under the hard limit; a heap with less of it has used up its budget."""
        return min(max(self.memory_bytes // 2, _LEAST_SLACK_BYTES), _MOST_SLACK_BYTES)

    def start(self) -> None:
        """Start the clock: guest code runs from here on."""
        if self.timeout_ms:
            self._deadline = monotonic() + self.timeout_ms / 1000

    def arm(self, runtime: Runtime, base_bytes: int, used_elsewhere_bytes: int = 0) -> None:
        """Put a heap under these limits; its prelude does not count, what other heaps of the run hold does."""
        runtime.poll = lambda: self._poll(runtime)
        if self.memory_bytes:
            budget = max(self.memory_bytes - used_elsewhere_bytes, 0)
            runtime.set_memory_limit(base_bytes + budget + self.slack_bytes)

    def relax(self, runtime: Runtime) -> None:
        """Give a heap that may be full some room for describing what went wrong."""
        if self.memory_bytes:
            runtime.set_memory_limit(runtime.memory_used() + self.memory_bytes + 2 * self.slack_bytes)

    def check_deadline(self) -> None:
        """Raise when the time is over (jobs may be too short to be polled)."""
        if self._deadline is not None and monotonic() >= self._deadline:
            raise TimedOut(self.timeout_ms)

    def left_s(self) -> float | None:
        """The seconds until the deadline, None without one.

        Raises:
            TimedOut: it has passed.
        """
        self.check_deadline()
        return None if self._deadline is None else max(self._deadline - monotonic(), 0.001)

    def memory_exhausted(self) -> ResourceLimit:
        """The stop for a heap without room."""
        return ResourceLimit(
            f"memory limit exceeded: Allocation of {self.slack_bytes} bytes would exceed"
            f" the memory budget of {self.memory_bytes} bytes"
        )

    def _poll(self, runtime: Runtime) -> None:
        self.steps += STEPS_PER_POLL
        if self.max_instructions and self.steps > self.max_instructions:
            raise ResourceLimit(f"Execution exceeded instruction limit of {self.max_instructions}")
        self.check_deadline()
        if self.memory_bytes and not runtime.has_room(self.slack_bytes):
            runtime.collect()
            if not runtime.has_room(self.slack_bytes):
                raise self.memory_exhausted()
