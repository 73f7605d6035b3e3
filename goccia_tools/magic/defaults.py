"""Defaults: what cells that say nothing else are run with; ``%config Sandbox.NAME = value`` sets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..display.sections import Limits
from ..options import RunOptions, compatibility_flags
from .arguments import Arguments


@dataclass(frozen=True, slots=True)
class Defaults:
    """The settings of ``%config Sandbox``, by the names they have there."""

    timeout_ms: int = RunOptions().timeout_ms
    max_memory_bytes: int = RunOptions().max_memory_bytes
    compat: str = ""
    engine: str = "quickjs"
    launcher: str = "auto"
    jail: str = "auto"
    raise_error: bool = True
    display: str = "auto"
    max_output_chars: int = Limits().output_chars
    max_output_lines: int = Limits().output_lines

    @property
    def options(self) -> RunOptions:
        """The options of a run.

        Raises:
            OptionError: one of them is out of range or no name of a flag.
        """
        return RunOptions(
            timeout_ms=self.timeout_ms,
            max_memory_bytes=self.max_memory_bytes,
            compatibility=compatibility_flags(self.compat),
        )

    @property
    def limits(self) -> Limits:
        """How much of a run is shown."""
        return Limits(output_chars=self.max_output_chars, output_lines=self.max_output_lines)

    def runner_of(self, arguments: Arguments) -> dict[str, Any]:
        """The arguments of the Runner that a cell with these options is run by."""
        chosen = {name: arguments.text(name) or getattr(self, name) for name in ("engine", "launcher", "jail")}
        return {**chosen, "runner_path": arguments.text("runner")}
