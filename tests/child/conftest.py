"""In-process doors to the child: a bare heap for the binding's tests, whole programs for everything above."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from goccia_tools.child import main
from goccia_tools.child.engines import Outcome
from goccia_tools.child.engines._quickjs.binding import Context, Runtime
from goccia_tools.child.engines._quickjs.library import Library, load_library
from goccia_tools.child.engines.quickjs import QuickJS
from goccia_tools.messages import read_request


@pytest.fixture(scope="session")
def library() -> Library:
    return load_library()


@pytest.fixture
def runtime(library: Library) -> Iterator[Runtime]:
    made = Runtime(library)
    yield made
    made.close()


@pytest.fixture
def context(runtime: Runtime) -> Context:
    made = runtime.new_context({"echo": lambda *given: given[0] if given else None})
    made.define_global("host", made.new_host_object())
    return made


class Ran:
    """A finished program: its outcome, what it printed and its filesystem."""

    def __init__(self, outcome: Outcome, output: str, files: Any) -> None:
        self.outcome = outcome
        self.output = output
        self.files = files

    @property
    def kind(self) -> str:
        return self.outcome.failure_kind

    @property
    def error(self) -> str:
        return self.outcome.error_text


@pytest.fixture
def program() -> Callable[..., Ran]:
    """Runs a program in this process: text of /main.js (or another entry), files, and request members by block."""
    from binascii import b2a_base64

    def run(
        text: str,
        files: dict[str, str | bytes] | None = None,
        *,
        entry: str = "/main.js",
        engine: dict[str, Any] | None = None,
        execution: dict[str, Any] | None = None,
    ) -> Ran:
        everything = {entry: text, **(files or {})}
        request = read_request(
            {
                "type": "run-request",
                "v": 1,
                "entry": entry,
                "baseline": {
                    "files": [
                        {
                            "path": path,
                            "kind": "file",
                            "base64": b2a_base64(
                                data if isinstance(data, bytes) else data.encode(), newline=False
                            ).decode(),
                        }
                        for path, data in everything.items()
                    ]
                },
                "engine": engine or {},
                "execution": execution or {},
            }
        )
        filesystem = main.build_filesystem(request)
        lines: list[str] = []
        outcome = QuickJS().run(request, filesystem, lines.append)
        return Ran(outcome, "".join(lines), filesystem)

    return run
