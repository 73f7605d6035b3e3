"""Declared names by block, and (when asked) which names an expression means."""

from __future__ import annotations

from .problems import Violation

_AGAIN = "Rename one of the two"


class Scope:
    """One block or function body."""

    __slots__ = ("function", "lexical", "parameters", "references", "types", "var", "writes")

    def __init__(self, function: bool) -> None:
        self.function = function
        self.lexical: dict[str, str] = {}
        self.var: set[str] = set()
        self.parameters: set[str] = set()
        self.references: list[tuple[str, int, str]] = []
        self.writes: list[tuple[str, str, int, int, int]] = []
        #: name -> checked type, for strictTypes
        self.types: dict[str, str] = {}


class Scopes:
    """The open scopes, outermost first. References are kept only when ``track`` is set."""

    __slots__ = ("open", "resolve", "track")

    def __init__(self, *, track: bool) -> None:
        self.track = track
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
        """A let, const, class, enum, import or function name of the innermost block."""
        lexical = self.open[-1].lexical
        known = lexical.get(name)
        if known is not None and not (how == "function" and known == "function"):
            raise Violation(f"Identifier '{name}' has already been declared", offset, _AGAIN, pathless=True)
        lexical[name] = how

    def declare_var(self, name: str) -> None:
        for scope in reversed(self.open):
            scope.var.add(name)
            if scope.function:
                break

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
