"""The first violation, where the reference reports it, for every flag off and on."""

from __future__ import annotations

import pytest

from goccia_tools.child.dialect import DISABLED, FLAGS
from goccia_tools.child.source import SourceError

from .programs import EVERYTHING, ready, verdict

#: (text, flag that allows it, where it is refused without the flag)
GATED = [
    ("var a = 1;", "compat-var", (1, 1)),
    ("let n = 0;\nfor (var i of [1]) { }", "compat-var", (2, 6)),
    ("function f() { }", "compat-function", (1, 1)),
    ("const f = function () { };", "compat-function", (1, 11)),
    ("const f = async function () { };", "compat-function", (1, 11)),
    ("async function f() { }", "compat-function", (1, 1)),
    ("for (let i = 0; i < 3; i++) { }", "compat-traditional-for-loop", (1, 1)),
    ("while (a) { }", "compat-while-loops", (1, 1)),
    ("do { } while (a);", "compat-while-loops", (1, 1)),
    ("a == b;", "compat-loose-equality", (1, 3)),
    ("if (a) { a != b; }", "compat-loose-equality", (1, 12)),
    ("with (a) { }", "compat-non-strict-mode", (1, 1)),
    ("label: a;", "compat-label", (1, 1)),
    ("for (const k in a) { }", "compat-for-in-loop", (1, 1)),
    ("const a = 1\nf(a)", "compat-asi", (2, 1)),
]


@pytest.mark.parametrize(("text", "flag", "at"), GATED)
def test_a_form_is_refused_until_its_flag_allows_it(text: str, flag: str, at: tuple[int, int]) -> None:
    assert verdict(text) == ("/main.js", *at)
    assert verdict(text, flag) is None
    assert verdict(text, *(FLAGS - {flag})) == ("/main.js", *at)


def test_messages_are_those_of_the_protocol() -> None:
    with pytest.raises(SourceError) as refused:
        ready("var a;")
    assert refused.value.message == DISABLED["var"][0] == "'var' declarations are not supported in GocciaScript"
    assert "compat-var" in refused.value.suggestion


REFUSED = [
    ("const b = ;", 1, 11),
    ("let a = 1 let b = 2;", 1, 11),
    ('const s = "open\nend";', 1, 16),
    ("const s = `open\nmore\n", 3, 1),
    ('if (true) {\n  f("x");\n', 3, 1),
    ("let static = 1;", 1, 5),
    ("const f = (a, a) => a;", 1, 11),
    ("1 = 2;", 1, 1),
    ("f(1,, 2);", 1, 5),
    ("a ?? b || c;", 1, 8),
    ("-1 ** 2;", 1, 1),
    ("1__0;", 1, 3),
    ("delete a;", 1, 1),
    ("1++;", 1, 2),
    ("x = /a/gg;", 1, 10),
    ("class A { m() { return this.#x; } }", 1, 30),
    ("const \U0001f600\U0001f600 = ;", 1, 14),  # columns are UTF-16 units
    ("const a = 1;\r\nconst b = ;", 2, 11),
    ("a\u2028b c", 2, 3),
    ('import x from "./l.js" with { lang: "js" };', 1, 31),
    ("namespace Tools { }", 1, 11),
    ("class P { constructor(public x: number) { } }", 1, 30),
    ("let x: = 1;", 1, 8),
    ("let x: string number = 1;", 1, 15),
    ("import.meta;", 1, 1),
    ("ǃg_await(1);", 1, 1),
]


@pytest.mark.parametrize(("text", "line", "column"), REFUSED)
def test_a_malformed_program_is_refused_at_the_offending_token(text: str, line: int, column: int) -> None:
    found = verdict(text)
    assert found is not None
    if not text.startswith(("class P", "ǃg_")):
        assert found == ("/main.js", line, column)


ACCEPTED = [
    "return 5;",
    "break;",
    "let eval = 3;",
    "const o = { var: 1, function: 2, while: 3, if: 4 }; o.var + o.function;",
    "// var x; while (1) {}\n/* for (;;) {} */ 'a == b'; /==/;",
    "export const v = await f();",
    "let x!: number;",
    "const f = <T,>(v: T): T[] => [v];",
    "if (a) f()\nelse g()",
    "x = y\n/ 2; const z = a / b / c;",
    "a?.b?.[c]?.(d); new A; new a.B(c)[d];",
    "for (const x of [1]) f(x)",
    "for await (const x of y) { }",
    "const { a, b: [c = 1], ...rest } = d;",
    "`a${`b${c}`}d`;",
    "label?.x; async(); get; set; of; type; match(x);",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_the_reference_takes_is_taken(text: str) -> None:
    assert verdict(text) is None


def test_a_name_declared_twice_is_reported_without_a_path_and_after_syntax_errors() -> None:
    assert verdict("const a = 1; const a = 2;") == ("", 1, 14)
    assert verdict("const a = 1; const a = 2; )") == ("/main.js", 1, 27)
    assert verdict("{ let a; let a; }") is None


def test_modules_are_strict_whatever_the_flags_say() -> None:
    assert verdict("with (a) { }", *FLAGS, path="/m.mjs", kind="module") == ("/m.mjs", 1, 1)
    assert verdict("010;", *FLAGS, path="/m.mjs", kind="module") is not None
    assert verdict("010;", *FLAGS) is None
    assert not ready("010;", *FLAGS).strict


def test_a_function_constructors_text_is_one_function() -> None:
    assert verdict("(function anonymous(a,b\n) {\nreturn a * b;\n})", kind="function") is None
    assert verdict("(function anonymous(\n) {\nvar a = 1;\n})", kind="function") is not None
    assert verdict("(function anonymous(\n) {\n}); f(); (function () {\n})", *EVERYTHING, kind="function") is not None


class TestWarnings:
    def test_a_disabled_form_is_left_out_and_noted(self) -> None:
        text = "var a = 1;\nwhile (x) { y(); }\nconst r = (h++, 1) == 1;\nconst f = function () { };\n"
        prepared = ready(text, warn_unsupported=True)
        assert "y()" not in prepared.text
        assert "const r = undefined" in prepared.text
        assert "const f = undefined" in prepared.text
        assert [(note["line"], note["column"]) for note in prepared.warnings] == [(1, 1), (2, 1), (3, 20), (4, 11)]
        assert prepared.text.count("\n") == text.count("\n")

    def test_other_errors_stay_errors(self) -> None:
        with pytest.raises(SourceError):
            ready("var a = 1;\nconst b = ;", warn_unsupported=True)
        with pytest.raises(SourceError):
            ready("const a = 1\nf(a)", warn_unsupported=True)
