"""Expressions: recognised operand by operand in one flat loop, without building a tree."""

from __future__ import annotations

from .problems import Violation
from .scanner import BINDING, KEYWORDS, NAMES, words
from .state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The shape of an expression: what may be done with it.
(
    OTHER,
    IDENT,
    MEMBER,
    OPTIONAL,
    PRIVATE,
    LITERAL_PATTERN,
    CLOSED_PATTERN,
    ASSIGNMENT,
    CALL,
    OPTIONAL_CALL,
    ARROW,
    NEW,
) = range(12)
# shapes of self-evident initialisers, for strictTypes
NUMBER, STRING, BOOLEAN = range(12, 15)

_SIMPLE_TARGETS = frozenset((IDENT, MEMBER, OPTIONAL, PRIVATE))
_ELEMENT_TARGETS = frozenset((IDENT, MEMBER, OPTIONAL, PRIVATE, LITERAL_PATTERN, ASSIGNMENT))
_LITERAL_SHAPES = {"num": NUMBER, "oct": NUMBER, "str": STRING, "ostr": STRING, "true": BOOLEAN, "false": BOOLEAN}
_ENDS = frozenset((")", "]", "}", ",", ";", ":", "`-", "`)"))
_SIMPLE = frozenset(("id", "num", "str", "this", "null", "true", "false"))
_SIMPLE_WITHOUT_NAMES = _PLAIN = _SIMPLE - {"id"}
_UNARY = frozenset(("!", "-", "+", "~", "typeof", "void", "delete"))
_PREFIX = _UNARY | {"++", "--"}
_ASSIGN = words("= += -= *= /= %= **= ??= &&= ||= &= |= ^= <<= >>= >>>=")
_OR, _NULLISH, _AND, _EQUAL, _RELATION, _POWER = 1, 2, 3, 7, 8, 12
_BINARY = {
    "||": 1, "??": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "===": 7, "!==": 7, "==": 7, "!=": 7,
    "<": 8, ">": 8, "<=": 8, ">=": 8, "instanceof": 8, "in": 8, "<<": 9, ">>": 9, ">>>": 9,
    "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
}  # fmt: skip
_AWAIT_OPERANDS = words(
    "id esc num oct big str ostr ` `( re true false null this super new function class import ( [ { ! - + ++ -- typeof"
    " void ~ delete #"
) | (BINDING - {"as", "from", "static"})
_YIELD_ENDS = frozenset((";", "}", "", ")", "]", ",", ":", "?", "`-", "`)"))
_TARGET_ADVICE = "Assign to a variable or a property"
_OPERAND_ADVICE = "Write a value, a name or an expression here"
MAX_PARENTHESES = 256


class Expressions(State):
    """The expression rules."""

    #: first token -> rule, for operands that are no plain names or literals; filled where all rules are known
    operands: dict[str, Callable[[Any, int], int]]

    # --- lists of expressions

    def expression(self) -> int:
        shape = self.assign()
        while self.k[self.i] == ",":
            self.i += 1
            self.assign()
            shape = OTHER
        return shape

    def expression_in(self) -> int:
        saved, self.allow_in = self.allow_in, True
        shape = self.expression()
        self.allow_in = saved
        return shape

    def assign_in(self) -> int:
        saved, self.allow_in = self.allow_in, True
        shape = self.assign()
        self.allow_in = saved
        return shape

    def arguments(self, i: int, what: str) -> int:
        """The arguments after an opening parenthesis; the number of the token behind the closing one."""
        k = self.k
        simple = _SIMPLE_WITHOUT_NAMES if self.refs else _SIMPLE
        saved, self.allow_in = self.allow_in, True
        while True:
            kind = k[i]
            if kind == ")":
                break
            if kind == "...":
                i += 1
                kind = k[i]
            if kind in simple and k[i + 1] in _ENDS:
                i += 1
            else:
                self.i = i
                self.assign()
                i = self.i
            if k[i] != ",":
                break
            i += 1
        self.allow_in = saved
        if k[i] != ")":
            raise self.refuse(f'Expected ")" after {what}', i, "Close the arguments with )")
        return i + 1

    # --- one expression

    def assign(self) -> int:
        k = self.k
        i = self.i
        kind = k[i]
        if kind in _SIMPLE and k[i + 1] in _ENDS and (kind != "id" or not self.refs):
            self.i = i + 1
            self.left = i
            return IDENT if kind == "id" else _LITERAL_SHAPES.get(kind, OTHER)
        compare = i
        root, root_prec = i, 99
        pending: Violation | None = None
        logical = 0  # of the current chain: 1 with ||, 2 with ??, 4 with &&
        mixed: tuple[str, int] | None = None
        annotated = False
        chained = False  # behind an assignment or a condition the shape is settled
        loose, equal = -1, i  # a refused comparison, and where its left side starts
        while True:
            # -- prefixes
            first_prefix = -1
            prefixes: list[int] | None = None
            while True:
                if kind in _PREFIX:
                    if prefixes is None:
                        prefixes, first_prefix = [], i
                    prefixes.append(i)
                    i += 1
                    kind = k[i]
                    continue
                if kind == "await" and (self.in_async or self.depth == 0) and self._awaits(i):
                    if prefixes is None:
                        prefixes, first_prefix = [], i
                    prefixes.append(i)
                    self.await_count += 1
                    i += 1
                    kind = k[i]
                    continue
                break
            # -- operand
            if kind == "id":
                if k[i + 1] == "=>" and root_prec == 99 and prefixes is None and not self.new_line(i + 1):
                    self.i = i
                    shape = self.arrow_of_name(i)
                    if mixed is not None:
                        raise self._mixture(mixed)
                    if pending is not None:
                        raise pending
                    return OTHER if chained else shape
                shape = IDENT
                self.left = i
                if self.refs:
                    self.scopes.refer(self.word(i), i)
                i += 1
            elif kind in _PLAIN:
                shape = _LITERAL_SHAPES.get(kind, OTHER)
                self.left = i
                i += 1
            else:
                self.i = i
                if kind == "yield" and self.in_generator:
                    shape = self.yields(i)
                else:
                    shape = self.primary(i, kind, root_prec == 99 and prefixes is None)
                i = self.i
            # -- what follows the operand
            kind = k[i]
            while True:
                if kind == ".":
                    name = k[i + 1]
                    if name in NAMES:
                        i += 2
                        shape = OPTIONAL if shape in (OPTIONAL, OPTIONAL_CALL) else MEMBER
                    elif name == "#":
                        self._private(i + 2)
                        i += 3
                        shape = OPTIONAL if shape in (OPTIONAL, OPTIONAL_CALL) else PRIVATE
                    else:
                        raise self.refuse('Expected property name after "."', i + 1, "Write the name of a property")
                    kind = k[i]
                elif kind == "(":
                    self.left = at = i
                    i = self.arguments(at + 1, "arguments")
                    self.calls.append((at - 1, at, i))
                    shape = OPTIONAL_CALL if shape in (OPTIONAL, OPTIONAL_CALL) else CALL
                    kind = k[i]
                elif kind in _ENDS:
                    break
                elif kind == "[":
                    self.i = i + 1
                    left = i
                    self.expression_in()
                    self.expect("]", 'Expected "]" after computed member expression', "Close the property with ]")
                    self.left = left
                    i = self.i
                    shape = OPTIONAL if shape in (OPTIONAL, OPTIONAL_CALL) else MEMBER
                    kind = k[i]
                elif kind == "?.":
                    if k[i - 1] == "super":
                        raise self.refuse("Optional chaining is not allowed directly on super", i)
                    i, shape = self._optional(i)
                    kind = k[i]
                elif kind == "`" or kind == "`(":
                    if shape in (OPTIONAL, OPTIONAL_CALL):
                        raise self.refuse("Optional chains cannot be used as unparenthesized template tags", i)
                    self.left = self.i = at = i
                    self.template(tagged=True)
                    i = self.i
                    self.calls.append((at - 1, at, i))
                    shape = OTHER
                    kind = k[i]
                elif kind == "++" or kind == "--":
                    if self.new_line(i):
                        break
                    if shape not in _SIMPLE_TARGETS:
                        raise self.refuse("Invalid target for increment/decrement", i, "Count a variable or a property")
                    if shape == IDENT and self.strict_types:
                        self.note_write(i - 1, "++")
                    self.left = i
                    i += 1
                    shape = OTHER
                    kind = k[i]
                elif kind == "!" and not self.new_line(i):
                    self.edits.blank(self.s[i], self.e[i])
                    i += 1
                    kind = k[i]
                elif kind == "<" and self.typescript:
                    self.i = i
                    if not self.call_type_arguments():
                        break
                    i = self.i
                    kind = k[i]
                elif kind == "re" or (kind == "\0" and self.scanner.refused_slash(i)):
                    self.scanner.rescan(i, "/")
                    kind = k[i]
                else:
                    break
            # -- apply the prefixes, innermost first
            if prefixes is not None:
                for at in reversed(prefixes):
                    sign = k[at]
                    if sign == "++" or sign == "--":
                        if shape not in _SIMPLE_TARGETS:
                            raise self.refuse(
                                "Invalid target for increment/decrement", at, "Count a variable or a property"
                            )
                        if shape == IDENT and self.strict_types:
                            self.note_write(i - 1, "++")
                    elif sign == "delete" and shape == IDENT and self.strict:
                        raise self.refuse("Delete of an unqualified identifier in strict mode", at)
                    elif sign == "await":
                        self.awaited(at, i)
                    shape = OTHER
                self.left = first_prefix
            # -- operator
            precedence = _BINARY.get(kind)
            if precedence is None:
                if kind == "id" or kind == "as":
                    self.i = i
                    what = self.type_operator(compare, annotated)
                    if what:
                        annotated = True
                        # an erased type leaves its operand what it is
                        shape = shape if what == 1 else OTHER
                        i = self.i
                        kind = k[i]
                        precedence = _BINARY.get(kind)
                if precedence is None:
                    if mixed is not None:
                        raise self._mixture(mixed)
                    if loose >= 0:
                        self.loose_equality(loose, equal, i)
                        loose = -1
                    if kind == "?" or (kind == "?." and k[i + 1] == "num"):
                        self.i = i + 1
                        self.assign_in()
                        self.expect(
                            ":", 'Expected ":" in conditional expression', "Write condition ? value : other value"
                        )
                        i = compare = self.i
                        kind = k[i]
                        root, root_prec, logical, annotated, chained, equal = i, 99, 0, False, True, i
                        continue
                    if kind in _ASSIGN:
                        alone = root_prec == 99
                        problem = self._assignment(shape if alone else OTHER, kind, i, root if not alone else self.left)
                        if problem is not None:
                            pending = problem
                            assigned = OTHER
                        else:
                            assigned = ASSIGNMENT if kind == "=" and shape != PRIVATE else OTHER
                        if self.strict_types and alone and shape == IDENT and problem is None:
                            self.i = i + 1
                            self.checked_assignment(self.i - 2, kind)
                            if pending is not None:
                                raise pending
                            return OTHER if chained else assigned
                        self.i = i + 1
                        # right-associative: the rest is an assignment of its own
                        self.assign()
                        if pending is not None:
                            raise pending
                        self.left = i
                        return OTHER if chained else assigned
                    break
            if (annotated and precedence >= _RELATION) or (kind == "in" and not self.allow_in):
                break
            if precedence == _POWER and first_prefix >= 0 and k[first_prefix] not in ("++", "--"):
                raise self.refuse("Unary expressions must be parenthesized before exponentiation", first_prefix)
            if kind == "/" and k[i - 1] in KEYWORDS and k[i - 2] == ".":
                # looking ahead for arrow functions, the engine takes a slash behind a keyword for a regular expression
                self.edits.replace(self.s[i - 2], self.e[i - 1], f'["{k[i - 1]}"]')
            if precedence <= _AND:
                # noticed where the right side of the operator that must not be there ends
                if mixed is not None and precedence < (_AND if mixed[0] == "AND" else _NULLISH):
                    raise self._mixture(mixed)
                bit = 1 if precedence == _OR else 2 if precedence == _NULLISH else 4
                if mixed is not None:
                    pass
                elif bit == 2 and logical & 4:
                    mixed = ("AND", i)
                elif bit == 2 and logical & 1:
                    mixed = ("OR", self._last_or)
                elif bit == 4 and logical & 2:
                    mixed = ("AND", self._last_nullish)
                elif bit == 1:
                    if logical & 2:
                        mixed = ("OR", i)
                    logical &= ~4
                    self._last_or = i
                if bit == 2:
                    self._last_nullish = i
                logical |= bit
            if precedence <= _EQUAL:
                if loose >= 0:
                    self.loose_equality(loose, equal, i)
                    loose = -1
                if precedence < _EQUAL:
                    equal = i + 1
                elif (kind == "==" or kind == "!=") and not self.dialect.equality:
                    loose = i
            if precedence < root_prec or (precedence == root_prec and precedence != _POWER):
                root, root_prec = i, precedence
            i += 1
            kind = k[i]
            if precedence < _RELATION:
                compare = i
                annotated = False
        if mixed is not None:
            raise self._mixture(mixed)
        if loose >= 0:
            self.loose_equality(loose, equal, i)
        self.i = i
        if chained or root_prec != 99:
            self.left = root
            return OTHER
        return shape

    def _mixture(self, mixed: tuple[str, int]) -> Violation:
        other, at = mixed
        return self.refuse(f"Nullish coalescing cannot be mixed with logical {other} without parentheses", at)

    def loose_equality(self, at: int, begin: int, end: int) -> None:
        """A comparison with == or != while the flag is off; with warnings it is undefined and nothing in it runs."""
        self.disabled(self.k[at], at)
        first, last = self.s[begin], self.e[end - 1]
        self.edits.forget(0, first, last)
        self.edits.replace(first, last, "undefined")

    def _awaits(self, i: int) -> bool:
        """Whether the ``await`` at ``i`` starts an await expression here."""
        following = self.k[i + 1]
        if following == "/" or following == "/=":
            self.scanner.rescan(i + 1, "re")
            following = self.k[i + 1]
        if following in _AWAIT_OPERANDS or following == "re":
            if self.depth == 0:
                self.top_level_await = True
            return True
        if self.in_async:
            raise self.refuse('Expected expression after "await"', i, _OPERAND_ADVICE)
        return False

    def awaited(self, at: int, end: int) -> None:
        """A script has no native top-level await: a call that settles the promise stands for it."""
        if self.depth == 0 and self.script:
            self.edits.replace(self.s[at], self.e[at], self.use("await") + "(")
            self.edits.close(self.e[end - 1], ")")

    def yields(self, i: int) -> int:
        self.yield_count += 1
        i += 1
        kind = self.k[i]
        self.i = i
        if kind == "*":
            self.i = i + 1
            self.assign()
        elif kind not in _YIELD_ENDS and not (self.asi and self.new_line(i)):
            self.assign()
        return OTHER

    def _private(self, i: int) -> None:
        """The name behind a ``#``."""
        if self.k[i] not in ("id", "esc"):
            raise self.refuse('Expected private field name after "#"', i, "Write the name next to the #")
        name = self.word(i)
        if not self.privates:
            raise self.refuse(
                f"Private field '#{name}' must be declared in an enclosing class", i, "Declare it in the class"
            )
        self.privates[-1].used.append((name, i))

    def _optional(self, i: int) -> tuple[int, int]:
        """What follows a ``?.``."""
        k = self.k
        after = k[i + 1]
        if after == "(":
            self.left = i
            end = self.arguments(i + 2, "arguments")
            self.calls.append((i - 1, i, end))
            return end, OPTIONAL_CALL
        if after == "[":
            self.i = i + 2
            self.expression_in()
            self.expect("]", 'Expected "]" after computed member expression', "Close the property with ]")
            self.left = i
            return self.i, OPTIONAL
        if after == "#":
            self._private(i + 2)
            return i + 3, OPTIONAL
        if after in NAMES:
            return i + 2, OPTIONAL
        if after == "num":
            return i, OTHER
        raise self.refuse('Expected property name after "."', i + 1, "Write the name of a property")

    def _assignment(self, shape: int, operator: str, at: int, left: int) -> Violation | None:
        """Whether what stands left of an assignment can be assigned to; the problem, if not."""
        if operator == "=" and shape == LITERAL_PATTERN:
            return self.bad_target
        if operator == "=" and shape == CLOSED_PATTERN and self.closed_literal:
            return self.refuse("Parenthesized destructuring target", left, "Remove the parentheses")
        if shape in _SIMPLE_TARGETS:
            return None
        return self.refuse("Invalid assignment target", left, _TARGET_ADVICE)

    # --- operands

    def primary(self, i: int, kind: str, first: bool) -> int:
        """An operand which is not a plain name or literal."""
        rule = self.operands.get(kind)
        if rule is not None:
            return rule(self, i)
        if kind in BINDING or kind == "let":
            return self.contextual(i, kind, first)
        if kind == "/" or kind == "/=":
            self.scanner.rescan(i, "re")
            kind = self.k[i]
            if kind == "re":
                self.left = i
                self.i = i + 1
                return OTHER
        raise self.refuse("Expected expression", i, _OPERAND_ADVICE)

    def literal(self, i: int) -> int:
        kind = self.k[i]
        self.left = i
        self.i = i + 1
        if kind == "ostr" and self.strict:
            raise self.refuse(
                "Strict mode string literals must not contain decimal escapes", i, "Write \\xXX or \\uXXXX"
            )
        if kind == "oct" and self.strict:
            # reported where the reference notices it, at the token behind
            message = "Legacy octal integer literals are not allowed in strict mode"
            raise self.refuse(message, i + 1, "Write 0o17 for an octal number")
        return _LITERAL_SHAPES.get(kind, OTHER)

    def contextual(self, i: int, kind: str, first: bool) -> int:
        """A name that can be a word of the language elsewhere."""
        k = self.k
        following = k[i + 1]
        if kind == "let":
            if self.strict:
                raise self.refuse("Expected expression", i, _OPERAND_ADVICE)
        elif kind == "match" and following == "(" and self.match_ahead(i):
            self.left = i
            return self.match_expression(i)
        if kind == "async" and not self.new_line(i + 1):
            if following == "(":
                if self.is_arrow(i + 2):
                    self.i = i + 2
                    return self.arrow(i, asynchronous=True)
            elif following in BINDING and k[i + 2] == "=>":
                return self.arrow_of_name(i + 1, asynchronous=True)
            elif following == "function":
                self.i = i + 2
                return self.function_expression(i, asynchronous=True)
        if kind != "let":
            if first and following == "=>" and not self.new_line(i + 1):
                return self.arrow_of_name(i)
            self.check_reference(i)
        self.left = i
        self.i = i + 1
        name = self.word(i)
        self.rename(i, name)
        if self.refs:
            self.scopes.refer(name, i)
        return IDENT

    def parenthesis(self, i: int) -> int:
        self.parens += 1
        if self.parens > MAX_PARENTHESES:
            raise self.refuse(
                "Parenthesized expression nesting exceeds the supported limit", i + 1, "Use fewer parentheses"
            )
        self.left = i
        if self.is_arrow(i + 1):
            self.i = i + 1
            shape = self.arrow(i)
        else:
            self.i = i + 1
            shape = self.expression_in()
            left = self.left
            self.expect(")", 'Expected ")" after expression', "Close the expression with )")
            self.left = left
            if shape in (LITERAL_PATTERN, ASSIGNMENT, CLOSED_PATTERN):
                self.closed_literal = shape == LITERAL_PATTERN or (shape == CLOSED_PATTERN and self.closed_literal)
                shape = CLOSED_PATTERN
            elif shape not in (IDENT, MEMBER, PRIVATE, NUMBER, STRING, BOOLEAN, NEW, ARROW) or shape == ARROW:
                shape = OTHER
        self.parens -= 1
        return shape

    def array(self, i: int) -> int:
        k = self.k
        begin = i
        simple = _SIMPLE_WITHOUT_NAMES if self.refs else _SIMPLE
        saved, self.allow_in = self.allow_in, True
        bad: Violation | None = None
        i += 1
        while True:
            kind = k[i]
            if kind == "]":
                break
            if kind == ",":
                i += 1
                continue
            if kind == "...":
                i += 1
                kind = k[i]
            if kind in simple and k[i + 1] in _ENDS:
                if kind != "id" and bad is None:
                    bad = self.refuse("Invalid destructuring target", i, _TARGET_ADVICE)
                i += 1
            else:
                self.i = i
                shape = self.assign()
                bad = bad or self._element(shape, i)
                i = self.i
            if k[i] != ",":
                break
            i += 1
        self.allow_in = saved
        if k[i] != "]":
            raise self.refuse('Expected "]" after array elements', i, "Close the array with ]")
        self.i = i + 1
        self.left = begin
        self.bad_target = bad
        return LITERAL_PATTERN

    def _element(self, shape: int, i: int) -> Violation | None:
        """Whether an element of a literal could be a destructuring target."""
        if shape == LITERAL_PATTERN:
            return self.bad_target
        if shape in _ELEMENT_TARGETS:
            return None
        if shape == CLOSED_PATTERN:
            return self.refuse("Parenthesized destructuring target", self.left, "Remove the parentheses")
        return self.refuse("Invalid destructuring target", self.left, _TARGET_ADVICE)

    def object(self, i: int) -> int:
        k = self.k
        begin = i
        saved, self.allow_in = self.allow_in, True
        bad: Violation | None = None
        i += 1
        while True:
            kind = k[i]
            if kind == "}":
                break
            start = i
            following = k[i + 1]
            if kind == "id" and following == ":":
                # the common member first
                self.i = i + 2
                shape = self.assign()
                bad = bad or self._element(shape, i + 2)
                i = self.i
                if k[i] != ",":
                    break
                i += 1
                continue
            if kind == "id" and following in (",", "}"):
                if self.refs:
                    self.scopes.refer(self.word(i), i, "shorthand")
                i += 1
                if k[i] != ",":
                    break
                i += 1
                continue
            if kind == "...":
                self.i = i + 1
                shape = self.assign()
                bad = bad or self._element(shape, i + 1)
                i = self.i
                if k[i] != ",":
                    break
                i += 1
                continue
            asynchronous = generator = False
            accessor = ""
            if kind == "async" and following not in (":", ",", "}", "("):
                asynchronous = True
                i += 1
                kind, following = k[i], k[i + 1]
            if kind == "id" and following not in (":", "(", ",", "}") and self.word(i) in ("get", "set"):
                accessor = self.word(i)
                i += 1
                kind, following = k[i], k[i + 1]
            if kind == "*":
                if accessor:
                    raise self.refuse("Accessor methods cannot be generator methods", i, "Remove the *")
                generator = True
                i += 1
                kind = k[i]
            key, shorthand = i, False
            if kind == "[":
                self.i = i + 1
                self.assign()
                self.expect("]", 'Expected "]" after computed property name', "Close the name with ]")
                i = self.i
            elif kind in NAMES or kind in ("str", "num", "big", "ostr", "oct"):
                if kind == "oct" and self.strict:
                    raise self.refuse(
                        "Legacy octal integer literals are not allowed in strict mode", i + 1, "Write 0o17"
                    )
                shorthand = kind in BINDING or (kind == "let" and not self.strict)
                i += 1
            else:
                raise self.refuse("Expected property name", i, "Write a name, a string, a number or [expression]")
            self.i = i
            if accessor:
                self.accessor_body(accessor)
                bad = bad or self.refuse("Invalid destructuring target", begin, _TARGET_ADVICE)
            elif k[i] == "(":
                self.function_body(start, asynchronous=asynchronous, generator=generator, method=True)
                bad = bad or self.refuse("Invalid destructuring target", start, _TARGET_ADVICE)
            elif k[i] == ":":
                if generator:
                    raise self.refuse("Generator method syntax requires a parameter list", i, "Write *name() { ... }")
                self.i = i + 1
                shape = self.assign()
                bad = bad or self._element(shape, i + 1)
            else:
                if kind == "[":
                    raise self.refuse("Computed property names require a value", i, "Write [name]: value")
                if not shorthand:
                    raise self.refuse("Object shorthand properties require an identifier", start, "Write name: value")
                name = self.word(key)
                if (
                    name == "eval"
                    or (name == "arguments" and self.rename_arguments)
                    or (name == "yield" and self.strict)
                ):
                    self.edits.close(self.e[key], ":ǃg_" + name)
                if self.refs:
                    self.scopes.refer(name, key, "shorthand")
                if k[i] == "=":
                    self.i = i + 1
                    self.assign()
            i = self.i
            if k[i] != ",":
                break
            i += 1
        self.allow_in = saved
        if k[i] != "}":
            raise self.refuse('Expected "}" after object properties', i, "Close the object with }")
        self.i = i + 1
        self.left = begin
        self.bad_target = bad
        return LITERAL_PATTERN

    def template(self, *, tagged: bool = False) -> int:
        k = self.k
        i = self.i
        begin = i
        if not tagged:
            self._cooked(i)
        if k[i] == "`":
            self.i = i + 1
            self.left = begin
            return STRING
        saved, self.allow_in = self.allow_in, True
        while True:
            self.i = i + 1
            self.expression()
            i = self.i
            kind = k[i]
            if kind == "`-" or kind == "`)":
                if not tagged:
                    self._cooked(i)
                if kind == "`)":
                    break
                continue
            raise self.refuse('Expected "}" after template expression', i, "Close the substitution with }")
        self.allow_in = saved
        self.i = i + 1
        self.left = begin
        return STRING

    def _cooked(self, i: int) -> None:
        """An untagged template must not hold a malformed escape."""
        text = self.text[self.s[i] : self.e[i]]
        if "\\" in text and malformed_template_escape(text):
            problem = self.refuse("Invalid escape sequence in template literal", i, "Double the backslash")
            if self.k[i] in ("`-", "`)"):
                problem.offset += 1
            raise problem

    def new(self, i: int) -> int:
        """``new Callee(...)``, or new.target."""
        k = self.k
        if k[i + 1] == "." and k[i + 2] in ("id", "esc") and self.word(i + 2) == "target":
            if k[i + 2] == "esc":
                raise self.refuse("new.target must not contain escaped characters", i + 2)
            self.left = i
            self.i = i + 3
            return OTHER
        callee = i + 1
        self.operand(callee)
        i_new = i
        while k[self.i] in (".", "["):
            at = self.i
            # the engine reports the last part of the callee, the reference the keyword
            if k[at] == ".":
                name = at + 1
                if k[name] == "#":
                    self._private(name + 1)
                    self.i = name + 2
                elif k[name] in NAMES:
                    self.i = name + 1
                else:
                    raise self.refuse('Expected property name after "."', name, "Write the name of a property")
            else:
                self.i = at + 1
                self.expression_in()
                self.expect("]", 'Expected "]" after computed member expression', "Close the property with ]")
        if k[self.i] == "<":
            self.new_type_arguments()
        if k[self.i] == "?.":
            raise self.refuse("Optional chaining is not allowed in an unparenthesized new expression", self.i)
        while k[self.i] in ("`", "`("):
            self.template(tagged=True)
        at = self.i
        if k[at] == "(":
            self.i = self.arguments(at + 1, "constructor arguments")
        self.calls.append((callee, i_new, self.i))
        self.left = i_new
        return NEW

    def operand(self, i: int) -> int:
        """One operand, without anything behind it."""
        kind = self.k[i]
        if kind == "id":
            if self.refs:
                self.scopes.refer(self.word(i), i)
            self.left = i
            self.i = i + 1
            return IDENT
        if kind in ("num", "str", "true", "false", "null", "this"):
            self.left = i
            self.i = i + 1
            return OTHER
        self.i = i
        return self.primary(i, kind, False)

    def super_(self, i: int) -> int:
        self.left = i
        self.i = i + 1
        return OTHER

    def hash_in(self, i: int) -> int:
        """``#name in object``."""
        if not self.allow_in:
            raise self.refuse(
                "The 'in' operator is not allowed in this for-loop initializer", i, "Put it in parentheses"
            )
        self._private(i + 1)
        if self.k[i - 1] == "await" and self.k[i + 2] != "in":
            # the reference reads a private name behind await as a member of this
            self.edits.open(self.s[i], "this.")
            self.left = i
            self.i = i + 2
            return PRIVATE
        if self.k[i + 2] != "in":
            raise self.refuse('Expected "in" after private field name', i + 2, "A private name alone is no value")
        self.left = i
        self.i = i + 2
        return OTHER

    def less(self, i: int) -> int:
        """``<`` where an operand should be: an element, or the type parameters of an arrow function."""
        if self.jsx and self.element_ahead(i):
            return self.element(i)
        shape = self.generic_arrow(i)
        if shape is None:
            raise self.refuse("Expected expression", i, _OPERAND_ADVICE)
        return shape


def malformed_template_escape(text: str) -> bool:
    at = text.find("\\")
    while at >= 0:
        after = text[at + 1 : at + 2]
        if after == "0":
            if text[at + 2 : at + 3].isdigit():
                return True
        elif "1" <= after <= "9":
            return True
        elif after == "x":
            if not all(char in _HEX for char in text[at + 2 : at + 4].ljust(2)):
                return True
        elif after == "u":
            if text[at + 2 : at + 3] == "{":
                end = text.find("}", at)
                digits = text[at + 3 : end] if end >= 0 else ""
                if not digits or not all(char in _HEX for char in digits) or int(digits, 16) > 0x10FFFF:
                    return True
            elif not all(char in _HEX for char in text[at + 2 : at + 6].ljust(4)):
                return True
        at = text.find("\\", at + 2)
    return False


_HEX = frozenset("0123456789abcdefABCDEF")
