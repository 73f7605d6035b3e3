"""Pattern matching: match expressions, ``is``, and patterns in catch and for heads."""

from __future__ import annotations

from .jsx import Elements

_MESSAGE = "Pattern matching needs the goccia engine"
_ADVICE = "Run it with the goccia engine, or write if and else"


class Matching(Elements):
    """The matching rules."""

    def match_ahead(self, i: int) -> bool:
        """Whether ``match (`` starts a match expression rather than a call."""
        return self.k[self.skip_balanced(i + 1)] == "{"

    def match_expression(self, i: int) -> int:
        raise self.refuse(_MESSAGE, i, _ADVICE)

    def is_expressions(self, compare: int) -> None:
        raise self.refuse(_MESSAGE, self.i, _ADVICE)

    def filter_pattern(self, name: int) -> str:
        raise self.refuse(_MESSAGE, self.i, _ADVICE)

    def catch_pattern(self, name: int) -> str:
        raise self.refuse(_MESSAGE, self.i, _ADVICE)
