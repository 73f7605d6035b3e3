"""The regular expressions of the source package, compiled once per interpreter version and kept.

Importing ``re`` and compiling these would take longer than preparing a usual program, so what the compiler made of
them lies beside this module in ``__pycache__``; where that cannot be written, each start compiles.
"""

from __future__ import annotations

import _sre
import marshal
import posix
import sys
from binascii import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern
    from typing import Any

_SPACE = " \\t\\n\\r\\v\\f\\u00a0\\ufeff\\u2028\\u2029\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000"
_NOT_PART = "\\x00-\\x23\\x25-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f\\u180e" + _SPACE
_DIGITS = r"\d++(?:_\d++)*+"
_ASCII, _DOTALL = 256, 16

_SOURCES: dict[str, tuple[str, int]] = {
    # 1 identifier, 2 punctuator, 3 number, 4 string, 5 template without substitutions, 6 template head, 7 slash
    "TOKEN": (
        rf"(?>[{_SPACE}]++|//[^\n\r\u2028\u2029]*+|/\*(?>[^*]++|\*(?!/))*+\*/)*+"
        r"(?:"
        rf"([^0-9{_NOT_PART}][^{_NOT_PART}]*+)"
        r"|(\.\.\.|>>>=?|===?|=>|!==?|\*\*=?|<<=?|>>=?|&&=?|\|\|=?|\?\?=?|\?\.(?![0-9])|\+\+|--"
        r"|[-+*%&|^<>]=?|[{}()\[\];,:~?=!@#]|\.(?![0-9]))"
        r"|(0[xX][0-9a-fA-F]++(?:_[0-9a-fA-F]++)*+n?|0[bB][01]++(?:_[01]++)*+n?|0[oO][0-7]++(?:_[0-7]++)*+n?"
        rf"|(?:0[0-9]*+|[1-9][0-9]*+(?:_[0-9]++)*+)(?:n|(?:\.(?:{_DIGITS})?)?(?:[eE][-+]?{_DIGITS})?)"
        rf"|\.{_DIGITS}(?:[eE][-+]?{_DIGITS})?)"
        r"""|("(?>[^"\\\n\r]++|\\(?:\r\n|[\s\S]))*+"|'(?>[^'\\\n\r]++|\\(?:\r\n|[\s\S]))*+')"""
        r"|(`(?>[^`\\$]++|\\[\s\S]|\$(?!\{))*+`)"
        r"|(`(?>[^`\\$]++|\\[\s\S]|\$(?!\{))*+\$\{)"
        r"|(/))?",
        _ASCII,
    ),
    "REST_OF_TEMPLATE": (r"(?>[^`\\$]++|\\[\s\S]|\$(?!\{))*+(`|\$\{)?", 0),
    "REGEXP": (
        r"/(?>[^\\/\[\n\r\u2028\u2029]++|\\[^\n\r\u2028\u2029]"
        r"|\[(?>[^\]\\\n\r\u2028\u2029]++|\\[^\n\r\u2028\u2029])*+\])++"
        r"/([a-zA-Z]*)([0-9_$]?)",
        0,
    ),
    "ESCAPED_NAME": (rf"(?>[^{_NOT_PART}]++|\\u[0-9a-fA-F]{{4}}|\\u\{{[0-9a-fA-F]+\}})++", 0),
    "UNICODE_ESCAPE": (r"\\u(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}))", 0),
    "ESCAPE": (r"\\(\r\n|[\s\S])", 0),
    "HEX_TAIL": (r"x[0-9a-fA-F]{2}|u(?:[0-9a-fA-F]{4}|\{0*[0-9a-fA-F]{1,6}\})", 0),
    # elements
    "ELEMENT": (r"<(?:>|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:[/>]|[ \t\r\n]+[A-Za-z_$\{/>]))", _ASCII),
    "TAG": (r"[\w$]+(?:\.[\w$]*)*", _ASCII),
    "ATTRIBUTE": (r"[\w$]+(?:-[\w$]*)*", _ASCII),
    "BLANKS": (r"[ \t\r\n]*", 0),
    "TEXT": (r"[^<{]+", 0),
    "HEAD": (r"(?:\s*(?://[^\n]*|/\*.*?\*/))*", _DOTALL),
    "DIRECTIVE": (r"[/* \t]@(jsxFactory|jsxFragment) [ \t]*([^\s*/]+)", 0),
    "LINE_END": (r"\r\n|\n|\r", 0),
    "PLAIN_KEY": (r"[A-Za-z0-9_$]+\Z", 0),
}


def _cache_path() -> str:
    folder = __file__.rpartition("/")[0]
    version = f"{sys.implementation.cache_tag}-{_sre.MAGIC}-{_sre.CODESIZE}-{crc32(repr(_SOURCES).encode()):08x}"
    return f"{folder}/__pycache__/patterns.{version}.bin"


def _compile() -> dict[str, Any]:
    """Name -> the arguments from which ``_sre`` makes the pattern."""
    import re._compiler as compiler
    import re._parser as parser

    made: dict[str, Any] = {}
    for name, (text, flags) in _SOURCES.items():
        parsed = parser.parse(text, flags)
        code = [int(word) for word in compiler._code(parsed, flags)]
        state = parsed.state
        groups: list[str | None] = [None] * state.groups
        made[name] = (text, int(flags | state.flags), code, state.groups - 1, {}, tuple(groups))
    return made


def _load() -> dict[str, Any]:
    path = _cache_path()
    try:
        with open(path, "rb") as file:
            kept: dict[str, Any] = marshal.loads(file.read())  # noqa: S302 - our own file, as trusted as the code beside it
            return kept
    except (OSError, ValueError, EOFError, TypeError):
        made = _compile()
    partial = f"{path}.{posix.getpid()}"
    try:
        with open(partial, "wb") as file:
            marshal.dump(made, file)
        posix.replace(partial, path)
    except OSError:
        pass
    return made


def _patterns() -> dict[str, Pattern[str]]:
    return {name: _sre.compile(*arguments) for name, arguments in _load().items()}


_made = _patterns()
TOKEN = _made["TOKEN"]
REST_OF_TEMPLATE = _made["REST_OF_TEMPLATE"]
REGEXP = _made["REGEXP"]
ESCAPED_NAME = _made["ESCAPED_NAME"]
UNICODE_ESCAPE = _made["UNICODE_ESCAPE"]
ESCAPE = _made["ESCAPE"]
HEX_TAIL = _made["HEX_TAIL"]
ELEMENT = _made["ELEMENT"]
TAG = _made["TAG"]
ATTRIBUTE = _made["ATTRIBUTE"]
BLANKS = _made["BLANKS"]
TEXT = _made["TEXT"]
HEAD = _made["HEAD"]
DIRECTIVE = _made["DIRECTIVE"]
LINE_END = _made["LINE_END"]
PLAIN_KEY = _made["PLAIN_KEY"]
