"""Classes: members, private names, and the TypeScript forms around them."""

from __future__ import annotations

from .expressions import NEW
from .loops import Loops
from .scanner import BINDING, NAMES
from .state import PrivateNames
from .statements import LEXICAL

_MODIFIERS = frozenset(("public", "protected", "private", "readonly", "override", "abstract"))
_FIELD_TYPE_ENDS = frozenset(("=", ";"))
_NOT_MODIFIER = frozenset((":", "(", ",", "}", ";", "=", "?"))
_LITERAL_NAMES = frozenset(("str", "ostr", "num", "oct", "big"))


class Member:
    """One member while it is parsed."""

    __slots__ = (
        "accessor", "asynchronous", "begin", "computed", "decorators", "end", "generator", "kind", "name", "name_begin",
        "name_end", "private", "static", "value_begin", "value_end",
    )  # fmt: skip

    def __init__(self, begin: int) -> None:
        self.begin = begin
        self.static = self.asynchronous = self.generator = self.private = self.computed = self.accessor = False
        self.kind = ""
        self.name = ""
        self.name_begin = self.name_end = self.end = begin
        self.value_begin = self.value_end = -1
        self.decorators: list[tuple[int, int]] = []


class Classes(Loops):
    """The class rules."""

    def class_declaration(self, i: int, decorators: list[tuple[int, int]] | None = None) -> int:
        self.i = i + 1
        named = self.binding("Expected class name", "Name the class")
        name = self.word(named)
        self.scopes.declare(name, "class", self.s[i])
        duplicate, self.scopes.duplicate = self.scopes.duplicate, ""
        mark = self.edits.mark()
        self.class_body(i, name, decorators or [], declaration=True)
        if duplicate:
            self.scopes.duplicate = duplicate
            self.redeclared(i, mark)
        return LEXICAL

    def class_operand(self, i: int, decorators: list[tuple[int, int]] | None = None) -> int:
        self.i = i + 1
        name = ""
        if (
            self.k[i + 1] in BINDING
            and self.k[i + 1] not in ("as", "from", "static")
            and not self.is_word(i + 1, "implements")
        ):
            name = self.word(self.binding("Expected class name"))
        self.class_body(i, name, decorators or [], declaration=False)
        self.left = i
        return NEW

    def class_body(self, i: int, name: str, decorators: list[tuple[int, int]], *, declaration: bool) -> None:
        k = self.k
        self.generic_parameters()
        saved = self.strict, self.strict_source
        self.strict = self.strict_source = True
        if k[self.i] == "extends":
            self.i += 1
            self.heritage()
            self.generic_parameters()
        if self.is_word(self.i, "implements"):
            begin = self.i
            end = self.type_end(begin + 1, frozenset("{"))
            self.edits.blank(self.s[begin], self.e[end - 1])
            self.i = end
        brace = self.i
        if k[brace] != "{":
            raise self.refuse('Expected "{" before class body', brace, "Open the members with {")
        self.i += 1
        self.privates.append(PrivateNames())
        self.scopes.enter()
        if name:
            self.scopes.open[-1].parameters.add(name)
        completion, self.completion = self.completion, False
        members: list[Member] = []
        special = bool(decorators)
        while k[self.i] not in ("}", ""):
            if k[self.i] == ";":
                self.i += 1
                continue
            member = self.member()
            member.end = self.i
            special = special or bool(member.decorators) or member.accessor
            members.append(member)
        end = self.i
        self.expect("}", 'Expected "}" after class body', "Close the class with }")
        self.completion = completion
        self.settle_privates()
        self.strict, self.strict_source = saved
        self.leave_scope()
        if special:
            self.decorated_class(i, name, brace, end, members, decorators, declaration=declaration)

    def heritage(self) -> None:
        """The expression behind extends: an operand and what is called or read from it."""
        k = self.k
        self.operand(self.i)
        while True:
            i = self.i
            kind = k[i]
            if kind == ".":
                if k[i + 1] == "#":
                    self._private(i + 2)
                    self.i = i + 3
                elif k[i + 1] in NAMES:
                    self.i = i + 2
                else:
                    raise self.refuse('Expected property name after "."', i + 1, "Write the name of a property")
            elif kind == "(":
                self.i = self.arguments(i + 1, "arguments")
                self.calls.append((i - 1, i, self.i))
            elif kind == "[":
                self.i = i + 1
                self.expression_in()
                self.expect("]", 'Expected "]" after computed member expression', "Close the property with ]")
            elif kind in ("`", "`("):
                self.template(tagged=True)
                self.calls.append((i - 1, i, self.i))
            elif kind == "?.":
                self.i, _shape = self._optional(i)
            elif kind == "<" and self.typescript:
                if not self.call_type_arguments():
                    return
            else:
                return

    def settle_privates(self) -> None:
        names = self.privates.pop()
        for name, at in names.used:
            if name in names.declared or any(name in outer.declared for outer in self.privates):
                continue
            if self.privates:
                self.privates[-1].used.append((name, at))
                continue
            message = f"Private field '#{name}' must be declared in an enclosing class"
            raise self.refuse(message, at, "Declare it in the class")

    def declare_private(self, member: Member, kind: str) -> None:
        if not member.private:
            return
        declared = self.privates[-1].declared.setdefault(member.name, [])
        for known, static in declared:
            if {known, kind} != {"get", "set"} or static != member.static:
                raise self.refuse(f"Duplicate private field '#{member.name}'", self.i - 1, "Rename one of the two")
        declared.append((kind, member.static))

    def member(self) -> Member:
        k = self.k
        decorators = self.decorators()
        i = self.i
        found = Member(i)
        found.decorators = decorators
        named = False
        if k[i] == "static":
            found.static = True
            i += 1
            if k[i] == "{":
                if decorators:
                    raise self.refuse("Decorators cannot be applied to static blocks", i, "Remove the decorator")
                found.kind = "block"
                saved = self.enter_function(asynchronous=self.in_async, generator=False)
                self.depth -= 1
                self.block(i)
                self.depth += 1
                self.leave_function(saved)
                return found
            if k[i] in ("(", "<", "=", ";", ":", "?") or (self.asi and self.new_line(i)):
                found.static = False
                named = True
                found.name = "static"
                found.name_begin, found.name_end = i - 1, i
        while k[i] in _MODIFIERS or (k[i] == "id" and self.word(i) in _MODIFIERS):
            if k[i + 1] == "(":
                break
            self.edits.blank(self.s[i], self.e[i])
            i += 1
        if not found.static and not named and k[i] == "static":
            found.static = True
            i += 1
        if self.is_word(i, "accessor") and not self.new_line(i + 1) and k[i + 1] not in ("(", ":", "<", ";", "="):
            found.accessor = True
            self.edits.blank(self.s[i], self.e[i])
            i += 1
        if not found.accessor and k[i] == "async" and k[i + 1] not in _NOT_MODIFIER:
            found.asynchronous = True
            i += 1
        if k[i] == "*":
            found.generator = True
            i += 1
        if k[i] == "#":
            found.private = True
            i += 1
        if not named:
            word = self.word(i) if k[i] == "id" else ""
            if word in ("get", "set") and not found.accessor:
                if k[i + 1] == "*" and self.new_line(i + 1):
                    named = True
                    found.name = word
                    found.name_begin, found.name_end = i, i + 1
                    i += 1
                elif k[i + 1] not in _NOT_MODIFIER and k[i + 1] != "<":
                    found.kind = word
                    i += 1
                    if k[i] == "#":
                        found.private = True
                        i += 1
                        if k[i] not in ("id", "esc"):
                            raise self.refuse('Expected property name after "#"', i, "Write the name next to the #")
        if not named:
            found.name_begin = i - 1 if found.private else i
            if k[i] == "[":
                if found.private:
                    raise self.refuse("Computed private fields are not allowed", i, "Write the name next to the #")
                self.i = i + 1
                self.assign_in()
                self.expect("]", 'Expected "]" after computed property name', "Close the name with ]")
                found.computed = True
                i = self.i
            elif k[i] in NAMES or k[i] in _LITERAL_NAMES:
                if k[i] == "oct":
                    raise self.refuse(
                        "Legacy octal integer literals are not allowed in strict mode", i + 1, "Write 0o17"
                    )
                found.name = self.word(i)
                i += 1
            else:
                after = f' after "{found.kind}"' if found.kind else ""
                message = f"Expected property name{after}" if after else "Expected method or property name"
                raise self.refuse(message, i, "Write a method, a field or an accessor")
            found.name_end = i
        if k[i] == "?":
            self.edits.blank(self.s[i], self.e[i])
            i += 1
        self.i = i
        if k[i] == ":" and not found.kind:
            self.annotation(_FIELD_TYPE_ENDS)
        kind = k[self.i]
        if found.accessor:
            self.declare_private(found, "field")
            self._field_value(found, kind)
            self.semicolon("accessor declaration")
        elif not found.kind and kind == "=":
            found.kind = "field"
            self.declare_private(found, "field")
            self._field_value(found, kind)
            self.semicolon("property")
        elif not found.kind and self.at_semicolon():
            found.kind = "field"
            self.declare_private(found, "field")
            if kind == ";":
                self.i += 1
        elif found.kind:
            self.declare_private(found, found.kind)
            self.accessor_body(found.kind)
        elif kind == "(" or kind == "<":
            found.kind = "method"
            self.declare_private(found, "method")
            self.class_method(self.i - 1, asynchronous=found.asynchronous, generator=found.generator)
        else:
            message = 'Expected "(" for method, "=" for property assignment, or ";" for property declaration'
            raise self.refuse(message, self.i, "End the field with a semicolon")
        return found

    def _field_value(self, found: Member, kind: str) -> None:
        found.value_begin = found.value_end = self.i
        if kind == "=":
            self.i += 1
            found.value_begin = self.i
            self.scopes.enter()
            self.assign_in()
            self.leave_scope()
            found.value_end = self.i

    # --- decorators

    def decorators(self) -> list[tuple[int, int]]:
        """``@a @b.c() @(d)`` as token ranges of their expressions."""
        k = self.k
        found = []
        while k[self.i] == "@":
            self.i += 1
            begin = self.i
            if k[begin] == "(":
                self.i += 1
                self.expression()
                self.expect(")", 'Expected ")" after decorator expression', "Close the decorator with )")
            else:
                self.operand(begin)
                while k[self.i] in ("(", "."):
                    i = self.i
                    if k[i] == "(":
                        self.i = self.arguments(i + 1, "arguments")
                        self.calls.append((i - 1, i, self.i))
                    elif k[i + 1] == "#":
                        self._private(i + 2)
                        self.i = i + 3
                    elif k[i + 1] in NAMES:
                        self.i = i + 2
                    else:
                        raise self.refuse('Expected property name after "."', i + 1, "Write the name of a property")
            found.append((begin, self.i))
        return found

    def decorated_statement(self, i: int) -> int:
        decorators = self.decorators()
        if self.k[self.i] != "class":
            message = "Decorators can only be applied to class declarations"
            raise self.refuse(message, self.i, "Put the decorator in front of a class")
        return self.class_declaration(self.i, decorators)

    def decorated_operand(self, i: int) -> int:
        self.i = i
        decorators = self.decorators()
        if self.k[self.i] != "class":
            message = "Decorators can only be applied to class expressions"
            raise self.refuse(message, self.i, "Put the decorator in front of a class")
        return self.class_operand(self.i, decorators)
