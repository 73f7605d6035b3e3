"""What every part of the parser shares: the token cursor, the context it is in, refusals and warnings."""

from __future__ import annotations

from .edits import Edits
from .problems import Violation
from .scanner import BINDING, RESERVED_PREFIX, STRICT_WORDS, Scanner, words
from .scopes import Scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..dialect import Dialect
    from .scanner import Kinds

#: where a statement may end without a semicolon in every dialect
ENDINGS = frozenset((";", "}", ""))
_LINE_ENDS = "\n\r\u2028\u2029"


class State:
    """The cursor ``i`` over the tokens of one text, and everything a rule may ask about where it stands."""

    def __init__(
        self, text: str, dialect: Dialect, *, path: str, kind: str, typescript: bool, jsx: bool, strict_types: bool
    ) -> None:
        self.text = text
        self.dialect = dialect
        self.path = path
        self.scanner = Scanner(text)
        self.k: Kinds = self.scanner.kinds
        self.s = self.scanner.starts
        self.e = self.scanner.ends
        self.i = 0
        self.module = kind == "module"
        self.script = kind == "script"
        self.typescript = typescript
        self.jsx = jsx
        self.edits = Edits(text)
        self.warnings: list[tuple[str, str, int]] = []
        # context
        self.strict = not dialect.sloppy
        #: strict by the text itself (a class or a directive) rather than by the dialect
        self.strict_source = False
        self.allow_in = True
        self.in_async = False
        self.in_generator = False
        self.depth = 0  # of functions
        self.parens = 0
        self.in_loop = 0
        self.in_switch = 0
        self.in_block = False
        #: the variable that disposes what the block around it declares with using
        self.block_uses: str | None = None
        self.block_async = False
        self.label_count = 0
        self.hidden_vars = False
        self._closers: dict[int, int] = {}
        self._closers_of = 0
        self.function_count = 0
        self.block_names: dict[str, str] = {}
        #: whether the statements of a module record their completion value
        self.completion = False
        self.inside_label = False
        self.top_statement = 0
        self.escape_label = ""
        self.await_count = self.yield_count = 0
        self.labels: list[str] = []
        self.loop_labels: list[str] = []
        self.direct_labels = -1
        self.privates: list[PrivateNames] = []
        self.top_level_await = False
        self.asi = dialect.asi
        # what the last operand was, beyond its shape
        self.left = 0
        self.bad_target: Violation | None = None
        self.closed_literal = False
        self.generated = -1
        self._last_or = self._last_nullish = 0
        self.scopes = Scopes(track=strict_types or _binds_by_call(text, script=self.script))
        self.refs = self.scopes.track
        self.strict_types = strict_types
        self.rename_arguments = not dialect.arguments and "arguments" in text
        #: tokens of each call: the last of its callee, where it is reported, the one behind it
        self.calls: list[tuple[int, int, int]] = []
        #: where JSX elements begin, which become calls
        self.elements: list[int] = []
        self.helpers: set[str] = set()
        #: local name -> what it reads as in a script: a namespace or a member of one
        self.imported: dict[str, str] = {}
        #: names a module exports with its declarations, and its export lists
        self.exported: dict[str, int] = {}
        self.export_lists: list[list[tuple[int, int, str, str, bool]]] = []
        self.static_imports: list[tuple[str, str, tuple[str, ...], int]] = []
        # patterns: whether `is` occurs, and the condition of an if whose patterns bind for its statement
        self.has_is = " is " in text or "is\n" in text
        self.chain: list[Any] | None = None
        self.chain_begin = self.chain_parens = 0
        self.kept: dict[str, str] = {}
        self.filter_close = "}"
        self.factory = self.fragment = ""
        self.elements_depth = 0
        self.element_token = -1
        self.sequence = 0

    # --- tokens

    def word(self, i: int) -> str:
        """The text of token ``i``; escapes in a name are resolved."""
        if self.k[i] == "esc":
            return self.scanner.names[i]
        return self.text[self.s[i] : self.e[i]]

    def is_word(self, i: int, word: str) -> bool:
        return self.k[i] in ("id", word) and self.text[self.s[i] : self.e[i]] == word

    def new_line(self, i: int) -> bool:
        """Whether a line ends between token ``i`` and the one before it."""
        self.k[i]  # scans as far as that
        between = self.text[self.e[i - 1] : self.s[i]] if i else ""
        if "\n" in between:
            return True
        return bool(between) and any(end in between for end in _LINE_ENDS)

    @staticmethod
    def new_line_in(text: str) -> bool:
        return any(end in text for end in _LINE_ENDS)

    def fresh(self, name: str) -> str:
        self.sequence += 1
        return f"{RESERVED_PREFIX}{name}{self.sequence}"

    def use(self, helper: str) -> str:
        name = RESERVED_PREFIX + helper
        self.helpers.add(name)
        return name

    # --- refusals

    def refuse(self, message: str, i: int, suggestion: str = "") -> Violation:
        """The violation at token ``i``; a token that could not be scanned comes first."""
        if self.k[i] == "\0":
            problem = self.scanner.problem
            assert problem is not None  # noqa: S101 - scan() sets it with the token
            return problem
        return Violation(message, self.s[i], suggestion)

    def expect(self, kind: str, message: str, suggestion: str = "") -> int:
        i = self.i
        if self.k[i] != kind:
            raise self.refuse(message, i, suggestion or f'Write "{kind}" here')
        self.i = i + 1
        return i

    def disabled(self, form: str, i: int) -> None:
        """A form whose flag is off: refused, or warned about and then left out by the caller."""
        from ..dialect import DISABLED

        message, suggestion = DISABLED[form]
        if not self.dialect.warn:
            raise self.refuse(message, i, suggestion)
        self.warnings.append((message, suggestion, self.s[i]))

    def semicolon(self, after: str) -> None:
        i = self.i
        kind = self.k[i]
        if kind == ";":
            self.i = i + 1
        elif kind != "}" and kind != "" and not (self.asi and self.new_line(i)):
            raise self.refuse(f'Expected ";" after {after}', i, "Add a semicolon")

    def at_semicolon(self) -> bool:
        i = self.i
        return self.k[i] in ENDINGS or (self.asi and self.new_line(i))

    # --- names

    def check_reference(self, i: int) -> None:
        """A name in an expression."""
        kind = self.k[i]
        name = self.word(i)
        if kind == "esc" and name in _RESERVED:
            raise self.refuse("Keyword must not contain escaped characters", i)
        if self.strict and name in STRICT_WORDS:
            raise self.refuse(f"Strict mode code must not use reserved word '{name}' as an identifier", i)

    def check_binding(self, i: int) -> None:
        kind = self.k[i]
        if kind == "id":
            return
        name = self.word(i)
        if kind == "esc" and name in _RESERVED:
            raise self.refuse("Keyword must not contain escaped characters", i)
        if self.strict and name in STRICT_WORDS:
            raise self.refuse(f"Strict mode code must not bind reserved word '{name}'", i)
        if self.strict_source and name in ("eval", "arguments"):
            raise self.refuse(f"Strict mode code must not bind '{name}'", i)
        self.rename(i, name)

    def rename(self, i: int, name: str) -> None:
        """Names the engine would not take or would take for something else get one of ours.

        ``arguments`` is an ordinary name while its flag is off, ``yield`` is one outside generators, and eval is none
        of the engine's.
        """
        if name == "eval" or (name == "arguments" and self.rename_arguments) or (name == "yield" and self.strict):
            self.edits.replace(self.s[i], self.e[i], f"{RESERVED_PREFIX}{name}")

    def binding(self, message: str, suggestion: str = "") -> int:
        """Consume the name of a binding; its token number."""
        i = self.i
        if self.k[i] not in BINDING:
            raise self.refuse(message, i, suggestion or "Write a name here")
        self.check_binding(i)
        self.i = i + 1
        return i

    if TYPE_CHECKING:
        # Rules of the grammar that earlier ones lead to; each is defined where its part of the grammar is.
        def statement(self) -> int: ...
        def arrow(self, at: int, *, asynchronous: bool = False) -> int: ...
        def arrow_of_name(self, i: int, *, asynchronous: bool = False) -> int: ...
        def is_arrow(self, i: int) -> bool: ...
        def skip_balanced(self, i: int) -> int: ...
        def skip_function(self) -> None: ...
        def function_expression(self, at: int, *, asynchronous: bool = False) -> int: ...
        def accessor_body(self, kind: str) -> None: ...
        def function_body(
            self, at: int, *, asynchronous: bool, generator: bool, method: bool = False, name: str = ""
        ) -> None: ...
        def annotation(self, ends: frozenset[str], *, allow_object: bool = False) -> str: ...
        def type_end(self, i: int, ends: frozenset[str], *, allow_object: bool = False, words: bool = False) -> int: ...
        def type_operator(self, compare: int, annotated: bool) -> int: ...
        def generic_parameters(self) -> bool: ...
        def generic_arrow(self, i: int) -> int | None: ...
        def new_type_arguments(self) -> bool: ...
        def call_type_arguments(self) -> bool: ...
        def checked_assignment(self, name: int, operator: str) -> None: ...
        def note_write(self, name: int, operator: str) -> None: ...
        def match_ahead(self, i: int) -> bool: ...
        def match_expression(self, i: int) -> int: ...
        def is_expressions(self, compare: int) -> None: ...
        def catch_pattern(self, name: int) -> str: ...
        def filter_pattern(self, name: int) -> str: ...
        def condition(self, i: int) -> dict[str, str]: ...
        def declared(self, kept: dict[str, str]) -> str: ...
        def close_using(self, begin: int, end: int) -> None: ...
        def decorated_class(
            self,
            i: int,
            name: str,
            brace: int,
            end: int,
            members: list[Any],
            decorators: list[tuple[int, int]],
            *,
            declaration: bool,
        ) -> None: ...
        def element_ahead(self, i: int) -> bool: ...
        def element(self, i: int) -> int: ...


def _binds_by_call(text: str, *, script: bool) -> bool:
    """Whether imports of this text may become calls, whose names are replaced where they are used."""
    return "import" in text and (script or "source" in text or "defer" in text)


class PrivateNames:
    """The ``#names`` one class declares and uses."""

    __slots__ = ("declared", "used")

    def __init__(self) -> None:
        self.declared: dict[str, list[tuple[str, bool]]] = {}
        self.used: list[tuple[str, int]] = []


_RESERVED = words(
    "break case continue catch class const default delete do else enum export extends false finally for function if"
    " import in instanceof new null return super switch this throw true try typeof var void while with"
)
