"""Values: Python objects of a notebook as JSON files of the sandbox and as the module ``sandbox:in``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from math import isfinite
from typing import Any

from ..errors import OptionError

#: where the values are; what is there does not go on to the next cell unless the program changes it
FOLDER = "/in"
MODULE = "sandbox:in"
_INDEX = f"{FOLDER}/index.js"
#: larger whole numbers lose digits in JavaScript
MAX_SAFE_INTEGER = 2**53 - 1


def value_files(values: Mapping[str, Any]) -> dict[str, str]:
    """The files that bring ``values`` into the sandbox: one JSON file each, and the module that exports them by name.

    Raises:
        OptionError: a value is not one JSON can say; the message has its place.
    """
    if not values:
        return {}
    files = {
        f"{FOLDER}/{name}.json": json.dumps(plain(value, name), ensure_ascii=False, allow_nan=False)
        for name, value in values.items()
    }
    lines = [f'import v{i} from "./{name}.json" with {{ type: "json" }};' for i, name in enumerate(values)]
    lines += [f"export {{ v{i} as {name} }};" for i, name in enumerate(values)]
    lines.append(f"export default {{ {', '.join(f'{name}: v{i}' for i, name in enumerate(values))} }};")
    files[_INDEX] = "\n".join(lines) + "\n"
    return files


def import_map(base: Mapping[str, Any] | None) -> dict[str, Any]:
    """An import map that adds the module ``sandbox:in`` to ``base``."""
    mapped = dict(base or {})
    mapped["imports"] = {MODULE: _INDEX, **(mapped.get("imports") or {})}
    return mapped


def plain(value: Any, place: str) -> Any:
    """The value as plain JSON data; data frames are lists of records, series and arrays lists.

    Raises:
        OptionError: it, or something in it, is not data; the message names the place.
    """
    return _plain(value, place, ())


def _plain(value: Any, place: str, outer: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if abs(value) > MAX_SAFE_INTEGER:
            raise OptionError(f"{place} is {value}, which JavaScript's numbers cannot hold; pass it as text")
        return int(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise OptionError(f"{place} is {value}, which JSON cannot say; pass None or text instead")
        return float(value)
    if id(value) in outer or len(outer) > 200:
        raise OptionError(f"{place} is inside itself or nested too deeply, which JSON cannot say")
    inner = (*outer, id(value))
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise OptionError(f"{place} has the key {key!r}; the keys of an object must be text")
        return {str(key): _plain(item, f"{place}[{key!r}]", inner) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{place}[{index}]", inner) for index, item in enumerate(value)]
    table = _table(value, place)
    if table is not _NO_TABLE:
        return _plain(table, place, inner)
    raise OptionError(
        f"{place} is a {type(value).__name__}, which JSON cannot say; text, numbers, lists, dictionaries,"
        " data frames and arrays can go in"
    )


_NO_TABLE = object()


def _table(value: Any, place: str) -> Any:
    """What a library's table holds as lists and records. Only libraries that are loaded can have made one."""
    pandas, numpy = sys.modules.get("pandas"), sys.modules.get("numpy")
    if pandas is not None:
        if isinstance(value, pandas.DataFrame):
            if not value.columns.is_unique:
                raise OptionError(f"{place} is a data frame with two columns of one name")
            return [
                {str(name): _cell(pandas, item) for name, item in zip(value.columns, row, strict=True)}
                for row in value.itertuples(index=False, name=None)
            ]
        if isinstance(value, (pandas.Series, pandas.Index)):
            return [_cell(pandas, item) for item in value]
        if isinstance(value, pandas.Timestamp):
            return value.isoformat()
        if value is pandas.NaT or value is pandas.NA:
            return None
    if numpy is not None:
        if isinstance(value, numpy.ndarray):
            return value.tolist()
        if isinstance(value, numpy.generic):
            return value.item()
    return _NO_TABLE


def _cell(pandas: Any, item: Any) -> Any:
    """One cell of a table: what is missing there is null."""
    missing = pandas.isna(item)
    return None if missing is True or (getattr(missing, "shape", None) == () and bool(missing)) else item
