"""Pattern matching: match expressions, ``is``, and patterns in if, catch and for.

A pattern becomes, in place, a boolean expression over ``ǃg_s``, the value it is tried on; what it binds are further
parameters of the arrow function around it, so that a name means the outer one everywhere but inside.
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quoted

from .expressions import OTHER
from .jsx import Elements
from .literals import string_value
from .scanner import NAMES

_ADVICE = "Run it with the goccia engine"
_RELATIONS = frozenset(("<", "<=", ">", ">="))
_NOT_A_CHAIN = frozenset(("||", "??", "?", ",", "=>", "=", "", "\0"))


class Bound:
    """What a pattern binds, and where its text is."""

    __slots__ = ("begin", "end", "names")

    def __init__(self, names: dict[str, str], begin: int, end: int) -> None:
        self.names = names
        self.begin = begin
        self.end = end

    @property
    def parameters(self) -> str:
        return ",".join(["(ǃg_s", *self.names]) + ")=>"


class Matching(Elements):
    """The matching rules."""

    # --- where patterns stand

    def match_ahead(self, i: int) -> bool:
        """Whether ``match (`` starts a match expression rather than a call."""
        return self.k[self.skip_balanced(i + 1)] == "{"

    def match_expression(self, i: int) -> int:
        k = self.k
        waits = False
        self.i = i + 2
        self.edits.replace(self.s[i], self.e[i + 1], self.use("match") + "(")
        self.expression_in()
        self.expect(")", 'Expected ")" after match subject', "Close the value with )")
        brace = self.expect("{", 'Expected "{" before match clauses', "Open the clauses with {")
        self.edits.replace(self.s[brace - 1], self.e[brace], ",[")
        default = False
        while k[self.i] not in ("}", ""):
            at = self.i
            yields, awaits = self.yield_count, self.await_count
            if k[at] == "default":
                if default:
                    raise self.refuse("Duplicate default match clause", at, "Keep one")
                default = True
                self.i = at + 1
                colon = self.expect(":", 'Expected ":" after default match clause', "Write default: value")
                self.edits.replace(self.s[at], self.e[colon], "")
                opening, closing = "{value:", "}"
            else:
                self.scopes.enter(function=True)
                bound = self.pattern_of("(", ")&&")
                colon = self.expect(":", 'Expected ":" after match pattern', "Write pattern: value")
                self.edits.replace(self.s[colon], self.e[colon], "")
                opening, closing = "[", "]"
                self.edits.open(self.s[bound.begin], bound.parameters)
            begin = self.i
            self.assign_in()
            asynchronous = self.await_count > awaits and not (self.depth == 0 and self.script)
            waits = waits or asynchronous
            if self.yield_count > yields:
                raise self.refuse("yield in a match expression needs the goccia engine", at, _ADVICE)
            thunk = "async()=>(" if asynchronous else "()=>("
            self.edits.wrap(self.s[begin], opening + thunk, self.e[self.i - 1], ")" + closing)
            if k[at] != "default":
                self.leave_scope()
            if k[self.i] == ";" or k[self.i] == ",":
                self.edits.replace(self.s[self.i], self.e[self.i], ",")
                self.i += 1
            elif k[self.i] != "}":
                raise self.refuse('Expected ";" after match clause', self.i, "Add a semicolon")
        end = self.expect("}", 'Expected "}" after match clauses', "Close the clauses with }")
        self.edits.replace(self.s[end], self.e[end], "])")
        if waits:
            self.edits.wrap(self.s[i], "(await ", self.e[end], ")")
        self.left = i
        return OTHER

    def is_expressions(self, compare: int) -> None:
        while self.is_word(self.i, "is"):
            at = self.i
            self.i = at + 1
            chain = self.chain if compare >= self.chain_begin and self.chain is not None else None
            if self.parens != self.chain_parens:
                chain = None
            self.scopes.enter(function=True)
            awaits = self.await_count
            bound = self.pattern_of("(", ")")
            self.leave_scope()
            if self.await_count > awaits and not (self.depth == 0 and self.script):
                raise self.refuse("await in a pattern needs the goccia engine", at, _ADVICE)
            self.edits.replace(self.s[at], self.e[at], "," + bound.parameters)
            self.edits.open(self.s[compare], self.use("is") + "(")
            if chain is None or not bound.names:
                self.edits.close(self.e[bound.end], ")")
                continue
            # what follows in the chain sees what is bound here, and so does the statement behind it
            keep = "".join(f"&&({self.keep(name)}={name},true)" for name in bound.names)
            self.edits.close(self.e[bound.end], keep)
            chain.append(bound)

    def keep(self, name: str) -> str:
        return self.kept.setdefault(name, self.fresh("kept"))

    def condition(self, i: int) -> dict[str, str]:
        """The condition of an if, with the cursor behind its parenthesis; what its patterns bind for the statement."""
        if not self.has_is or not self._is_chain(self.i):
            self.expression()
            return {}
        outer = self.chain, self.chain_begin, self.chain_parens, self.kept
        self.chain, self.chain_begin, self.chain_parens, self.kept = [], self.i, self.parens, {}
        awaits = self.await_count
        self.expression()
        found, kept = self.chain, self.kept
        if found:
            if self.await_count > awaits and not (self.depth == 0 and self.script):
                raise self.refuse("await behind a pattern needs the goccia engine", i, _ADVICE)
            self.edits.close(self.e[self.i - 1], ")" * len(found))
            self.edits.open(self.s[i], "{let " + ",".join(kept.values()) + ";")
        self.chain, self.chain_begin, self.chain_parens, self.kept = outer
        return kept

    def _is_chain(self, i: int) -> bool:
        """Whether the condition from token ``i`` consists of terms joined by && alone, one of them with ``is``."""
        k = self.k
        some = False
        while k[i] != ")":
            kind = k[i]
            if kind in _NOT_A_CHAIN:
                return False
            some = some or self.is_word(i, "is")
            i = self.skip_balanced(i) if kind in ("(", "[", "{", "`(") else i + 1
        return some

    def declared(self, kept: dict[str, str]) -> str:
        return "".join(f"const {name}={variable};" for name, variable in kept.items())

    def filter_pattern(self, name: int) -> str:
        """``item is Pattern`` in the head of a loop: the pattern moves to the start of the body."""
        at = self.i
        test, kept = self._moved(name, at)
        self.edits.blank(self.s[at], self.e[self.i - 1])
        opening = f"{{let ǃg_f{''.join(',' + one for one in kept.values())};if({test}){{{self.declared(kept)}"
        self.filter_close = "}}"
        return opening

    def catch_pattern(self, name: int) -> str:
        """``error is Pattern`` in a catch: what does not match is thrown on."""
        at = self.i
        test, kept = self._moved(name, at)
        self.edits.blank(self.s[at], self.e[self.i - 1])
        for bound in kept:
            self.scopes.open[-1].parameters.add(bound)
        error = self.word(name)
        return f"let ǃg_f{''.join(',' + one for one in kept.values())};if(!{test})throw {error};{self.declared(kept)}"

    def _moved(self, name: int, at: int) -> tuple[str, dict[str, str]]:
        mark = self.edits.mark()
        self.i = at + 1
        bound = self.pattern_of("(", ")")
        text = self.edits.take(mark, self.s[bound.begin], self.e[bound.end])
        kept = {one: self.fresh("kept") for one in bound.names}
        keep = "".join(f"&&({variable}={one},true)" for one, variable in kept.items())
        return f"{self.use('is')}({self.word(name)},{bound.parameters}{text}{keep})", kept

    # --- patterns

    def pattern_of(self, before: str, after: str) -> Bound:
        begin = self.i
        names = self._or()
        end = self.i - 1
        self.edits.wrap(self.s[begin], before, self.e[end], after)
        self.scopes.open[-1].parameters.update(names)
        return Bound(names, begin, end)

    def _merge(self, names: dict[str, str], more: dict[str, str], at: int) -> None:
        for name, kind in more.items():
            if name in names:
                raise self.refuse("Duplicate binding in pattern", at, "Use two names")
            names[name] = kind

    def _or(self) -> dict[str, str]:
        begin = self.i
        names = self._and()
        # an alternative does not see what a failed one has bound
        undo = "".join(f"{name}=" for name in names)
        while self.is_word(self.i, "or"):
            self.edits.replace(self.s[self.i], self.e[self.i], f"||({undo}void 0)||" if undo else "||")
            self.i += 1
            if self._and() != names:
                raise self.refuse(
                    '"or" pattern alternatives must bind the same names', begin, "Bind the same names in each"
                )
        return names

    def _and(self) -> dict[str, str]:
        names = self._not()
        while self.is_word(self.i, "and"):
            self.edits.replace(self.s[self.i], self.e[self.i], "&&")
            self.i += 1
            at = self.i
            self._merge(names, self._not(), at)
        return names

    def _not(self) -> dict[str, str]:
        at = self.i
        if not self.is_word(at, "not"):
            return self._postfix()
        self.i = at + 1
        self.edits.replace(self.s[at], self.e[at], "!(")
        if self._not():
            raise self.refuse('"not" patterns cannot contain bindings', at, "Bind outside of not")
        self.edits.close(self.e[self.i - 1], ")")
        return {}

    def _postfix(self) -> dict[str, str]:
        k = self.k
        begin = self.i
        names = self._atom()
        while True:
            at = self.i
            if k[at] == "as":
                self.i = at + 1
                kind = "let"
                if k[self.i] in ("const", "let"):
                    kind = k[self.i]
                    self.i += 1
                name = self.word(self.binding('Expected binding name after "as"', "Name the value"))
                self._merge(names, {name: kind}, at)
                self.edits.replace(self.s[at], self.e[self.i - 1], f"&&({name}=ǃg_s,true))")
                self.edits.open(self.s[begin], "(")
            elif k[at] == "if":
                self.i = at + 1
                self.expect("(", 'Expected "(" after pattern guard', "Put the guard in ( )")
                self.edits.replace(self.s[at], self.e[at], "&&!!")
                self.expression_in()
                end = self.expect(")", 'Expected ")" after pattern guard', "Close the guard with )")
                self.edits.wrap(self.s[begin], "(", self.e[end], ")")
            else:
                return names

    def _atom(self) -> dict[str, str]:
        k = self.k
        i = self.i
        kind = k[i]
        if kind == "[":
            return self._list(i, "array", "]", "Close the pattern with ]")
        if kind == "{":
            return self._object(i)
        if kind == "(":
            self.i = i + 1
            names = self._or()
            self.expect(")", 'Expected ")" after pattern', "Close the pattern with )")
            return names
        if kind in _RELATIONS:
            self.i = i + 1
            self.edits.open(self.s[i], "ǃg_s")
            self._value()
            return {}
        if kind == "id" and self.word(i) == "_":
            self.i = i + 1
            self.edits.replace(self.s[i], self.e[i], "true")
            return {}
        if kind in ("const", "let"):
            self.i = i + 1
            name = self.word(self.binding("Expected binding name in pattern", "Name the value"))
            self.edits.replace(self.s[i], self.e[self.i - 1], f"({name}=ǃg_s,true)")
            return {name: kind}
        self._value()
        end = self.i
        if k[end] == "(":
            self.edits.open(self.s[i], self.use("extract") + "(ǃg_s,")
            return self._list(end, "", ")", "Close the pattern with )")
        self.edits.wrap(self.s[i], self.use("value") + "(ǃg_s,", self.e[end - 1], ")")
        return {}

    def _value(self) -> None:
        """An operand and the properties read from it."""
        k = self.k
        self.operand(self.i)
        while True:
            i = self.i
            if k[i] == ".":
                if k[i + 1] == "#":
                    self._private(i + 2)
                    self.i = i + 3
                elif k[i + 1] in NAMES:
                    self.i = i + 2
                else:
                    raise self.refuse('Expected property name after "."', i + 1, "Write the name of a property")
            elif k[i] == "[":
                self.i = i + 1
                self.expression_in()
                self.expect("]", 'Expected "]" after computed member expression', "Close the property with ]")
            else:
                return

    def _rest(self, i: int, names: dict[str, str], end: str) -> str:
        """``...pattern`` at ``i``; what closes the call instead of ``end``."""
        self.i = i + 1
        self.edits.replace(self.s[i], self.e[i], "],")
        if self.k[i + 1] == "id" and self.word(i + 1) == "_":
            self.i = i + 2
            self.edits.replace(self.s[i + 1], self.e[i + 1], "true")
        else:
            self.edits.open(self.s[i + 1], "(ǃg_s)=>")
            begin = self.i
            self._merge(names, self._or(), begin)
        return ")"

    def _list(self, i: int, helper: str, closer: str, advice: str) -> dict[str, str]:
        """``[a, b, ...c]``, or the arguments of an extractor."""
        k = self.k
        names: dict[str, str] = {}
        self.i = i + 1
        self.edits.replace(self.s[i], self.e[i], self.use(helper) + "(ǃg_s,[" if helper else ",[")
        end = "])"
        while k[self.i] not in (closer, ""):
            at = self.i
            if k[at] == "," and helper:
                self.i += 1
                continue
            if k[at] == "...":
                end = self._rest(at, names, end)
                break
            self._merge(names, self._or(), at)
            self.edits.open(self.s[at], "(ǃg_s)=>")
            if k[self.i] != ",":
                break
            self.i += 1
        what = "array" if helper else "extractor"
        at = self.expect(closer, f'Expected "{closer}" after {what} pattern', advice)
        self.edits.replace(self.s[at], self.e[at], end)
        return names

    def _object(self, i: int) -> dict[str, str]:
        k = self.k
        names: dict[str, str] = {}
        self.i = i + 1
        self.edits.replace(self.s[i], self.e[i], self.use("object") + "(ǃg_s,[")
        end = "])"
        while k[self.i] not in ("}", ""):
            at = self.i
            kind = k[at]
            if kind == "...":
                end = self._rest(at, names, end)
                break
            if kind == "[":
                self.i = at + 1
                self.assign_in()
                close = self.expect("]", 'Expected "]" after computed pattern property', "Close the name with ]")
                if k[self.i] != ":":
                    raise self.refuse(
                        "Computed pattern properties require a value pattern", self.i, "Write [name]: pattern"
                    )
                self.edits.replace(self.s[at], self.e[at], "[()=>(")
                self.edits.replace(self.s[close], self.e[self.i], "),(ǃg_s)=>")
            elif kind in NAMES or kind in ("str", "ostr", "num", "oct", "big"):
                self.i = at + 1
                text = self.text[self.s[at] : self.e[at]]
                key = (
                    quoted(string_value(text))
                    if kind in ("str", "ostr")
                    else quoted(self.word(at))
                    if kind in NAMES
                    else text
                )
                if k[self.i] != ":":
                    if kind not in ("id", "esc"):
                        message = "Object pattern shorthand requires an identifier property name"
                        raise self.refuse(message, at, "Write name: pattern")
                    if self.refs:
                        self.scopes.refer(self.word(at), at)
                    self.edits.open(self.s[at], f"[{key},(ǃg_s)=>{self.use('value')}(ǃg_s,")
                    self.edits.close(self.e[at], ")]")
                    if k[self.i] != ",":
                        break
                    self.i += 1
                    continue
                self.edits.replace(self.s[at], self.e[self.i], f"[{key},(ǃg_s)=>")
            else:
                raise self.refuse("Expected property name in object pattern", at, "Write the name of a property")
            self.i += 1
            self._merge(names, self._or(), at)
            self.edits.close(self.e[self.i - 1], "]")
            if k[self.i] != ",":
                break
            self.i += 1
        at = self.expect("}", 'Expected "}" after object pattern', "Close the pattern with }")
        self.edits.replace(self.s[at], self.e[at], end)
        return names
