"""The format of `*.sandbox.js`: what the pytest plugin, notebooks and grading share. Knows no pytest."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .case import Case as Case
    from .frontschema import schema as schema
    from .load import load_cases as load_cases
    from .problem import CaseFileError as CaseFileError
    from .run import run_case as run_case
    from .verdict import Mismatch as Mismatch
    from .verdict import Verdict as Verdict

_HOMES = {
    "Case": "case",
    "CaseFileError": "problem",
    "Mismatch": "verdict",
    "Verdict": "verdict",
    "load_cases": "load",
    "run_case": "run",
    "schema": "frontschema",
}

__all__ = ["Case", "CaseFileError", "Mismatch", "Verdict", "load_cases", "run_case", "schema"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)
