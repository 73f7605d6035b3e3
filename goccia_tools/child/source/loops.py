"""for loops of every form, and using declarations."""

from __future__ import annotations

from .expressions import ASSIGNMENT, CLOSED_PATTERN, IDENT, LITERAL_PATTERN, MEMBER, OPTIONAL, PRIVATE
from .scanner import BINDING
from .statements import LEXICAL, PLAIN, Statements

_AWAIT_USING = "'await using' is only valid in async functions or at the top level"
_TARGETS = frozenset((IDENT, MEMBER, OPTIONAL, PRIVATE))


class Loops(Statements):
    """The rules of for and using."""

    def for_(self, i: int) -> int:
        k = self.k
        self.i = i + 1
        asynchronous = False
        if k[self.i] == "await" and (self.in_async or self.depth == 0):
            asynchronous = True
            if self.depth == 0:
                self.top_level_await = True
            self.i += 1
        if k[self.i] != "(":
            return self._counting(i, self.i)
        head = self.i
        first = self.i = head + 1
        kind = k[first]
        waits = self.await_using_ahead(first)
        if waits or (
            kind == "using"
            and k[first + 1] in BINDING
            and not self.new_line(first + 1)
            and not self.is_word(first + 1, "of")
        ):
            name = first + (2 if waits else 1)
            if waits and not self.in_async and self.depth:
                raise self.refuse(_AWAIT_USING, first, "Make the function async")
            self.check_binding(name)
            if k[name + 1] == "in":
                form = "'await using'" if waits else "'using'"
                raise self.refuse(f"{form} declarations are not valid in for...in loop heads", i, "Write for...of")
            self._plain_of(name + 1)
            if self.is_word(name + 1, "of"):
                return self._using_of(i, first, name, waits=waits, asynchronous=asynchronous)
        if (
            kind == "const"
            or (kind == "let" and (self.strict or self._let_in_head(first)))
            or (kind == "var" and self.dialect.var)
        ):
            return self._declaring(i, head, asynchronous)
        if kind != ";":
            if self.dialect.for_loop and self._counts(head):
                return self._counting(i, head)
            if kind == "var":
                raise self.refuse("Expected expression", first, "Write const, or allow var with compat-var")
            return self._assigning(i, head, asynchronous)
        return self._counting(i, head)

    def _let_in_head(self, i: int) -> bool:
        following = self.k[i + 1]
        if following in ("[", "{"):
            return True
        if self.asi and self.new_line(i + 1):
            return False
        return following in BINDING and not self.is_word(i + 1, "of")

    def _plain_of(self, i: int) -> None:
        if self.k[i] == "esc" and self.word(i) in ("of", "is", "in"):
            raise self.refuse("Keyword must not contain escaped characters", i)

    def _declaring(self, i: int, head: int, asynchronous: bool) -> int:
        """A head that starts with const, let or var: for...of, for...in, or a counting loop after all."""
        k = self.k
        first = head + 1
        how = k[first]
        mark, warned = self.edits.mark(), len(self.warnings)
        self.scopes.enter()
        self.i = first + 1
        kind = k[self.i]
        names: list[str] = []
        name = -1
        if kind in ("[", "{"):
            names = list(self.pattern())
        elif kind in BINDING and kind not in ("as", "from", "static"):
            name = self.binding("Expected variable name", "Write the name of the variable")
            names = [self.word(name)]
        elif kind == "let" and how == "var" and not self.strict:
            self.i += 1
            names = ["let"]
        else:
            self.scopes.leave()
            return self._counting(i, head)
        for bound in names:
            self.declare(bound, how, first)
        at = self.i
        self._plain_of(at)
        filtered = ""
        if self.is_word(at, "is"):
            if name < 0:
                message = 'Pattern-filtered for...of requires an identifier binding before "is"'
                raise self.refuse(message, at, "Write for (const item is Pattern of items)")
            filtered = self.filter_pattern(name)
            at = self.i
            if not self.is_word(at, "of"):
                raise self.refuse(
                    'Expected "of" after pattern-filtered for loop pattern', at, "Write of and what to loop over"
                )
            self._plain_of(at)
        if k[at] == "in":
            if asynchronous:
                raise self.refuse("'for await...in' is not valid JavaScript syntax", i, "Write for await (... of ...)")
            if not self.dialect.for_in:
                self.scopes.leave()
                return self._no_for_in(i, head, mark, warned)
            self.i = at + 1
            self.expression()
            self.expect(")", 'Expected ")" after for...in expression', "Close the head with )")
            self._body(i, "")
            return PLAIN
        if self.is_word(at, "of"):
            self._of(i, at, asynchronous, filtered)
            return PLAIN
        self.edits.forget(mark)
        self.scopes.leave()
        return self._counting(i, head)

    def _of(self, i: int, at: int, asynchronous: bool, filtered: str) -> None:
        self.i = at + 1
        begin = self.i
        self.assign()
        if asynchronous and self.depth == 0 and self.script:
            # scripts await in place: the loop runs over an iterator that settles each step
            self.edits.blank(self.s[i + 1], self.e[i + 1])
            self.edits.wrap(self.s[begin], self.use("each") + "(", self.e[self.i - 1], ")")
        self.expect(")", 'Expected ")" after for...of expression', "Close the head with )")
        self._body(i, filtered)

    def _body(self, i: int, filtered: str) -> None:
        begin = self.i
        if filtered:
            self.loop_body(i)
            self.edits.wrap(self.s[begin], filtered, self.e[self.i - 1], self.filter_close)
        else:
            self.loop_body(i)
        self.leave_scope()

    def _assigning(self, i: int, head: int, asynchronous: bool) -> int:
        """A head that assigns to something that exists."""
        k = self.k
        first = head + 1
        mark, warned = self.edits.mark(), len(self.warnings)
        self.i = first
        saved, self.allow_in = self.allow_in, False
        shape = self.assign()
        self.allow_in = saved
        at = self.i
        if k[at] == "in":
            if asynchronous:
                raise self.refuse("'for await...in' is not valid JavaScript syntax", i, "Write for await (... of ...)")
            if not self.dialect.for_in:
                return self._no_for_in(i, head, mark, warned)
            self._target(shape, first)
            self.i = at + 1
            self.expression()
            self.expect(")", 'Expected ")" after for...in expression', "Close the head with )")
            self.scopes.enter()
            self._body(i, "")
            return PLAIN
        self._plain_of(at)
        if self.is_word(at, "of"):
            self._target(shape, first)
            self.scopes.enter()
            self._of(i, at, asynchronous, "")
            return PLAIN
        self.edits.forget(mark)
        return self._counting(i, head)

    def _target(self, shape: int, at: int) -> None:
        if shape in (LITERAL_PATTERN, ASSIGNMENT):
            if self.bad_target is not None and shape == LITERAL_PATTERN:
                raise self.bad_target
            return
        if shape == CLOSED_PATTERN:
            raise self.refuse("Parenthesized destructuring target", at, "Remove the parentheses")
        if shape not in _TARGETS:
            raise self.refuse("Invalid destructuring target", at, "Loop over a variable or a property")

    def _no_for_in(self, i: int, head: int, mark: int, warned: int) -> int:
        self.edits.forget(mark)
        del self.warnings[warned:]
        self.disabled("for-in", i)
        self.i = head
        self.skip_parens()
        self.skip_block(i)
        return PLAIN

    def _counts(self, head: int) -> bool:
        """Whether the head at ``head`` has a semicolon of its own."""
        k = self.k
        i = head + 1
        while True:
            kind = k[i]
            if kind == ";":
                return True
            if kind in (")", "", "\0"):
                return False
            i = self.skip_balanced(i) if kind in ("(", "[", "{", "`(") else i + 1

    def _counting(self, i: int, head: int) -> int:
        """``for (init; condition; update)``."""
        k = self.k
        self.i = head
        if not self.dialect.for_loop:
            self.disabled("for", i)
            self.skip_parens()
            self.skip_block(i)
            return PLAIN
        self.expect("(", "Expected '(' after 'for'", "Put the head in ( )")
        self.scopes.enter()
        first = self.i
        kind = k[first]
        if kind == ";":
            self.i = first + 1
        elif (
            kind == "const"
            or (kind == "let" and (self.strict or self._let_in_head(first)))
            or (kind == "var" and self.dialect.var)
        ):
            self.i = first + 1
            names = self.declarations(first, kind, no_in=True)
            if kind != "var" and len(set(names)) != len(names):
                raise self.refuse("Duplicate lexical binding in for-loop initializer", first, "Rename one of the two")
            self.expect(";", "Expected ';' after for-init declaration", "Write for (init; condition; update)")
        elif kind == "var":
            self.disabled("var-for", first)
            begin = first
            while k[self.i] not in (";", "", "\0", ")"):
                self.i = self.skip_balanced(self.i) if k[self.i] in ("(", "[", "{", "`(") else self.i + 1
            self.edits.blank(self.s[begin], self.e[self.i - 1])
            self.expect(";", "Expected ';' after for-init declaration", "Write for (init; condition; update)")
        elif kind == "using" and k[first + 1] in BINDING and not self.new_line(first + 1):
            raise self.refuse(
                "using in the head of a counting loop needs the goccia engine", first, "Declare it before the loop"
            )
        else:
            saved, self.allow_in = self.allow_in, False
            self.expression()
            self.allow_in = saved
            self.expect(";", "Expected ';' after for-init expression", "Write for (init; condition; update)")
        if k[self.i] == ";":
            self.i += 1
        else:
            self.expression()
            self.expect(";", "Expected ';' after for-condition", "Write for (init; condition; update)")
        if k[self.i] != ")":
            self.expression()
        self.expect(")", "Expected ')' after for-update", "Close the head with )")
        self.loop_body(i)
        self.leave_scope()
        return PLAIN

    # --- using

    def await_using_ahead(self, i: int) -> bool:
        return (
            self.k[i] == "await"
            and self.k[i + 1] == "using"
            and self.k[i + 2] in BINDING
            and not self.new_line(i + 1)
            and not self.new_line(i + 2)
        )

    def using(self, i: int) -> int:
        if self.k[i] == "await":
            if not self.await_using_ahead(i):
                if self.k[i + 1] == "/" and self.depth and not self.in_async:
                    # the reference looks for `await using` first, and so takes the slash for a regular expression
                    self.scanner.rescan(i + 1, "re")
                    raise self.refuse('Expected ";" between expressions', i + 1, "Add a semicolon")
                return self.expression_statement(i)
            if not self.in_async and self.depth:
                raise self.refuse(_AWAIT_USING, i, "Make the function async")
            if self.depth == 0:
                self.top_level_await = True
            return self._using(i, i + 2, waits=True)
        if self.k[i + 1] in BINDING and not self.new_line(i + 1):
            return self._using(i, i + 1, waits=False)
        return self.expression_statement(i)

    def _using(self, i: int, name: int, *, waits: bool) -> int:
        k = self.k
        outside = not self.in_block
        if outside:
            # the reference fails when it gets here; so do we, after everything before it ran
            self.edits.replace(self.s[i], self.e[name - 1], f"{self.use('outside')}();const")
        else:
            if self.block_uses is None:
                self.block_uses = self.fresh("using")
                self.block_async = False
            self.block_async = self.block_async or waits
            self.edits.replace(self.s[i], self.e[name - 1], "const")
        self.i = name
        while True:
            at = self.binding('Expected variable name after "using"', "Name the resource")
            bound = self.word(at)
            self.scopes.declare(bound, "const", self.s[i])
            if k[self.i] == ":":
                self.annotation(frozenset(("=", ";", ",")))
            if k[self.i] != "=":
                raise self.refuse('"using" declarations must have an initializer', self.i, "Add = and the resource")
            self.i += 1
            begin = self.i
            self.assign()
            if not outside:
                method = "useAsync" if waits else "use"
                self.edits.wrap(self.s[begin], f"{self.block_uses}.{method}(", self.e[self.i - 1], ")")
            if k[self.i] != ",":
                break
            self.i += 1
        self.semicolon("using declaration")
        return LEXICAL

    def close_using(self, begin: int, end: int) -> None:
        """Around the statements of a block that has using declarations: dispose of them however it ends."""
        uses = self.block_uses
        if uses is None:
            return
        self.edits.close(begin, f"const {uses}={self.use('using')}();try{{")
        self.edits.open(end, f"}}catch(ǃg_e){{{uses}.fail(ǃg_e)}}finally{{{self._dispose(uses)}}}")

    def _dispose(self, uses: str) -> str:
        if not self.block_async:
            return f"{uses}.dispose()"
        if self.depth == 0 and self.script:
            return f"{self.use('await')}({uses}.disposeAsync())"
        return f"await {uses}.disposeAsync()"

    def _using_of(self, i: int, first: int, name: int, *, waits: bool, asynchronous: bool) -> int:
        """``for (using x of items) body``."""
        bound = self.word(name)
        value, uses = self.fresh("item"), self.fresh("using")
        saved, self.block_async = self.block_async, waits
        self.edits.replace(self.s[first], self.e[name], f"const {value}")
        self.scopes.enter()
        self.scopes.declare(bound, "const", self.s[first])
        self.i = name + 2
        begin = self.i
        self.assign()
        if asynchronous and self.depth == 0 and self.script:
            self.edits.blank(self.s[i + 1], self.e[i + 1])
            self.edits.wrap(self.s[begin], self.use("each") + "(", self.e[self.i - 1], ")")
        self.expect(")", 'Expected ")" after for...of expression', "Close the head with )")
        begin = self.i
        self.loop_body(i)
        method = "useAsync" if waits else "use"
        opening = f"{{const {uses}={self.use('using')}();try{{const {bound}={uses}.{method}({value});"
        closing = f"}}catch(ǃg_e){{{uses}.fail(ǃg_e)}}finally{{{self._dispose(uses)}}}}}"
        self.edits.wrap(self.s[begin], opening, self.e[self.i - 1], closing)
        self.block_async = saved
        self.leave_scope()
        return PLAIN
