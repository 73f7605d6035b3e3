"""Statements and declarations."""

from __future__ import annotations

from .expressions import ARROW, BOOLEAN, CALL, LITERAL_PATTERN, NEW, NUMBER, STRING
from .positions import Lines
from .scanner import BINDING, IDENTIFIERS, words
from .types import Types

_DECLARED_ENDS = frozenset(("=", ";", ","))
_STATEMENT_ENDS = frozenset((";", "}", ""))
_METHOD_MESSAGE = "Method definitions are only valid inside object literals or class bodies"
_METHOD_ADVICE = "Put the method in an object or a class"
_FUNCTION_ADVICE = "Put the function in a block"
_DEFINITE = "Declarations with definite assignment assertions must also have type annotations"
_CONST_ADVICE = "Add = and a value"
_INFERRED = {
    NUMBER: "number",
    STRING: "string",
    BOOLEAN: "boolean",
    LITERAL_PATTERN: "object",
    NEW: "object",
    ARROW: "object",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What a statement turned out to be, where that matters to the rule around it.
PLAIN, FUNCTION, LEXICAL, MODULE_ITEM = range(4)


class Statements(Types):
    """The statement rules."""

    #: first token -> rule; filled where all rules are known
    rules: dict[str, Callable[[Any, int], int]]

    def statement(self) -> int:
        i = self.i
        if self.completion and not self.depth:
            return self.recorded(i)
        rule = self.rules.get(self.k[i])
        if rule is not None:
            return rule(self, i)
        return self.expression_statement(i)

    def recorded(self, i: int) -> int:
        """A statement of a module whose completion value is wanted: what starts anew leaves undefined behind."""
        k = self.k
        labels = i
        while k[labels] in IDENTIFIERS and k[labels + 1] == ":":
            labels += 2
        starts_anew = k[labels] in _STARTS_ANEW and not self.inside_label
        self.inside_label = labels > i
        rule = self.rules.get(k[i])
        what = self.expression_statement(i) if rule is None else rule(self, i)
        self.inside_label = False
        if starts_anew:
            self.edits.wrap(self.s[i], "{ǃg_cv=void 0;", self.e[self.i - 1], "}")
        return what

    def body_statement(self, *, loop: bool = False) -> int:
        """The statement a condition, loop or block holds."""
        direct, self.direct_labels = self.direct_labels, -1
        added = 0
        if loop and direct >= 0:
            added = len(self.labels) - direct
            self.loop_labels.extend(self.labels[direct:])
        if loop:
            self.in_loop += 1
        what = self.statement()
        if loop:
            self.in_loop -= 1
        if added:
            del self.loop_labels[-added:]
        self.direct_labels = direct
        return what

    def loop_body(self, at: int) -> None:
        self.scopes.enter()
        labelled = self.label_count
        what = self.body_statement(loop=True)
        self.leave_scope()
        if what == FUNCTION:
            if self.label_count > labelled:
                raise self.refuse("Invalid labelled function declaration", at, _FUNCTION_ADVICE)
            message = "Function declarations cannot be used as unbraced statement bodies"
            raise self.refuse(message, at, _FUNCTION_ADVICE)

    def expression_statement(self, i: int) -> int:
        if self.k[i] in IDENTIFIERS and self.k[i + 1] == ":":
            return self.labelled(i)
        shape = self.expression()
        if self.completion and not self.depth:
            self.edits.wrap(self.s[i], "ǃg_cv=(", self.e[self.i - 1], ")")
        i = self.i
        kind = self.k[i]
        if kind == ";":
            self.i = i + 1
        elif kind != "}" and kind != "" and not self.new_line(i):
            if kind == "\0":
                raise self.refuse("", i)
            if kind == "{" and shape == CALL:
                raise self.refuse(_METHOD_MESSAGE, i, _METHOD_ADVICE)
            if kind == "num":
                raise self.refuse("Unexpected numeric literal after expression", i, "Write an operator or a semicolon")
            raise self.refuse('Expected ";" between expressions', i, "Add a semicolon or start a new line")
        return PLAIN

    # --- declarations

    def lexical(self, i: int) -> int:
        """const, and let where it declares."""
        k = self.k
        const = k[i] == "const"
        if not const and not self.strict and not self._let_declares(i):
            return self.expression_statement(i)
        self.i = i + 1
        mark = self.edits.mark()
        self.declarations(i, "const" if const else "let")
        self.semicolon("variable declaration")
        if self.scopes.duplicate:
            self.redeclared(i, mark)
        return LEXICAL

    def redeclared(self, i: int, mark: int) -> None:
        """A block that declares a name twice fails when control enters it."""
        first, last = self.s[i], self.e[self.i - 1]
        line, column = Lines(self.text).position(first)
        self.edits.forget(mark)
        self.edits.replace(first, last, ";")
        scope = self.scopes.open[-1]
        scope.again = scope.again or f'throw {self.use("again")}("{self.scopes.duplicate}",{line},{column});'
        self.scopes.duplicate = ""

    def _let_declares(self, i: int) -> bool:
        following = self.k[i + 1]
        if following == "[":
            return True
        if self.asi and self.new_line(i + 1):
            return False
        return following in BINDING or following == "{"

    def declarations(self, at: int, how: str, *, no_in: bool = False) -> list[str]:
        """The declared names behind const, let or var."""
        k = self.k
        declared: list[str] = []
        saved = self.allow_in
        if no_in:
            self.allow_in = False
        while True:
            i = self.i
            kind = k[i]
            if kind in ("[", "{"):
                for name in self.pattern():
                    self.declare(name, how, at)
                    declared.append(name)
                if k[self.i] == ":":
                    self.annotation(_DECLARED_ENDS)
                if k[self.i] != "=":
                    raise self.refuse(
                        "Destructuring declarations must have an initializer", self.i, "Add = and a value"
                    )
                self.i += 1
                self.assign()
            else:
                if kind == "id":
                    self.i = i + 1
                    name = self.text[self.s[i] : self.e[i]]
                elif kind == "let" and how == "var" and not self.strict:
                    self.i = i + 1
                    name = "let"
                else:
                    self.binding("Expected variable name", "Write the name of the variable")
                    name = self.word(i)
                self.declare(name, how, at)
                declared.append(name)
                kind = k[self.i]
                if kind == "=" and not self.strict_types:
                    self.i += 1
                    self.assign()
                else:
                    self._declared_rest(i, name, how, at, kind)
            if k[self.i] != ",":
                break
            self.i += 1
        self.allow_in = saved
        return declared

    def _declared_rest(self, i: int, name: str, how: str, at: int, kind: str) -> None:
        """Type and initialiser of one declared name."""
        k = self.k
        definite = kind == "!" and not self.new_line(self.i)
        if definite:
            if how == "const":
                message = "A definite assignment assertion is not permitted on a const declaration"
                raise self.refuse(message, self.i, "Remove the !")
            self.edits.blank(self.s[self.i], self.e[self.i])
            self.i += 1
        checked = ""
        annotated = k[self.i] == ":"
        if annotated:
            checked = self.annotation(_DECLARED_ENDS)
        elif definite:
            raise self.refuse(_DEFINITE, self.i - 1, "Add a type, or remove the !")
        if definite and k[self.i] == "=":
            message = "Declarations with initializers cannot also have definite assignment assertions"
            raise self.refuse(message, self.i, "Remove the !")
        if k[self.i] == "=":
            self.i += 1
            begin = self.i
            shape = self.assign()
            if self.strict_types:
                inferred = _INFERRED.get(shape, "")
                if checked:
                    if inferred != checked:
                        call = f'{self.use("check")}("{checked}",'
                        self.edits.wrap(self.s[begin], call, self.e[self.i - 1], ")")
                elif not annotated and how != "const":
                    checked = inferred
        elif how == "const":
            raise self.refuse("const declarations must have an initializer", at, _CONST_ADVICE)
        if checked:
            self.scopes.open[-1].types[name] = checked

    def declare(self, name: str, how: str, at: int) -> None:
        if how == "var":
            if not self.scopes.declare_var(name):
                self.hidden_vars = False
        else:
            self.scopes.declare(name, how, self.s[at])

    def var(self, i: int) -> int:
        self.i = i + 1
        if not self.dialect.var:
            self.disabled("var", i)
            self.skip_statement(i)
            return PLAIN
        self.hidden_vars = True
        self.declarations(i, "var")
        self.semicolon("variable declaration")
        if self.hidden_vars:
            # the reference assigns to the lexical name that is there
            self.edits.replace(self.s[i], self.e[i], "")
        return PLAIN

    def function(self, i: int, *, asynchronous: bool = False) -> int:
        """A function declaration; the cursor is at ``i``, its first word."""
        at = i + 1 if asynchronous else i
        self.i = at + 1
        if not self.dialect.function:
            self.disabled("async-function" if asynchronous else "function", i)
            self.skip_function()
            self.drop(i)
            return PLAIN
        generator = self.k[self.i] == "*"
        if generator:
            self.i += 1
        named = self.binding("Expected function name", "Name the function")
        name = self.word(named)
        if self.in_function_scope():
            self.scopes.declare_var(name)
        else:
            self.scopes.declare(name, "function", self.s[named])
        self.generic_parameters()
        self.function_body(at, asynchronous=asynchronous, generator=generator, name="")
        if name in ("eval", "arguments") and self.strict:
            raise self.refuse("eval and arguments are not allowed as strict function names", at, "Rename it")
        return FUNCTION

    def in_function_scope(self) -> bool:
        return self.scopes.open[-1].function

    def asynchronous(self, i: int) -> int:
        if self.k[i + 1] == "function" and not self.new_line(i + 1):
            return self.function(i, asynchronous=True)
        return self.expression_statement(i)

    # --- leaving out what is disabled

    def drop(self, begin: int) -> None:
        """Leave out everything from token ``begin`` to the cursor."""
        first, last = self.s[begin], self.e[self.i - 1]
        self.edits.forget(0, first, last)
        self.edits.blank(first, last, ";")

    def skip_statement(self, begin: int) -> None:
        """To behind the semicolon that ends a disabled statement."""
        k = self.k
        i = self.i
        while True:
            kind = k[i]
            if kind in ("", "\0", "}"):
                break
            if (
                self.asi
                and i > begin
                and self.new_line(i)
                and k[i - 1] not in ("<", ",")
                and kind not in (">", ">>", ">>>")
            ):
                break
            if kind in ("(", "[", "{", "`("):
                i = self.skip_balanced(i)
                continue
            i += 1
            if kind == ";":
                break
        if k[i] == "\0":
            raise self.refuse("", i)
        self.i = i
        self.drop(begin)

    def skip_parens(self) -> None:
        self._skip_pair("(", ")")

    def _skip_pair(self, opening: str, closing: str) -> None:
        """A disabled part in brackets; brackets of the other kinds do not count, as in the reference."""
        k = self.k
        i = self.i
        if k[i] != opening:
            raise self.refuse(f'Expected "{opening}"', i)
        level = 0
        while True:
            kind = k[i]
            if kind == "" or kind == "\0":
                raise self.refuse(f'Expected "{closing}"', i, f"Close with {closing}")
            if kind == "`(":
                i = self.skip_balanced(i)
                continue
            level += (kind == opening) - (kind == closing)
            i += 1
            if level == 0:
                self.i = i
                return

    def skip_block(self, begin: int) -> None:
        if self.k[self.i] == "{":
            self._skip_pair("{", "}")
            self.drop(begin)
        else:
            self.skip_statement(begin)

    def skip_function(self) -> None:
        """Name, parameters, return type and body of a disabled function."""
        k = self.k
        if k[self.i] == "*":
            self.i += 1
        if k[self.i] in BINDING:
            self.i += 1
        self.generic_parameters()
        if k[self.i] == "(":
            self.skip_parens()
        if k[self.i] == ":":
            self.i = self.type_end(self.i + 1, frozenset(("{", ";")), allow_object=True)
        if k[self.i] == "{":
            self._skip_pair("{", "}")
        elif k[self.i] == ";":
            self.i += 1

    # --- control

    def block(self, i: int) -> int:
        self.i = i + 1
        self.scopes.enter()
        uses, self.block_uses = self.block_uses, None
        self.statements_to_brace("block")
        self.close_using(self.e[i], self.s[self.i - 1])
        self.block_uses = uses
        self.block_names = self.scopes.open[-1].lexical
        if self.scopes.open[-1].again:
            self.edits.close(self.e[i], self.scopes.open[-1].again)
        self.leave_scope()
        return PLAIN

    def statements_to_brace(self, what: str) -> None:
        k = self.k
        in_block, self.in_block = self.in_block, True
        while k[self.i] not in ("}", ""):
            self.body_statement()
        self.in_block = in_block
        self.expect("}", f'Expected "}}" after {what}', "Close the block with }")

    def braced(self, message: str, advice: str) -> int:
        """A block that must be there; its opening brace."""
        i = self.i
        if self.k[i] != "{":
            raise self.refuse(message, i, advice)
        self.block(i)
        return i

    def if_(self, i: int) -> int:
        self.i = i + 1
        self.expect("(", 'Expected "(" after "if"', "Put the condition in ( )")
        kept = self.condition(i)
        self.expect(")", 'Expected ")" after if condition', "Close the condition with )")
        begin = self.i
        self._branch(i, kept)
        if kept:
            self.edits.wrap(self.s[begin], "{" + self.declared(kept), self.e[self.i - 1], "}")
        if self.k[self.i] == "else":
            self.i += 1
            self._branch(i, {})
        if kept:
            self.edits.close(self.e[self.i - 1], "}")
        return PLAIN

    def _branch(self, at: int, kept: dict[str, str]) -> None:
        labelled = self.label_count
        self.scopes.enter()
        self.scopes.open[-1].parameters.update(kept)
        what = self.body_statement()
        self.leave_scope()
        if what == FUNCTION:
            if self.label_count > labelled:
                raise self.refuse("Invalid labelled function declaration", at, _FUNCTION_ADVICE)
            if self.strict:
                message = "Function declarations cannot be used as unbraced if-statement bodies in strict mode"
                raise self.refuse(message, at, _FUNCTION_ADVICE)

    def while_(self, i: int) -> int:
        self.i = i + 1
        if not self.dialect.while_:
            self.disabled("while", i)
            self.skip_parens()
            self.loop_body(i)
            self.drop(i)
            return PLAIN
        self.expect("(", 'Expected "(" after "while"', "Put the condition in ( )")
        self.expression()
        self.expect(")", 'Expected ")" after while condition', "Close the condition with )")
        self.loop_body(i)
        return PLAIN

    def do(self, i: int) -> int:
        self.i = i + 1
        enabled = self.dialect.while_
        if not enabled:
            self.disabled("do", i)
        self.loop_body(i)
        self.expect("while", 'Expected "while" after do body', "Add while (condition);")
        if enabled:
            self.expect("(", 'Expected "(" after "while"', "Put the condition in ( )")
            self.expression()
            self.expect(")", 'Expected ")" after do-while condition', "Close the condition with )")
        else:
            self.skip_parens()
        if self.k[self.i] == ";":
            self.i += 1
        elif self.k[self.i] not in _STATEMENT_ENDS and not self.asi:
            raise self.refuse('Expected ";" after do-while statement', self.i, "Add a semicolon")
        if not enabled:
            self.drop(i)
        return PLAIN

    def with_(self, i: int) -> int:
        self.i = i + 1
        if self.strict_source:
            raise self.refuse("Strict mode code must not include a with statement", i)
        if not self.dialect.sloppy:
            if self.module:
                from ..dialect import DISABLED

                message, advice = DISABLED["with-module"]
                raise self.refuse(message, i, advice)
            self.disabled("with", i)
            self.skip_parens()
            self.skip_block(i)
            return PLAIN
        self.expect("(", "Expected '(' after 'with'", "Put the object in ( )")
        self.expression()
        self.expect(")", "Expected ')' after with object", "Close the object with )")
        what = self.body_statement()
        if what == FUNCTION:
            message = "Function declarations cannot be used as unbraced statement bodies"
            raise self.refuse(message, i, _FUNCTION_ADVICE)
        return PLAIN

    def return_(self, i: int) -> int:
        self.i = i + 1
        value = not self.at_semicolon()
        if value:
            self.expression()
        end = self.i
        if value:
            self.semicolon("return value")
        elif self.k[self.i] == ";":
            self.i += 1
        if self.depth == 0:
            # outside every function it ends the run; the engine only knows how to throw out of there
            self.edits.replace(self.s[i], self.e[i], f"throw {self.use('return')}(")
            self.edits.close(self.e[end - 1], ")")
        return PLAIN

    def throw(self, i: int) -> int:
        self.i = i + 1
        if self.asi and self.new_line(i + 1):
            raise self.refuse("Illegal newline after throw", i, "Write the value on the same line")
        self.expression()
        self.semicolon("throw value")
        return PLAIN

    def try_(self, i: int) -> int:
        k = self.k
        self.i = i + 1
        self.braced('Expected "{" after "try"', "Open the block with {")
        caught = finished = False
        if k[self.i] == "catch":
            caught = True
            self.i += 1
            self.scopes.enter()
            condition = None
            if k[self.i] == "(":
                self.i += 1
                if k[self.i] in ("[", "{"):
                    for name in self.pattern():
                        self.scopes.open[-1].parameters.add(name)
                else:
                    at = self.binding("Expected catch parameter", "Name what is caught")
                    self.scopes.open[-1].parameters.add(self.word(at))
                    if k[self.i] == ":":
                        self.annotation(frozenset(")"))
                    elif self.is_word(self.i, "is"):
                        condition = self.catch_pattern(at)
                self.expect(")", 'Expected ")" after catch parameter', "Close the parameter with )")
            brace = self.braced('Expected "{" after catch clause', "Open the block with {")
            if condition is not None:
                self.edits.close(self.e[brace], condition)
            elif not self.scopes.open[-1].parameters.isdisjoint(self.block_names):
                # a block may hide what is caught, which the engine only allows one level further in
                self.edits.wrap(self.s[brace], "{", self.e[self.i - 1], "}")
            self.leave_scope()
        if k[self.i] == "finally":
            finished = True
            self.i += 1
            # what finally computes never is the value of the statement
            completion, self.completion = self.completion, False
            self.braced('Expected "{" after "finally"', "Open the block with {")
            self.completion = completion
        if not caught and not finished:
            raise self.refuse("Missing catch or finally after try", i, "Add catch (error) { ... }")
        return PLAIN

    def switch(self, i: int) -> int:
        k = self.k
        self.i = i + 1
        self.expect("(", 'Expected "(" after "switch"', "Put the value in ( )")
        self.expression()
        self.expect(")", 'Expected ")" after switch discriminant', "Close the value with )")
        self.expect("{", 'Expected "{" before switch body', "Open the cases with {")
        self.scopes.enter()
        self.in_switch += 1
        uses, self.block_uses = self.block_uses, None
        in_block, self.in_block = self.in_block, True
        while k[self.i] not in ("}", ""):
            if k[self.i] == "case":
                self.i += 1
                self.expression()
                self.expect(":", 'Expected ":" after case value', "Write case value:")
            elif k[self.i] == "default":
                self.i += 1
                self.expect(":", 'Expected ":" after default', "Write default:")
            else:
                raise self.refuse('Expected "case" or "default" in switch body', self.i, "Start with case value:")
            while k[self.i] not in ("case", "default", "}", ""):
                self.body_statement()
        self.in_block = in_block
        self.in_switch -= 1
        self.expect("}", 'Expected "}" after switch body', "Close the cases with }")
        if self.scopes.open[-1].again:
            self.edits.wrap(self.s[i], "{" + self.scopes.open[-1].again, self.e[self.i - 1], "}")
        if self.block_uses is not None:
            self.edits.open(self.s[i], "{")
            self.close_using(self.s[i], self.e[self.i - 1])
            self.edits.close(self.e[self.i - 1], "}")
        self.block_uses = uses
        self.leave_scope()
        return PLAIN

    def jump(self, i: int) -> int:
        """break and continue."""
        k = self.k
        word = k[i]
        self.i = i + 1
        target = False
        if self.dialect.label and k[i + 1] in IDENTIFIERS and not self.new_line(i + 1):
            name = self.word(i + 1)
            self.i = i + 2
            target = True
            if name not in self.labels:
                raise self.refuse(f"Undefined {word} target", i + 1, "Name a label around this statement")
            if word == "continue" and name not in self.loop_labels:
                raise self.refuse("Invalid continue target", i + 1, "Name a label of a loop around this statement")
        self.semicolon(f"{word} statement")
        if not target and not self.in_loop and not (word == "break" and self.in_switch):
            self._stray(i, word)
        return PLAIN

    def _stray(self, i: int, word: str) -> None:
        """Without a loop: outside functions it ends the statement it is in, inside them the function fails."""
        if self.depth:
            self.edits.replace(self.s[i], self.e[i], f'throw {self.use("stray")}("{word}")')
            return
        if self.top_statement == i:
            self.edits.blank(self.s[i], self.e[i])
            if self.k[i + 1] != ";":
                self.edits.close(self.e[i], ";")
            return
        if not self.escape_label:
            self.escape_label = self.fresh("end")
            self.edits.open(self.s[self.top_statement], self.escape_label + ":")
        self.edits.replace(self.s[i], self.e[i], f"break {self.escape_label}")

    def labelled(self, i: int) -> int:
        if not self.dialect.label:
            self.disabled("label", i)
            self.edits.blank(self.s[i], self.e[i + 1])
            self.i = i + 2
            return self.statement()
        name = self.word(i)
        if name in self.labels:
            raise self.refuse("Duplicate statement label", i, "Choose another label")
        self.i = i + 2
        direct = self.direct_labels
        if direct < 0:
            self.direct_labels = len(self.labels)
        self.labels.append(name)
        what = self.statement()
        self.labels.pop()
        self.direct_labels = direct
        self.label_count += 1
        if what in (LEXICAL, MODULE_ITEM) or (what == FUNCTION and self.strict):
            raise self.refuse("Invalid labeled declaration", i, "Labels name statements, not declarations")
        return what

    def empty(self, i: int) -> int:
        self.i = i + 1
        return PLAIN

    # --- types and enums

    def type_alias(self, i: int) -> int:
        if self.k[i + 1] not in BINDING and self.k[i + 1] != "id":
            return self.expression_statement(i)
        if self.k[i + 1] in ("as", "from", "static"):
            return self.expression_statement(i)
        self.i = i + 1
        self.skip_statement(i)
        return PLAIN

    def interface(self, i: int) -> int:
        if self.k[i + 1] not in BINDING or self.k[i + 1] in ("as", "from", "static"):
            return self.expression_statement(i)
        self.i = i + 2
        self.skip_interface(i)
        return PLAIN

    def skip_interface(self, begin: int) -> None:
        k = self.k
        i = self.i
        while k[i] not in ("{", "", "\0"):
            i += 1
        level = 0
        while k[i] not in ("", "\0"):
            # braces alone count, as in the reference
            level += (k[i] == "{") - (k[i] == "}")
            i += 1
            if level == 0:
                break
        if k[i] == "\0":
            raise self.refuse("", i)
        self.i = i
        self.drop(begin)

    def enum(self, i: int) -> int:
        """``enum Name { Member = value }`` becomes a constant."""
        k = self.k
        self.i = i + 1
        named = self.binding("Expected enum name", "Name the enum")
        name = self.word(named)
        self.scopes.declare(name, "enum", self.s[i])
        self.expect("{", 'Expected "{" after enum name', "Open the members with {")
        helper = self.use("enum")
        opening = "" if k[self.i] == "}" else "const "
        self.edits.replace(self.s[i], self.e[i], "const")
        self.edits.replace(self.s[self.i - 1], self.e[self.i - 1], f'={helper}("{name}",({name},ǃg_m)=>{{{opening}')
        self.scopes.enter(function=True)
        names = self.scopes.open[-1].parameters
        names.add(name)
        while k[self.i] not in ("}", ""):
            member = self.i
            known = ""
            if k[member] in ("str", "ostr"):
                quoted = self.text[self.s[member] : self.e[member]]
            elif k[member] in ("id", "esc"):
                known = self.word(member)
                quoted = f'"{known}"'
            else:
                raise self.refuse("Expected enum member name", member, "Write Name = value")
            self.i = member + 1
            if k[self.i] != "=":
                message = 'Expected "=" after enum member name (enum members require explicit initializers)'
                raise self.refuse(message, self.i, "Write Name = value")
            self.i += 1
            if not known or known in names:
                known = self.fresh("m")
            names.add(known)
            self.edits.replace(self.s[member], self.e[member + 1], f"{known}=ǃg_m({quoted},")
            self.assign()
            self.edits.close(self.e[self.i - 1], ")")
            if k[self.i] != ",":
                break
            self.i += 1
            if k[self.i] == "}":
                self.edits.blank(self.s[self.i - 1], self.e[self.i - 1])
        self.scopes.leave()
        end = self.expect("}", 'Expected "}" after enum members', "Close the members with }")
        self.edits.replace(self.s[end], self.e[end], "});")
        return LEXICAL


_STARTS_ANEW = words("if for while do with switch try")
