"""Doors to the source package for its tests, and a grammar of small programs."""

from __future__ import annotations

from hypothesis import strategies as st

from goccia_tools.child.dialect import FLAGS
from goccia_tools.child.source import Prepared, SourceError, prepare

EVERYTHING = FLAGS - {"compat-non-strict-mode"}


def ready(text: str, *flags: str, path: str = "/main.js", kind: str = "script", **options: bool) -> Prepared:
    return prepare(text, path, kind=kind, flags=frozenset(flags), **options)


def verdict(text: str, *flags: str, path: str = "/main.js", kind: str = "script") -> tuple[str, int, int] | None:
    """Where the text is refused, or None."""
    try:
        ready(text, *flags, path=path, kind=kind)
    except SourceError as problem:
        return problem.path, problem.line, problem.column
    return None


_NAMES = st.sampled_from(["a", "b", "x", "f"])
_ATOMS = st.one_of(
    _NAMES,
    st.sampled_from(
        [
            "1",
            '"s"',
            "null",
            "this",
            "`t`",
            "/r/g",
            "0x1F",
            "[]",
            "{}",
            "() => 1",
            "-a",
            "!b",
            "typeof x",
            "a.b",
            "f(x)",
        ]
    ),
)


def _bigger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "===", "==", "??", "||", "&&", "/", "<", "in", ","]), inner).map(
            " ".join
        ),
        inner.map("({})".format),
        pair.map(lambda two: f"[{two[0]}, {two[1]}]"),
        pair.map(lambda two: f"{two[0]} ? {two[1]} : a"),
        inner.map("`p${{{}}}q`".format),
        inner.map("async () => {{ await {}; }}".format),
        st.tuples(_NAMES, inner).map(lambda two: f"({two[0]}: number) => {two[1]}"),
        inner.map("(class {{ #p = {}; m() {{ return this.#p; }} }})".format),
        inner.map("({{ m() {{ return {}; }}, a }})".format),
        inner.map("await {}".format),
        inner.map("{} as T<K>".format),
    )


EXPRESSIONS = st.recursive(_ATOMS, _bigger, max_leaves=5)
_ENDS = st.sampled_from([";", ";", ";", "", "\n", ";\r\n"])


def _statements(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(EXPRESSIONS, inner).map(lambda two: f"if ({two[0]}) {{ {two[1]} }}"),
        st.tuples(_NAMES, EXPRESSIONS, inner).map(
            lambda three: f"for (const {three[0]} of {three[1]}) {{ {three[2]} }}"
        ),
        inner.map("while (a) {{\n{} }}".format),
        inner.map("{{ using r = f(); {} }}".format),
        st.tuples(inner, inner).map(lambda two: f"try {{ {two[0]} }} catch (e) {{ {two[1]} }}"),
        st.tuples(inner, inner).map("\n".join),
        inner.map("function f(a) {{ {} }}".format),
    )


STATEMENTS = st.recursive(
    st.one_of(
        st.tuples(EXPRESSIONS, _ENDS).map("".join),
        st.tuples(st.sampled_from(["const", "let", "var"]), _NAMES, EXPRESSIONS, _ENDS).map(
            lambda four: f"{four[0]} {four[1]}: number = {four[2]}{four[3]}"
        ),
        st.sampled_from(
            [
                'import { a as q, b } from "./m.js";',
                "enum E { A = 1,\n B = 2 }",
                "type T = { a: number };",
                "return 5;",
                "break;",
            ]
        ),
    ),
    _statements,
    max_leaves=6,
)
