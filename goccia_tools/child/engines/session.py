"""One run of the engine: what the request allows, the program it names, and the programs that one starts.

For whoever provides ``runScript``: ``program.session.run_child(program, entry, files, write)`` runs another program
on a heap of its own, under the same clock, steps and memory, and answers its :class:`Outcome`; ``write`` gets the
text it prints. ``program.files`` is the filesystem of the caller, ``session.depth`` how many programs are running.
"""

from __future__ import annotations

import posix

from goccia_tools.child.engines import Outcome, TimedOut
from goccia_tools.child.engines.limits import STACK_BYTES, Limits
from goccia_tools.child.engines.loader import SourceOptions
from goccia_tools.child.engines.program import Program
from goccia_tools.child.engines.realm import Realm
from goccia_tools.child.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final

    from goccia_tools.child.report import Frame
    from goccia_tools.child.shell import Shell
    from goccia_tools.child.vfs import FileSystem

_MASK: Final = 2**64 - 1
_STREAM_STEP: Final = 0x9E3779B97F4A7C15
#: a program started by another needs at least so much native stack
_LEAST_STACK_BYTES: Final = 256 * 1024


def mix(state: int) -> int:
    """SplitMix64's output function (behaviour section 10)."""
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
    return state ^ (state >> 31)


class Session:
    """What all programs of one run share."""

    def __init__(self, request: dict[str, Any], realm: Realm) -> None:
        engine, execution = request["engine"], request["execution"]
        self.request = request
        self.mode: str = execution["mode"]
        self.source_type: str = engine["sourceType"]
        self.import_map: dict[str, Any] | None = execution["importMap"]
        self.aliases: list[str] = execution["aliases"]
        self.source_options = SourceOptions(
            frozenset(engine["compatibility"]),
            strict_types=engine["strictTypes"],
            warn_unsupported=engine["warnUnsupportedFeatures"],
        )
        self.limits = Limits(execution["timeoutMs"], execution["maxInstructions"], engine["maxMemoryBytes"])
        self.depth = 0
        self._realm = realm
        self._running: list[Realm] = []
        self._children = 0
        self._stack_base = 0
        self._random_state = 0 if execution["deterministic"] else int.from_bytes(posix.urandom(8), "little")

    def run(self, entry: str, files: FileSystem, write: Callable[[str], None]) -> Outcome:
        """Run the request's program; the clock starts here."""
        self._realm.runtime.set_stack_limit(STACK_BYTES)
        self.limits.start()
        return self._run(self._realm, entry, files, write, self._random_state)

    def run_child(
        self,
        parent: Program,
        entry: str,
        files: FileSystem,
        write: Callable[[str], None],
        shell: Shell | None = None,
        callers: Sequence[Frame] = (),
    ) -> Outcome:
        """Run another program while ``parent`` is waiting for it in a host call."""
        library = self._realm.runtime.library
        used_bytes = sum(realm.runtime.memory_used() for realm in self._running)
        stack_bytes = STACK_BYTES - max(self._stack_base - library.callbacks.stack_address, 0)
        if stack_bytes < _LEAST_STACK_BYTES:
            return Outcome("script-error", "RangeError: Maximum call stack size exceeded")
        self._children += 1
        realm = Realm(library, dict(self._realm.context.hosts))
        realm.runtime.set_stack_limit(stack_bytes)
        steps, self.limits.steps = self.limits.steps, 0
        try:
            state = mix(self._random_state ^ (self._children * _STREAM_STEP & _MASK))
            outcome = self._run(realm, entry, files, write, state, used_bytes, shell, callers)
        finally:
            self.limits.steps = steps
            realm.close()
        if outcome.failure_kind == "timeout":
            raise TimedOut(self.limits.timeout_ms)
        return outcome

    def _run(
        self,
        realm: Realm,
        entry: str,
        files: FileSystem,
        write: Callable[[str], None],
        random_state: int,
        used_bytes: int = 0,
        shell: Shell | None = None,
        callers: Sequence[Frame] = (),
    ) -> Outcome:
        program = Program(self, realm, files, entry, write, shell, callers)
        engine, execution = self.request["engine"], self.request["execution"]
        program.configure(
            dumps(
                {
                    "entry": program.entry,
                    "realm": "child" if self._running else "main",
                    "mode": self.mode,
                    "deterministic": execution["deterministic"],
                    "randomState": str(random_state),
                    "functionConstructor": engine["unsafeFunctionConstructor"],
                    "shadowRealm": engine["unsafeShadowRealm"],
                    "memoryBytes": self.limits.memory_bytes,
                }
            )
        )
        if not self._running:
            self._stack_base = realm.runtime.library.callbacks.stack_address
        self.limits.arm(realm.runtime, realm.base_bytes, used_bytes)
        self._running.append(realm)
        self.depth += 1
        try:
            return program.run()
        finally:
            self.depth -= 1
            self._running.pop()
