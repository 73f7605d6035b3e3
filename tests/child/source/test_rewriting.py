"""Rewritten programs do what the originals mean, in the engine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .programs import ready

PROGRAMS = [
    ('enum E { A = 1, B = A + 1, "c d" = "x", } console.log(E, E.B, [...E].length);', "{ A: 1, B: 2, c d: 'x' } 2 3\n"),
    ("const f = (a: number, b?: string): void => { console.log(a as any, b); }; f(1, 'x');", "1 x\n"),
    (
        "class B<T> implements I { public readonly v: T; constructor(v: T) { this.v = v; } }"
        " console.log(new B<number>(3).v);",
        "3\n",
    ),
    (
        "const createElement = (t, p, ...c) => [t, p, c]; const P = { b: 1 };"
        " console.log(<a x='1' {...P} y={2}>t {3}<b/></a>);",
        "[ 'a', { x: '1', b: 1, y: 2 }, [ 't ', 3, [ 'b', null, [] ] ] ]\n",
    ),
    (
        "const r = (n) => ({ [Symbol.dispose]() { console.log(n); } });"
        " { using a = r('a'), b = r('b'); console.log('in'); } switch (1) { case 1: using c = r('c'); }",
        "in\nb\na\nc\n",
    ),
    (
        "const d = (v) => match (v) { { k: 'ok', v: const x }: x; [const a, ...const b]: b; > 5: 'big';"
        " default: 'no'; };"
        " console.log(d({ k: 'ok', v: 4 }), d([1, 2, 3]), d(9), d(true));",
        "4 [ 2, 3 ] big no\n",
    ),
    ("const v = 'outer'; if ({ v: 2 } is { v: const v } && v > 1) { console.log(v); } console.log(v);", "2\nouter\n"),
    ("for (const i is { n: const n } of [{ n: 1 }, {}, { n: 3 }]) console.log(n);", "1\n3\n"),
    ("try { throw { code: 7 }; } catch (e is { code: const c }) { console.log(c); }", "7\n"),
    ("if (true) { break; console.log(1); } console.log(2);", "2\n"),
    ("console.log(1); return 2; console.log(3);", "1\n"),
    ("console.log(typeof arguments, typeof eval);", "undefined undefined\n"),
    ("let arguments = 4; const o = { arguments }; console.log(arguments, o.arguments);", "4 4\n"),
    ("const f = (a, b = () => a) => { a = 9; return b(); }; console.log(f(1));", "9\n"),
    ("for await (const x of [Promise.resolve(1), 2]) console.log(x);", "1\n2\n"),
    (
        "const log = (f, c) => named(c, f); const named = (c, f) => ({ [c.name](...a) { console.log(c.kind, c.name);"
        " return f.apply(this, a); } })[c.name]; const up = (v, c) => (x) => x + 1;"
        " const tag = (k, c) => { console.log(c.kind); };\n"
        "@tag class C { @up n = 1; accessor level = 5; @log static s() { return 's'; }"
        " @log #p() { return this.n; } run() { return this.#p(); } }"
        " const c = new C(); c.level++; console.log(c.n, c.level, C.s(), c.run());",
        "class\nmethod s\nmethod #p\n2 6 s 2\n",
    ),
    ("try { { let a; let a; } } catch (e) { console.log(e.name); }", "SyntaxError\n"),
    ("import { a, b as c } from './m.js'; const f = (a) => a; console.log(a, c(), f(3), { a });", "1 2 3 { a: 1 }\n"),
]


@pytest.mark.parametrize(("text", "output"), PROGRAMS)
def test_a_program_prints_what_the_original_means(program: Any, text: str, output: str) -> None:
    ran = program(text, {"/m.js": "export const a = 1; export const b = () => 2;"})
    assert ran.output == output, ran.outcome


def test_types_are_checked_when_asked(program: Any) -> None:
    text = (
        "let n: number = 1; let s = 'a'; const f = (x: string) => x;\n"
        "for (const g of [() => { n = 'x'; }, () => { s = 1; }, () => { n += 1; }, () => f(1), () => { s += 'b'; }])\n"
        "  try { g(); console.log('ok'); } catch (e) { console.log(e.message); }"
    )
    ran = program(text, engine={"strictTypes": True})
    assert ran.output.splitlines() == [
        "Type 'string' is not assignable to type 'number'",
        "Type 'number' is not assignable to type 'string'",
        "ok",
        "Type 'number' is not assignable to type 'string'",
        "ok",
    ]


COMPLETIONS = [
    ("1; if (false) { 2; }", None),
    ("'k'; const a = 1; { }", "k"),
    ("for (const n of [1, 2, 3]) { n * 10; }", 30),
    ("try { 'b'; } finally { 'f'; }", "b"),
    ("if (false) 1; else if (true) 2;", 2),
    ("export default 3; 4;", 4),
]


@pytest.mark.parametrize(("text", "value"), COMPLETIONS)
def test_a_module_body_has_a_completion_value(program: Any, text: str, value: object) -> None:
    assert json.loads(program(text, entry="/main.mjs").outcome.value_json) == value


def test_no_helper_can_be_reached_from_a_program(program: Any) -> None:
    text = (
        "console.log(Object.getOwnPropertyNames(globalThis).filter((n) => n.includes('g_')).length,"
        " globalThis['ǃg_await']);"
    )
    assert program(text).output == "0 undefined\n"


def test_exports_without_a_declaration_are_left_out() -> None:
    prepared = ready("export { gone }; export const a = 1; export { a };", path="/m.mjs", kind="module")
    assert "gone" not in prepared.text
    assert prepared.text.count("a") == ready(
        "export { }; export const a = 1; export { };", path="/m.mjs", kind="module"
    ).text.count("a")
