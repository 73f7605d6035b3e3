"""Bounds of a run-result: text that keeps no more than its limit, and a frame that always fits (design section 3)."""

from __future__ import annotations

from goccia_tools.child.jsontext import dumps, quote, scrub
from goccia_tools.frames import MAX_FRAME_BYTES, frame_prefix
from goccia_tools.messages import PROTOCOL_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

OUTPUT_BYTES: Final = 4 * 1024 * 1024
ERROR_MESSAGE_BYTES: Final = 64 * 1024
DIFF_BYTES: Final = 24 * 1024 * 1024
RESULT_VALUE_BYTES: Final = 16 * 1024 * 1024

#: room for the marker of any loss: its text and a count of up to 20 digits
_MARKER_ROOM: Final = len("… [truncated  bytes]".encode()) + 20


def _marker(lost_bytes: int) -> str:
    return f"… [truncated {lost_bytes} bytes]"


def cut(text: str, limit_bytes: int) -> str:
    """``text`` in at most ``limit_bytes`` of UTF-8, cut at a code point and marked with what was lost."""
    if len(text) * 3 <= limit_bytes:
        return scrub(text)
    data = scrub(text).encode("utf-8")
    if len(data) <= limit_bytes:
        return data.decode("utf-8")
    kept = data[: max(0, limit_bytes - _MARKER_ROOM)].decode("utf-8", "ignore")
    marked = kept + _marker(len(data) - len(kept.encode("utf-8")))
    return marked if len(marked.encode("utf-8")) <= limit_bytes else ""


class BoundedText:
    """Collects text up to ``limit_bytes`` of UTF-8 and counts, but does not keep, the rest.

    Once the limit is passed nothing more is kept, so memory stays bounded however much a guest prints;
    ``lost_bytes`` is then what :meth:`text` names in its marker.
    """

    __slots__ = ("_chunks", "_kept_bytes", "_seen_bytes", "limit_bytes")

    def __init__(self, limit_bytes: int = OUTPUT_BYTES) -> None:
        self.limit_bytes = limit_bytes
        self._chunks: list[bytes] = []
        self._kept_bytes = 0
        self._seen_bytes = 0

    def add(self, text: str) -> None:
        """Append text; lone surrogates become U+FFFD."""
        data = scrub(text).encode("utf-8")
        self._seen_bytes += len(data)
        room = self.limit_bytes - self._kept_bytes
        if room > 0:
            self._chunks.append(data[:room])
            self._kept_bytes += min(room, len(data))
            if len(self._chunks) > 4096:
                self._chunks = [b"".join(self._chunks)]

    def text(self) -> str:
        """What was collected, with the marker when something was lost."""
        data = b"".join(self._chunks)
        if self._seen_bytes <= self.limit_bytes:
            return data.decode("utf-8")
        kept = data[: max(0, self.limit_bytes - _MARKER_ROOM)].decode("utf-8", "ignore")
        return kept + _marker(self._seen_bytes - len(kept.encode("utf-8")))


class RunResultFields:
    """The variable members of a run-result, before they are bounded.

    ``value_json`` is the JSON text of the result value; ``diff`` the diff document or None when none was requested.
    """

    __slots__ = ("diff", "diff_requested", "error_message", "error_output", "failure_kind", "output", "value_json")

    def __init__(
        self,
        failure_kind: str = "none",
        *,
        error_message: str = "",
        output: str = "",
        error_output: str = "",
        value_json: str = "null",
        diff_requested: bool = False,
        diff: str | None = None,
    ) -> None:
        self.failure_kind = failure_kind
        self.error_message = error_message
        self.output = output
        self.error_output = error_output
        self.value_json = value_json
        self.diff_requested = diff_requested
        self.diff = diff


def _frame_text(fields: RunResultFields, value_json: str, diff: str | None, *, truncated: bool) -> list[str]:
    ok = fields.failure_kind == "none"
    return [
        '{"type":"run-result","v":',
        str(PROTOCOL_VERSION),
        ',"ok":' + dumps(ok) + ',"exitCode":' + ("0" if ok else "1"),
        ',"failureKind":' + quote(fields.failure_kind),
        ',"errorMessage":',
        quote(cut(fields.error_message, ERROR_MESSAGE_BYTES)),
        ',"output":',
        quote(cut(fields.output, OUTPUT_BYTES)),
        ',"errorOutput":',
        quote(cut(fields.error_output, OUTPUT_BYTES)),
        ',"resultValue":',
        value_json,
        ',"diffRequested":' + dumps(fields.diff_requested),
        ',"diff":',
        "null" if diff is None else quote(diff),
        ',"truncated":' + dumps(truncated),
        "}",
    ]


def result_frame(fields: RunResultFields) -> bytes:
    """The whole frame of a run-result, prefix included, never over 64 MiB (ADR 0107 section 3b, C36-C40).

    A diff or a value over its own limit, or a frame over the protocol's, triggers the one fallback: both become
    null, the message keeps its limit, ``truncated`` is true; the kind of the run stays what it was.
    """
    diff = scrub(fields.diff) if fields.diff is not None else None
    value_json = scrub(fields.value_json)
    too_big = _utf8_over(value_json, RESULT_VALUE_BYTES) or (diff is not None and _utf8_over(diff, DIFF_BYTES))
    if not too_big:
        payload = "".join(_frame_text(fields, value_json, diff, truncated=False)).encode("utf-8")
        if len(payload) <= MAX_FRAME_BYTES:
            return frame_prefix(len(payload)) + payload
    payload = "".join(_frame_text(fields, "null", None, truncated=True)).encode("utf-8")
    return frame_prefix(len(payload)) + payload


def _utf8_over(text: str, limit_bytes: int) -> bool:
    if len(text) > limit_bytes:
        return True
    return len(text) * 3 > limit_bytes and len(text.encode("utf-8")) > limit_bytes


def _memory_frame(*, diff_requested: bool) -> bytes:
    message = "memory limit exceeded"
    return result_frame(
        RunResultFields(
            "resource-limit", error_message=message, error_output=message + "\n", diff_requested=diff_requested
        )
    )


#: for when not even a result can be built, by whether a diff was requested; made before any guest code, so that
#: sending one allocates nothing
MEMORY_FRAMES: Final = {wanted: _memory_frame(diff_requested=wanted) for wanted in (False, True)}
