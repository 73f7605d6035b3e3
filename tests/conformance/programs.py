"""Small random programs in the reference's default dialect, from a grammar of this file's own."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "d")
NUMBERS = st.sampled_from(
    ["0", "1", "2", "7", "-3", "0.5", "1e3", "255", "-0", "NaN", "Infinity", "10n ** 3n", "2 ** 10"]
)
STRINGS = st.sampled_from(['""', '"x"', '"ab"', '"it\'s"', "'say \"hi\"'", "`tick`", '"é\\u{1F600}"', '"12"', '"\\n"'])
SIMPLE = st.one_of(
    NUMBERS,
    STRINGS,
    st.sampled_from(["true", "false", "null", "undefined", *NAMES]),
)
#: values that need no name, so that they hold no array with null in it, which the reference turns to other text
PLAIN = st.one_of(NUMBERS, STRINGS, st.sampled_from(["true", "false", "null", "undefined"]))
OPERATORS = st.sampled_from(
    ["+", "-", "*", "/", "%", "**", "===", "!==", "<", ">=", "&&", "||", "??", "&", "|", "^", "<<", ">>", ">>>"]
)
CHOICES = st.sampled_from(["===", "!==", "&&", "||", "??"])
METHODS = st.sampled_from(
    [
        "map((x, i) => [x, i])",
        "filter((x) => x)",
        "reduce((x, y) => `${x}${y}`, '')",
        "join('-')",
        "at(-1)",
        "includes(1)",
        "flat()",
        "toReversed()",
        "with(0, 'w')",
        "findLast((x) => typeof x === 'number')",
        "entries().next().value",
        "concat([1, [2]])",
        "slice(1)",
        "some((x) => x === null)",
        "toSorted()",
        "indexOf('x')",
    ]
)
STRING_METHODS = st.sampled_from(
    [
        "toUpperCase()",
        "split('')",
        "padStart(5, '*')",
        "at(0)",
        "repeat(2)",
        "trim()",
        "codePointAt(0)",
        "replaceAll('x', 'y')",
        "length",
    ]
)


def wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    arrays = st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
    objects = st.lists(st.tuples(st.sampled_from(["k", "m", "0", "'two words'"]), inner), max_size=3).map(
        lambda pairs: "({ " + ", ".join(f"{key}: {value}" for key, value in pairs) + " })"
    )
    return st.one_of(
        arrays,
        objects,
        st.tuples(PLAIN, OPERATORS, PLAIN).map(lambda t: f"(({t[0]}) {t[1]} ({t[2]}))"),
        st.tuples(inner, CHOICES, inner).map(lambda t: f"(({t[0]}) {t[1]} ({t[2]}))"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})"),
        st.tuples(arrays, METHODS).map(lambda t: f"{t[0]}.{t[1]}"),
        st.tuples(inner, STRING_METHODS).map(lambda t: f"String({t[0]}).{t[1]}"),
        inner.map(lambda e: f"typeof ({e})"),
        PLAIN.map(lambda e: f"`<${{{e}}}>`"),
        inner.map(lambda e: f"((x = {e}, ...rest) => [x, rest.length])({e}, 1)"),
        inner.map(lambda e: f"JSON.stringify({e}) ?? 'none'"),
        inner.map(lambda e: f"[...new Set([{e}, {e}])].length"),
        inner.map(lambda e: f"Object.entries({{ ...{objects_only(e)} }})"),
        inner.map(lambda e: f"({e})?.k?.[0]"),
        inner.map(lambda e: f"new Map([[{e}, 1]])"),
        inner.map(lambda e: f"!({e})"),
    )


def objects_only(expression: str) -> str:
    return f"Object({expression})"


EXPRESSIONS = st.recursive(SIMPLE, wrapped, max_leaves=6)


def _statement(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    block = inner.map(lambda lines: ["{", *(f"  {line}" for line in lines), "}"])
    return st.one_of(
        st.tuples(EXPRESSIONS, block, block).map(
            lambda t: [f"if ({t[0]}) " + t[1][0], *t[1][1:-1], "} else {", *t[2][1:]]
        ),
        st.tuples(EXPRESSIONS, block).map(lambda t: [f"for (const item of [{t[0]}, 2]) {{", *t[1][1:]]),
        st.tuples(block, block).map(
            lambda t: [
                "try " + t[0][0],
                *t[0][1:-1],
                "} catch (error) {",
                "  console.log(error.name);",
                *t[1][1:-1],
                "} finally { console.log('finally'); }",
            ]
        ),
        st.tuples(EXPRESSIONS, block).map(
            lambda t: [
                f"switch ({t[0]}) {{ case 1: {{",
                *t[1][1:-1],
                "} case 'x': { console.log('fell'); break; } default: { console.log('default'); } }",
            ]
        ),
        block,
    )


SIMPLE_STATEMENTS = st.one_of(
    EXPRESSIONS.map(lambda e: [f"console.log({e});"]),
    st.tuples(st.sampled_from(NAMES), EXPRESSIONS).map(lambda t: [f"{t[0]} = {t[1]};"]),
    EXPRESSIONS.map(lambda e: [f"{e};"]),
    EXPRESSIONS.map(
        lambda e: [
            f"const call = () => {{ if ({e}) {{ throw new RangeError('thrown'); }} return 1; }};",
            "console.log(call());",
        ]
    ).map(lambda lines: ["{", *lines, "}"]),
    st.tuples(EXPRESSIONS, EXPRESSIONS).map(
        lambda t: [
            "{",
            f"class Shape {{ #v = {t[0]}; static make() {{ return new Shape(); }}",
            "get v() { return this.#v; } m(p) { return [p, this.v]; } }",
            f"console.log(Shape.make().m({t[1]}));",
            "}",
        ]
    ),
    EXPRESSIONS.map(
        lambda e: [
            "{",
            f"const g = (function_like) => ({{ *walk() {{ yield 1; yield {e}; }} }});",
            "console.log([...g().walk()]);",
            "}",
        ]
    ),
    EXPRESSIONS.map(lambda e: [f"Promise.resolve({e}).then((v) => console.log('then', v));"]),
    EXPRESSIONS.map(lambda e: [f"console.log(await {e});"]),
    st.tuples(EXPRESSIONS, EXPRESSIONS).map(
        lambda t: ["{", f"const [p = {t[0]}, ...q] = [undefined, {t[1]}];", "console.log(p, q);", "}"]
    ),
)
STATEMENTS = st.recursive(SIMPLE_STATEMENTS, _statement, max_leaves=4)


def _join(parts: list[list[str]], last: str) -> str:
    lines = ["let a = 1;", "let b = 'x';", "let c = [1, , null];", "let d = { k: [2], m: undefined };"]
    for part in parts:
        lines += part
    return "\n".join([*lines, f"{last};", ""])


PROGRAMS = st.builds(_join, st.lists(STATEMENTS, min_size=1, max_size=4), EXPRESSIONS)
