"""Tokens of a source text, scanned in small portions as the parser asks for them."""

from __future__ import annotations

from .patterns import ESCAPE, ESCAPED_NAME, HEX_TAIL, REGEXP, REST_OF_TEMPLATE, TOKEN, UNICODE_ESCAPE
from .problems import Violation


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = words(
    "do if in for new try var case else enum null this true void with break catch class const false super throw while"
    " delete export import return switch typeof default extends finally continue function instanceof"
)
#: words with a token kind of their own which are still names
WORDS = words(
    "let as from static await yield async match type interface using arguments eval"
    " implements package private protected public"
)
STRICT_WORDS = words("implements interface package private protected public static")
#: what the reference takes as the name of a binding
BINDING = frozenset(("id", "esc")) | WORDS - {"let"}
#: what is an identifier token there: ``as``, ``from`` and ``static`` are words of their own
IDENTIFIERS = BINDING - {"as", "from", "static"}
#: what may follow a dot
NAMES = BINDING | KEYWORDS | {"let"}
_KINDS = {word: word for word in KEYWORDS | WORDS}
_ENDS_OPERAND = (BINDING | {"num", "oct", "big", "str", "ostr", "`", "`)", "re", "jsx", "]", ")]", "++", "--"}) | {
    "this",
    "super",
    "null",
    "true",
    "false",
    "let",
}
_BLOCK_BEFORE = frozenset((")", ")]", ";", "{", "}", "else", "do", "try", "finally", "=>", "")) | BINDING
_PORTION = 128
#: the names that rewriting introduces; a program must not use them
RESERVED_PREFIX = "ǃg_"


class Kinds(dict[int, str]):
    """Token number -> kind; asking for a number that is not there scans on."""

    __slots__ = ("scanner",)

    scanner: Scanner

    def __missing__(self, number: int) -> str:
        self.scanner.scan(number)
        return self.get(number, "")


class Scanner:
    """The token arrays of one text: ``kinds[i]``, ``starts[i]``, ``ends[i]``.

    Punctuators and keywords are their own kind; others are ``id``, ``esc`` (a name with escapes), ``num``, ``oct`` (a
    legacy octal), ``big``, ``str``, ``ostr`` (a string with a decimal escape), ``re``, a backtick alone or with ``(``,
    ``-`` or ``)`` (a template: whole, head, middle, tail), ``jsx`` and ``""`` for the end of the text. What cannot be a
    token is a NUL, with the refusal kept until a parser gets there. Whether a slash divides or starts a regular
    expression is guessed from what is before it; the parser, which knows, has it scanned again by :meth:`rescan`.
    """

    __slots__ = (
        "_before",
        "_reserved",
        "_slashes",
        "_stack",
        "ends",
        "generation",
        "kinds",
        "names",
        "problem",
        "starts",
        "text",
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds = Kinds()
        self.kinds.scanner = self
        self.starts: list[int] = []
        self.ends: list[int] = []
        #: token number -> the name an escaped identifier spells
        self.names: dict[int, str] = {}
        self.problem: Violation | None = None
        #: how often tokens were scanned anew
        self.generation = 0
        self._reserved = RESERVED_PREFIX in text
        # open brackets, innermost first, as a linked list so that rescan() can go back to any of them
        self._stack: tuple[str, object] | None = None
        # what the last token was, told finer than its kind: whether a slash after it divides
        self._before = ""
        self._slashes: dict[int, tuple[str, object] | None] = {}

    def rescan(self, number: int, kind: str) -> None:
        """Scan again from token ``number``, a slash, which starts a regular expression (``re``) or divides (``/``)."""
        self._stack = self._slashes[number]
        at = self.starts[number]
        self._drop(number)
        self._slash(at, number, kind == "re")

    def refused_slash(self, number: int) -> bool:
        """Whether token ``number`` is a slash that was taken for the start of a regular expression and refused."""
        return number in self._slashes and self.kinds[number] == "\0"

    def enter(self, element: int, at: int) -> int:
        """Scan on from offset ``at``, inside the element that token ``element`` starts; the next token's number."""
        self._drop(element + 1)
        self.ends[element] = at
        self._stack = ("e", self._slashes[element])
        self._before = self.kinds[element]
        return element + 1

    def resume(self, element: int, end: int) -> None:
        """Make the element that token ``element`` starts one token, up to offset ``end``."""
        start = self.starts[element]
        stack = self._slashes[element]
        self._drop(element)
        self._stack = stack
        self._slashes[element] = stack
        self._add(element, "jsx", start, end)

    def _drop(self, number: int) -> None:
        kinds = self.kinds
        for i in range(number, len(self.starts)):
            del kinds[i]
            self.names.pop(i, None)
            self._slashes.pop(i, None)
        kinds.pop(len(self.starts), None)
        del self.starts[number:], self.ends[number:]
        self.problem = None
        self.generation += 1

    def _slash(self, at: int, number: int, regexp: bool) -> int:
        text = self.text
        self._slashes[number] = self._stack
        if regexp:
            found = REGEXP.match(text, at)
            if found is None:
                return self._refuse(number, at, self._regexp_problem(at))
            flags = found.group(1)
            for i, flag in enumerate(flags):
                if flag not in "dgimsuvy":
                    problem = Violation(
                        f"Invalid regular expression flag: {flag}",
                        found.end(1),
                        "The flags are d, g, i, m, s, u, v and y",
                    )
                    return self._refuse(number, at, problem)
                if flag in flags[:i]:
                    problem = Violation(
                        f"Duplicate regular expression flag: {flag}", found.end(1), "Write each flag once"
                    )
                    return self._refuse(number, at, problem)
            if found.group(2):
                problem = Violation(
                    "Invalid regular expression literal suffix", found.end(1), "Only flags may follow the slash"
                )
                return self._refuse(number, at, problem)
            return self._add(number, "re", at, found.end())
        if text.startswith("/=", at):
            return self._add(number, "/=", at, at + 2)
        return self._add(number, "/", at, at + 1)

    def _add(self, number: int, kind: str, start: int, end: int) -> int:
        self.kinds[number] = self._before = kind
        self.starts.append(start)
        self.ends.append(end)
        return end

    def _refuse(self, number: int, at: int, problem: Violation) -> int:
        self.problem = problem
        self._add(number, "\0", at, at)
        return -1

    def scan(self, wanted: int) -> None:
        """Scan until token ``wanted`` exists or the text ends."""
        text = self.text
        kinds, starts, ends = self.kinds, self.starts, self.ends
        number = len(starts)
        if number and kinds[number - 1] in ("", "\0"):
            # past the end there is only the end again
            self._add(number, kinds[number - 1], starts[-1], ends[-1])
            for again in range(number + 1, wanted + 1):
                self._add(again, kinds[number], starts[-1], ends[-1])
            return
        at = ends[-1] if number else (self._hashbang() if text.startswith("#!") else 0)
        before = self._before
        stack = self._stack
        match, keyword, end_text = TOKEN.match, _KINDS.get, len(text)
        last = max(wanted + 8, number + _PORTION)
        while number <= last:
            found = match(text, at)
            group = found.lastindex  # type: ignore[union-attr]
            start, at = found.span(group or 0)  # type: ignore[union-attr]
            if group == 1:
                kind = keyword(text[start:at], "id")
                if self._reserved and text.startswith(RESERVED_PREFIX, start):
                    self._stack = stack
                    self._refuse(number, start, self._reserved_problem(start))
                    return
                if at < end_text and text[at] == "\\":
                    self._stack = stack
                    at = self._escaped(start, number)
                    if at < 0:
                        return
                    kind = kinds[number]
                else:
                    kinds[number] = kind
                    starts.append(start)
                    ends.append(at)
                if number and kinds[number - 1] in (".", "?."):
                    kind = "id"
            elif group == 2:
                kind = found.group(2)  # type: ignore[union-attr]
                if kind == "}":
                    if stack is not None:
                        mark: str = stack[0]
                        stack = stack[1]  # type: ignore[assignment]
                        if mark == "`":
                            rest = REST_OF_TEMPLATE.match(text, at)
                            at = rest.end()  # type: ignore[union-attr]
                            ending = rest.group(1)  # type: ignore[union-attr]
                            if ending is None:
                                self._stack = stack
                                problem = Violation(
                                    "Unterminated template literal", end_text, "Add the closing backtick"
                                )
                                self._refuse(number, end_text, problem)
                                return
                            kind = "`)"
                            if ending == "${":
                                kind = "`-"
                                stack = ("`", stack)
                        elif mark == "b":
                            before = ";"  # what follows a block starts a statement
                            kinds[number] = kind
                            starts.append(start)
                            ends.append(at)
                            number += 1
                            continue
                        else:
                            before = "]"
                            kinds[number] = kind
                            starts.append(start)
                            ends.append(at)
                            number += 1
                            continue
                elif kind == "{":
                    stack = ("b" if before in _BLOCK_BEFORE else "e", stack)
                elif kind == "(":
                    stack = ("r" if before in ("if", "while", "for", "with") else "d", stack)
                elif kind == "[":
                    stack = ("d", stack)
                elif kind == "<":
                    self._slashes[number] = stack
                elif kind == ")" or kind == "]":
                    if stack is not None:
                        if stack[0] == "r":
                            stack = stack[1]  # type: ignore[assignment]
                            before = ")"
                            kinds[number] = kind
                            starts.append(start)
                            ends.append(at)
                            number += 1
                            continue
                        stack = stack[1]  # type: ignore[assignment]
                    kinds[number] = kind
                    starts.append(start)
                    ends.append(at)
                    # after a call or a parenthesis a brace opens a block, a slash divides
                    before = ")]" if kind == ")" else "]"
                    number += 1
                    continue
                kinds[number] = kind
                starts.append(start)
                ends.append(at)
            elif group == 3:
                kind = "num"
                if (text[at - 1] == "n" and text[start : start + 2] not in ("0x", "0X")) or text[at - 1] == "n":
                    kind = "big"
                elif text[start] == "0" and at - start > 1 and text[start:at].isdigit():
                    kind = "oct" if not set(text[start:at]) & {"8", "9"} else "num"
                if at < end_text and (
                    text[at] in "_eE" or (text[at] == "." and text[at + 1 : at + 2] == "_") or at - start == 1
                ):
                    problem_here = self._number_problem(start, at)
                    if problem_here is not None:
                        self._stack = stack
                        self._refuse(number, start, problem_here)
                        return
                kinds[number] = kind
                starts.append(start)
                ends.append(at)
            elif group == 4:
                kind = "str"
                if "\\" in text[start:at]:
                    kind = self._string_kind(start, at)
                    if self.problem is not None:
                        self._stack = stack
                        self._refuse(number, start, self.problem)
                        return
                kinds[number] = kind
                starts.append(start)
                ends.append(at)
            elif group == 5:
                kind = "`"
                kinds[number] = kind
                starts.append(start)
                ends.append(at)
            elif group == 6:
                kind = "`("
                stack = ("`", stack)
                kinds[number] = kind
                starts.append(start)
                ends.append(at)
            elif group == 7:
                self._stack = stack
                if text.startswith("/*", start):
                    self._refuse(
                        number, end_text, Violation("Unterminated block comment", end_text, "Add the closing */")
                    )
                    return
                at = self._slash(start, number, before not in _ENDS_OPERAND)
                if at < 0:
                    return
                kind = kinds[number]
            else:
                self._stack = stack
                start = at
                if start >= end_text:
                    kinds[number] = ""
                    starts.append(end_text)
                    ends.append(end_text)
                    return
                if text[start] == "\\":
                    at = self._escaped(start, number)
                    if at < 0:
                        return
                    kind = kinds[number]
                else:
                    self._refuse(number, start, self._character_problem(start))
                    return
            before = kind
            number += 1
        self._stack, self._before = stack, before

    def _hashbang(self) -> int:
        at = 0
        while at < len(self.text) and self.text[at] not in "\n\r\u2028\u2029":
            at += 1
        return at

    def _escaped(self, start: int, number: int) -> int:
        """A name with ``\\u`` escapes: its spelling is kept in ``names``."""
        text = self.text
        found = ESCAPED_NAME.match(text, start)
        end = found.end() if found else start
        if found is None or text[end : end + 1] == "\\":
            return self._refuse(number, start, Violation("Invalid unicode escape", end, "Write \\uXXXX or \\u{X...}"))
        try:
            name = UNICODE_ESCAPE.sub(lambda m: chr(int(m.group(1) or m.group(2), 16)), text[start:end])
        except (ValueError, OverflowError):
            return self._refuse(number, start, Violation("Invalid unicode code point", end, "The highest is 10FFFF"))
        if not name.replace("$", "_").replace("\u200c", "_").replace("\u200d", "_").isidentifier():
            return self._refuse(
                number, start, Violation("Invalid identifier escape", end, "The escape must spell a letter")
            )
        if name.startswith(RESERVED_PREFIX):
            return self._refuse(number, start, self._reserved_problem(start))
        self.names[number] = name
        return self._add(number, "esc", start, end)

    def _reserved_problem(self, at: int) -> Violation:
        return Violation(f"Names must not start with '{RESERVED_PREFIX}'", at, "Choose another name")

    def _string_kind(self, start: int, end: int) -> str:
        kind = "str"
        for escape in ESCAPE.finditer(self.text, start, end):
            char = escape.group(1)
            at = escape.start(1)
            if char in "xu" and not HEX_TAIL.match(self.text, at):
                what = "hex" if char == "x" else "unicode"
                self.problem = Violation(f"Invalid {what} escape", at + 1, "Write \\xXX, \\uXXXX or \\u{X...}")
                return kind
            if (char == "0" and self.text[at + 1 : at + 2].isdigit()) or "1" <= char <= "9":
                kind = "ostr"
        return kind

    def _number_problem(self, start: int, end: int) -> Violation | None:
        text = self.text
        after = text[end : end + 1]
        separators = "A separator stands between two digits, as in 1_000"
        if text[start:end] == "0" and after == "_":
            return Violation("Numeric separator cannot be used after leading 0", end, separators)
        if after == "_":
            return Violation("Numeric separator must be between digits", end + 1, separators)
        if after == "." and text[end + 1 : end + 2] == "_":
            return Violation("Numeric separator must be between digits", end, separators)
        if text[start:end] == "0" and after and after in "xXbBoO":
            base = {"x": "hexadecimal", "b": "binary", "o": "octal"}[after.lower()]
            return Violation(f"Invalid {base} number", end + 1, "Digits must follow the prefix")
        if (
            after
            and after in "eE"
            and text[start : start + 2].lower() not in ("0x", "0b", "0o")
            and text[end - 1] != "n"
        ):
            sign = 1 if text[end + 1 : end + 2] in ("+", "-") else 0
            return Violation("Invalid scientific notation", end + 1 + sign, "Digits must follow the e, as in 1e6")
        return None

    def _regexp_problem(self, at: int) -> Violation:
        text = self.text
        in_class = False
        at += 1
        while at < len(text) and text[at] not in "\n\r\u2028\u2029":
            char = text[at]
            if char == "\\":
                at += 1
                if at >= len(text) or text[at] in "\n\r\u2028\u2029":
                    break
            elif char == "[":
                in_class = True
            elif char == "]":
                in_class = False
            elif char == "/" and not in_class:
                break
            at += 1
        return Violation("Unterminated regular expression literal", at, "Add the closing slash")

    def _character_problem(self, at: int) -> Violation:
        text = self.text
        char = text[at]
        if char in "\"'":
            i = at + 1
            while i < len(text) and text[i] not in "\n\r":
                i += (3 if text.startswith("\r\n", i + 1) else 2) if text[i] == "\\" else 1
            if i >= len(text):
                return Violation("Unterminated string", len(text), "Add the closing quote")
            return Violation(
                "String literals cannot contain unescaped line terminators",
                i,
                "Close the string, or write \\n or a template",
            )
        if char == "`":
            return Violation("Unterminated template literal", len(text), "Add the closing backtick")
        return Violation(f"Unexpected character: {char}", at, "Remove the character")
