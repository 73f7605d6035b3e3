"""The whole grammar: tables of rules by first token, and the program around them."""

from __future__ import annotations

from .expressions import OTHER
from .matching import Matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Parser(Matching):
    """Recognises one text, noting on the way what has to be rewritten."""

    def program(self) -> None:
        k = self.k
        forbidden, prologue = False, True
        while k[self.i] != "":
            start = self.i
            self.top_statement = start
            self.escape_label = ""
            self.statement()
            if prologue:
                prologue, forbidden = self.directive(start, forbidden)
        if self.scopes.problem is not None:
            raise self.scopes.problem
        if self.module:
            self.settle_exports()
        if self.completion and self.i:
            self.edits.open(self.s[0], "let ǃg_cv;")
            self.edits.close(self.e[self.i - 1], f";{self.use('done')}(ǃg_cv)")
        self.settle_scopes()

    def function_text(self) -> None:
        """The text of a Function constructor: one parenthesised function and nothing else."""
        k = self.k
        self.generated = 1
        if k[0] != "(":
            raise self.refuse("Expected function text", 0)
        self.i = 1
        asynchronous = k[1] == "async"
        self.i = 3 if asynchronous else 2
        self.function_expression(1, asynchronous=asynchronous)
        self.expect(")", "Unexpected text after the function body")
        if k[self.i] != "":
            raise self.refuse("Unexpected text after the function body", self.i)
        self.settle_scopes()

    def settle_scopes(self) -> None:
        if self.strict_types:
            for settled in self.scopes.settled():
                self._check_write(*settled)
        if not self.imported:
            return
        for name, token, how in self.scopes.open[0].references:
            member = self.imported.get(name)
            if member is None:
                continue
            begin, end = self.s[token], self.e[token]
            if self.text[begin:end] != name and self.k[token] != "esc":
                continue  # the token was read anew inside an element
            if how == "shorthand":
                self.edits.close(end, ":" + member)
            elif self.k[token + 1] in ("(", "?.", "`", "`("):
                self.edits.replace(begin, end, f"(0,{member})")
            else:
                self.edits.replace(begin, end, member)


def _jsx_token(parser: Parser, i: int) -> int:
    parser.i = i + 1
    parser.left = i
    return OTHER


Parser.rules = {
    "const": Parser.lexical,
    "let": Parser.lexical,
    "var": Parser.var,
    "function": Parser.function,
    "async": Parser.asynchronous,
    "class": Parser.class_declaration,
    "enum": Parser.enum,
    "if": Parser.if_,
    "for": Parser.for_,
    "while": Parser.while_,
    "do": Parser.do,
    "with": Parser.with_,
    "return": Parser.return_,
    "throw": Parser.throw,
    "try": Parser.try_,
    "switch": Parser.switch,
    "break": Parser.jump,
    "continue": Parser.jump,
    "{": Parser.block,
    ";": Parser.empty,
    "type": Parser.type_alias,
    "interface": Parser.interface,
    "import": Parser.import_statement,
    "export": Parser.export_statement,
    "using": Parser.using,
    "await": Parser.using,
    "@": Parser.decorated_statement,
}
_operands: dict[str, Callable[[Any, int], int]] = {
    "(": Parser.parenthesis,
    "[": Parser.array,
    "{": Parser.object,
    "`": lambda parser, i: parser.template(),
    "`(": lambda parser, i: parser.template(),
    "new": Parser.new,
    "function": Parser.function_operand,
    "class": Parser.class_operand,
    "super": Parser.super_,
    "import": Parser.import_operand,
    "#": Parser.hash_in,
    "<": Parser.less,
    "@": Parser.decorated_operand,
    "jsx": _jsx_token,
}
_operands.update(
    dict.fromkeys(("oct", "big", "ostr", "re", "num", "str", "this", "null", "true", "false"), Parser.literal)
)
Parser.operands = _operands
