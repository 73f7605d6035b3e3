"""Stored output: what a notebook file keeps of a cell, and what a run shows, as texts that can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .defaults import Defaults
from .outcome import Outcome

_COLORS = re.compile(r"\x1b\[[0-9;:]*m")
#: says what this machine lacks, so it differs from machine to machine
_OF_THE_MACHINE = "note: jail "


def stored_text(outputs: Iterable[Mapping[str, Any]]) -> str:
    """The stored outputs of a cell as one text: the plain form of what is shown, and errors without their colours."""
    return _text(block for output in outputs for block in _blocks(output))


def shown_text(outcome: Outcome, defaults: Defaults) -> str:
    """What the cell shows and raises now, in the form of :func:`stored_text`."""
    blocks = [outcome.shown(defaults).get("text/plain", "")]
    failure = outcome.failure(defaults)
    if failure is not None:
        blocks.append(_error(type(failure).__name__, failure._render_traceback_()))
    return _text(blocks)


def _blocks(output: Mapping[str, Any]) -> Iterator[str]:
    kind, data = output.get("output_type"), output.get("data")
    if kind == "error":
        traceback = output.get("traceback")
        yield _error(str(output.get("ename", "")), traceback if isinstance(traceback, list) else [])
    elif isinstance(data, Mapping):
        yield _joined(data.get("text/plain"))
    elif (
        kind == "stream" and output.get("name") != "stderr"
    ):  # on stderr are the warnings of the kernel's own libraries
        yield _joined(output.get("text"))


def _joined(text: object) -> str:
    return "".join(str(part) for part in text) if isinstance(text, list) else str(text or "")


def _error(name: str, traceback: list[Any]) -> str:
    return "\n".join([f"raised {name}:", *(str(line) for line in traceback)])


def _text(blocks: Iterable[str]) -> str:
    lines = [line.rstrip() for block in blocks if block for line in _COLORS.sub("", block).split("\n")]
    return "\n".join(line for line in lines if not line.startswith(_OF_THE_MACHINE)).rstrip("\n")
