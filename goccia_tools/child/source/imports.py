"""import and export declarations: native in modules, calls in scripts."""

from __future__ import annotations

from _json import encode_basestring_ascii as quoted

from .decorators import Decorators
from .literals import string_value
from .positions import Lines
from .scanner import BINDING, NAMES, RESERVED_PREFIX
from .statements import MODULE_ITEM, PLAIN

_FROM_ADVICE = 'Write from "module"'
_PATH_ADVICE = 'Write the module, as in "./lib.js"'
_ATTRIBUTE_ADVICE = 'Write with { type: "json" }'


class Imports(Decorators):
    """The import and export rules."""

    def import_statement(self, i: int) -> int:
        if self.k[i + 1] in (".", "("):
            return self.expression_statement(i)
        k = self.k
        self.i = i + 1
        if self.is_word(i + 1, "type"):
            self.i = i + 2
            self.skip_statement(i)
            return PLAIN
        phase = "evaluation"
        bound: list[tuple[str, str]] = []  # local name, exported name ("*" for the namespace)
        if (
            k[i + 1] in ("id", "source")
            and self.is_word(i + 1, "source")
            and k[i + 2] in BINDING
            and k[i + 3] == "from"
        ):
            phase = "source"
            self.i = i + 2
            bound.append((self.local(), "default"))
        elif self.is_word(i + 1, "defer") and k[i + 2] == "*":
            phase = "defer"
            self.i = i + 2
            bound.append((self.namespace(), "*"))
        elif k[i + 1] == "*":
            bound.append((self.namespace(), "*"))
        elif k[i + 1] in BINDING:
            bound.append((self.local(), "default"))
            if k[self.i] == ",":
                self.i += 1
                if k[self.i] == "*":
                    bound.append((self.namespace(), "*"))
                else:
                    if k[self.i] != "{":
                        raise self.refuse(
                            'Expected "{" after "," in import declaration', self.i, "List the names in { }"
                        )
                    self.import_list(bound)
        elif k[i + 1] not in ("str", "ostr"):
            if k[i + 1] != "{":
                raise self.refuse('Expected "{" after "import"', i + 1, "List the names in { }")
            self.import_list(bound)
        if k[i + 1] not in ("str", "ostr"):
            self.expect("from", 'Expected "from" after imports', _FROM_ADVICE)
        path, attribute = self.module_path("Expected module path")
        end = self.i
        self.semicolon("import declaration")
        for local, _exported in bound:
            self.scopes.declare(local, "import", self.s[i])
        if self.script or phase != "evaluation":
            self._import_call(i, end, path, attribute, bound, phase)
        else:
            self.note_import(i, path, attribute, [exported for _local, exported in bound if exported != "*"])
        return MODULE_ITEM

    def note_import(self, i: int, path: str, attribute: str | None, names: list[str]) -> None:
        """What a module imports statically, for whoever has to say that it is not there."""
        self.static_imports.append((string_value(path), attribute or "", tuple(names), self.s[i]))

    @property
    def referrer(self) -> str:
        """What tells a helper which module imports; a script is the program itself."""
        return "import.meta.url" if self.module else "void 0"

    def local(self) -> str:
        return self.word(self.binding("Expected import binding", "Write the local name"))

    def namespace(self) -> str:
        self.i += 1
        self.expect("as", 'Expected "as" after "*" in namespace import', "Write * as name")
        return self.word(self.binding('Expected local name after "as"', "Write the local name"))

    def import_list(self, bound: list[tuple[str, str]]) -> None:
        k = self.k
        self.i += 1
        while k[self.i] not in ("}", ""):
            begin = self.i
            type_only = self.type_only()
            name = self.export_name("Expected import name")
            local = name
            if k[self.i] == "as":
                self.i += 1
                local = self.binding('Expected local name after "as"', "Write the local name")
            elif k[name] in ("str", "ostr"):
                message = 'String-literal import names require "as" and a local identifier'
                raise self.refuse(message, name, 'Write "name" as local')
            if type_only:
                stop = self.i + (1 if k[self.i] == "," else 0)
                self.edits.blank(self.s[begin], self.e[stop - 1])
            else:
                bound.append((self.word(local), self.string_or_name(name)))
            if k[self.i] != ",":
                break
            self.i += 1
        self.expect("}", 'Expected "}" after imports', "Close the list with }")

    def type_only(self) -> bool:
        i = self.i
        if self.is_word(i, "type") and self.k[i + 1] in (BINDING - {"as", "from", "static"} | {"str"}):
            self.i = i + 1
            return True
        return False

    def export_name(self, message: str) -> int:
        i = self.i
        kind = self.k[i]
        if kind in ("str", "ostr"):
            if not well_formed(self.string_or_name(i)):
                raise self.refuse("String-literal module export names must be well-formed Unicode", i)
        elif kind not in NAMES:
            raise self.refuse(message, i, "Write a name here")
        self.i = i + 1
        return i

    def string_or_name(self, i: int) -> str:
        return string_value(self.text[self.s[i] : self.e[i]]) if self.k[i] in ("str", "ostr") else self.word(i)

    def module_path(self, message: str) -> tuple[str, str | None]:
        """The specifier, and the type attribute when there is one."""
        k = self.k
        i = self.i
        if k[i] not in ("str", "ostr"):
            raise self.refuse(message, i, _PATH_ADVICE)
        self.i = i + 1
        attribute = None
        if k[self.i] == "with":
            self.i += 1
            self.expect("{", 'Expected "{" after import attributes "with"', _ATTRIBUTE_ADVICE)
            while k[self.i] not in ("}", ""):
                key = self.i
                if k[key] not in NAMES and k[key] not in ("str", "ostr", "num", "oct", "big"):
                    raise self.refuse("Expected import attribute key", key, _ATTRIBUTE_ADVICE)
                self.i = key + 1
                self.expect(":", 'Expected ":" after import attribute key', _ATTRIBUTE_ADVICE)
                value = self.i
                if k[value] not in ("str", "ostr"):
                    raise self.refuse("Expected string import attribute value", value, _ATTRIBUTE_ADVICE)
                self.i = value + 1
                name = self.string_or_name(key)
                if name != "type":
                    raise self.refuse(f'Unsupported import attribute "{name}"', key, _ATTRIBUTE_ADVICE)
                attribute = self.string_or_name(value)
                if k[self.i] != ",":
                    break
                self.i += 1
            self.expect("}", 'Expected "}" after import attributes', "Close the attributes with }")
        return self.text[self.s[i] : self.e[i]], attribute

    def _import_call(
        self, i: int, end: int, path: str, attribute: str | None, bound: list[tuple[str, str]], phase: str
    ) -> None:
        """Replace the declaration by a call that runs where it stands."""
        if [exported for _local, exported in bound] == ["*"] or (phase == "source" and bound):
            # the name stands for the value itself: no need to look at what refers to it
            variable = bound[0][0]
            bound = []
        elif bound and bound[0][0]:
            variable = RESERVED_PREFIX + bound[0][0]
        else:
            variable = self.fresh("module")
        for local, exported in bound:
            self.imported[local] = variable if exported == "*" or phase == "source" else member_of(variable, exported)
        names = ",".join(quoted(exported) for _local, exported in bound if exported != "*" and phase == "evaluation")
        attributes = "undefined" if attribute is None else quoted('{"type":' + quoted(attribute) + "}")
        line, column = Lines(self.text).position(self.s[i])
        place = f'"{phase}",{line},{column},{self.referrer}'
        call = f"const {variable}={self.use('import')}({path},{attributes},[{names}],{place})"
        last = self.e[end - 1]
        self.edits.forget(0, self.s[i], last)
        self.edits.replace(self.s[i], last, call)
        if self.k[end] != ";":
            self.edits.close(last, ";")

    # --- export

    def export_statement(self, i: int) -> int:
        k = self.k
        self.i = i + 1
        kind = k[i + 1]
        if self.is_word(i + 1, "type"):
            self.i = i + 2
            self.skip_statement(i)
            return PLAIN
        if self.is_word(i + 1, "interface") and k[i + 2] in BINDING:
            self.i = i + 3
            self.skip_interface(i)
            return PLAIN
        if kind == "default":
            self.export_default(i)
            return MODULE_ITEM
        if kind in ("const", "let"):
            self.unexport(i, i)
            self.i = i + 2
            self.exported.update((name, -1) for name in self.declarations(i + 1, kind))
            self.semicolon("variable declaration")
            return MODULE_ITEM
        if kind == "var":
            if not self.dialect.var:
                self.i = i + 2
                self.disabled("var", i + 1)
                self.skip_statement(i)
                return PLAIN
            self.unexport(i, i)
            self.i = i + 2
            self.exported.update((name, -1) for name in self.declarations(i + 1, "var"))
            self.semicolon("variable declaration")
            return MODULE_ITEM
        if kind == "class":
            self.unexport(i, i)
            self.exported[self.word(i + 2)] = -1
            self.class_declaration(i + 1)
            return MODULE_ITEM
        if kind == "enum":
            self.unexport(i, i)
            self.exported[self.word(i + 2)] = -1
            self.enum(i + 1)
            return MODULE_ITEM
        if kind == "function" or (kind == "async" and k[i + 2] == "function" and not self.new_line(i + 2)):
            if not self.dialect.function:
                self.disabled(
                    "function" if kind == "function" else "async-function", i if kind == "function" else i + 1
                )
                self.i = i + (2 if kind == "function" else 3)
                self.skip_function()
                self.drop(i)
                return PLAIN
            self.unexport(i, i)
            self.function(i + 1, asynchronous=kind == "async")
            return MODULE_ITEM
        if kind == "*":
            self.i = i + 2
            if k[self.i] == "as":
                self.i += 1
                self.export_name('Expected namespace export name after "as"')
            self.expect("from", 'Expected "from" after wildcard export', _FROM_ADVICE)
            path, attribute = self.module_path('Expected module path after "from"')
            end = self.i
            self.semicolon("re-export declaration")
            if self.script:
                self._import_call(i, end, path, attribute, [], "evaluation")
            else:
                self.note_import(i, path, attribute, [])
            return MODULE_ITEM
        if kind != "{":
            message = 'Expected "{", "const", "let", or "var" after "export"'
            raise self.refuse(message, i + 1, "Export a declaration, or names in { }")
        self.export_list(i)
        return MODULE_ITEM

    def unexport(self, first: int, last: int) -> None:
        """Scripts export nothing: the keyword goes, the declaration stays."""
        if self.script:
            self.edits.blank(self.s[first], self.e[last])

    def export_default(self, i: int) -> None:
        k = self.k
        first = i + 2
        self.i = first
        kind = k[first]
        direct = kind in ("class", "function") or (
            kind == "async" and k[first + 1] == "function" and not self.new_line(first + 1)
        )
        name = ""
        if direct:
            at = first + (2 if kind == "async" else 1)
            at += 1 if k[at] == "*" else 0
            if k[at] in BINDING and not self.is_word(at, "implements"):
                name = self.word(at)
        if direct and kind == "class":
            if name:
                self.scopes.declare(name, "class", self.s[first])
            self.class_operand(first)
        elif direct:
            self.i = first + (2 if kind == "async" else 1)
            self.function_expression(first, asynchronous=kind == "async")
            if name:
                self.scopes.declare_var(name)
        else:
            self.expression()
        end = self.i
        if not direct:
            self.semicolon("default export")
        if self.script:
            if direct and name:
                self.edits.blank(self.s[i], self.e[i + 1])
            else:
                self.edits.replace(self.s[i], self.e[i + 1], f"const {self.fresh('default')}=")
                if direct:
                    self.edits.close(self.e[end - 1], ";")

    def export_list(self, i: int) -> None:
        k = self.k
        self.i = i + 2
        specifiers: list[tuple[int, int, str, str, bool]] = []
        strings = -1
        while k[self.i] not in ("}", ""):
            begin = self.i
            type_only = self.type_only()
            name = self.export_name("Expected export name")
            exported = name
            if k[self.i] == "as":
                self.i += 1
                exported = self.export_name('Expected exported name after "as"')
            end = self.i
            if type_only:
                specifiers.append((begin, end, "", "", True))
            else:
                if k[name] in ("str", "ostr") and strings < 0:
                    strings = name
                specifiers.append((begin, end, self.string_or_name(name), self.string_or_name(exported), False))
            if k[self.i] != ",":
                break
            self.i += 1
        self.expect("}", 'Expected "}" after exports', "Close the list with }")
        if k[self.i] == "from":
            self.i += 1
            path, attribute = self.module_path('Expected module path after "from"')
            end = self.i
            self.semicolon("re-export declaration")
            if self.script:
                names = [("", name) for _b, _e, name, _x, gone in specifiers if not gone]
                mark = dict(self.imported)
                self._import_call(i, end, path, attribute, names, "evaluation")
                self.imported = mark
            else:
                self.note_import(i, path, attribute, [name for _b, _e, name, _x, gone in specifiers if not gone])
                self.blank_specifiers([one for one in specifiers if one[4]])
            return
        if strings >= 0:
            message = 'String-literal local exports require an identifier before "as"'
            raise self.refuse(message, strings, 'Write name as "exported name"')
        end = self.i
        self.semicolon("export declaration")
        if self.script:
            first, last = self.s[i], self.e[self.i - 1] if k[self.i - 1] == ";" else self.e[end - 1]
            self.edits.forget(0, first, last)
            self.edits.blank(first, last, ";")
        else:
            self.export_lists.append(specifiers)

    def blank_specifiers(self, gone: list[tuple[int, int, str, str, bool]]) -> None:
        for begin, end, _name, _exported, _type in gone:
            stop = end + (1 if self.k[end] == "," else 0)
            self.edits.blank(self.s[begin], self.e[stop - 1])

    def settle_exports(self) -> None:
        """Names that are exported but not declared, or exported again, are left out, as the reference does."""
        top = self.scopes.open[0]
        seen = set(self.exported)
        for specifiers in self.export_lists:
            gone = []
            for one in specifiers:
                _begin, _end, name, exported, type_only = one
                if type_only or exported in seen or (name not in top.lexical and name not in top.var):
                    gone.append(one)
                seen.add(exported)
            self.blank_specifiers(gone)

    # --- import in expressions

    def import_operand(self, i: int) -> int:
        k = self.k
        self.left = i
        if k[i + 1] == "(":
            self.i = i + 2
            self._import_arguments()
            return 0
        if k[i + 1] != ".":
            message = 'Expected "." or "(" after "import" in expression context'
            raise self.refuse(message, i + 1, "Write import(module)")
        word = self.word(i + 2) if k[i + 2] == "id" else ""
        if word == "meta":
            if not self.module:
                raise self.refuse("import.meta is only allowed in module code", i, "Make the file a module (.mjs)")
            self.i = i + 3
            return 0
        if word not in ("source", "defer"):
            message = 'Expected "meta", "source", or "defer" after "import."'
            raise self.refuse(message, i + 2, "Write import.meta, import.source(...) or import.defer(...)")
        self.i = i + 3
        self.expect("(", 'Expected "(" after import call phase', "Write the module in ( )")
        refused = word == "source" and not self.dialect.module_source
        helper = self.use("import_refused" if refused else "import_" + word)
        self.edits.replace(self.s[i], self.e[i + 2], f"{helper}({self.referrer})")
        self._import_arguments()
        return 0

    def _import_arguments(self) -> None:
        k = self.k
        self.assign_in()
        if k[self.i] == ",":
            self.i += 1
            if k[self.i] != ")":
                self.assign_in()
                if k[self.i] == ",":
                    self.i += 1
        self.expect(")", 'Expected ")" after import() specifier', "Close the call with )")


def member_of(variable: str, name: str) -> str:
    return f"{variable}.{name}" if name.isidentifier() else f"{variable}[{quoted(name)}]"


def well_formed(name: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in name)
