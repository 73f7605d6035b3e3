"""Functions of every form: parameters, bodies, arrows, accessors; and the patterns that bind names."""

from __future__ import annotations

from .expressions import ARROW, OTHER, Expressions
from .scanner import BINDING, NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PARAMETER_ENDS = frozenset(("=", ")", ","))
_REST_ENDS = frozenset((")", ","))
_ARROW_RETURN_ENDS = frozenset(("=>", ";", ",", ")", "]", "}"))
_TARGET_START = frozenset(("[", "{"))


class Parameters:
    """What a parameter list binds."""

    __slots__ = ("awaits", "checked", "count", "moved", "names", "rest", "simple", "yields")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.simple = True
        self.rest = False
        self.count = 0
        self.awaits = self.yields = False
        #: (name, type) of the plain required parameters that strictTypes checks
        self.checked: list[tuple[str, str]] = []
        #: default values which are computed at the start of the body, as expressions
        self.moved: list[str] = []


class Functions(Expressions):
    """The function rules."""

    # --- patterns

    def pattern(self) -> Iterator[str]:
        """A destructuring pattern; the names it binds."""
        names: list[str] = []
        self._pattern(names)
        return iter(names)

    def _pattern(self, names: list[str]) -> None:
        k = self.k
        i = self.i
        kind = k[i]
        if kind == "[":
            self.i = i + 1
            while k[self.i] not in ("]", ""):
                if k[self.i] == ",":
                    self.i += 1
                    continue
                if k[self.i] == "...":
                    self.i += 1
                    self._pattern(names)
                else:
                    self._pattern(names)
                    self._default()
                if k[self.i] != ",":
                    break
                self.i += 1
            self.expect("]", 'Expected "]" after array pattern', "Close the pattern with ]")
        elif kind == "{":
            self.i = i + 1
            while k[self.i] not in ("}", ""):
                self._property(names)
                if k[self.i] != ",":
                    break
                self.i += 1
            self.expect("}", 'Expected "}" after object pattern', "Close the pattern with }")
        elif kind in ("id", "esc") or (kind in BINDING and kind not in ("as", "from", "static")):
            self.check_binding(i)
            names.append(self.word(i))
            self.i = i + 1
        else:
            raise self.refuse("Expected destructuring pattern", i, "Write a name, [ ... ] or { ... }")

    def _property(self, names: list[str]) -> None:
        k = self.k
        i = self.i
        kind = k[i]
        if kind == "...":
            self.i = i + 1
            self._pattern(names)
            return
        if kind == "[":
            self.i = i + 1
            self.assign_in()
            self.expect("]", 'Expected "]" after computed property key', "Close the key with ]")
        elif kind in NAMES or kind in ("str", "ostr", "num", "oct", "big"):
            self.i = i + 1
        else:
            raise self.refuse("Expected property name in object pattern", i, "Write the name of a property")
        if k[self.i] == ":":
            self.i += 1
            self._pattern(names)
            self._default()
            return
        if kind not in NAMES:
            at = self.i - 1
            raise self.refuse("Object pattern shorthand requires an identifier property name", at, "Write key: name")
        if kind not in BINDING:
            raise self.refuse("Object pattern shorthand requires an identifier binding", i, "Write key: name")
        name = self.word(i)
        mark = self.edits.mark()
        self.check_binding(i)
        if self.edits.mark() > mark:
            # the name was replaced: here it is the key as well
            self.edits.forget(mark)
            self.edits.close(self.e[i], f":ǃg_{name}")
        names.append(name)
        self._default()

    def _default(self) -> None:
        if self.k[self.i] == "=":
            self.i += 1
            self.assign_in()

    # --- parameters

    def parameters(self) -> Parameters:
        """Up to, not including, the closing parenthesis."""
        k = self.k
        found = Parameters()
        names = found.names
        saved, self.allow_in = self.allow_in, True
        awaits, yields = self.await_count, self.yield_count
        while k[self.i] != ")":
            i = self.i
            kind = k[i]
            found.count += 1
            if kind == "...":
                self.i = i + 1
                found.simple = False
                found.rest = True
                if k[self.i] in _TARGET_START:
                    self._pattern(names)
                else:
                    at = self.binding('Expected parameter name after "..."')
                    names.append(self.word(at))
                if k[self.i] == ":":
                    self.annotation(_REST_ENDS)
                break
            if kind in _TARGET_START:
                found.simple = False
                self._pattern(names)
                if k[self.i] == ":":
                    self.annotation(_PARAMETER_ENDS)
                if k[self.i] == "=":
                    self.i += 1
                    self.assign()
            else:
                if kind == "id":
                    self.i = i + 1
                else:
                    self.binding("Expected parameter name")
                name = self.word(i)
                names.append(name)
                optional = k[self.i] == "?"
                if optional:
                    self.edits.blank(self.s[self.i], self.e[self.i])
                    self.i += 1
                checked = ""
                if k[self.i] == ":":
                    checked = self.annotation(_PARAMETER_ENDS)
                if k[self.i] == "=":
                    found.simple = False
                    self.i += 1
                    self._parameter_default(found, name)
                elif checked and not optional:
                    found.checked.append((name, checked))
                if checked and self.strict_types:
                    self.scopes.open[-1].types[name] = checked
            if k[self.i] != ",":
                break
            self.i += 1
        self.allow_in = saved
        found.awaits = self.await_count > awaits
        found.yields = self.yield_count > yields
        self.scopes.open[-1].parameters.update(names)
        return found

    def _parameter_default(self, found: Parameters, name: str) -> None:
        """A default value. One with a function that reads parameters is computed at the start of the body.

        The engine gives functions among the parameters copies of them, so that they would miss what the body assigns.
        """
        begin, mark, functions = self.i, self.edits.mark(), self.function_count
        self.assign()
        first, last = self.s[begin], self.e[self.i - 1]
        text = self.text[first:last]
        reads = self.function_count > functions and any(one in text for one in found.names)
        if (reads or found.moved) and not self.new_line_in(text):
            moved = self.edits.take(mark, first, last)
            self.edits.replace(first, last, "void 0")
            found.moved.append(f"{name}===void 0&&({name}={moved})")

    def check_parameters(
        self, found: Parameters, at: int, *, unique: bool, no_await: bool, no_yield: bool, strict: bool = False
    ) -> None:
        names = found.names
        if (unique or not found.simple) and len(set(names)) != len(names):
            raise self.refuse("Duplicate parameter name not allowed", at, "Rename one of the two")
        if no_await and (found.awaits or "await" in names):
            raise self.refuse("await is not allowed in function parameters", at, "Await in the body")
        if no_yield and (found.yields or "yield" in names):
            raise self.refuse("yield is not allowed in function parameters", at, "Yield in the body")
        if strict and ("eval" in names or "arguments" in names):
            raise self.refuse("eval and arguments are not allowed in strict function parameters", at, "Rename it")

    # --- bodies

    def enter_function(self, *, asynchronous: bool, generator: bool) -> tuple[object, ...]:
        saved = (
            self.in_async, self.in_generator, self.labels, self.loop_labels, self.direct_labels,
            self.in_loop, self.in_switch, self.strict, self.strict_source, self.await_count, self.yield_count,
        )  # fmt: skip
        self.depth += 1
        self.function_count += 1
        self.in_async, self.in_generator = asynchronous, generator
        self.labels, self.loop_labels, self.direct_labels = [], [], -1
        self.in_loop = self.in_switch = 0
        self.scopes.enter(function=True)
        return saved

    def leave_function(self, saved: tuple[object, ...]) -> None:
        (
            self.in_async, self.in_generator, self.labels, self.loop_labels, self.direct_labels,
            self.in_loop, self.in_switch, self.strict, self.strict_source, self.await_count, self.yield_count,
        ) = saved  # type: ignore[assignment]  # fmt: skip
        self.depth -= 1
        self.leave_scope()

    def body(self, checks: list[str], *, directives: bool = True) -> None:
        """Statements behind an opening brace, and the closing one; the caller undoes what a directive made strict."""
        k = self.k
        saved, self.allow_in = self.allow_in, True
        brace = self.i - 1
        if checks:
            self.edits.close(self.e[brace], ";".join(checks) + ";")
        prologue = directives
        forbidden = False
        while k[self.i] not in ("}", ""):
            start = self.i
            self.statement()
            if prologue:
                prologue, forbidden = self.directive(start, forbidden)
        self.allow_in = saved
        if self.scopes.open[-1].again:
            self.edits.close(self.e[brace], self.scopes.open[-1].again)
        self.expect("}", 'Expected "}" after function body', "Close the body with }")

    def directive(self, start: int, forbidden: bool) -> tuple[bool, bool]:
        """Whether the statement at ``start`` was a directive, and whether one so far had a decimal escape."""
        k = self.k
        if k[start] not in ("str", "ostr") or not (k[start + 1] in (";", "}", "") or self.i == start + 1):
            return False, forbidden
        forbidden = forbidden or k[start] == "ostr"
        if self.text[self.s[start] + 1 : self.e[start] - 1] == "use strict":
            if forbidden:
                raise self.refuse("Strict mode directive prologues must not contain decimal escapes", start)
            self.strict = self.strict_source = True
        return True, forbidden

    def checks_of(self, found: Parameters) -> list[str]:
        """What runs before the body, as expressions."""
        if not self.strict_types or not found.checked:
            return found.moved
        check = self.use("check")
        return found.moved + [f'{check}("{kind}",{name})' for name, kind in found.checked]

    def function_body(
        self, at: int, *, asynchronous: bool, generator: bool, method: bool = False, name: str = ""
    ) -> None:
        """``(parameters) { ... }`` of a function, an object method or an async form of them."""
        k = self.k
        self.expect("(", 'Expected "(" before function parameters', "Write the parameters in ( )")
        saved = self.enter_function(asynchronous=asynchronous, generator=generator)
        if name:
            self.scopes.open[-1].var.add(name)
        found = self.parameters()
        self.expect(")", 'Expected ")" after parameters', "Close the parameters with )")
        self.check_parameters(found, at, unique=False, no_await=asynchronous, no_yield=generator)
        if k[self.i] == ":":
            self.annotation(frozenset("{"), allow_object=True)
        self.expect("{", 'Expected "{" before function body', "Open the body with {")
        self.body(self.checks_of(found))
        strict = self.strict
        self.check_parameters(found, at, unique=strict, no_await=asynchronous, no_yield=generator, strict=strict)
        if method:
            self.check_parameters(found, at, unique=True, no_await=False, no_yield=False)
        if strict and name in ("eval", "arguments"):
            raise self.refuse("eval and arguments are not allowed as strict function names", at, "Rename it")
        self.leave_function(saved)

    def class_method(self, at: int, *, asynchronous: bool, generator: bool) -> None:
        k = self.k
        self.generic_parameters()
        self.expect("(", 'Expected "(" after method name', "Write the parameters in ( )")
        saved = self.enter_function(asynchronous=asynchronous, generator=generator)
        found = self.parameters()
        self.expect(")", 'Expected ")" after parameters', "Close the parameters with )")
        self.check_parameters(found, at, unique=True, no_await=asynchronous, no_yield=generator, strict=True)
        if k[self.i] == ":":
            self.annotation(frozenset("{"), allow_object=True)
        self.expect("{", 'Expected "{" before method body', "Open the body with {")
        self.body(self.checks_of(found), directives=False)
        self.leave_function(saved)

    def accessor_body(self, kind: str) -> None:
        """``() { ... }`` of a getter or ``(value) { ... }`` of a setter."""
        k = self.k
        at = self.i - 1
        word = "getter" if kind == "get" else "setter"
        self.expect("(", f'Expected "(" after {word} name', "Write the parameters in ( )")
        saved = self.enter_function(asynchronous=False, generator=False)
        found = None
        if kind == "get":
            self.expect(")", "Getters cannot have parameters", "Remove the parameters")
        else:
            if k[self.i] == ")":
                raise self.refuse("Setter must have exactly one parameter", self.i, "Write set name(value) { ... }")
            found = self.parameters()
            if found.count != 1:
                raise self.refuse("Setter must have exactly one parameter", self.i - 1, "Write set name(value) { ... }")
            if found.rest:
                raise self.refuse("Setter parameter cannot be a rest parameter", self.i - 1, "Remove the ...")
            self.expect(")", 'Expected ")" after setter parameter', "Close the parameter with )")
        if k[self.i] == ":":
            self.annotation(frozenset("{"), allow_object=True)
        self.expect("{", f'Expected "{{" before {word} body', "Open the body with {")
        self.body([] if found is None else self.checks_of(found))
        if found is not None:
            self.check_parameters(found, at, unique=True, no_await=False, no_yield=False, strict=self.strict)
        self.leave_function(saved)

    def function_expression(self, at: int, *, asynchronous: bool = False) -> int:
        """Behind ``function``; ``at`` is where the expression starts."""
        k = self.k
        if not self.dialect.function and not self.generated_function(at):
            self.disabled("async-function" if asynchronous else "function-expression", at)
            self.skip_function()
            first, last = self.s[at], self.e[self.i - 1]
            self.edits.forget(0, first, last)
            self.edits.replace(first, last, "undefined")
            self.left = at
            return OTHER
        generator = k[self.i] == "*"
        if generator:
            self.i += 1
        name = ""
        if k[self.i] in BINDING:
            name = self.word(self.binding("Expected function name"))
        self.generic_parameters()
        self.function_body(at, asynchronous=asynchronous, generator=generator, name=name)
        self.left = at
        return ARROW

    def function_operand(self, i: int) -> int:
        self.i = i + 1
        return self.function_expression(i)

    def generated_function(self, at: int) -> bool:
        """The function around the text of a Function constructor is ours, not the guest's."""
        return self.generated >= 0 and at == self.generated

    # --- arrows

    def arrow_of_name(self, i: int, *, asynchronous: bool = False) -> int:
        """``name => body``, ``i`` is the name."""
        start = i - 1 if asynchronous else i
        self.check_reference(i) if not asynchronous else None
        saved = self.enter_function(asynchronous=asynchronous, generator=False)
        self.check_binding(i)
        name = self.word(i)
        self.scopes.open[-1].parameters.add(name)
        found = Parameters()
        found.names.append(name)
        found.count = 1
        self.i = i + 2
        self._arrow_body([])
        if self.strict_source and not saved[8]:
            self.check_parameters(found, i, unique=True, no_await=asynchronous, no_yield=False, strict=True)
        self.leave_function(saved)
        self.left = start
        return ARROW

    def arrow(self, at: int, *, asynchronous: bool = False) -> int:
        """``(parameters) => body``, the cursor behind the parenthesis."""
        k = self.k
        parens = self.i - 1
        outer_async, outer_generator = self.in_async, self.in_generator
        saved = self.enter_function(asynchronous=asynchronous or outer_async, generator=outer_generator)
        found = self.parameters()
        self.expect(")", 'Expected ")" after parameters', "Close the parameters with )")
        no_await = asynchronous or outer_async
        self.check_parameters(found, parens, unique=True, no_await=no_await, no_yield=outer_generator)
        if k[self.i] == ":":
            self.annotation(frozenset(("=>",)))
        self.expect("=>", 'Expected "=>" in arrow function', "Write (parameters) => body")
        self.in_async, self.in_generator = asynchronous, False
        self._arrow_body(self.checks_of(found))
        if self.strict_source and not saved[8]:
            self.check_parameters(found, parens, unique=True, no_await=no_await, no_yield=outer_generator, strict=True)
        self.leave_function(saved)
        self.left = at
        return ARROW

    def _arrow_body(self, checks: list[str]) -> None:
        if self.k[self.i] == "{":
            self.i += 1
            self.body(checks)
            return
        begin = self.i
        self.assign()
        if checks:
            self.edits.wrap(self.s[begin], "(" + ",".join([*checks, ""]), self.e[self.i - 1], ")")

    def is_arrow(self, i: int) -> bool:
        """Whether the parenthesis before token ``i`` opens the parameters of an arrow function."""
        k = self.k
        kind = k[i]
        if kind == ")":
            i += 1
            if k[i] == ":":
                i = self.type_end(i + 1, _ARROW_RETURN_ENDS)
            return k[i] == "=>"
        if kind == "id" and k[i + 1] not in _AFTER_PARAMETER:
            return False
        while True:
            kind = k[i]
            if kind == ")":
                i += 1
                break
            if kind in _TARGET_START:
                i = self.skip_balanced(i)
                if k[i] == ":":
                    i = self.type_end(i + 1, _PARAMETER_ENDS)
                if k[i] == "=":
                    i = self._skip_default(i + 1)
                if k[i] == ",":
                    i += 1
            elif kind == "...":
                i += 1
                if k[i] in BINDING:
                    i += 1
                if k[i] == ":":
                    i = self.type_end(i + 1, _REST_ENDS)
            elif kind in BINDING:
                i += 1
                if k[i] == "?":
                    i += 1
                if k[i] == ":":
                    i = self.type_end(i + 1, _PARAMETER_ENDS)
                if k[i] == "=":
                    i = self._skip_default(i + 1)
                if k[i] == ",":
                    i += 1
            elif kind == ",":
                i += 1
            else:
                return False
        if k[i] == ":":
            i = self.type_end(i + 1, _ARROW_RETURN_ENDS)
        return k[i] == "=>"

    def skip_balanced(self, i: int) -> int:
        """Behind the bracket that closes the one at ``i``, or at the end of the text."""
        closers = self._closers
        if self._closers_of != self.scanner.generation:
            closers.clear()
            self._closers_of = self.scanner.generation
        known = closers.get(i)
        if known is not None:
            return known
        k = self.k
        begin = i
        opened: list[int] = []
        while True:
            kind = k[i]
            if kind in _OPENERS:
                inner = closers.get(i)
                if inner is not None and opened:
                    i = inner
                    continue
                opened.append(i)
            elif kind in _CLOSERS:
                if opened:
                    closers[opened.pop()] = i + 1
                if not opened:
                    return i + 1
            elif kind == "" or kind == "\0":
                for one in opened:
                    closers[one] = i
                return closers.get(begin, i)
            i += 1

    def _skip_default(self, i: int) -> int:
        k = self.k
        while True:
            kind = k[i]
            if kind in _OPENERS:
                i = self.skip_balanced(i)
                continue
            if kind in (",", ")", "", "\0"):
                return i
            i += 1

    def leave_scope(self) -> None:
        self.scopes.leave()


_OPENERS = frozenset(("(", "[", "{", "`("))
_CLOSERS = frozenset((")", "]", "}", "`)"))
_AFTER_PARAMETER = frozenset((",", ")", "?", ":", "="))
