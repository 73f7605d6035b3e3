"""Case: one test of a `*.sandbox.js` file, ready to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..baseline import Seed
from ..options import RunOptions
from .expect import SUCCESS, Expectation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Call
    from .inline import Inline

VISIBILITIES = ("visible", "hidden", "after_due_date", "after_published")


@dataclass(frozen=True, slots=True)
class Skip:
    """Do not run the case; with ``condition`` only where that holds."""

    reason: str
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class XFail:
    """The case is expected to fail: for ``reason``, with failureKind ``raises`` when given, where ``condition`` holds.

    ``strict`` None means what the test runner's configuration says.
    """

    reason: str
    strict: bool | None = None
    raises: str | None = None
    condition: str | None = None


@dataclass(slots=True)
class Case:
    """One program to run and what is expected of it. Whoever runs cases may change it before it runs.

    ``id`` is unique in its file and made of letters, digits, ``_``, ``.`` and ``-``; ``name`` is what the author
    wrote. ``body`` is the program in which everything the author expects is blanked. ``key_path`` is where the
    front matter says what this case expects, for whoever rewrites it.
    """

    path: Path
    id: str
    name: str
    line: int
    body: str
    entry: str
    options: RunOptions
    description: str = ""
    seeds: list[Seed] = field(default_factory=list)
    expect: Expectation = SUCCESS
    call: Call | None = None
    inline: Inline | None = None
    negative_phase: str | None = None
    skip: tuple[Skip, ...] = ()
    xfail: XFail | None = None
    marks: tuple[tuple[str, tuple[Any, ...], Mapping[str, Any]], ...] = ()
    tags: tuple[str, ...] = ()
    points: float | None = None
    visibility: str = "visible"
    #: fixture name -> path of the JSON file its value becomes
    fixtures: dict[str, str] = field(default_factory=dict)
    #: where the case's own mapping stands in the front matter
    key_path: tuple[str | int, ...] = ()
    #: of the text this was read from
    checksum: int = 0
    #: the cases with which it shares its expectation, which no single result can rewrite
    shared_with: str = ""
