"""TypeScript-style annotations: recognised by their tokens, blanked in place, and read for strictTypes."""

from __future__ import annotations

from .expressions import ARROW
from .functions import Functions
from .scanner import words

_TYPE_ADVICE = "Write a type, or leave the annotation out"
_EXPRESSION_ENDS = words(
    "; , ) ] } : ? && || ?? + - * / % ** === !== == != = += -= *= /= %= **= ??= &&= ||= instanceof in as"
)
_EXPECTS_OPERAND = frozenset(("|", "&", "=>", "extends", "?", ":", "typeof"))
_OPERAND_WORDS = frozenset(("keyof", "readonly", "infer", "asserts", "is"))
_TYPE_OPERANDS = words(
    "id esc str ostr num oct big true false null this await yield async match type interface using arguments eval"
    " implements package private protected public"
)
_CONNECTORS = words("typeof void new in extends as import const")
_CONNECTOR_WORDS = _OPERAND_WORDS | {"satisfies", "unique", "abstract", "out", "declare"}
_NOT_TYPES = frozenset(("<<", "<<=", ">>=", ">>>="))
_CLOSES_MEMBER = frozenset((";", ",", "}", "]", ")", ">"))
_NOT_IN_ARGUMENTS = words(
    "&& || ?? ! + - * / % ** === !== == != <= >= = += -= *= /= %= **= ??= &&= ||= ^ ~ &= |= ^= << <<= >>= >>>="
    " ++ -- instanceof in delete ?. ; re @ # ..."
) | {""}
_AFTER_NEW_ARGUMENTS = frozenset(("(", ";", ",", ")", "]", "}", "`-", "`)", ""))
_LEVELS = {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1, ">>": -2, ">>>": -3}


class Types(Functions):
    """The annotation rules."""

    def _expects_operand(self, i: int) -> bool:
        kind = self.k[i]
        return kind in _EXPECTS_OPERAND or (kind == "id" and self.word(i) in _OPERAND_WORDS)

    def type_end(self, i: int, ends: frozenset[str], *, allow_object: bool = False, words: bool = False) -> int:
        """The token behind the type that starts at ``i``; ``words`` ends it at ``is`` and ``satisfies`` as well."""
        k = self.k
        begin = i
        level = 0
        while True:
            kind = k[i]
            if kind == "" or kind == "\0":
                return i
            if level == 0:
                if kind == "`-" or kind == "`)":
                    return i  # the brace that closes a substitution
                if (
                    words
                    and kind == "id"
                    and self.word(i) in ("is", "satisfies")
                    and (i > begin or self.word(i) == "is")
                ):
                    return i
                if i > begin and self.asi and self.new_line(i) and not self._expects_operand(i - 1):
                    return i
                if kind in ends and not (allow_object and kind == "{" and (i == begin or self._expects_operand(i - 1))):
                    return i
            if kind == "`(":
                i = self.skip_balanced(i)
                continue
            step = _LEVELS.get(kind)
            if step is not None:
                level = max(level + step, 0)
            i += 1

    def check_type(self, begin: int, end: int) -> None:
        """The token sequences that are no type at all."""
        k = self.k
        angles = 0
        before = -1
        for i in range(begin, end):
            kind = k[i]
            if kind in _NOT_TYPES:
                raise self.refuse(f'"{kind}" is not valid type syntax', i, _TYPE_ADVICE)
            if kind == "<":
                angles += 1
            elif kind in (">", ">>", ">>>"):
                angles = max(angles - len(kind), 0)
            if before >= 0:
                previous = k[before]
                if kind == "," and angles > 0 and previous in ("<", ","):
                    raise self.refuse('Expected a type before ","', i, _TYPE_ADVICE)
                if previous == ":" and kind in _CLOSES_MEMBER:
                    raise self.refuse('Expected a type after ":"', i, _TYPE_ADVICE)
                if (
                    previous in _TYPE_OPERANDS
                    and kind in _TYPE_OPERANDS
                    and not self._connects(before)
                    and not self._connects(i)
                ):
                    message = f'Unexpected "{self.word(i)}" after the type "{self.word(before)}"'
                    raise self.refuse(message, i, "Join two types with | or &")
            before = i

    def _connects(self, i: int) -> bool:
        kind = self.k[i]
        return kind in _CONNECTORS or (kind == "id" and self.word(i) in _CONNECTOR_WORDS)

    def annotation(self, ends: frozenset[str], *, allow_object: bool = False) -> str:
        """``: type`` with the cursor at the colon; blanked. The type strictTypes checks, if it does."""
        colon = self.i
        begin = colon + 1
        end = self.type_end(begin, ends, allow_object=allow_object)
        if end == begin:
            raise self.refuse("Expected a type annotation", begin, _TYPE_ADVICE)
        self.check_type(begin, end)
        self.edits.blank(self.s[colon], self.e[end - 1])
        self.i = end
        return self.checked_type(begin, end) if self.strict_types else ""

    def checked_type(self, begin: int, end: int) -> str:
        """What strictTypes makes of an annotation: number, string, boolean, object or nothing."""
        kinds = [self.k[i] for i in range(begin, end)]
        if "|" in kinds:
            return ""
        if len(kinds) == 1:
            word = self.word(begin)
            if word in ("number", "string", "boolean", "object"):
                return word
            if word in ("Object", "Function"):
                return "object"
        if any(kind in ("<", "[", "{", "=>") for kind in kinds):
            return "object"
        return ""

    def type_operator(self, compare: int, annotated: bool) -> int:
        """``is Pattern``, ``as Type``, ``satisfies Type`` behind an operand: 0 none, 1 types only, 2 with is."""
        found = 0
        i = self.i
        if not annotated and self.is_word(i, "is"):
            self.is_expressions(compare)
            found = 2
            i = self.i
        while True:
            kind = self.k[i]
            if kind == "as":
                if self.k[i + 1] == "const":
                    self.i = i + 2
                    self.edits.blank(self.s[i], self.e[i + 1])
                else:
                    self._erased(i, "as")
            elif kind == "id" and self.word(i) == "satisfies" and not self.new_line(i):
                self._erased(i, "satisfies")
            else:
                break
            found = max(found, 1)
            i = self.i
        if found and self.is_word(i, "is"):
            self.is_expressions(compare)
            found = 2
        return found

    def _erased(self, i: int, word: str) -> None:
        end = self.type_end(i + 1, _EXPRESSION_ENDS, words=True)
        if end == i + 1:
            raise self.refuse(f'Expected type annotation after "{word}"', end, _TYPE_ADVICE)
        self.edits.blank(self.s[i], self.e[end - 1])
        self.i = end

    def generic_parameters(self) -> bool:
        """``<T, ...>`` behind a name; blanked."""
        k = self.k
        begin = i = self.i
        if k[i] != "<":
            return False
        level = 0
        while k[i] not in ("", "\0"):
            kind = k[i]
            if kind == "<":
                level += 1
            elif kind in (">", ">>", ">>>"):
                level = max(level - len(kind), 0)
            i += 1
            if level == 0:
                break
        self.i = i
        self.edits.blank(self.s[begin], self.e[i - 1])
        return True

    def generic_arrow(self, i: int) -> int | None:
        """``<T>(value: T) => ...`` in operand position."""
        mark = self.edits.mark()
        self.i = i
        self.generic_parameters()
        end = self.i
        if self.k[end] == "(" and self.is_arrow(end + 1):
            self.check_type(i, end)
            self.i = end + 1
            self.arrow(i)
            return ARROW
        self.edits.forget(mark)
        self.i = i
        return None

    def new_type_arguments(self) -> bool:
        """``new Map<K, V>()``."""
        k = self.k
        begin = i = self.i
        level = 0
        some = False
        while True:
            kind = k[i]
            if kind == "<":
                level += 1
            elif kind in (">", ">>", ">>>"):
                level -= len(kind)
            elif kind != ",":
                some = True
            i += 1
            if level <= 0 or k[i] in ("", "\0"):
                break
        if not some or level != 0 or k[i] not in _AFTER_NEW_ARGUMENTS:
            return False
        self.edits.blank(self.s[begin], self.e[i - 1])
        self.i = i
        return True

    def call_type_arguments(self) -> bool:
        """``call<T>(...)`` in a TypeScript file."""
        k = self.k
        begin = i = self.i
        level = brackets = 0
        some = False
        while True:
            kind = k[i]
            if level == 1 and brackets == 0 and kind in _NOT_IN_ARGUMENTS:
                return False
            if kind == "<":
                level += 1
            elif kind in (">", ">>", ">>>"):
                level -= len(kind)
            elif kind in ("(", "[", "{"):
                brackets += 1
                some = True
            elif kind in (")", "]", "}"):
                brackets -= 1
                if brackets < 0:
                    return False
            elif kind != ",":
                some = True
            i += 1
            if level <= 0 or k[i] in ("", "\0"):
                break
        if not some or level != 0 or brackets != 0 or k[i] not in ("(", "`", "`("):
            return False
        self.edits.blank(self.s[begin], self.e[i - 1])
        self.i = i
        return True

    # --- strictTypes

    def checked_assignment(self, name: int, operator: str) -> None:
        """``name operator value`` with the cursor at the value."""
        begin = self.i
        self.assign()
        self.scopes.write(self.word(name), operator, name, begin, self.i - 1)

    def note_write(self, name: int, operator: str) -> None:
        self.scopes.write(self.word(name), operator, name, name, name)

    def leave_scope(self) -> None:
        if self.strict_types:
            for settled in self.scopes.settled():
                self._check_write(*settled)
        self.scopes.leave()

    def _check_write(self, kind: str, operator: str, name: int, begin: int, end: int) -> None:
        check = self.use("check")
        if operator == "++":
            if kind != "number":
                first, last = self.s[name], self.e[name]
                self.edits.wrap(first, f'{check}("{kind}",1,', last, ")")
            return
        if operator in ("=", "??=", "||=", "&&="):
            self.edits.wrap(self.s[begin], f'{check}("{kind}",', self.e[end], ")")
            return
        word = self.word(name)
        self.edits.replace(self.e[name], self.s[begin], " = ")
        self.edits.wrap(self.s[begin], f'{check}("{kind}",{word} {operator[:-1]} (', self.e[end], "))")
