"""schema: the JSON Schema of the front matter, for editors and other programs."""

from __future__ import annotations

from typing import Any

from ..messages import COMPATIBILITY_FLAGS, REQUEST_MEMBERS
from ..options import WIRE_NAMES
from ..result import FailureKind
from .case import VISIBILITIES
from .changes import KINDS
from .expect import PHASES

SCHEMA_ID = "https://github.com/frostney/goccia-tools/schema/sandbox.json"
Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_TEXTS: Schema = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_PATH: Schema = {"type": "string", "pattern": "^/"}


def schema() -> Schema:
    """The schema, a closed one: an unknown key is an error in it as it is when tests are read."""
    attributes = _attributes()
    outcomes = {"expect": _ref("expect"), "negative": _ref("negative"), "calls": _list(_ref("call"))}
    shared = {**attributes, **outcomes, "from": _said(_PATH, "the file whose functions calls tests")}
    shared["parametrize"] = _ref("parametrize")
    case = _closed({**shared}, "One test of the file; it is merged over what the file says.", required=["name"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Front matter of *.sandbox.js",
        **_closed({**shared, "cases": _list(_ref("case"))}, "The YAML between /*--- and ---*/ at the head of a test."),
        "$defs": {
            "case": case,
            "call": _call(attributes),
            "expect": _expect(),
            "text": _text_matcher(),
            "value": _value_matcher(),
            "error": _error(),
            "change": _change(),
            "file": _file(),
            "skip": _skip(),
            "xfail": _xfail(),
            "negative": _closed(
                {"phase": {"enum": list(PHASES)}, "type": _TEXT}, "As in test262.", required=["phase", "type"]
            ),
            "options": _options(),
            "parametrize": {
                "description": "Rows of parameters, or lists to be crossed; ${name} stands for a value.",
                "anyOf": [
                    {"type": "array", "minItems": 1, "items": {"type": "object", "minProperties": 1}},
                    {"type": "object", "minProperties": 1, "additionalProperties": {"type": "array", "minItems": 1}},
                ],
            },
        },
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items, "minItems": 1}


def _said(inner: Schema, description: str) -> Schema:
    return {**inner, "description": description}


def _closed(properties: Schema, description: str = "", **more: Any) -> Schema:
    said = {"description": description} if description else {}
    return {"type": "object", **said, "properties": properties, "additionalProperties": False, **more}


def _attributes() -> Schema:
    mark = {"anyOf": [_TEXT, {"type": "object", "minProperties": 1, "maxProperties": 1}]}
    return {
        "name": _said(_TEXT, "What the test is called; its id is made of it."),
        "description": _said(_TEXT, "What the test shows."),
        "options": _ref("options"),
        "files": _said(
            {"type": "object", "propertyNames": {"pattern": "^/"}, "additionalProperties": _ref("file")},
            "Files of the sandbox before the run.",
        ),
        "fixtures": _said(
            {"anyOf": [*_TEXTS["anyOf"], {"type": "object", "additionalProperties": _TEXT}]},
            "pytest fixtures whose values become JSON files.",
        ),
        "skip": _ref("skip"),
        "skipif": _ref("skip"),
        "xfail": _ref("xfail"),
        "marks": _said({"anyOf": [_TEXT, {"type": "array", "items": mark}]}, "Marks for -m."),
        "tags": _said(_TEXTS, "Words for reports."),
        "points": {"type": "number", "minimum": 0},
        "visibility": {"enum": list(VISIBILITIES)},
    }


def _options() -> Schema:
    members: Schema = {}
    for block, member in WIRE_NAMES.values():
        default = REQUEST_MEMBERS[block][member][1]
        members[member] = {"default": default, **_option_type(default)}
    members["compatibility"] = _said(
        {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}], "examples": ["all", list(COMPATIBILITY_FLAGS)]},
        "Flags, or all for the ten of them that change the syntax.",
    )
    members["sourceType"]["enum"] = ["script", "module"]
    members["mode"]["enum"] = ["interpreter", "bytecode"]
    members["diffFormat"]["enum"] = ["json", "unified"]
    return _closed(members, "Options of the run, by their names on the wire.")


def _option_type(default: Any) -> Schema:
    match default:
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer", "minimum": 0}
        case str():
            return {"type": "string"}
        case list():
            return dict(_TEXTS)
    return {"type": ["object", "null"]}


def _text_words() -> Schema:
    return {
        "equals": _TEXT,
        "contains": {**_TEXTS, "description": "A text, or several, that must be in it."},
        "matches": _said(_TEXT, "A regular expression that must be found in it."),
        "lines": {"type": "array", "items": _TEXT, "description": "Its lines, without the newline of the last."},
        "absent": _said(_FLAG, "true: it must be empty."),
    }


def _text_matcher() -> Schema:
    return {"anyOf": [_TEXT, _closed(_text_words(), minProperties=1)]}


def _value_matcher() -> Schema:
    return {
        "description": "A value, or a mapping of equals, contains, matches, lines, approx (and tolerance), absent.",
        "examples": [6, {"approx": 0.3, "tolerance": 0.01}, {"contains": 3}, {"absent": True}],
    }


def _expect() -> Schema:
    return _closed(
        {
            "ok": _FLAG,
            "exitCode": {"type": "integer"},
            "failureKind": {"enum": [kind.value for kind in FailureKind]},
            "errorMessage": _ref("text"),
            "output": _ref("text"),
            "errorOutput": _ref("text"),
            "resultValue": _ref("value"),
            "diff": {
                "description": "All file changes there must be; with diffFormat: unified its text.",
                "anyOf": [
                    {"type": "object", "propertyNames": {"pattern": "^/"}, "additionalProperties": _ref("change")},
                    _ref("text"),
                ],
            },
            "truncated": _FLAG,
            "error": _ref("error"),
        },
        "Fields of the run-result. Without ok, failureKind, exitCode or error the run must be ok.",
        minProperties=1,
    )


def _error() -> Schema:
    place = {"type": "integer", "minimum": 1}
    members = {
        **{name: _ref("text") for name in ("name", "message", "path")},
        "line": place,
        "column": place,
    }
    return {"description": "The error report taken apart.", "anyOf": [_TEXT, _closed(members, minProperties=1)]}


def _change() -> Schema:
    content = {"anyOf": [{"const": True}, _ref("text"), _closed({"json": {}}), _closed({"base64": _TEXT})]}
    members = {word: {"const": True} if word in ("deleted", "mkdir") else content for word in KINDS}
    return {"anyOf": [{"enum": list(KINDS)}, _closed(members, minProperties=1, maxProperties=1)]}


def _file() -> Schema:
    members = {
        "text": _TEXT,
        "base64": _TEXT,
        "json": _said({}, "A value that becomes a JSON file."),
        "from": _said(_TEXT, "A file or folder of this machine, relative to the test."),
        "dir": _said({"const": True}, "An empty folder."),
    }
    return {"anyOf": [_TEXT, _closed(members, minProperties=1, maxProperties=1)]}


def _skip() -> Schema:
    return {"anyOf": [_TEXT, _FLAG, _closed({"reason": _TEXT, "if": _said(_TEXT, 'Such as platform == "win32".')})]}


def _xfail() -> Schema:
    kinds = [kind.value for kind in FailureKind if kind is not FailureKind.NONE]
    members = {"reason": _TEXT, "strict": _FLAG, "raises": {"enum": kinds}, "if": _TEXT}
    return {"anyOf": [_TEXT, _FLAG, _closed(members)]}


def _call(attributes: Schema) -> Schema:
    args: Schema = {"type": "array", "description": "JSON values, or {js: expression}."}
    steps = {"call": _TEXT, "get": _TEXT, "args": args}
    step = _closed(steps, oneOf=[{"required": ["call"]}, {"required": ["get"]}])
    made = {"anyOf": [_TEXT, _closed({"class": _TEXT, "args": args}, required=["class"])]}
    return _closed(
        {
            **attributes,
            "call": _said(_TEXT, "The function, or after new the method."),
            "new": _said(made, "The class to make an object of."),
            "get": _said(_TEXT, "An export to read."),
            "js": _said(_TEXT, "An expression that uses what the file exports."),
            "args": args,
            "do": _said(_list(step), "Calls on the object made by new before the one that counts."),
            "then": _said(_list(step), "Calls and reads on what came of it."),
            "from": _said(_PATH, "The file with the function."),
            "returns": _ref("value"),
            "throws": {"anyOf": [{"const": True}, _TEXT, _closed({"name": _ref("text"), "message": _ref("text")})]},
            "output": _ref("text"),
        },
        "A call of a function, in a child of its own.",
        dependentRequired={"do": ["new"]},
    )
