"""JSON text in the child: strict, fast, and without the imports of the ``json`` package.

The interpreter's own C scanner and encoder do the work; ``json`` itself would add its decoder's regular
expressions to every start.
"""

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class JsonError(ValueError):
    """The text is not one JSON document; the message says where (a character offset) or why."""


def _no_constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is not JSON")


class _ScanRules:
    """What the C scanner asks of its owner."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constant)

    def __init__(self) -> None:
        self.memo: dict[str, str] = {}


_scan: Callable[[str, int], tuple[Any, int]] = _json.make_scanner(_ScanRules())  # type: ignore[arg-type]
_SPACE = " \t\n\r"


def loads(data: bytes | bytearray | memoryview) -> Any:
    """The value of one UTF-8 JSON document, without BOM.

    Raises:
        JsonError: invalid UTF-8, a syntax error, NaN or an infinity, text after the document, or too deep nesting.
    """
    try:
        text = str(data, "utf-8")
    except UnicodeDecodeError as fault:
        raise JsonError(f"invalid UTF-8 at byte {fault.start}") from None
    start = 0
    while start < len(text) and text[start] in _SPACE:
        start += 1
    try:
        value, end = _scan(text, start)
    except StopIteration as fault:
        raise JsonError(f"a JSON value is expected at character {fault.value}") from None
    except RecursionError:
        raise JsonError("nested too deeply") from None
    except JsonError:
        raise
    except Exception as fault:  # the C scanner imports json.decoder to raise its JSONDecodeError
        raise JsonError(str(fault)) from None
    while end < len(text):
        if text[end] not in _SPACE:
            raise JsonError(f"text after the JSON document at character {end}")
        end += 1
    return value


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"{type(value).__name__} is not JSON")


def quote(text: str) -> str:
    """A string as JSON text; lone surrogates become U+FFFD, other characters stay as they are."""
    quoted: str = _json.encode_basestring(text)
    try:
        quoted.encode("utf-8")
    except UnicodeEncodeError:
        quoted = scrub(quoted)
    return quoted


def scrub(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD, once, where it leaves the engine (design section 3)."""
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_encode: Callable[[Any, int], tuple[str, ...]] = _json.make_encoder(
    None, _refuse, quote, None, ":", ",", False, False, False
)


def dumps(value: Any) -> str:
    """Compact JSON text of plain data (strings are scrubbed of lone surrogates).

    Raises:
        TypeError: the data holds something that is not JSON; ValueError: it holds NaN or an infinity.
    """
    return "".join(_encode(value, 0))
