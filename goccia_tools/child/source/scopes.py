"""Declared names by block, and (when asked) which names an expression means."""

from __future__ import annotations

from .problems import Violation

_AGAIN = "Rename one of the two"


class Scope:
    """One block or function body."""

    __slots__ = ("again", "function", "lexical", "parameters", "references", "types", "var", "writes")

    def __init__(self, function: bool) -> None:
        self.function = function
        #: what control does where it enters a block that declares a name twice
        self.again = ""
        self.lexical: dict[str, str] = {}
        self.var: set[str] = set()
        self.parameters: set[str] = set()
        self.references: list[tuple[str, int, str]] = []
        self.writes: list[tuple[str, str, int, int, int]] = []
        #: name -> checked type, for strictTypes
        self.types: dict[str, str] = {}


class Scopes:
    """The open scopes, outermost first. References are kept only when ``track`` is set."""

    __slots__ = ("duplicate", "open", "problem", "track")

    def __init__(self, *, track: bool) -> None:
        self.track = track
        #: a name the statement being parsed declares again
        self.duplicate = ""
        #: a name declared twice at the top level; syntax errors behind it come first
        self.problem: Violation | None = None
        self.open: list[Scope] = [Scope(function=True)]

    def enter(self, *, function: bool = False) -> None:
        self.open.append(Scope(function))

    def leave(self) -> None:
        scope = self.open.pop()
        if not scope.references:
            return
        outer = self.open[-1].references
        lexical, var, parameters = scope.lexical, scope.var, scope.parameters
        for reference in scope.references:
            name = reference[0]
            if name not in lexical and name not in parameters and not (scope.function and name in var):
                outer.append(reference)

    def declare(self, name: str, how: str, offset: int) -> None:
        """A let, const, class, enum, import or function name of the innermost block.

        Declaring a name again is refused: at the top level before anything runs, elsewhere when control gets there.
        """
        scope = self.open[-1]
        known = scope.lexical.get(name)
        again = known is not None and not (how == "function" and known == "function")
        if len(self.open) > 1:
            if again or (scope.function and name in scope.parameters):
                self.duplicate = name
        elif again and self.problem is None:
            message = f"Identifier '{name}' has already been declared"
            self.problem = Violation(message, offset, _AGAIN, pathless=True)
        scope.lexical[name] = how

    def declare_var(self, name: str) -> bool:
        """A var or function name of the innermost function; whether a block on the way has a lexical one."""
        hidden = False
        for scope in reversed(self.open):
            scope.var.add(name)
            hidden = hidden or scope.lexical.get(name, "function") not in ("function", "import")
            if scope.function:
                break
        return hidden

    def refer(self, name: str, token: int, how: str = "") -> None:
        self.open[-1].references.append((name, token, how))

    # --- strictTypes

    def write(self, name: str, operator: str, token: int, begin: int, end: int) -> None:
        """An assignment to a name, to be checked where the name turns out to have a type."""
        self.open[-1].writes.append((name, operator, token, begin, end))

    def settled(self) -> list[tuple[str, str, int, int, int]]:
        """The writes to names with a type in the innermost scope; the others move outwards."""
        scope = self.open[-1]
        found = []
        outer = self.open[-2].writes if len(self.open) > 1 else []
        for write in scope.writes:
            name = write[0]
            if name in scope.types:
                found.append((scope.types[name], *write[1:]))
            elif name not in scope.lexical and name not in scope.parameters:
                outer.append(write)
        return found
