"""A rehearsal: a program of our own on a heap of its own, so that the interpreter has adapted its code before a fork.

CPython rewrites the code of a function that has run a few times, and a fork that does so pays for a copy of every
page it touches. What a template has rehearsed, its children find done.
"""

from __future__ import annotations

from binascii import b2a_base64

from goccia_tools.child import bounds, diff
from goccia_tools.child.confine import ceilings, load_ahead
from goccia_tools.child.jsontext import dumps
from goccia_tools.child.main import build_filesystem, decode_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from goccia_tools.child.engines.quickjs import QuickJS

#: a little of what programs do: calls, text, an object as the result; no declaration, as it runs in one realm again
PROGRAM: Final = """((words, label) => {
  console.log(words.join(), label);
  return { answer: words.length, list: [1, 2, { deep: null }] };
})(["a", "b"].map((name) => `hello ${name}`), 42);
"""


def request_payload() -> bytes:
    """The run-request of the rehearsal, as it would come over the wire."""
    content = b2a_base64(PROGRAM.encode("ascii"), newline=False).decode("ascii")
    entry = {"path": "/main.js", "kind": "file", "base64": content}
    request = {"type": "run-request", "v": 1, "entry": "/main.js", "baseline": {"files": [entry]}}
    return dumps(request).encode("ascii")


class Rehearsal:
    """Runs the program again and again on a twin of an engine, made with the first time."""

    __slots__ = ("_engine", "_payload")

    def __init__(self, engine: QuickJS) -> None:
        self._engine = engine
        self._payload = b""

    def once(self) -> str:
        """Everything a child does between reading and writing, but for the jail; answers what the program printed."""
        if not self._payload:
            self._engine, self._payload = self._engine.twin(), request_payload()
        request = decode_request(self._payload)
        files = build_filesystem(request)
        self._engine.check(request)
        before = diff.capture(files)
        load_ahead(files)
        ceilings(request)
        output = bounds.BoundedText()
        outcome = self._engine.run(request, files, output.add)
        bounds.result_frame(
            bounds.RunResultFields(
                outcome.failure_kind,
                error_message=outcome.error_text,
                output=output.text(),
                error_output=outcome.stderr,
                value_json=outcome.value_json,
                diff=diff.json_diff(before, files, metadata=False, budget_bytes=bounds.DIFF_BYTES),
            )
        )
        return output.text()

    def close(self) -> None:
        """Free the heap, which no run ever sees."""
        if self._payload:
            self._engine.close()
