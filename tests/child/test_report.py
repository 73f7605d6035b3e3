"""Error reports: where a failing function was called, code frames, stacks, and what has neither."""

from __future__ import annotations

import pytest

from goccia_tools import Runner


@pytest.fixture(scope="module")
def runner():
    with Runner() as shared:
        yield shared


def report(runner: Runner, text: str, **options: object) -> str:
    return runner.run(text, **options).error_message


def test_the_place_is_the_innermost_call(runner: Runner) -> None:
    assert report(runner, 'const f = () => { throw new TypeError("no"); };\nconst g = () => f();\ng();') == (
        "TypeError: no\n"
        "  --> /main.js:2:18\n"
        '   1 | const f = () => { throw new TypeError("no"); };\n'
        "   2 | const g = () => f();\n"
        "     |                  ^\n"
        "   3 | g();"
    )


def test_at_the_top_level_there_is_no_place(runner: Runner) -> None:
    assert report(runner, "null.x;") == "TypeError: Cannot read property 'x' of null"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("const f = () => null.x; f(1, 2);", "1:26"),
        ("const f = () => null.x; f(\n  1\n);", "1:26"),
        ("const o = { m() { return null.x; } }; o\n  .m();", "2:5"),
        ("const o = { m() { return null.x; } }; o.m?.();", "1:42"),
        ("class K { constructor() { null.x; } } new K();", "1:39"),
        ("const t = () => null.x; t`a`;", "1:26"),
        ('JSON.parse("{");', "1:11"),
        ("const f = () => null.x; const id = (v) => v; id(f());", "1:50"),
        ("const f = () => null.x; [1].map(() => f());", "1:40"),
        ("const f = (cb) => cb(); f(() => { throw new Error(); });", "1:21"),
    ],
)
def test_where_a_call_is(runner: Runner, text: str, place: str) -> None:
    assert f"  --> /main.js:{place}\n" in report(runner, text)


@pytest.mark.parametrize(
    "text",
    [
        "const o = { get v() { return null.x; } }; o.v;",
        "const o = { valueOf() { return null.x; } }; o + 1;",
        "for (const x of { [Symbol.iterator]() { return { next() { return null.x; } }; } }) {}",
    ],
)
def test_what_an_operator_runs_was_not_called(runner: Runner, text: str) -> None:
    assert "-->" not in report(runner, text)


def test_an_unknown_name_has_the_reference_s_odd_place(runner: Runner) -> None:
    assert report(runner, "missing;") == "ReferenceError: Undefined variable: missing\n  --> :0:0"


def test_a_class_of_errors_is_reported_under_its_name(runner: Runner) -> None:
    text = 'class Mine extends Error { name = "Mine"; }\nconst f = () => { throw new Mine("x"); };\nf();'
    assert report(runner, text).startswith("Mine: x\n  --> /main.js:3:2\n")


@pytest.mark.parametrize(
    ("thrown", "text"),
    [
        ('"text"', "text"),
        ("42", "42"),
        ("null", "null"),
        ('Symbol("s")', "Symbol(s)"),
        ("{}", "[object Object]"),
        ("[1]", "[object Array]"),
        ('{ message: "m" }', "m"),
        ('{ name: "N", message: "m" }', "N: m"),
    ],
)
def test_thrown_values_that_are_no_errors(runner: Runner, thrown: str, text: str) -> None:
    assert report(runner, f"throw {thrown};") == text


def test_the_caret_counts_utf16_units_and_keeps_tabs(runner: Runner) -> None:
    lines = report(runner, 'const f = () => null.x;\n\tconst s = "😀"; f();').split("\n")
    assert lines[1] == "  --> /main.js:2:19"
    assert lines[4] == "     | \t" + " " * 17 + "^"


def test_making_an_error_is_no_call_of_its_own(runner: Runner) -> None:
    text = (
        "class Mine extends Error { constructor(m) { super(m); this.extra = 1; } }\n"
        "class Plain { constructor() { throw new Error('in'); } }\n"
        "const f = () => new Mine('x');\n"
        "const g = () => { try { new Plain(); } catch (error) { return error; } };\n"
        "console.log(f().stack);\nconsole.log(g().stack);"
    )
    assert runner.run(text).output == (
        "Error: x\n    at f (/main.js:5:14)\nError: in\n    at Plain (/main.js:4:25)\n    at g (/main.js:6:14)\n"
    )


def test_stack_is_the_list_of_calls(runner: Runner) -> None:
    result = runner.run("const f = () => new Error('m');\nconst g = () => f();\nconsole.log(g().stack);")
    assert result.output == "Error: m\n    at f (/main.js:2:18)\n    at g (/main.js:3:14)\n"


@pytest.mark.parametrize("name", ["Intl", "Temporal"])
def test_what_only_the_other_engine_has_fails_by_name(runner: Runner, name: str) -> None:
    said = report(runner, f"const f = () => {name}; f();")
    assert said.startswith(f"TypeError: {name} is not part of the embedded engine; the goccia engine has it\n")
    assert runner.run(f"globalThis.{name} = 5; {name} + 1;").result_value == 6


@pytest.mark.parametrize(
    ("call", "message", "column"),
    [
        ("o.method();", "o.method is not a function", 9),
        ("o.a.b(1, o.x);", "o.a.b is not a function", 6),
        ("o();", "'o' is not a function", 2),
        ("o?.m?.(1);", "o?.m is not a function", None),
        ("list[0](2);", "list[...] is not a function", 8),
        ("o.q(list.at);", "o.q is not a function", 4),
        ("o.q(1 + 2);", "o.q is not a function", 4),
        ("o`x`;", "'o' is not a function", 2),
        ("new o();", "'o' is not a constructor", 1),
        ("new o.a(f());", "o.a is not a constructor", 1),
        ("console.log(o.b());", "o.b is not a function", 16),
        ("o.b((x) => x + list);", "o.b is not a function", 4),
        ("[1].map(() => o.b());", "o.b is not a function", 18),
    ],
)
def test_a_call_of_what_is_no_function_is_named_and_placed(
    runner: Runner, call: str, message: str, column: int | None
) -> None:
    text = report(runner, f"const o = {{ a: {{}} }}; const list = [1]; const f = () => 1;\n{call}")
    if column is None:
        assert text == ""
    else:
        assert text.startswith(f"TypeError: {message}\n  --> /main.js:2:{column}\n")


def test_calls_that_the_engine_cannot_tell_apart_are_all_named(runner: Runner) -> None:
    text = report(runner, "const inner = 1; const outer = 2;\nouter(inner(3));")
    assert text.startswith("TypeError: inner or outer is not a function\n")


def test_a_console_of_the_program_is_not_taken_for_the_builtin_one(runner: Runner) -> None:
    text = report(runner, "const f = () => 1; const test = (console) => {\nconsole.log(f(1)); };\ntest({});")
    assert text.startswith("TypeError: f or console.log is not a function\n")


def test_a_caught_error_has_the_message_too(runner: Runner) -> None:
    result = runner.run("const o = {};\ntry { o.m(); } catch (error) { console.log(error.message); }")
    assert result.output == "o.m is not a function\n"


def test_a_builtin_that_wants_a_function_is_not_taken_for_the_call(runner: Runner) -> None:
    assert report(runner, "[1].map(2);").startswith("TypeError: not a function\n  --> /main.js:1:8\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1n + 1;", "Cannot mix BigInt and other types, use explicit conversions"),
        ("Math.max(1n);", "Cannot convert a BigInt value to a number"),
        ("const { a } = null;", "Cannot destructure null or undefined"),
        ("Object.keys(null);", "Cannot convert undefined or null to object"),
        ("for (const x of null) {}", "'null' is not iterable"),
        ("const a = {}; a.a = a; JSON.stringify(a);", "Converting circular structure to JSON"),
        ("new (class extends Object { constructor() {} })();", "Must call super constructor"),
        ("new (class A { #p = 1; m(o) { o.#p; } })().m({});", "Private field #p is not accessible"),
    ],
)
def test_the_engines_texts_are_the_references_where_one_stands_for_one(runner: Runner, text: str, message: str) -> None:
    assert f": {message}" in report(runner, text).splitlines()[0]


def test_a_program_cannot_reach_the_table_of_texts(runner: Runner) -> None:
    result = runner.run('Object.prototype["value is not iterable"] = "mine"; try { [...5]; } catch (e) { e.message; }')
    assert result.result_value == "value is not iterable"
